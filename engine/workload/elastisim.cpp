#include "workload/elastisim.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/printable.h"
#include "workload/arithmetic.h"
#include "workload/attributes.h"
#include "workload/json_fields.h"
#include "workload/packed_file.h"
#include "workload/recorded_jobs.h"

namespace coslice {
namespace {

using JsonTree = nlohmann::json;
using Names = std::map<std::string, double>;

constexpr const char* kWhat = "jobs of ElastiSim";
constexpr int kDeepestSequence = 32;  // sequences within sequences
constexpr double kMostNodes = std::numeric_limits<std::int32_t>::max();

/// Application models, each read once.
class Models {
 public:
  explicit Models(const std::string& jobs_file) : folder_(std::filesystem::path(jobs_file).parent_path()) {}

  struct Model {
    std::string file;
    JsonTree tree;
  };
  const Model& get(const std::string& name, const JsonFields& job) {
    if (name.empty()) job.fail(job.whose() + " has no application_model", "the path of one");
    const auto known = models_.find(name);
    if (known != models_.end()) return known->second;
    Model model{place_of(name, job), {}};
    const std::string text = read_packed(model.file);
    try {
      model.tree = JsonTree::parse(text);
    } catch (const JsonTree::parse_error& e) {
      fail_as_json(text, model.file, "an application model of ElastiSim", e);
    }
    return models_.emplace(name, std::move(model)).first->second;
  }

 private:
  std::string place_of(const std::string& name, const JsonFields& job) const {
    const std::filesystem::path as_said = folder_ / name, beside = folder_ / std::filesystem::path(name).filename();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(as_said, ignored)) return as_said.string();
    if (std::filesystem::is_regular_file(beside, ignored)) return beside.string();
    job.fail(fmt::format("the application_model of {} is '{}', which is not there", job.whose(),
                         printable(shortened(name, 80))),
             fmt::format("that file, or {} beside the jobs", std::filesystem::path(name).filename().string()));
  }

  std::filesystem::path folder_;
  std::map<std::string, Model> models_;
};

/// A number, or arithmetic with the job's arguments.
double number_of(const JsonTree& object, const char* name, double absent, const Names& names,
                 const std::string& model) {
  const auto at = object.find(name);
  if (at == object.end() || at->is_null()) return absent;
  if (at->is_number()) return at->get<double>();
  if (!at->is_string())
    throw InputError(
        {model, 0, fmt::format("'{}' is neither a number nor a text", name), "a number or arithmetic", "", ""});
  try {
    return arithmetic_value(at->get<std::string>(), names);
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic();
    d.file = model;
    throw InputError(d);
  }
}

const JsonTree& list_of(const JsonTree& object, const char* name, const std::string& model) {
  const auto at = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || at == object.end() || !at->is_array())
    throw InputError(
        {model, 0, fmt::format("there is no list '{}'", name), "an application model of ElastiSim", "", ""});
  return *at;
}

/// Seconds of these tasks; nothing if the platform decides how long one takes.
std::optional<double> time_of_tasks(const JsonTree& tasks, const Names& names, const std::string& model,
                                    int depth = 0) {
  double sum = 0;
  for (const JsonTree& task : tasks) {
    if (!task.is_object() || !task.contains("type") || !task["type"].is_string())
      throw InputError({model, 0, "a task has no type", "e.g. busy_wait", "", ""});
    const std::string type = task["type"].get<std::string>();
    const double times = std::round(number_of(task, "iterations", 1, names, model));
    std::optional<double> one;
    if (type == "busy_wait" || type == "idle") {
      one = number_of(task, "delay", std::nan(""), names, model);
      if (std::isnan(*one))
        throw InputError({model, 0, fmt::format("a task {} has no delay", type), "seconds", "", ""});
    } else if (type == "sequence") {
      if (depth == kDeepestSequence)
        throw InputError({model, 0, "sequences are nested too deep", fmt::format("{} at most", kDeepestSequence), "", ""});
      one = time_of_tasks(list_of(task, "tasks", model), names, model, depth + 1);
    }
    if (!one) return {};
    sum += times * *one;
  }
  return sum;
}

std::optional<double> time_of_model(const Models::Model& model, const Names& names) {
  double sum = 0;
  if (model.tree.is_object() && model.tree.contains("on_init")) {
    const auto first = time_of_tasks(list_of(model.tree, "on_init", model.file), names, model.file);
    if (!first) return {};
    sum += *first;
  }
  for (const JsonTree& phase : list_of(model.tree, "phases", model.file)) {
    const auto one = time_of_tasks(list_of(phase, "tasks", model.file), names, model.file);
    if (!one) return {};
    sum += std::round(number_of(phase, "iterations", 1, names, model.file)) * *one;
  }
  return sum;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file), jobs_(file, false), models_(file) {}

  void add(const JsonTree& object, int line) {
    const JsonFields f(object, file_, line, fmt::format("job {}", ++count_ - 1));
    const std::string type = f.text("type");
    if (type != "rigid" && type != "moldable" && type != "malleable")
      f.fail(fmt::format("type of {} is '{}'", f.whose(), printable(shortened(type, 40))),
             "rigid, moldable or malleable");
    const bool rigid = type == "rigid";
    const std::int32_t least = whole(f, rigid ? "num_nodes" : "num_nodes_min", 1);
    const std::int32_t most = rigid ? least : whole(f, "num_nodes_max", least);
    const std::int32_t gpus = whole(f, rigid ? "num_gpus_per_node" : "num_gpus_per_node_min", 0, 0);
    const auto submit = f.number("submit_time");
    if (!submit || *submit < 0 || *submit > kMaxSubmitSeconds)
      f.fail(fmt::format("{} has no submit_time of the next 190 years", f.whose()), "seconds from 0 on");
    const Models::Model& model = models_.get(f.text("application_model"), f);
    Names names = arguments(object, f);
    RecordedJob job;
    job.site_id = std::to_string(count_ - 1);
    job.submitted = from_seconds(*submit);
    std::string sizes;
    for (const std::int32_t nodes : sizes_between(least, most)) {
      names["num_nodes"] = nodes;
      names["num_gpus_per_node"] = gpus;
      names["num_gpus"] = static_cast<double>(nodes) * gpus;
      const auto seconds = time_of_model(model, names);
      if (!seconds) return jobs_.drop("an application model with tasks whose time depends on the platform", line);
      if (!(*seconds >= 0 && *seconds < kMaxSeconds))
        f.fail(fmt::format("{} runs for {} s on {} nodes by its model {}", f.whose(), *seconds, nodes, model.file),
               "at least 0, less than 31 years");
      const Duration time = std::max(from_seconds(*seconds), whole_seconds(1));
      if (sizes.empty()) job.job.runtime = time;
      sizes += fmt::format("{}{}:{}", sizes.empty() ? "" : ",", nodes, format_seconds(time));
    }
    job.job.size = least;
    if (most > least) jobs_.set_text(job.job, "sizes", sizes);
    if (type == "malleable") jobs_.alter("malleable: it keeps the size with which it starts", line);
    const double limit = f.number("walltime").value_or(0);
    job.job.limit_given = limit > 0;
    if (job.job.limit_given) job.job.limit = std::max(from_seconds(std::min(limit, kMaxSeconds)), Duration{1});
    job.request.nodes = least;
    job.request.cpus = least;
    job.request.gpus = std::int64_t{least} * gpus;
    job.request.exclusive = true;
    jobs_.add(std::move(job));
  }

  RecordedWorkload finish() { return jobs_.finish(); }

 private:
  static std::int32_t whole(const JsonFields& f, const char* name, std::int32_t low,
                            std::optional<std::int32_t> absent = {}) {
    const auto value = f.number(name);
    if (!value && absent) return *absent;
    if (!value || *value != std::floor(*value) || *value < low || *value > kMostNodes)
      f.fail(value ? fmt::format("{} of {} is {}", name, f.whose(), *value)
                   : fmt::format("{} has no {}", f.whose(), name),
             fmt::format("a whole number from {} on", low));
    return static_cast<std::int32_t>(*value);
  }

  static Names arguments(const JsonTree& object, const JsonFields& f) {
    Names names;
    const auto at = object.find("arguments");
    if (at == object.end() || at->is_null()) return names;
    if (!at->is_object()) f.fail(fmt::format("arguments of {} is not an object", f.whose()), "names with numbers");
    for (const auto& [name, value] : at->items())
      if (value.is_number()) names[name] = value.get<double>();
    return names;
  }

  static std::vector<std::int32_t> sizes_between(std::int32_t least, std::int32_t most) {
    const std::int64_t span = std::int64_t{most} - least, steps = std::min<std::int64_t>(span, kMostElastisimSizes - 1);
    std::vector<std::int32_t> sizes = {least};
    for (std::int64_t i = 1; i <= steps; ++i) sizes.push_back(static_cast<std::int32_t>(least + span * i / steps));
    return sizes;
  }

  const std::string& file_;
  RecordedJobs jobs_;
  Models models_;
  std::int64_t count_ = 0;
};

}  // namespace

RecordedWorkload parse_elastisim(std::string_view text, const std::string& file) {
  Reader reader(file);
  read_json_list(text, file, "jobs", kWhat, [&](const JsonTree& object, int line) { reader.add(object, line); });
  return reader.finish();
}

}  // namespace coslice

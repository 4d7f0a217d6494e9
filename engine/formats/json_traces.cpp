// Workloads of others in JSON: their fields, with errors that say where they stand, and lists of jobs read job by job.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/portable_math.h"
#include "core/text.h"
#include "core/value.h"
#include "formats/json_text.h"
#include "formats/recorded.h"
#include "formats/swf.h"
#include "formats/trace_file.h"
#include "formats/trace_format.h"
#include "jobs/attributes.h"
#include "jobs/workload.h"

namespace coslice {
namespace {

using JsonTree = nlohmann::json;

/// Reads fields of an object. Throws InputError with the object's file and line (0: not known) where one is not what
/// it is to be.
class JsonFields {
 public:
  /// `whose` names the object in messages: "job 3". What is given must live as long as the fields do.
  JsonFields(const JsonTree& object, const std::string& file, int line, std::string whose)
      : object_(object), file_(file), line_(line), whose_(std::move(whose)) {}

  const std::string& whose() const { return whose_; }
  int line() const { return line_; }

  /// A number of at most 12 digits before the point; nothing if it is absent or null.
  std::optional<double> number(const char* name) const {
    const JsonTree* at = member(name, &JsonTree::is_number, "a number");
    if (at == nullptr) return {};
    const double value = at->get<double>();
    if (!(value >= -1e12 && value <= 1e12))
      fail(fmt::format("{} of {} is {}", name, whose_, value), "a finite number in range");
    return value;
  }
  /// A text; "" if it is absent or null.
  std::string text(const char* name) const {
    const JsonTree* at = member(name, &JsonTree::is_string, "a text");
    return at == nullptr ? "" : at->get<std::string>();
  }
  /// A list; null if it is absent or null.
  const JsonTree* list(const char* name) const { return member(name, &JsonTree::is_array, "a list"); }

  [[noreturn]] void fail(std::string problem, std::string expected) const {
    throw InputError({file_, line_, std::move(problem), std::move(expected)});
  }

 private:
  const JsonTree* member(const char* name, bool (JsonTree::*is_right)() const noexcept, const char* kind) const {
    const auto at = object_.find(name);
    if (at == object_.end() || at->is_null()) return nullptr;
    if (!((*at).*is_right)()) fail(fmt::format("{} of {} is not {}", name, whose_, kind), kind);
    return &*at;
  }

  const JsonTree& object_;
  const std::string& file_;
  int line_;
  std::string whose_;
};

/// Goes over a text and counts its lines.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  int* line_;
};

/// Throws InputError for a text that could not be parsed, with the line of the error.
[[noreturn]] void fail_as_json(std::string_view text, const std::string& file, const std::string& what,
                               const JsonTree::parse_error& error) {
  const auto before = text.substr(0, std::min(error.byte, text.size()));
  throw InputError({file, static_cast<int>(1 + std::ranges::count(before, '\n')), "this is not JSON", what});
}

// --- Batsim

constexpr int kDeepestProfile = 32;  // sequences within sequences

class BatsimReader {
 public:
  BatsimReader(std::string_view text, std::string file) : file_(std::move(file)) {
    tree_ = parse_json(text, file_, "a workload of Batsim");
    if (!tree_.is_object() || !tree_.contains("jobs") || !tree_["jobs"].is_array())
      fail("there is no list 'jobs'", "a workload of Batsim");
    if (!tree_.contains("profiles") || !tree_["profiles"].is_object())
      fail("there are no 'profiles'", "a workload of Batsim");
  }

  Workload read() {
    if (const auto machine = number(tree_, "nb_res", "the workload")) machine_ = truncated<std::int64_t>(*machine);
    for (const JsonTree& job : tree_["jobs"]) add(job);
    if (w_.jobs.empty()) fail("no job can be simulated", "at least one with a run time");
    return finish();
  }

 private:
  [[noreturn]] void fail(std::string problem, std::string expected) const {
    throw InputError({file_, 0, std::move(problem), std::move(expected)});
  }

  std::optional<double> number(const JsonTree& of, const char* name, const std::string& whose) const {
    return JsonFields(of, file_, 0, whose).number(name);
  }
  std::string text(const JsonTree& of, const char* name, const std::string& whose) const {
    return JsonFields(of, file_, 0, whose).text(name);
  }

  /// The run time of a profile; nothing if it does not have one of its own. Each is worked out once: sequences of
  /// sequences name the same ones over and over.
  std::optional<double> run_time(const std::string& name, const std::string& whose, int depth = 0) {
    if (const auto known = run_times_.find(name); known != run_times_.end()) return known->second;
    const std::optional<double> found = find_run_time(name, whose, depth);
    run_times_.emplace(name, found);
    return found;
  }

  std::optional<double> find_run_time(const std::string& name, const std::string& whose, int depth) {
    const JsonTree& profiles = tree_["profiles"];
    const auto at = profiles.find(name);
    if (at == profiles.end())
      fail(fmt::format("{} has the profile '{}', which is not there", whose, name), "one of 'profiles'");
    if (!at->is_object()) fail(fmt::format("the profile '{}' is not an object", name), "an object with 'type'");
    const std::string what = fmt::format("the profile '{}'", name);
    const std::string type = text(*at, "type", what);
    if (type == "delay" || type == "DelayProfile") return number(*at, "delay", what);
    const bool sequence = type == "composed" || type == "SequentialComposition";
    const auto parts = at->find("seq");
    if (!sequence || parts == at->end()) return {};
    if (!parts->is_array()) fail(fmt::format("seq of {} is not a list", what), "a list of names of profiles");
    if (depth == kDeepestProfile) fail(fmt::format("{} contains itself", what), "sequences that end");
    double sum = 0;
    for (const JsonTree& part : *parts) {
      if (!part.is_string())
        fail(fmt::format("'seq' of {} has something that is not a name", what), "names of profiles");
      const auto each = run_time(part.get<std::string>(), what, depth + 1);
      if (!each) return {};
      sum += *each;
    }
    const auto times = number(*at, "repeat", what);
    return sum * times.value_or(number(*at, "nb", what).value_or(1));
  }

  void add(const JsonTree& j) {
    ++w_.records;
    const std::string place = fmt::format("job {}", w_.records);
    if (!j.is_object()) fail(fmt::format("{} is not an object", place), "an object with id, subtime, res and profile");
    Job job;
    read_number(j, job, place);
    const std::string whose = place + id_text(j, w_.records);
    const auto submit = number(j, "subtime", whose), res = number(j, "res", whose),
               limit = number(j, "walltime", whose);
    if (!j.contains("profile") || !j["profile"].is_string())
      fail(fmt::format("{} has no profile", whose), "the name of one");
    const std::optional<double> run = run_time(j["profile"].get<std::string>(), whose);
    if (!submit || *submit < 0 || *submit >= kMaxSeconds) return drop("no time of submission");
    if (!res || *res < 1 || *res > std::numeric_limits<std::int32_t>::max()) return drop("no size");
    if (machine_ > 0 && *res > static_cast<double>(machine_))
      return drop(fmt::format("larger than the machine ({})", machine_));
    if (!run) return drop("a profile without a run time of its own");
    if (!(*run >= 0 && *run < kMaxSeconds)) return drop("a run time beyond 31 years");
    job.submit = at_seconds(*submit);
    job.size = truncated<std::int32_t>(*res);
    job.runtime = std::max(from_seconds(*run), Duration{1});
    job.limit_given = limit && *limit > 0;
    job.limit = job.limit_given ? std::max(from_seconds(std::min(*limit, kMaxSeconds)), Duration{1}) : job.runtime;
    w_.jobs.push_back(job);
  }

  /// " (w0!12)": the id that the file gives a job, where that is not its place in the list.
  static std::string id_text(const JsonTree& j, std::int64_t place) {
    const auto id = j.find("id");
    if (id == j.end()) return "";
    const std::string text = id->is_string() ? id->get<std::string>() : id->dump();
    return text == fmt::format("{}", place) ? "" : fmt::format(" ({})", text);
  }

  /// 12, "12" or "w0!12".
  void read_number(const JsonTree& j, Job& job, const std::string& whose) {
    const auto id = j.find("id");
    bool whole = id != j.end();
    if (whole && !id->is_number() && !id->is_string())
      fail(fmt::format("id of {} is neither a number nor a text", whose), "a number or a text");
    if (whole && id->is_number_integer()) {
      job.id = id->get<std::int64_t>();
    } else if (whole && id->is_string()) {
      std::string text = id->get<std::string>();
      text.erase(0, text.find('!') + 1);
      const auto number = parse_number<std::int64_t>(text);
      whole = number.has_value();
      job.id = number.value_or(-1);
    } else {
      whole = false;
    }
    if (!whole || job.id < 0 || !seen_.insert(job.id).second) renumber_ = true;
  }

  void drop(const std::string& reason) { ++dropped_[reason]; }

  Workload finish() {
    std::ranges::stable_sort(w_.jobs, {}, &Job::submit);
    if (renumber_)
      for (std::size_t i = 0; i < w_.jobs.size(); ++i) w_.jobs[i].id = static_cast<std::int64_t>(i + 1);
    w_.name = workload_name_of(file_);
    w_.header.max_procs = machine_;
    for (const auto& [reason, count] : dropped_) w_.notes.push_back({reason, count, 0, true});
    if (renumber_)
      w_.notes.push_back(
          {"numbered anew: ids are not whole or come twice", static_cast<std::int64_t>(w_.jobs.size()), 0, false});
    return std::move(w_);
  }

  std::string file_;
  JsonTree tree_;
  Workload w_;
  std::int64_t machine_ = 0;
  std::unordered_set<std::int64_t> seen_;
  std::map<std::string, std::int64_t> dropped_;
  std::map<std::string, std::optional<double>> run_times_;  ///< by profile
  bool renumber_ = false;
};

// --- Philly

/// "2017-10-07 01:11:39" as seconds; nothing for null, "" and "None".
std::optional<std::int64_t> time_of(const JsonFields& fields, const char* name) {
  const std::string text = fields.text(name);
  if (text.empty() || text == "None") return {};
  const auto seconds = calendar_seconds(text);
  if (!seconds)
    fields.fail(fmt::format("{} of {} is '{}'", name, fields.whose(), printable(shortened(text, 40))),
                "a time like 2017-10-07 01:11:39");
  return seconds;
}

/// The attempts of a job, summed up.
struct Attempts {
  std::optional<std::int64_t> first_start;
  std::int64_t ran = 0;  ///< s, all of them
  bool ended = false;    ///< the last one has, and some have a beginning and an end
  std::int32_t servers = 0;
  std::int64_t gpus = 0;
};

void add_servers(const JsonFields& attempt, const std::string& file, Attempts& all) {
  const JsonTree* detail = attempt.list("detail");
  if (detail == nullptr) return;
  std::int32_t servers = 0;
  std::int64_t gpus = 0;
  for (const JsonTree& server : *detail) {
    const JsonFields fields(server, file, attempt.line(), "a server of " + attempt.whose());
    if (!server.is_object()) fields.fail(fields.whose() + " is not an object", "an object with ip and gpus");
    const JsonTree* list = fields.list("gpus");
    if (list == nullptr || list->empty()) continue;
    ++servers;
    gpus += static_cast<std::int64_t>(list->size());
  }
  if (gpus > 0) all.servers = servers, all.gpus = gpus;
}

Attempts attempts_of(const JsonFields& job, const std::string& file) {
  Attempts all;
  const JsonTree* list = job.list("attempts");
  if (list == nullptr) job.fail(fmt::format("{} has no attempts", job.whose()), "a list, which may be empty");
  bool some = false;
  for (const JsonTree& one : *list) {
    const JsonFields attempt(one, file, job.line(), "an attempt of " + job.whose());
    if (!one.is_object())
      attempt.fail(attempt.whose() + " is not an object", "an object with start_time, end_time, detail");
    const auto start = time_of(attempt, "start_time"), end = time_of(attempt, "end_time");
    add_servers(attempt, file, all);
    all.ended = end.has_value();
    if (!start || !end || *end < *start) continue;
    some = true;
    if (!all.first_start) all.first_start = start;
    all.ran += *end - *start;
  }
  all.ended = all.ended && some;
  return all;
}

std::int32_t status_of(const JsonFields& job) {
  const std::string text = job.text("status");
  if (text == "Pass") return 1;
  if (text == "Failed") return 0;
  if (text == "Killed") return 5;
  job.fail(fmt::format("status of {} is '{}'", job.whose(), printable(shortened(text, 40))), "Pass, Failed or Killed");
}

// --- ElastiSim: arithmetic in its models, and its jobs

constexpr int kDeepest = 64;  // parentheses and powers within one another

bool is_letter_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_figure(char c) { return c >= '0' && c <= '9'; }

class Expression {
 public:
  Expression(std::string_view text, const std::map<std::string, double>& names)
      : text_(text), rest_(text), names_(names) {}

  double value() {
    const double v = sum();
    if (peek() != '\0') fail();
    return v;
  }

 private:
  [[noreturn]] void fail() const {
    fail_at({}, fmt::format("'{}' cannot be read", printable(shortened(text_, 60))),
            "numbers, names of arguments, + - * / ^ and parentheses");
  }

  /// Returns the next character that is not a blank; '\0' at the end.
  char peek() {
    while (take_char(rest_, ' ') || take_char(rest_, '\t')) continue;
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) { return peek() == c && take_char(rest_, c); }

  double sum() {
    if (++depth_ > kDeepest) fail();
    double v = product();
    for (;;)
      if (take('+')) v += product();
      else if (take('-')) v -= product();
      else break;
    --depth_;
    return v;
  }

  double product() {
    double v = sign();
    for (;;)
      if (take('*')) v *= sign();
      else if (take('/')) v /= sign();
      else return v;
  }

  double sign() {
    bool minus = false;
    while (take('-')) minus = !minus;
    const double v = power();
    return minus ? -v : v;
  }

  double power() {
    const double base = atom();
    if (!take('^')) return base;
    if (++depth_ > kDeepest) fail();
    const double v = portable_pow(base, sign());
    --depth_;
    return v;
  }

  double atom() {
    if (take('(')) {
      const double v = sum();
      if (!take(')')) fail();
      return v;
    }
    const char c = peek();
    if (is_letter_of_name(c)) return name();
    if (!is_figure(c) && c != '.') fail();
    const auto v = take_number<double>(rest_);
    if (!v) fail();
    return *v;
  }

  double name() {
    const auto end = std::ranges::find_if(rest_, [](char c) { return !is_letter_of_name(c) && !is_figure(c); });
    const std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    const auto found = names_.find(word);
    if (found != names_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [n, value] : names_) known.push_back(n);
    fail_at({}, fmt::format("'{}' in '{}' has no value", printable(word), printable(shortened(text_, 60))),
            "the name of an argument of the job", did_you_mean(word, known));
  }

  std::string_view text_, rest_;
  const std::map<std::string, double>& names_;
  int depth_ = 0;
};

using Names = std::map<std::string, double>;

constexpr const char* kElastiSimJobs = "jobs of ElastiSim";
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
    model.tree = parse_json(read_packed(model.file), model.file, "an application model of ElastiSim");
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
    throw InputError({model, 0, fmt::format("'{}' is neither a number nor a text", name), "a number or arithmetic"});
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
    throw InputError({model, 0, fmt::format("there is no list '{}'", name), "an application model of ElastiSim"});
  return *at;
}

/// Seconds of these tasks; nothing if the platform decides how long one takes.
std::optional<double> time_of_tasks(const JsonTree& tasks, const Names& names, const std::string& model,
                                    int depth = 0) {
  double sum = 0;
  for (const JsonTree& task : tasks) {
    if (!task.is_object() || !task.contains("type") || !task["type"].is_string())
      throw InputError({model, 0, "a task has no type", "e.g. busy_wait"});
    const std::string type = task["type"].get<std::string>();
    const double times = std::round(number_of(task, "iterations", 1, names, model));
    std::optional<double> one;
    if (type == "busy_wait" || type == "idle") {
      one = number_of(task, "delay", std::nan(""), names, model);
      if (std::isnan(*one)) throw InputError({model, 0, fmt::format("a task {} has no delay", type), "seconds"});
    } else if (type == "sequence") {
      if (depth == kDeepestSequence)
        throw InputError({model, 0, "sequences are nested too deep", fmt::format("{} at most", kDeepestSequence)});
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

/// Where a malleable job may change its nodes, as its text `elastic`: between the iterations of its phases. "":
/// nowhere.
std::string points_of_model(const Models::Model& model, const Names& names) {
  constexpr std::size_t kMostPoints = 10'000;
  const JsonTree& phases = list_of(model.tree, "phases", model.file);
  const bool begins = model.tree.contains("on_init");
  double done = begins ? time_of_tasks(list_of(model.tree, "on_init", model.file), names, model.file).value_or(0) : 0;
  std::vector<double> ends;
  for (const JsonTree& phase : phases) {
    const double one = time_of_tasks(list_of(phase, "tasks", model.file), names, model.file).value_or(0);
    const double times = std::round(number_of(phase, "iterations", 1, names, model.file));
    for (double i = 0; i < times && ends.size() < kMostPoints; ++i) ends.push_back(done += one);
  }
  if (ends.size() < 2) return "";
  if (phases.size() == 1 && !begins) return fmt::format("steps {}", ends.size());
  std::string out;
  for (std::size_t i = 0; i + 1 != ends.size(); ++i)
    if (const double part = ends[i] / ends.back(); part > 0 && part < 1)
      out += fmt::format("{}{}", out.empty() ? "at " : ",", part);
  return out;
}

class ElastisimReader {
 public:
  explicit ElastisimReader(const std::string& file) : file_(file), jobs_(file, false), models_(file) {}

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
    if (type == "malleable" && most > least) {
      names["num_nodes"] = least;
      names["num_gpus"] = static_cast<double>(least) * gpus;
      const std::string points = points_of_model(model, names);
      if (points.empty())
        jobs_.alter("malleable without a point to change: it keeps the size with which it starts", line);
      else jobs_.set_text(job.job, "elastic", points);
    }
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

void read_json_list(std::string_view text, const std::string& file, const std::string& list, const std::string& what,
                    const std::function<void(const JsonTree& object, int line)>& each) {
  using Event = JsonTree::parse_event_t;
  const int depth_of_list = list.empty() ? 0 : 1;
  int line = 1, begin = 0;
  bool inside = false, found = false;
  std::string member;
  const auto item = [&](const JsonTree& value, int at) {
    if (!value.is_object()) throw InputError({file, at, "an item of the list of jobs is not an object", what});
    each(value, at);
  };
  const auto on_event = [&](int depth, Event event, JsonTree& parsed) {
    if (event == Event::key && depth == 1 && depth_of_list == 1) member = parsed.get<std::string>();
    if (event == Event::array_start && depth == depth_of_list && member == list) inside = found = true;
    if (event == Event::array_end && depth == depth_of_list) inside = false;
    if (!inside || depth != depth_of_list + 1) return true;
    if (event == Event::object_start) begin = line;
    if (event != Event::object_end && event != Event::value && event != Event::array_end) return true;
    item(parsed, event == Event::object_end ? begin : line);
    return false;  // it is not kept
  };
  try {
    [[maybe_unused]] const JsonTree kept = JsonTree::parse(
        CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line), on_event);
  } catch (const JsonTree::parse_error& e) {
    fail_as_json(text, file, what, e);
  } catch (const JsonTree::out_of_range&) {
    throw InputError({file, line, "a number is larger than any that can be read", what});
  }
  if (found) return;
  throw InputError({file, 0, list.empty() ? "this is not a list" : fmt::format("there is no list '{}'", list), what});
}

JsonTree parse_json(std::string_view text, const std::string& file, const std::string& what) {
  try {
    return JsonTree::parse(text);
  } catch (const JsonTree::parse_error& e) {
    fail_as_json(text, file, what, e);
  } catch (const JsonTree::out_of_range&) {
    throw InputError({file, 0, "a number in it is larger than any that can be read", what});
  }
}

Workload parse_batsim(std::string_view text, const std::string& file) { return BatsimReader(text, file).read(); }

std::string batsim_json(const Workload& workload, BatsimVersion version) {
  // Written by hand, a job a line, because times are exact decimals and the order of keys is what people expect.
  std::string out = fmt::format("{{\n  \"nb_res\": {},\n  \"jobs\": [", machine_of(workload).nodes);
  std::map<Duration, std::string> profiles;
  const char* separator = "\n";
  for (const Job& job : workload.jobs) {
    const std::string run = format_seconds(job.runtime);
    profiles.emplace(job.runtime, run);
    const std::string walltime = job.limit_given ? fmt::format(", \"walltime\": {}", format_seconds(job.limit)) : "";
    out += fmt::format("{}    {{\"id\": \"{}\", \"subtime\": {}, \"res\": {}{}, \"profile\": \"{}\"}}", separator,
                       job.id, format_seconds(job.submit.time_since_epoch()), job.size, walltime, run);
    separator = ",\n";
  }
  out += "\n  ],\n  \"profiles\": {";
  separator = "\n";
  for (const auto& [run, name] : profiles) {
    out += fmt::format("{}    \"{}\": {{\"type\": \"{}\", \"delay\": {}}}", separator, name,
                       version == BatsimVersion::k4 ? "delay" : "DelayProfile", name);
    separator = ",\n";
  }
  return out + "\n  }\n}\n";
}

RecordedWorkload parse_philly(std::string_view text, const std::string& file) {
  RecordedJobs jobs(file, true);
  std::int64_t number = 0;
  read_json_list(text, file, "", "a job log of Philly", [&](const JsonTree& object, int line) {
    RecordedJob job;
    job.site_id = JsonFields(object, file, line, fmt::format("job {}", ++number)).text("jobid");
    const JsonFields fields(object, file, line,
                            fmt::format("job {} ({})", number, printable(shortened(job.site_id, 40))));
    const auto submitted = time_of(fields, "submitted_time");
    if (!submitted)
      fields.fail(fmt::format("{} has no submitted_time", fields.whose()), "a time like 2017-10-07 01:11:39");
    const Attempts attempts = attempts_of(fields, file);
    job.job.status = status_of(fields);
    if (!attempts.ended)
      return jobs.drop("no attempt with a beginning and an end, or the last one has not ended", line);
    if (attempts.gpus == 0) return jobs.drop("no GPUs on record", line);
    if (attempts.ran >= static_cast<std::int64_t>(kMaxSeconds)) return jobs.drop("ran for more than 31 years", line);
    job.request.nodes = attempts.servers;
    job.request.cpus = job.request.gpus = attempts.gpus;
    const std::string user = fields.text("user");
    jobs.add_allocated(std::move(job), *submitted, *attempts.first_start, attempts.ran, user, fields.text("vc"));
  });
  return jobs.finish();
}

double arithmetic_value(std::string_view text, const std::map<std::string, double>& names) {
  return Expression(text, names).value();
}

RecordedWorkload parse_elastisim(std::string_view text, const std::string& file) {
  ElastisimReader reader(file);
  read_json_list(text, file, "jobs", kElastiSimJobs,
                 [&](const JsonTree& object, int line) { reader.add(object, line); });
  return reader.finish();
}

}  // namespace coslice

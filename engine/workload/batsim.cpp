#include "workload/batsim.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "core/error.h"
#include "core/whole.h"
#include "workload/json_fields.h"
#include "workload/swf.h"

namespace coslice {
namespace {

using JsonTree = nlohmann::json;

constexpr int kDeepestProfile = 32;  // sequences within sequences

class BatsimReader {
 public:
  BatsimReader(std::string_view text, std::string file) : file_(std::move(file)) {
    try {
      tree_ = JsonTree::parse(text);
    } catch (const JsonTree::parse_error& e) {
      fail_as_json(text, file_, "a workload of Batsim", e);
    } catch (const JsonTree::out_of_range&) {
      fail("a number in it is larger than any that can be read", "a workload of Batsim");
    }
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
    throw InputError({file_, 0, std::move(problem), std::move(expected), "", ""});
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
      if (!part.is_string()) fail(fmt::format("'seq' of {} has something that is not a name", what), "names of profiles");
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
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), job.id);
      whole = error == std::errc{} && end == text.data() + text.size();
    } else {
      whole = false;
    }
    if (!whole || job.id < 0 || !seen_.insert(job.id).second) renumber_ = true;
  }

  void drop(const std::string& reason) { ++dropped_[reason]; }

  Workload finish() {
    std::stable_sort(w_.jobs.begin(), w_.jobs.end(), [](const Job& a, const Job& b) { return a.submit < b.submit; });
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

}  // namespace

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

bool looks_like_batsim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

}  // namespace coslice

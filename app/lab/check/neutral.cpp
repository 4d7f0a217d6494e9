#include "lab/check/neutral.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "api/policy/find_policy.h"
#include "api/policy/policy.h"
#include "core/error.h"
#include "formats/sacct.h"
#include "formats/swf.h"
#include "jobs/literal_jobs.h"
#include "lab/check/case.h"
#include "observe/story_recorder.h"

namespace coslice::check {

namespace {

namespace fs = std::filesystem;

/// The policy with the changes, whatever it is that stands in its file.
GivenPolicy changed_policy(const std::string& name, const std::string& changes) {
  const FoundPolicy found = find_policy(name);
  Script script = found.script;
  script.text = "local p = (function(...) " + script.text + "\nend)(...)\n" + changes + "\nreturn p\n";
  const auto make = [script, roots = found.roots](const Value& params, const PolicyContext& given) {
    PolicyContext context = given;
    context.roots = roots;
    return std::make_unique<Policy>(script, params, context, false);
  };
  return {script, make};
}

/// The jobs as they stand in the scenario.
Workload written_jobs(const Scenario& s) {
  const std::int32_t set = s.engine.processes_per_node;
  return literal_workload(*s.workload.jobs, set > 0 ? set : s.machine.cores_per_node(), s.machine);
}

/// Gives the scenario its jobs in another form.
void bring_jobs(const Laid& laid, Scenario& s, const fs::path& folder) {
  if (laid.jobs == Laid::Jobs::kWritten) return;
  if (laid.jobs == Laid::Jobs::kScript) {
    std::string list =
        lua_of(Value::table({{"workload", *laid.tree.find("workload")}}), "");  // jobs = { job{...}, ... },
    list.resize(list.rfind(','));
    s.workload.script = (folder / "jobs.lua").string();
    std::ofstream(s.workload.script) << "local function job(j) return j end\nlocal " << list
                                     << "\nreturn { api = 1, name = 'jobs', jobs = function()\n"
                                        "  for _, j in ipairs(jobs) do coroutine.yield(j) end\nend }\n";
  } else {
    s.workload.trace = (folder / "jobs.swf").string();
    write_swf(s.workload.trace, written_jobs(s));
    if (laid.jobs == Laid::Jobs::kConverted) {
      const std::string dump = (folder / "jobs.sacct").string();
      std::ofstream(dump) << sacct_text(read_trace_with_waits(s.workload.trace));
      write_swf(s.workload.trace, read_trace(dump).workload);
    }
  }
  s.workload.jobs.reset();
}

class Collected : public FigureSink {
 public:
  explicit Collected(std::map<std::string, FigureValue>& all) : all_(all) {}
  void enter(const std::string& name) override { path_.push_back(name); }
  void leave() override { path_.pop_back(); }
  void figure(const std::string& path, const FigureValue& value) override {
    std::string full;
    for (const std::string& table : path_) full += table + ".";
    all_[full + path] = value;
  }

 private:
  std::map<std::string, FigureValue>& all_;
  std::vector<std::string> path_;
};

std::string seconds(Time t) { return t == kNever ? "never" : fmt::format("at {} s", to_seconds(t)); }

/// Figures of kinds, owners and queues, which a setting may call otherwise, instants, searches for partners, which are
/// made at each pass, and the evidence of a trend, which is rounding over rounding where there is none.
bool names_what_changes(const std::string& path) {
  for (const char* prefix :
       {"resources.", "by_user.", "by_group.", "by_queue.", "sharing.attempts", "sharing.few_candidates_share",
        "sharing.no_candidates_share", "trimmed.from", "trimmed.to", "trimmed.backlog_evidence", "backlog_evidence"})
    if (path.rfind(prefix, 0) == 0) return true;
  return false;
}

/// Whether they say the same: sums of other instants are rounded otherwise.
bool alike(const FigureValue& a, const FigureValue& b) {
  const double* const x = std::get_if<double>(&a);
  const double* const y = std::get_if<double>(&b);
  if (x == nullptr || y == nullptr) return a == b;
  constexpr double kRounding = 1e-9;
  return *x == *y || std::abs(*x - *y) <= kRounding * std::max(std::abs(*x), std::abs(*y));
}

std::string text_of(const FigureValue& value) {
  struct Text {
    std::string operator()(std::monostate) const { return "nothing"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(const std::vector<double>& v) const { return fmt::format("{} numbers", v.size()); }
  };
  return std::visit(Text{}, value);
}

}  // namespace

std::pair<std::optional<Laid>, std::optional<Laid>> both_sides(const Case& c, const NeutralSetting& setting,
                                                               const std::string& policy) {
  const Laid plain{tree_of(c), policy};
  std::optional<Laid> reference = plain, laid = plain;
  if (setting.over && !setting.over(*reference)) return {};
  if (!setting.lay(*laid)) laid.reset();
  return {std::move(reference), std::move(laid)};
}

LaidRun laid_run(const PolicyRun& run) {
  LaidRun out;
  const Duration first = run.result.workload->jobs.front().submit.time_since_epoch();
  const auto since = [&](Time t) { return t == kNever ? t : t - first; };
  for (const Outcome& o : run.result.outcomes)
    out.jobs.push_back(
        {since(o.start), since(o.end), o.state, o.nodes.count == 0 ? "" : run.result.archive.get(o.nodes).str()});
  Collected collected(out.figures);
  visit_figures(run.summary, collected);
  return out;
}

LaidRun run_laid(const Laid& laid, const Scenario& base, const std::string& folder) {
  try {
    for (const auto& [name, text] : laid.files) std::ofstream(fs::path(folder) / name) << text;
    Scenario s = scenario_of(laid.tree, base);
    for (std::string* path : {&s.slowdown.table, &s.slowdown.script})
      if (!path->empty()) *path = (fs::path(folder) / *path).string();
    bring_jobs(laid, s, folder);
    s.policy.names = laid.beside;
    s.policy.names.push_back(laid.policy);
    std::vector<GivenPolicy> given;
    if (!laid.changes.empty()) {
      given.push_back(changed_policy(laid.policy, laid.changes));
      s.policy.names.back() = given.back().script.name;
    }
    const Runner runner(std::move(s), std::move(given));
    RunCallbacks callbacks;
    callbacks.print = [](std::string_view) {};
    std::optional<StoryRecorder> stories;
    if (laid.explained) {
      std::vector<JobIndex> all(runner.workload().jobs.size());
      for (JobIndex j = 0; j != all.size(); ++j) all[j] = j;
      callbacks.observers.push_back(&stories.emplace(all.size(), all));
    }
    return laid_run(runner.run(laid.beside.size(), callbacks));
  } catch (const InputError& e) {
    return {LaidRun::End::kRefused, e.what()};
  } catch (const SimulationError& e) {
    return {LaidRun::End::kFailed, e.what()};
  }
}

std::optional<Difference> difference(const LaidRun& reference, const LaidRun& other) {
  using What = Difference::What;
  if (reference.end != LaidRun::End::kDone) return {};
  const std::size_t jobs = reference.jobs.size();
  if (other.end != LaidRun::End::kDone)
    return Difference{other.end == LaidRun::End::kRefused ? What::kRefused : What::kFailed, jobs, jobs, other.why, ""};
  if (other.jobs.size() != jobs)
    return Difference{What::kStarts, jobs, jobs, fmt::format("{} jobs instead of {}", other.jobs.size(), jobs), ""};
  std::optional<Difference> times, nodes, figures;
  const auto note = [](std::optional<Difference>& d, What what, std::size_t of, const auto& text) {
    if (!d) d = Difference{what, 0, of, text(), ""};
    ++d->count;
  };
  for (std::size_t j = 0; j != jobs; ++j) {
    const LaidRun::Fate &a = reference.jobs[j], &b = other.jobs[j];
    if (a.start != b.start || a.end != b.end || a.state != b.state)
      note(times, What::kStarts, jobs, [&] {
        return fmt::format("the {}. job starts {} and ends {} instead of {} and {}", j + 1, seconds(b.start),
                           seconds(b.end), seconds(a.start), seconds(a.end));
      });
    else if (a.nodes != b.nodes)
      note(nodes, What::kNodes, jobs,
           [&] { return fmt::format("the {}. job is on nodes {} instead of {}", j + 1, b.nodes, a.nodes); });
  }
  if (times) return times;
  if (nodes) return nodes;
  for (const auto& figure : reference.figures) {
    const std::string& path = figure.first;
    if (names_what_changes(path)) continue;
    const FigureValue& value = figure.second;
    const auto it = other.figures.find(path);
    if (it == other.figures.end() || alike(it->second, value)) continue;
    note(figures, What::kFigures, reference.figures.size(),
         [&] { return fmt::format("the figure {} is {} instead of {}", path, text_of(it->second), text_of(value)); });
    if (figures->count == 1) figures->figure = path;
  }
  return figures;
}

}  // namespace coslice::check

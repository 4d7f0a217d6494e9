#include "report/summary_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "metrics/process_summary.h"
#include "metrics/steadiness.h"

namespace coslice {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;  // of the document; raise it when a member changes its meaning

Json of(const Stats& s) { return {{"mean", s.mean}, {"median", s.median}, {"p95", s.p95}, {"max", s.max}}; }

Json of(const GroupSummary& g) {
  return {{"jobs", g.jobs},
          {"wait", of(g.wait)},
          {"response", of(g.response)},
          {"bounded_slowdown", of(g.bounded_slowdown)},
          {"relative_response_time", {{"mean", g.mean_relative_response}}}};
}

Json of(const std::vector<GroupSummary>& groups) {
  Json out = Json::object();
  for (const auto& g : groups) out[g.name] = of(g);
  return out;
}

Json of(const Fullness& f) {
  return {{"time", f.time}, {"utilization", f.utilization}, {"core_utilization", f.core_utilization}};
}

Json of(const HighLoad& h) { return {{"phases", h.phases}, {"in", of(h.in)}, {"outside", of(h.outside)}}; }

Json of(const SharingSummary& s) {
  Json classes = Json::object();
  for (const auto& c : s.by_class) classes[c.name] = {{"jobs", c.jobs}, {"grouped", c.grouped}, {"late", c.late}};
  return {{"groups", s.groups},
          {"jobs_per_group", s.jobs_per_group},
          {"gain_promised", s.gain_promised},
          {"gain_had", s.gain_had},
          {"efficiency", s.efficiency},
          {"grouped_share", s.grouped_share},
          {"bounded", s.bounded},
          {"late", s.late},
          {"late_grouped", s.late_grouped},
          {"attempts", s.attempts},
          {"few_candidates_share", s.few_share},
          {"no_candidates_share", s.vain_share},
          {"by_class", classes}};
}

Json of(const Value& v);

Json content_of(std::monostate) { return nullptr; }
Json content_of(const Value::List& list) {
  Json out = Json::array();
  for (const auto& v : list) out.push_back(of(v));
  return out;
}
Json content_of(const Value::Table& table) {
  Json out = Json::object();
  for (const auto& m : table) out[m.key] = of(m.value);
  return out;
}
template <class Plain>
Json content_of(const Plain& plain) {
  return plain;
}

Json of(const Value& v) {
  return std::visit([](const auto& content) { return content_of(content); }, v.content());
}

/// Seconds as a whole number where they are one, as in the CSV files.
Json seconds(Duration d) {
  if (d.count() % 1'000'000'000 == 0) return d.count() / 1'000'000'000;
  return to_seconds(d);
}

void add_batsim(Json& out, const RunResult& r, const Summary& s) {
  const std::int64_t success = s.finished - s.killed;
  out["nb_jobs"] = s.jobs;
  out["nb_jobs_finished"] = s.finished;
  out["nb_jobs_success"] = success;
  out["nb_jobs_killed"] = s.killed;
  out["nb_jobs_rejected"] = s.rejected;
  out["success_rate"] = s.jobs > 0 ? static_cast<double>(success) / static_cast<double>(s.jobs) : 0.0;
  out["nb_computing_machines"] = r.machine.nodes;
  out["makespan"] = s.makespan;
  out["mean_waiting_time"] = s.all.wait.mean;
  out["max_waiting_time"] = s.all.wait.max;
  out["mean_turnaround_time"] = s.all.response.mean;
  out["max_turnaround_time"] = s.all.response.max;
  out["mean_slowdown"] = s.mean_slowdown;
  out["max_slowdown"] = s.max_slowdown;
}

Json trimmed(const RunResult& r, const Summary& s, const MetricsOptions& options) {
  const Steadiness steady = steadiness(r, options.trim);
  return {{"share", options.trim},
          {"from", seconds(steady.from.time_since_epoch())},
          {"to", seconds(steady.to.time_since_epoch())},
          {"utilization", steady.utilization},
          {"mean_queue_length", steady.mean_queue},
          {"backlog_growth", steady.growth},
          {"backlog_evidence", steady.evidence},
          {"saturated", steady.saturated},
          {"all", of(s.trimmed)},
          {"by_class", of(s.trimmed_by_class)}};
}

void add_figures(Json& out, const RunResult& r, const Summary& s, const MetricsOptions& options) {
  out["utilization"] = s.utilization;
  out["core_utilization"] = s.core_utilization;
  out["mean_queue_length"] = s.mean_queue;
  out["max_queue_length"] = s.max_queue;
  out["high_load"] = of(s.high_load);
  out["all"] = of(s.all);
  out["by_class"] = of(s.by_class);
  if (!s.by_user.empty()) out["by_user"] = of(s.by_user);
  if (!s.by_queue.empty()) out["by_queue"] = of(s.by_queue);
  out["trimmed"] = trimmed(r, s, options);
}

Json of(const MetricsOptions& options) {
  Json classes = Json::array();
  for (const auto& c : options.classes) {
    classes.push_back({{"name", c.name}});
    if (c.upper != Duration::max()) classes.back()["max_run_time"] = seconds(c.upper);
  }
  return {{"bound", seconds(options.bound)},
          {"relative_response_bound", seconds(options.relative_response_bound)},
          {"high_load", options.high_load},
          {"classes", classes}};
}

Json of(const MachineSpec& m) {
  return {{"nodes", m.nodes}, {"processors", m.processors}, {"cores", m.cores}, {"memory_kb", m.memory_kb}};
}

Json of(const SizeAdjustmentCounts& a) {
  return {{"serial", a.serial},
          {"one_process", a.one},
          {"process_per_processor", a.half},
          {"process_per_core", a.full},
          {"offered_load_before", a.load_before},
          {"offered_load_after", a.load_after}};
}

Json of(const Workload& w) {
  Json notes = Json::array();
  for (const auto& n : w.notes) {
    notes.push_back({{"reason", n.reason}, {"count", n.count}, {"first_line", n.first_line}, {"dropped", n.dropped}});
  }
  Json out = {{"name", w.name}, {"records", w.records}, {"jobs", w.jobs.size()}, {"notes", notes}};
  if (w.adjusted) out["adjusted"] = of(*w.adjusted);
  return out;
}

Json of(const std::vector<RunInput>& inputs) {
  Json out = Json::array();
  for (const auto& i : inputs) out.push_back({{"name", i.name}, {"sha256", i.sha256}});
  return out;
}

Json of(const SliceSummary& s) {
  const SliceCounts& c = s.counts;
  return {{"slices", c.slices},
          {"preemptions", c.preemptions},
          {"evictions", c.evictions},
          {"foreign_resumed", c.foreign_resumed},
          {"foreign_finishing", c.foreign_finishing},
          {"foreign_pinned", c.foreign_pinned},
          {"loads", c.loads},
          {"swaps", c.swaps},
          {"overhead", s.overhead},
          {"overhead_without_first_loads", s.overhead_without_first_loads},
          {"overhead_share", s.share},
          {"overhead_share_by_nodes", s.share_by_nodes},
          {"overhead_share_without_first_loads", s.share_without_first_loads},
          {"utilization_without_loading", s.utilization_without_loading}};
}

constexpr std::size_t kMostProcessJobs = 100;  // that are listed

Json of(const ClassCounts& counts) {
  Json out = Json::object();
  for (const auto& [name, count] : counts) out[name] = count;
  return out;
}

Json jobs_of_processes(const RunResult& r) {
  Json out = Json::array();
  for (std::size_t i = 0; i < r.outcomes.size() && r.outcomes.size() <= kMostProcessJobs; ++i) {
    const Outcome& o = r.outcomes[i];
    if (o.end == kNever) continue;
    out.push_back({{"id", r.workload->jobs[i].id},
                   {"program", r.processes->programs[i]},
                   {"start", seconds(o.start - Time{})},
                   {"end", seconds(o.end - Time{})},
                   {"classes", of(classes_of(*r.processes, static_cast<JobIndex>(i)))}});
  }
  return out;
}

Json processes_of(const RunResult& r) {
  const ProcessSummary s = summarize_processes(r);
  Json programs = Json::object();
  for (const auto& [name, p] : s.programs) {
    programs[name] = {{"jobs", p.jobs}, {"mean_response", p.mean_response}, {"classes", of(p.classes)}};
  }
  return {{"processors", r.processes->processors},
          {"computing", s.shares.computing},
          {"polling", s.shares.polling},
          {"blocked", s.shares.blocked},
          {"switching", s.shares.switching},
          {"idle", s.shares.idle},
          {"strobes", r.processes->account.strobes},
          {"empty_slots", s.empty_slots},
          {"path", r.processes->exact                 ? "exact"
                   : r.processes->extrapolations == 0 ? "closed"
                                                      : "fast"},
          {"extrapolated", seconds(r.processes->extrapolated)},
          {"error_bound", seconds(r.processes->error_bound)},
          {"offered_load", s.offered_load},
          {"accepted_load", s.accepted_load},
          {"backlog_growth", s.backlog_growth},
          {"response_deciles", {{"shorter_half", s.shorter}, {"longer_half", s.longer}}},
          {"programs", programs},
          {"jobs", jobs_of_processes(r)}};
}

Json of(const PolicyNotes& notes) {
  Json out = Json::object();
  for (const auto& [name, note] : notes.all()) out[name] = {{"count", note.count}, {"mean", note.mean()}};
  return out;
}

void add_origin(Json& out, const RunResult& r, const MetricsOptions& options, const RunInfo& info) {
  out["metrics"] = of(options);
  out["machine"] = of(r.machine);
  out["workload"] = of(*r.workload);
  out["policy"] = {{"name", info.policy}, {"version", info.policy_version}, {"params", of(info.policy_params)}};
  out["engine"] = of(info.engine);
  if (!info.notes.all().empty()) out["notes"] = of(info.notes);
  if (!info.scenario.empty()) out["scenario"] = info.scenario;
  out["seed"] = info.seed;
  out["inputs"] = of(info.inputs);
  out["fingerprint"] = fmt::format("{:016x}", r.fingerprint);
  out["events"] = r.events;
  out["scheduling_passes"] = r.passes;
}

/// The document without `environment`.
Json document_of(const RunResult& result, const Summary& summary, const MetricsOptions& options, const RunInfo& info) {
  Json out;
  out["coslice"] = {{"version", info.program_version}, {"format", kFormat}};
  add_batsim(out, result, summary);
  add_figures(out, result, summary, options);
  if (summary.slices) out["slices"] = of(*summary.slices);
  if (summary.sharing) out["sharing"] = of(*summary.sharing);
  if (result.processes) out["processes"] = processes_of(result);
  add_origin(out, result, options, info);
  return out;
}

/// Names come from traces and paths, which need not be UTF-8: what is not is replaced.
std::string text_of(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string summary_json(const RunResult& result, const Summary& summary, const MetricsOptions& options,
                         const RunInfo& info) {
  Json out = document_of(result, summary, options, info);
  out["environment"] = of(info.environment);
  return text_of(out, 2) + "\n";
}

std::string summary_line(const RunResult& result, const Summary& summary, const MetricsOptions& options,
                         const RunInfo& info) {
  return text_of(document_of(result, summary, options, info), -1);
}

bool is_summary_json(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return false;
  const auto mark = document.find("coslice");
  return mark != document.end() && mark->is_object() && mark->contains("format");
}

}  // namespace coslice

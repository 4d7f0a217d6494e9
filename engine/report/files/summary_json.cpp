#include "report/files/summary_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "metrics/figures.h"
#include "report/files/json_value.h"

namespace coslice {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;  // of the document; raise it when a member changes its meaning

/// Puts figures where their paths say.
class JsonSink final : public FigureSink {
 public:
  explicit JsonSink(Json begun) { open_.emplace_back("", std::move(begun)); }
  Json take() { return std::move(open_.front().second); }

  void enter(const std::string& name) override { open_.emplace_back(name, Json::object()); }

  void leave() override {
    auto [name, table] = std::move(open_.back());
    open_.pop_back();
    open_.back().second[name] = std::move(table);
  }

  void figure(const std::string& path, const FigureValue& value) override {
    Json* there = &open_.back().second;
    for (std::size_t from = 0; from <= path.size();) {
      const std::size_t to = std::min(path.find('.', from), path.size());
      there = &(*there)[path.substr(from, to - from)];
      from = to + 1;
    }
    std::visit([&](const auto& v) { *there = json_of(v); }, value);
  }

 private:
  static Json json_of(std::monostate) { return nullptr; }
  template <class Plain>
  static Json json_of(const Plain& plain) {
    return plain;
  }

  std::vector<std::pair<std::string, Json>> open_;  ///< tables that are being filled, each in the one before
};

Json of(const Value& v) { return json_of_value<Json>(v); }

/// Seconds as a whole number where they are one, as in the CSV files.
Json seconds(Duration d) {
  if (d.count() % 1'000'000'000 == 0) return d.count() / 1'000'000'000;
  return to_seconds(d);
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

constexpr std::size_t kMostProcessJobs = 100;  // that are listed

Json jobs_of_processes(const RunResult& r) {
  Json out = Json::array();
  for (std::size_t i = 0; i < r.outcomes.size() && r.outcomes.size() <= kMostProcessJobs; ++i) {
    const Outcome& o = r.outcomes[i];
    if (o.end == kNever) continue;
    out.push_back({{"id", r.workload->jobs[i].id},
                   {"program", r.processes->programs[i]},
                   {"start", seconds(o.start - Time{})},
                   {"end", seconds(o.end - Time{})},
                   {"classes", classes_of(*r.processes, static_cast<JobIndex>(i))}});
  }
  return out;
}

/// What the catalogue does not list: programs and jobs by name.
void add_programs(Json& out, const RunResult& r, const ProcessSummary& s) {
  Json programs = Json::object();
  for (const auto& [name, p] : s.programs) {
    programs[name] = {{"jobs", p.jobs}, {"mean_response", p.mean_response}, {"classes", p.classes}};
  }
  out["programs"] = programs;
  out["jobs"] = jobs_of_processes(r);
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
  JsonSink sink(std::move(out));
  visit_figures(summary, sink);
  out = sink.take();
  if (summary.processes) add_programs(out["processes"], result, *summary.processes);
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

#include "output/summary_json.h"

#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "metrics/figures.h"
#include "metrics/offered_loads.h"

namespace coslice {
namespace {

/// As if it had been written and read again: a number that JSON has not is nil.
template <class Json>
Value value_of_json(const Json& j) {
  if (j.is_object()) {
    Value table = Value::table();
    for (const auto& [key, member] : j.items()) table.set(key, value_of_json(member));
    return table;
  }
  if (j.is_array()) {
    Value::List list;
    for (const Json& item : j) list.push_back(value_of_json(item));
    return Value(std::move(list));
  }
  if (j.is_boolean()) return Value(j.template get<bool>());
  if (j.is_number_unsigned() && j.template get<std::uint64_t>() > INT64_MAX) return Value(j.template get<double>());
  if (j.is_number_integer()) return Value(j.template get<std::int64_t>());
  if (j.is_number() && std::isfinite(j.template get<double>())) return Value(j.template get<double>());
  if (j.is_string()) return Value(j.template get<std::string>());
  return Value();
}

const Value* member_at(const Value& v, const std::vector<std::string>& path) {
  const Value* here = &v;
  for (const std::string& key : path)
    if (here != nullptr) here = here->find(key);
  return here;
}

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
  for (const auto& n : w.notes)
    notes.push_back({{"reason", n.reason}, {"count", n.count}, {"first_line", n.first_line}, {"dropped", n.dropped}});
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
  for (const auto& [name, p] : s.programs)
    programs[name] = {{"jobs", p.jobs}, {"mean_response", p.mean_response}, {"classes", p.classes}};
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
  for (const OfferedLoad& l : offered_loads(r.machine, *r.workload))
    out["workload"]["offered_load"][l.resource] = l.load;
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

Value value_from_json(std::string_view text) {
  const nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
  if (j.is_discarded()) throw InputError({"", 0, "this is not JSON: " + std::string(text.substr(0, 60)), "", "", ""});
  return value_of_json(j);
}

template <class Json>
Json json_of_value(const Value& v) {
  if (v.flag()) return *v.flag();
  if (v.integer()) return *v.integer();
  if (v.real()) return *v.real();
  if (v.text()) return *v.text();
  if (const auto* list = v.list()) {
    Json out = Json::array();
    for (const Value& item : *list) out.push_back(json_of_value<Json>(item));
    return out;
  }
  if (const auto* members = v.members()) {
    Json out = Json::object();
    for (const Member& m : *members) out[m.key] = json_of_value<Json>(m.value);
    return out;
  }
  return nullptr;
}
template nlohmann::json json_of_value(const Value& v);
template nlohmann::ordered_json json_of_value(const Value& v);

std::string json_from_value(const Value& v) {
  return json_of_value<nlohmann::json>(v).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<double> number_at(const Value& v, const std::vector<std::string>& path) {
  const Value* found = member_at(v, path);
  if (found == nullptr) return {};
  if (const auto* i = found->integer()) return static_cast<double>(*i);
  if (const double* d = found->real()) return *d;
  return {};
}

std::string text_at(const Value& v, const std::vector<std::string>& path) {
  const Value* found = member_at(v, path);
  return found != nullptr && found->text() != nullptr ? *found->text() : "";
}

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

Value summary_value(const RunResult& result, const Summary& summary, const MetricsOptions& options,
                    const RunInfo& info) {
  return value_of_json(document_of(result, summary, options, info));
}

bool is_summary_json(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return false;
  const auto mark = document.find("coslice");
  return mark != document.end() && mark->is_object() && mark->contains("format");
}

}  // namespace coslice

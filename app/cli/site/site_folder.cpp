#include "cli/site/site_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "cli/frame/inputs.h"
#include "core/error.h"
#include "jobs/workload.h"
#include "machine/node_names.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"

namespace coslice::cli {
namespace {

/// The tables of `machine.LIST`.
Value::List* machine_list(Value& tree, const char* list) {
  Value* const machine = tree.find("machine");
  Value* const found = machine == nullptr ? nullptr : machine->find(list);
  return found == nullptr ? nullptr : found->list();
}

std::string text_of(const Value* v) { return v != nullptr && v->text() != nullptr ? *v->text() : ""; }

/// The kind's names and so many; new ones are called after the kind: "gpu-new1".
std::vector<std::string> resized(std::vector<std::string> names, const std::string& kind, std::size_t count) {
  if (names.size() > count) names.resize(count);
  for (std::size_t n = 1; names.size() < count; ++n) names.push_back(fmt::format("{}-new{}", kind, n));
  return names;
}

/// In each partition that lists nodes of the kind, those that it has now.
void update_partitions(Value& tree, const std::vector<std::string>& before, const std::vector<std::string>& now) {
  Value::List* const partitions = machine_list(tree, "partitions");
  if (partitions == nullptr) return;
  for (Value& partition : *partitions) {
    Value* const nodes = partition.find("nodes");
    if (nodes == nullptr || nodes->list() == nullptr) continue;
    std::vector<std::string> kept;
    bool any = false;
    for (const Value& entry : *nodes->list()) {
      for (const std::string& name : expand_node_names(text_of(&entry), entry.place)) {
        if (std::ranges::find(before, name) == before.end()) kept.push_back(name);
        else any = true;
      }
    }
    if (!any) continue;
    kept.insert(kept.end(), now.begin(), now.end());
    Value list{Value::List{Value(compress_node_names(kept))}};
    list.place = nodes->place;
    *nodes = std::move(list);
  }
}

/// Whether `key` is the count of a kind whose nodes have names; then it is changed.
bool change_count(Value& tree, const std::string& key, const std::string& text, const std::string& label) {
  constexpr std::string_view kHead = "machine.nodes.", kEnd = ".count";
  if (!key.starts_with(kHead) || !key.ends_with(kEnd) || key.size() <= kHead.size() + kEnd.size()) return false;
  const std::string kind = key.substr(kHead.size(), key.size() - kHead.size() - kEnd.size());
  Value::List* const kinds = machine_list(tree, "nodes");
  if (kinds == nullptr) return false;
  for (Value& entry : *kinds) {
    Value* const names = entry.find("names");
    if (text_of(entry.find("name")) != kind || names == nullptr) continue;
    char* end = nullptr;
    const long count = std::strtol(text.c_str(), &end, 10);
    if (end == text.c_str() || *end != '\0' || count < 1 || count > 100'000)
      throw InputError(
          {label, 0, fmt::format("'{}' is not a count of nodes", text), "a whole number from 1 to 100000"});
    const std::vector<std::string> before = expand_node_names(text_of(names), names->place);
    const std::vector<std::string> now = resized(before, kind, static_cast<std::size_t>(count));
    Value changed(compress_node_names(now));
    changed.place = names->place;
    *names = std::move(changed);
    update_partitions(tree, before, now);
    return true;
  }
  return false;
}

}  // namespace

std::string site_scenario(const std::string& site) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(site)) {
    require_file(site);
    return site;
  }
  const std::string path = (fs::path(site) / "scenario.toml").string();
  if (!fs::exists(path))
    throw InputError({site, 0, "holds no scenario.toml", "a folder that `coslice import` wrote, or a scenario"});
  return path;
}

void vary_phases(Scenario& scenario, RandomStream& random) {
  Value& params = scenario.policy.params;
  if (const Value* start = params.find("slurmctld_start"); start != nullptr && start->real() != nullptr) {
    Value earlier(std::max(*start->real() - random.uniform(0, 300), -86400.0));
    earlier.place = start->place;  // what the file says is left out under a policy that has no such parameter
    params.set("slurmctld_start", std::move(earlier));
  }
  if (scenario.engine.limit_check)
    scenario.engine.first_limit_check = from_seconds(random.uniform() * to_seconds(*scenario.engine.limit_check));
}

void apply_site_override(Value& tree, const std::string& assignment, const std::string& label) {
  const std::string name = label.empty() ? "--set " + assignment : label;
  const std::size_t at = assignment.find('=');
  std::string key = assignment.substr(0, at);
  if (at == std::string::npos || key.empty()) return apply_override(tree, assignment, name);
  for (const char* part : {"nodes.", "partitions.", "licences."})
    if (key.starts_with(part)) key = "machine." + key;
  if (key.find('.') == std::string::npos && !is_scenario_table(key) && key != "seed" && key != "name" &&
      key != "description")
    key = "policy.params." + key;
  const std::string text = assignment.substr(at + 1);
  if (change_count(tree, key, text, name)) return;
  apply_override(tree, key + "=" + text, name);
}

Time instant_of(const std::string& flag, const std::string& text, const TraceHeader& header) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0' && seconds >= 0 && seconds <= kMaxSubmitSeconds) return at_seconds(seconds);
  const auto date = calendar_seconds(text);
  const auto clock = trace_clock(header);
  if (date && clock) return at_seconds(static_cast<double>(trace_second(*clock, *date)));
  throw InputError({flag + " " + text, 0, date ? "the trace has no calendar" : "is not a time",
                    clock ? "seconds of the trace, or a date like 2026-03-01T08:30" : "seconds of the trace"});
}

ForecastNames names_of_jobs(const Workload& workload, const RecordedWorkload& trace) {
  std::map<std::pair<std::string, std::int32_t>, std::string> by_number;
  for (const RecordedWorkload::Name& n : trace.names) by_number[{n.kind, n.number}] = n.name;
  const auto name = [&](const char* kind, std::int32_t number) {
    const auto found = by_number.find({kind, number});
    return found == by_number.end() ? std::string() : found->second;
  };
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i != trace.workload.jobs.size(); ++i) places.emplace(trace.workload.jobs[i].id, i);
  ForecastNames out;
  for (const Job& job : workload.jobs) {
    const auto at = places.find(job.id);
    out.ids.push_back(at == places.end() ? std::string() : trace.site_id(at->second));
    out.users.push_back(name("user", job.user));
    out.accounts.push_back(name("group", job.group));
    out.partitions.push_back(name("partition", job.partition));
  }
  return out;
}

}  // namespace coslice::cli

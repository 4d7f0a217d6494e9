#include "cli/site/site_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "cli/frame/inputs.h"
#include "cli/site/changed_nodes.h"
#include "core/error.h"
#include "jobs/workload.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"

namespace coslice::cli {

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

std::vector<std::string> apply_site_override(Value& tree, const std::string& assignment, const std::string& label) {
  const std::string name = label.empty() ? "--set " + assignment : label;
  const std::size_t at = assignment.find('=');
  std::string key = assignment.substr(0, at);
  if (at == std::string::npos || key.empty()) {
    apply_override(tree, assignment, name);
    return {};
  }
  for (const char* part : {"nodes.", "partitions.", "licences."})
    if (key.starts_with(part)) key = "machine." + key;
  if (key.find('.') == std::string::npos && !is_scenario_table(key) && key != "seed" && key != "name" &&
      key != "description")
    key = "policy.params." + key;
  const std::string text = assignment.substr(at + 1);
  if (!key.starts_with("machine.nodes")) {
    apply_override(tree, key + "=" + text, name);
    return {};
  }
  const std::vector<NamedKind> before = kinds_in(tree);
  if (!change_node_count(tree, key, text, name)) apply_override(tree, key + "=" + text, name);
  return follow_changed_nodes(tree, before, name);
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

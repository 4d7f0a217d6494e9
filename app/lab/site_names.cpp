#include "lab/site_names.h"

#include <filesystem>

#include "core/error.h"
#include "scenario/load.h"
#include "workload/recorded.h"

namespace coslice {

SiteNames::SiteNames(const std::string& trace) {
  if (trace.empty()) return;
  try {
    for (const RecordedWorkload::Name& n : read_trace_with_waits(trace).names) names_[n.kind][std::to_string(n.number)] = n.name;
  } catch (const InputError&) {
    names_.clear();
  }
}

SiteNames SiteNames::of_run(const std::string& folder) {
  const std::string scenario = (std::filesystem::path(folder) / "scenario.toml").string();
  if (!std::filesystem::exists(scenario)) return {};
  try {
    return SiteNames(load_scenario(scenario).workload.trace);
  } catch (const InputError&) {  // what it names is elsewhere now, or has changed
    return {};
  }
}

std::string SiteNames::of(const std::string& kind, const std::string& number) const {
  const auto of_kind = names_.find(kind);
  if (of_kind == names_.end()) return number;
  const auto name = of_kind->second.find(number);
  return name == of_kind->second.end() || name->second.empty() ? number : name->second;
}

}  // namespace coslice

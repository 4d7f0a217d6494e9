#include "runner/site_names.h"

#include <filesystem>

#include "core/error.h"
#include "formats/trace_file.h"
#include "formats/trace_format.h"
#include "scenario/load.h"

namespace coslice {

SiteNames::SiteNames(const std::string& trace) {
  if (trace.empty()) return;
  try {
    SkippedLines skipped;  // which were told where they matter
    const RecordedWorkload recorded =
        read_trace_with_waits(trace, may_skip_lines(trace_format_of(trace)) ? &skipped : nullptr);
    *this = SiteNames(recorded.names);
    if (recorded.site_ids.empty()) return;
    const std::vector<std::string> ids = recorded.distinct_site_ids();
    for (std::size_t j = 0; j != ids.size(); ++j) ids_.emplace(std::to_string(recorded.workload.jobs[j].id), ids[j]);
  } catch (const InputError&) {  // before anything was noted
  }
}

SiteNames::SiteNames(const std::vector<RecordedWorkload::Name>& names) {
  for (const RecordedWorkload::Name& n : names) names_[n.kind][std::to_string(n.number)] = n.name;
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

std::optional<std::string> SiteNames::number_of(const std::string& kind, const std::string& name) const {
  const auto of_kind = names_.find(kind);
  if (of_kind == names_.end()) return {};
  for (const auto& [number, called] : of_kind->second)
    if (called == name) return number;
  return {};
}

std::string SiteNames::id_of(const std::string& job) const {
  const auto found = ids_.find(job);
  return found == ids_.end() ? std::string() : found->second;
}

void SiteNames::name_accounts(NamedSummary& run) const {
  run.accounts = names_.count("group") != 0;
  if (!run.accounts) return;
  for (GroupSummary& g : run.summary.by_group) g.name = g.name == "-1" ? "none" : of("group", g.name);
}

std::string SiteNames::word(const std::string& kind) const {
  if (names_.count(kind) == 0) return kind;
  return kind == "group" ? "account" : kind == "queue" ? "QOS" : kind;
}

}  // namespace coslice

#include "formats/sacct_entries.h"

#include <algorithm>
#include <unordered_map>

namespace coslice {

void join_resized(std::vector<SacctEntry>& entries) {
  std::unordered_map<std::string, std::size_t> open;  // by the site's id, the latest record
  std::vector<bool> joined(entries.size(), false);
  for (std::size_t i = 0; i != entries.size(); ++i) {
    SacctEntry& e = entries[i];
    e.longest = e.job.runtime;
    if (const auto before = open.find(e.site_id); before != open.end()) {
      SacctEntry& first = entries[before->second];
      Job whole = e.job.runtime > first.longest ? e.job : first.job;
      if (e.job.runtime > first.longest) first.nodes = e.nodes, first.longest = e.job.runtime;
      whole.id = first.job.id, whole.status = e.job.status, whole.runtime = first.job.runtime + e.job.runtime;
      whole.limit = whole.limit_given ? first.job.limit : whole.runtime;
      first.job = std::move(whole);
      joined[i] = true;
      if (!e.resized) open.erase(before);
    } else if (e.resized) {
      open.emplace(e.site_id, i);
    }
  }
  if (std::ranges::find(joined, true) != joined.end()) remove_entries(entries, joined);
}

void join_preempted_runs(std::vector<SacctEntry>& entries) {
  std::unordered_map<std::string, std::size_t> stopped;  // by the site's id, the latest run
  std::vector<bool> joined(entries.size(), false);
  for (std::size_t i = 0; i != entries.size(); ++i) {
    SacctEntry& e = entries[i];
    if (const auto before = stopped.find(e.site_id); before != stopped.end()) {
      SacctEntry& earlier = entries[before->second];
      if (e.wait >= Duration{0}) e.wait += Duration{e.submit - earlier.submit};
      e.submit = earlier.submit;
      e.eligible = earlier.eligible;
      e.held = earlier.held;
      e.numbered = earlier.numbered;
      e.job.id = earlier.job.id;
      joined[before->second] = true;
      stopped.erase(before);
    }
    if (e.preempted) stopped.emplace(e.site_id, i);
  }
  if (stopped.empty() && std::ranges::find(joined, true) == joined.end()) return;
  remove_entries(entries, joined);
  std::ranges::stable_sort(entries, {}, &SacctEntry::submit);
}

void remove_entries(std::vector<SacctEntry>& entries, const std::vector<bool>& gone) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i != entries.size(); ++i)
    if (!gone[i] && kept++ != i) entries[kept - 1] = std::move(entries[i]);
  entries.resize(kept);
}

}  // namespace coslice

#include "report/gantt/gantt_partners.h"

#include <algorithm>
#include <map>
#include <set>

namespace coslice {
namespace {

struct Stay {
  JobIndex job;
  Time from, to;
};

/// By node, in order of their beginning, bars of one job without a gap as one.
std::vector<std::vector<Stay>> stays_of(const GanttChart& chart) {
  std::vector<std::vector<Stay>> on(static_cast<std::size_t>(chart.result->machine.nodes));
  for (const GanttBar& b : chart.bars) {
    for (const NodeRange& r : chart.nodes_of(b).ranges()) {
      for (NodeId n = r.first; n <= r.last; ++n) {
        std::vector<Stay>& stays = on[static_cast<std::size_t>(n)];
        const auto same =
            std::find_if(stays.rbegin(), stays.rend(), [&](const Stay& s) { return s.job == b.job && s.to >= b.from; });
        if (same != stays.rend()) same->to = std::max(same->to, b.to);
        else stays.push_back({b.job, b.from, b.to});
      }
    }
  }
  return on;
}

bool overlap(const Stay& a, const Stay& b) { return a.from < b.to && b.from < a.to; }

constexpr int kPartner = 1'000'000;  // weighs more than all neighbours together

/// How much two jobs want to differ, by the two.
using Nearness = std::map<std::pair<JobIndex, JobIndex>, int>;

void bring_near(Nearness& near, JobIndex a, JobIndex b, int weight) {
  if (a == b) return;
  int& known = near[std::minmax(a, b)];
  known = std::max(known, weight);
}

Nearness nearness_of(const GanttChart& chart) {
  Nearness near;
  const std::vector<std::vector<Stay>> on = stays_of(chart);
  for (std::size_t n = 0; n < on.size(); ++n) {
    for (std::size_t i = 0; i < on[n].size(); ++i) {
      const Stay& a = on[n][i];
      for (std::size_t k = i + 1; k < on[n].size() && on[n][k].from <= a.to; ++k)
        bring_near(near, a.job, on[n][k].job, overlap(a, on[n][k]) ? kPartner : 1);
      if (n + 1 == on.size()) continue;
      for (const Stay& b : on[n + 1])
        if (overlap(a, b)) bring_near(near, a.job, b.job, 1);
    }
  }
  return near;
}

}  // namespace

std::vector<std::vector<JobIndex>> gantt_partners(const GanttChart& chart) {
  std::vector<std::vector<JobIndex>> out(chart.jobs.size());
  if (std::none_of(chart.bars.begin(), chart.bars.end(), [](const GanttBar& b) { return b.lanes > 1; })) return out;
  for (const auto& [jobs, weight] : nearness_of(chart)) {
    if (weight != kPartner) continue;
    out[jobs.first].push_back(jobs.second);
    out[jobs.second].push_back(jobs.first);
  }
  for (auto& partners : out) std::sort(partners.begin(), partners.end());
  return out;
}

std::vector<std::uint8_t> gantt_job_colours(const GanttChart& chart, std::size_t colours) {
  std::vector<std::vector<std::pair<JobIndex, int>>> near(chart.jobs.size());
  for (const auto& [jobs, weight] : nearness_of(chart)) {
    near[jobs.first].emplace_back(jobs.second, weight);
    near[jobs.second].emplace_back(jobs.first, weight);
  }
  std::vector<std::uint8_t> out(chart.jobs.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    std::vector<std::int64_t> against(colours);
    for (const auto& [other, weight] : near[j])
      if (other < j) against[out[other]] += weight;
    std::size_t best = j % colours;
    for (std::size_t k = 1; k < colours; ++k)
      if (against[(j + k) % colours] < against[best]) best = (j + k) % colours;
    out[j] = static_cast<std::uint8_t>(best);
  }
  return out;
}

}  // namespace coslice

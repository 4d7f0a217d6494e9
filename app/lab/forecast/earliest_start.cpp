#include "lab/forecast/earliest_start.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "jobs/job_demands.h"
#include "machine/outage.h"
#include "runner/runner.h"

namespace coslice {
namespace {

/// Nodes that are not there for some time; of a reservation, for those jobs only to which it is closed.
struct Closed {
  Time from, to;
  const NodeRanges* nodes;
  std::int32_t reservation = -1;  ///< into NodeReservations; -1: maintenance, for all
};

std::vector<Closed> closed_from(const NodeReservations& reservations, const OutageOptions* outages, Time now) {
  std::vector<Closed> all;
  for (std::size_t r = 0; r != reservations.size(); ++r)
    for (const TimeWindow& w : reservations[r].windows)
      all.push_back({w.from, w.to, &reservations[r].nodes, static_cast<std::int32_t>(r)});
  if (outages != nullptr)
    for (const Outage& o : outages->plan.listed)
      if (o.kind == OutageKind::kMaintenance) all.push_back({o.from, o.to, &o.nodes});
  std::erase_if(all, [&](const Closed& c) { return c.to <= now; });
  std::ranges::stable_sort(all, {}, &Closed::to);
  return all;
}

class EarliestStarts {
 public:
  EarliestStarts(const JobDemands& demands, std::vector<Closed> closed, Time now)
      : demands_(demands), closed_(std::move(closed)), now_(now) {}

  Time of(JobIndex j, Duration limit) {
    const auto [at, is_new] = found_.try_emplace({demands_.demand_number(j), limit}, kNever);
    if (is_new)
      for (const std::int32_t u : demands_.demand(j))
        at->second = std::min(at->second, of_unit(demands_.unit(u), u, limit));
    return at->second;
  }

 private:
  Time of_unit(const DemandUnit& unit, std::int32_t u, Duration limit) const {
    const NodeAccess& access = demands_.accesses()[static_cast<std::size_t>(demands_.access(u))];
    const std::int32_t wanted = demands_.request_of(unit).nodes;
    if (access.only >= 0) return now_;  // the windows of its own reservation are no bound that is looked at here
    if (has_room(unit, access, wanted, now_, limit)) return now_;
    for (const Closed& c : closed_)
      if (has_room(unit, access, wanted, c.to, limit)) return c.to;
    return kNever;
  }
  bool has_room(const DemandUnit& unit, const NodeAccess& access, std::int32_t wanted, Time from,
                Duration limit) const {
    NodeSet nodes = demands_.nodes(unit);
    for (const Closed& c : closed_) {
      if (c.to <= from || c.from >= later(from, limit)) continue;
      const bool counts =
          c.reservation < 0 || access.to[static_cast<std::size_t>(c.reservation)] == NodeAccess::To::kClosed;
      if (counts) nodes.erase(*c.nodes);
      if (nodes.count() < wanted) return false;
    }
    return nodes.count() >= wanted;
  }

  const JobDemands& demands_;
  const std::vector<Closed> closed_;  ///< by their ends
  const Time now_;
  std::map<std::pair<std::int32_t, Duration>, Time> found_;  ///< by demand and limit
};

}  // namespace

std::vector<Time> earliest_starts(const Runner& runner, const std::vector<std::int64_t>& jobs, Time now) {
  const NodeReservations reservations = runner.reservations();
  const OutageOptions* outages = runner.outages();
  std::vector<Closed> closed = closed_from(reservations, outages, now);
  if (closed.empty()) return std::vector(jobs.size(), now);
  std::unordered_map<std::int64_t, const Job*> by_id;
  for (const Job& job : runner.workload().jobs) by_id.emplace(job.id, &job);
  std::vector<Job> asked;
  for (const std::int64_t id : jobs) asked.push_back(*by_id.at(id));
  const JobDemands demands(runner.machine(), asked, &runner.workload().requests, runner.scenario().engine,
                           &reservations);
  EarliestStarts earliest(demands, std::move(closed), now);
  std::vector<Time> out;
  for (std::size_t i = 0; i != asked.size(); ++i) out.push_back(earliest.of(static_cast<JobIndex>(i), asked[i].limit));
  return out;
}

}  // namespace coslice

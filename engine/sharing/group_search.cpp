#include "sharing/group_search.h"

#include <boost/container/small_vector.hpp>

#include "core/error.h"

namespace coslice {

Candidate waiting_candidate(const View& view, JobIndex j) {
  Candidate c;
  c.job = j;
  const SharingHost::InGroup in_group = view.in_group(j);
  c.ppn = in_group.ppn;
  c.nodes = in_group.nodes;
  c.demand = in_group.demand;
  const Job& job = view.job(j);
  c.processes = job.size;
  c.runtime = to_seconds(view.estimate(j));
  c.work = to_seconds(std::min(view.limit_left(j), view.own_estimate(j).value_or(Duration::max())));
  return c;
}

Candidate running_candidate(const View& view, const StartedJob& s) {
  Candidate c;
  c.job = s.index;
  c.running = true;
  c.ppn = s.ppn;
  const Job& job = view.job(s.index);
  c.processes = job.size;
  c.nodes = s.node_count;
  if (!view.available().by_count()) c.demand = view.demands()->demand_number(s.index);
  c.runtime = to_seconds(view.estimate(s.index));
  Work left = s.planned_left;
  left -= s.done_until(view.wall_now());
  c.work = left.seconds();
  return c;
}

GroupAsk ask_of(const View& view, const GroupSearch& search, const GroupPlan& plan) {
  GroupAsk ask{{}, plan.fresh, {}};
  const bool by_count = view.available().by_count();
  if (by_count && !view.available().closes()) return ask;
  ask.time = search.time(plan);
  if (by_count) return ask;
  const auto add = [&](const Candidate& c) {
    const StartedList& started = view.started();
    const auto running = c.running
                             ? std::ranges::find_if(started, [&](const StartedJob& s) { return s.index == c.job; })
                             : started.end();
    ask.members.push_back({c.job, c.demand, running == started.end() ? nullptr : &*running});
  };
  add(plan.primary);
  for (const Candidate& c : plan.matched) add(c);
  return ask;
}

bool can_be_placed(const View& view, const GroupSearch& search, const GroupPlan& plan) {
  std::vector<JobAllocation> allocations;
  return view.available().place_group(ask_of(view, search, plan), allocations);
}

std::unique_ptr<Availability> ledger_with(const View& view, const GroupSearch& search, const GroupPlan& plan) {
  const std::vector<double> ends = search.ends(plan);
  std::unique_ptr<Availability> ledger = view.without_reservations();
  for (const StartedJob& job : view.started())
    if (plan.has(job.index)) ledger->let_go(job, job.held, job.expected_end);
  if (view.available().by_count()) {
    for (const GroupSearch::Holding& h : GroupSearch::holdings(plan, ends))
      ledger->take_in(StartedJob{}, h.nodes, from_now(view, h.until));
    return ledger;
  }
  std::vector<JobAllocation> allocations;
  view.available().place_group(ask_of(view, search, plan), allocations);
  for (std::size_t i = 0; i != allocations.size(); ++i) {
    StartedJob member;
    member.index = i == 0 ? plan.primary.job : plan.matched[i - 1].job;
    member.unit = allocations[i].unit;
    member.parts = std::move(allocations[i].parts);
    ledger->take_in(member, static_cast<std::int32_t>(member.parts.size()), from_now(view, ends[i]));
  }
  return ledger;
}

bool is_current(const View& view, const Candidate& c) {
  if (!c.running) return view.waits(c.job);
  return std::ranges::any_of(view.started(),
                             [&](const StartedJob& s) { return s.index == c.job && view.may_be_joined(s); });
}

namespace {

constexpr double kOver = 1e-9;  ///< so little work is none, s

struct Played {
  boost::container::small_vector<double, 32> left{};  ///< in place: this is played for each set that is tried
  double primary_left, useful = 0, time = 0;
};

/// Plays the group forward and calls `period(time, slowdown, left)` for each period, with what is left at its
/// beginning.
template <class F>
Played play(double processes, double work, const std::vector<GainMember>& members, F&& period) {
  Played g{.primary_left = work};
  for (const GainMember& m : members) g.left.push_back(m.work);
  while (g.primary_left > kOver) {
    double slowdown = 0;
    for (std::size_t i = 0; i != members.size(); ++i)
      if (g.left[i] > kOver) slowdown = std::max(slowdown, members[i].on_primary);
    if (slowdown == 0) break;
    double time = g.primary_left * slowdown;
    for (std::size_t i = 0; i != members.size(); ++i)
      if (g.left[i] > kOver) time = std::min(time, g.left[i] * members[i].slowdown);
    period(time, slowdown, g.left);
    g.useful += time * processes / slowdown;
    for (std::size_t i = 0; i != members.size(); ++i) {
      if (g.left[i] <= kOver) continue;
      g.useful += time * members[i].processes / members[i].slowdown;
      g.left[i] -= time / members[i].slowdown;
    }
    g.time += time;
    g.primary_left -= time / slowdown;
  }
  return g;
}

std::int32_t nodes_of(const Candidates& matched) {
  std::int32_t sum = 0;
  for (const Candidate& c : matched) sum += c.nodes;
  return sum;
}

std::vector<GainMember> members_of(const Candidates& matched) {
  std::vector<GainMember> members;
  members.reserve(matched.size());
  for (const Candidate& c : matched) members.push_back(c.beside);
  return members;
}

}  // namespace

GainTimeline gain_timeline(double work, const std::vector<GainMember>& members) {
  std::vector<GainPeriod> periods;
  const Played g = play(0, work, members, [&](double time, double slowdown, const auto& left) {
    GainPeriod& period = periods.emplace_back(GainPeriod{time, slowdown, {}});
    for (std::size_t i = 0; i != left.size(); ++i)
      if (left[i] > kOver) period.members.push_back(i);
  });
  return {g.time, g.primary_left, {g.left.begin(), g.left.end()}, std::move(periods)};
}

double utilization_gain(double processes, double work, const std::vector<GainMember>& members, double nodes) {
  const Played g = play(processes, work, members, [](double, double, const auto&) {});
  const double used = g.time * nodes;
  return used > 0 ? (g.useful - used) / used : 0;
}

GainMember GroupSearch::beside(const Candidate& primary, const Candidate& other) const {
  const std::int32_t type =
      distinguished(primary, other) ? demands_->together(primary.demand, other.demand).gpu_type : -1;
  const PairSlowdowns::Pair& pair = pairs_.of(slowdowns_, primary.job, other.job, type);
  return {other.processes, other.work, alone(other) * pair.other, alone(primary) * pair.primary};
}

std::optional<GainMember> GroupSearch::tolerated(const Candidate& primary, const Candidate& c,
                                                 const Tolerance& t) const {
  if (c.job == primary.job || !shape_.room_for(c.ppn, primary.ppn) || !fits_over(primary, c.nodes, t.exceed)) return {};
  if (distinguished(primary, c) && !demands_->together(primary.demand, c.demand).possible) return {};
  const GainMember member = beside(primary, c);
  const double self = t.total ? 1 : alone(c);
  const double own = t.total ? 1 : alone(primary);
  if (member.slowdown > t.max_slowdown * self || member.on_primary > t.max_slowdown * own) return {};
  if (c.work * member.slowdown - primary.work * member.on_primary > t.longer) return {};
  return member;
}

Candidates GroupSearch::tolerating(const Candidate& primary, const Candidates& from, const Tolerance& t) const {
  Candidates kept;
  for (const Candidate& c : from) {
    const std::optional<GainMember> member = tolerated(primary, c, t);
    if (member) kept.emplace_back(c).beside = *member;
  }
  return kept;
}

/// It progresses at best as the least slowdown beside another lets it; rounding is on the safe side.
double GroupSearch::least_end(const Candidate& primary) const {
  return primary.work * alone(primary) * std::min(1.0, slowdowns_.least_beside()) * (1 - 1e-9);
}

std::vector<Candidates> GroupSearch::blocks(const Candidates& from, std::size_t size, bool sorted) {
  std::vector<Candidates> blocks;
  for (std::size_t i = 0; i < from.size(); i += size) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(i);
    Candidates& block =
        blocks.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, from.size() - i)));
    if (!sorted) continue;
    std::ranges::stable_sort(block, std::ranges::greater{}, &Candidate::runtime);
  }
  return blocks;
}

GroupPlan GroupSearch::plan(const Candidate& primary, Candidates matched) const {
  GroupPlan p;
  p.primary = primary;
  std::int32_t running = 0;
  for (const Candidate& c : matched) running += c.running ? c.nodes : 0;
  const std::int32_t all = nodes_of(matched);
  p.nodes = std::max(primary.nodes, all);
  p.fresh = p.nodes - (primary.running ? primary.nodes : running);
  p.gain = utilization_gain(primary.processes, primary.work, members_of(matched), p.nodes);
  p.matched = std::move(matched);
  return p;
}

std::vector<double> GroupSearch::ends(const GroupPlan& p) const {
  const GainTimeline g = gain_timeline(p.primary.work, members_of(p.matched));
  std::vector<double> ends(p.matched.size() + 1, g.time);
  double t = 0;
  for (const GainPeriod& period : g.periods) {
    t += period.time;
    for (const std::size_t i : period.members) ends[i + 1] = t;  // the last period that it was in
  }
  // A job that is left goes on alone.
  const auto rest = [&](const Candidate& c, double work) { return work > 0 ? work * alone(c) : 0; };
  for (std::size_t i = 0; i != p.matched.size(); ++i) ends[i + 1] += rest(p.matched[i], g.left[i]);
  ends[0] += rest(p.primary, g.primary_left);
  return ends;
}

Duration GroupSearch::time(const GroupPlan& p) const {
  const std::vector<double> all = ends(p);
  return at_most_a_century(*std::ranges::max_element(all));
}

std::vector<GroupSearch::Holding> GroupSearch::holdings(const GroupPlan& p, const std::vector<double>& ends) {
  std::vector<Holding> held;
  std::int32_t under = p.primary.nodes;  // nodes of the primary's on which no matched job is placed yet
  std::int32_t own = p.primary.nodes;    // that it is the last to leave
  for (std::size_t i = 0; i != p.matched.size(); ++i) {
    const std::int32_t n = p.matched[i].nodes;
    const std::int32_t overlap = std::min(n, under);
    under -= overlap;
    const bool last = ends[i + 1] > ends[0];
    if (last) own -= overlap;
    if (const std::int32_t held_nodes = last ? n : n - overlap; held_nodes > 0)
      held.push_back({held_nodes, ends[i + 1]});
  }
  if (own > 0) held.push_back({own, ends[0]});
  return held;
}

std::vector<GroupPlan> GroupSearch::windows(const Candidate& primary, const Candidates& block, double exceed) const {
  std::vector<GroupPlan> plans;
  for (std::size_t first = 0; first != block.size(); ++first) {
    std::size_t end = first;
    std::int32_t nodes = 0;
    while (end != block.size() && fits_over(primary, nodes + block[end].nodes, exceed)) nodes += block[end++].nodes;
    if (end == first) continue;
    plans.push_back(plan(primary, {block.begin() + static_cast<std::ptrdiff_t>(first),
                                   block.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return plans;
}

std::vector<GroupPlan> GroupSearch::extended(const GroupPlan& start, const Candidates& others, double exceed) const {
  std::vector<GroupPlan> better;
  GroupPlan best = start;
  std::int32_t nodes = nodes_of(start.matched);
  for (const Candidate& c : others) {
    if (nodes >= start.primary.nodes) break;
    const auto same = [&](const Candidate& m) { return m.job == c.job; };
    if (std::ranges::any_of(best.matched, same)) continue;
    if (!fits_over(start.primary, nodes + c.nodes, exceed)) continue;
    Candidates more = best.matched;
    more.push_back(c);
    GroupPlan tried = plan(start.primary, std::move(more));
    if (tried.gain <= best.gain) continue;
    nodes += c.nodes;
    best = std::move(tried);
    better.push_back(best);
  }
  return better;
}

GroupPlan GroupSearch::purified(GroupPlan p) const {
  while (p.matched.size() > 1) {
    const auto worst = std::ranges::max_element(
        p.matched, [](const Candidate& a, const Candidate& b) { return a.beside.on_primary < b.beside.on_primary; });
    Candidates fewer = p.matched;
    fewer.erase(fewer.begin() + (worst - p.matched.begin()));
    GroupPlan tried = plan(p.primary, std::move(fewer));
    if (tried.gain < p.gain) break;
    p = std::move(tried);
  }
  return p;
}

GroupPlan GroupSearch::best_of_all(const Candidate& primary, const Candidates& from, double exceed,
                                   std::size_t most) const {
  constexpr std::size_t kMost = 1'000'000;
  const double most_nodes = (1 + exceed) * primary.nodes;
  GroupPlan best;
  Candidates set;
  std::int32_t nodes = 0;
  std::size_t tried = 0;
  const auto go = [&](const auto& again, std::size_t next) -> void {  // in the order of the candidates
    for (std::size_t i = next; i != from.size(); ++i) {
      if (static_cast<double>(nodes + from[i].nodes) > most_nodes) continue;
      if (++tried > kMost) throw SimulationError("more than a million sets of candidates; let fewer of them in");
      set.push_back(from[i]);
      nodes += from[i].nodes;
      GroupPlan p = plan(primary, set);
      if (best.matched.empty() || p.gain > best.gain) best = std::move(p);
      if (set.size() < most) again(again, i + 1);
      nodes -= from[i].nodes;
      set.pop_back();
    }
  };
  if (most > 0) go(go, 0);
  return best;
}

}  // namespace coslice

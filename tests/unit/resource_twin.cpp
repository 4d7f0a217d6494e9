#include "resource_twin.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace coslice::twin {

namespace {
const NodeKind& kind_at(const MachineLayout& layout, NodeId n) {
  for (const NodeKind& k : layout.kinds)
    if (n >= k.first && n < k.first + k.count) return k;
  throw std::logic_error("no such node");
}
bool has(const std::vector<std::int32_t>& list, std::int32_t x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}
}  // namespace

Twin::Twin(const cases::Case& c, bool whole, Rule rule) : case_(c), whole_(whole), rule_(rule) {
  const auto jobs = static_cast<JobIndex>(c.workload.jobs.size());
  starts_.resize(jobs);
  for (JobIndex j = 0; j < jobs; ++j) units_.push_back(units(j));
  const MachineLayout& layout = *c.machine.layout;
  for (NodeId n = 0; n < layout.node_count(); ++n) {
    NodeId first = n;
    for (NodeId m = n - 1; m >= 0; --m) {
      bool same = kind_at(layout, n).speed == kind_at(layout, m).speed;
      for (const auto& of_job : units_)
        for (const Unit& u : of_job) same = same && has(u.nodes, n) == has(u.nodes, m);
      if (same) first = m;
    }
    class_of_.push_back(first);
  }
  if (!whole) return;
  for (auto& of_job : units_)
    for (Unit& u : of_job)
      std::stable_sort(u.nodes.begin(), u.nodes.end(), [&](NodeId a, NodeId b) { return class_of(a) < class_of(b); });
}

bool Twin::capable(const Request& r, NodeId n) const {
  const NodeKind& k = kind_at(*case_.machine.layout, n);
  if (k.processors * k.cores * 1000 < r.cores || k.gpus < r.gpus) return false;
  if (k.memory_mib != 0 && k.memory_mib < r.memory_mib) return false;
  if (r.gpus != 0 && !r.gpu_types.empty() && !has(r.gpu_types, k.gpu_type)) return false;
  bool featured = r.features.empty();
  for (const FeatureTerm& term : r.features) {
    bool all = true;
    for (const std::int32_t f : term.with) all = all && has(k.features, f);
    for (const std::int32_t f : term.without) all = all && !has(k.features, f);
    featured = featured || all;
  }
  return featured;
}

bool Twin::may_use(const Partition& p, const Request& r, const Job& job) const {
  return !(p.max_time && job.limit > *p.max_time) && !(p.max_nodes && r.nodes > *p.max_nodes) &&
         (p.users.empty() || has(p.users, job.user));
}

std::vector<Twin::Unit> Twin::units(JobIndex j) const {
  const MachineLayout& layout = *case_.machine.layout;
  const Request& r = request(j);
  for (const LicenceUse& use : r.licences)
    if (layout.licences[static_cast<std::size_t>(use.licence)].count < use.count) return {};
  std::vector<std::int32_t> partitions = r.partitions;
  for (std::size_t p = 0; r.partitions.empty() && p < layout.partitions.size(); ++p)
    if (layout.partitions[p].by_default) partitions.push_back(static_cast<std::int32_t>(p));
  if (partitions.empty()) partitions = {-1};
  std::vector<Unit> units;
  for (const std::int32_t p : partitions) {
    if (p >= 0 && !may_use(layout.partitions[static_cast<std::size_t>(p)], r, case_.workload.jobs[j])) continue;
    Unit u{p, {}};
    for (NodeId n = 0; n < layout.node_count(); ++n)
      if (capable(r, n) && (p < 0 || layout.partitions[static_cast<std::size_t>(p)].nodes.contains(n)))
        u.nodes.push_back(n);
    if (u.nodes.size() >= static_cast<std::size_t>(r.nodes)) units.push_back(u);
  }
  return units;
}

NodeRoom Twin::room(NodeId n, Time t) const {
  const NodeKind& k = kind_at(*case_.machine.layout, n);
  NodeRoom room;
  room.cores = k.processors * k.cores * 1000;
  room.memory_mib = k.memory_mib != 0 ? k.memory_mib : 1'000'000'000;
  room.gpus.assign(static_cast<std::size_t>(k.gpus), 1000);
  for (const Held& h : held_) {
    if (h.from > t || h.to <= t) continue;
    const Request& r = request(h.job);
    for (const NodePart& part : h.parts) {
      if (part.node != n) continue;
      if (!r.exclusive || r.rows <= 1) room.cores -= r.cores;
      room.memory_mib -= r.memory_mib;
      for (std::size_t g = 0; g < room.gpus.size(); ++g)
        if ((part.gpus >> g & 1) != 0) room.gpus[g] -= r.gpu_share;
      ++room.jobs;
      room.exclusive = room.exclusive || (r.exclusive && r.rows <= 1);
    }
  }
  return room;
}

/// All instants of [from, to) at which something begins to be held, and `from`.
std::vector<Time> Twin::instants(Time from, Time to) const {
  std::vector<Time> all{from};
  for (const Held& h : held_)
    if (h.from > from && h.from < to) all.push_back(h.from);
  return all;
}

/// The least of everything throughout [from, to).
NodeRoom Twin::room(NodeId n, Time from, Time to) const {
  NodeRoom least = room(n, from);
  for (const Time t : instants(from, to)) {
    const NodeRoom now = room(n, t);
    least.cores = std::min(least.cores, now.cores);
    least.memory_mib = std::min(least.memory_mib, now.memory_mib);
    for (std::size_t g = 0; g < least.gpus.size(); ++g) least.gpus[g] = std::min(least.gpus[g], now.gpus[g]);
    least.jobs = std::max(least.jobs, now.jobs);
    least.exclusive = least.exclusive || now.exclusive;
  }
  return least;
}

bool Twin::licences(const Request& r, Time from, Time to) const {
  for (const LicenceUse& use : r.licences)
    for (const Time t : instants(from, to)) {
      std::int64_t left = case_.machine.layout->licences[static_cast<std::size_t>(use.licence)].count;
      for (const Held& h : held_)
        for (const LicenceUse& other : request(h.job).licences)
          if (h.from <= t && h.to > t && other.licence == use.licence) left -= other.count;
      if (left < use.count) return false;
    }
  return true;
}

std::int32_t Twin::rows(const Request& r, NodeId n, Time from, Time to) const {
  std::int32_t most = 1;
  for (const Time t : instants(from, to)) {
    const NodeRoom there = room(n, t);
    if (r.exclusive) most = std::max(most, there.jobs + 1);
    if (r.exclusive || there.cores >= r.cores) continue;
    CoreShare cores = r.cores;
    for (const Held& h : held_)
      for (const NodePart& part : h.parts)
        if (h.from <= t && h.to > t && part.node == n && request(h.job).row_of == r.row_of)
          cores += request(h.job).cores;
    const NodeKind& k = kind_at(*case_.machine.layout, n);
    const CoreShare all = k.processors * k.cores * 1000;
    most = std::max(most, (cores + all - 1) / all);
  }
  return most;
}

/// Jobs that let others have their cores and jobs that do not are on no node together, but for those of one partition: those that do
/// not may come to the others where cores are idle.
bool Twin::has_cores(const Request& r, NodeId n, Time from, Time to) const {
  for (const Time t : instants(from, to)) {
    if (r.rows <= 1 && room(n, t).cores < r.cores) return false;
    for (const Held& h : held_)
      for (const NodePart& part : h.parts) {
        if (h.from > t || h.to <= t || part.node != n) continue;
        const Request& other = request(h.job);
        if (r.rows > 1 ? other.rows <= 1 : other.row_of >= 0 && other.row_of != r.row_of) return false;
      }
  }
  return r.rows <= 1 || rows(r, n, from, to) <= r.rows;
}

std::vector<NodeId> Twin::fitting(const Request& r, const Unit& unit, Time from, Time to) const {
  if (!licences(r, from, to)) return {};
  if (whole_) return whole_fitting(r, unit, from, to);
  std::vector<NodeId> nodes;
  for (const NodeId n : unit.nodes) {
    const NodeRoom left = room(n, from, to);
    std::int32_t gpus = 0;
    for (const GpuShare g : left.gpus) gpus += g >= r.gpu_share;
    if (left.exclusive || (r.exclusive && r.rows <= 1 && left.jobs != 0) || left.memory_mib < r.memory_mib) continue;
    if (!has_cores(r, n, from, to)) continue;
    if (gpus >= r.gpus) nodes.push_back(n);
  }
  return nodes;
}

/// Of each class, as many nodes as are free at each instant; which ones, does not matter.
std::vector<NodeId> Twin::whole_fitting(const Request&, const Unit& unit, Time from, Time to) const {
  std::vector<NodeId> nodes;
  std::map<NodeId, std::int32_t> size, least;
  for (const NodeId n : unit.nodes) ++size[class_of(n)];
  least = size;
  for (const Time t : instants(from, to)) {
    std::map<NodeId, std::int32_t> free = size;
    for (const Held& h : held_)
      for (const NodePart& part : h.parts)
        if (h.from <= t && h.to > t && free.count(class_of(part.node)) != 0) --free[class_of(part.node)];
    for (auto& [c, n] : least) n = std::min(n, free[c]);
  }
  for (const NodeId n : unit.nodes)
    if (least[class_of(n)]-- > 0) nodes.push_back(n);
  return nodes;
}

std::uint64_t Twin::gpus(const Request& r, const NodeRoom& room) {
  std::uint64_t mask = 0;
  for (std::int32_t k = 0; k < r.gpus; ++k) {
    std::int32_t best = -1;
    for (std::int32_t g = 0; g < static_cast<std::int32_t>(room.gpus.size()); ++g) {
      const GpuShare left = room.gpus[static_cast<std::size_t>(g)];
      if ((mask >> g & 1) != 0 || left < r.gpu_share) continue;
      // A share of one GPU goes where it fits most tightly, anything else to the first ones.
      const bool tight = r.gpus == 1 && r.gpu_share < 1000;
      if (best < 0 || (tight && left < room.gpus[static_cast<std::size_t>(best)])) best = g;
    }
    mask |= std::uint64_t{1} << best;
  }
  return mask;
}

/// A job that shares whole nodes has all those of the first running job that has as many, and only these.
void Twin::use_mate(std::vector<NodeId>& nodes, const Request& r) const {
  for (const auto& [other, end] : really_ends_) {
    const Parts& parts = starts_[other].parts;
    const auto open = [&](const NodePart& p) { return has(nodes, p.node); };
    if (parts.size() != static_cast<std::size_t>(r.nodes) || !std::all_of(parts.begin(), parts.end(), open)) continue;
    nodes.clear();
    for (const NodePart& p : parts) nodes.push_back(p.node);
    return;
  }
}

Twin::Choice Twin::choose(JobIndex j, Time from, Time to) const {
  const Request& r = request(j);
  for (const Unit& u : units_[j]) {
    std::vector<NodeId> nodes = fitting(r, u, from, to);
    if (nodes.size() < static_cast<std::size_t>(r.nodes)) continue;
    if (r.rows > 1 && !whole_) {  // as few on a core as there can be
      std::int32_t most = 0;
      std::vector<NodeId> few;
      for (++most; few.size() < static_cast<std::size_t>(r.nodes); ++most) {
        few.clear();
        for (const NodeId n : nodes)
          if (rows(r, n, from, to) <= most) few.push_back(n);
      }
      nodes = few;
      if (r.exclusive && most > 2 && from == now_ && rule_ != Rule::kConservative) use_mate(nodes, r);
    }
    nodes.resize(static_cast<std::size_t>(r.nodes));
    Choice choice{true, {}, u.partition};
    for (const NodeId n : nodes) choice.parts.push_back({n, whole_ ? 0 : gpus(r, room(n, from, to))});
    return choice;
  }
  return {};
}

Duration Twin::length(JobIndex j, const Parts& parts) const {
  double slowest = 1e9;
  for (const NodePart& p : parts) slowest = std::min(slowest, kind_at(*case_.machine.layout, p.node).speed);
  const Job& job = case_.workload.jobs[j];
  return std::min(job.limit, Duration{static_cast<std::int64_t>(static_cast<double>(job.runtime.count()) / slowest)});
}

void Twin::start(JobIndex j, const Choice& choice) {
  starts_[j] = {now_, choice.parts, choice.partition};
  if (rule_ != Rule::kConservative) held_.push_back({j, choice.parts, now_, now_ + case_.workload.jobs[j].limit});
  really_ends_[j] = now_ + length(j, choice.parts);
  std::erase(queue_, j);
}

void Twin::drop(JobIndex j) {
  std::erase_if(held_, [&](const Held& h) { return h.job == j; });
}

std::vector<Time> Twin::ends() const {
  std::set<Time> all;
  for (const Held& h : held_)
    if (h.to > now_) all.insert(h.to);
  return {all.begin(), all.end()};
}

bool Twin::end_jobs() {
  bool any = false;
  for (auto it = really_ends_.begin(); it != really_ends_.end();) {
    if (it->second == now_) {
      drop(it->first);
      it = really_ends_.erase(it);
      any = true;
    } else {
      ++it;
    }
  }
  return any;
}

/// The first job's reservation: of the nodes on which it fits then, first those on which it does not fit now.
void Twin::shield(JobIndex j) {
  const Request& r = request(j);
  const Duration d = case_.workload.jobs[j].limit;
  for (const Time t : ends())
    for (const Unit& u : units_[j]) {
      const std::vector<NodeId> then = fitting(r, u, t, t + d);
      if (then.size() < static_cast<std::size_t>(r.nodes)) continue;
      Unit one{u.partition, {}};
      std::vector<NodeId> order, later;
      std::map<NodeId, std::int32_t> now_free, then_free;
      // Of whole nodes only counts are known: so many of a class are free now, so many more then.
      std::vector<NodeId> now;
      Request node = r;  // licences belong to no node
      node.licences.clear();
      for (const NodeId n : u.nodes) {
        if (!whole_ && !fitting(node, {u.partition, {n}}, now_, now_ + Duration{1}).empty()) now.push_back(n);
      }
      if (whole_) {
        const std::vector<NodeId> free = fitting(node, u, now_, now_ + Duration{1});
        for (const NodeId n : free) ++now_free[class_of(n)];
        for (const NodeId n : then) ++then_free[class_of(n)];
        for (const NodeId n : then) {
          const NodeId c = class_of(n);
          if (then_free[c] > now_free[c]) {
            order.push_back(n);
            --then_free[c];
          } else {
            later.push_back(n);
          }
        }
      } else {
        for (const NodeId n : then) (has(now, n) ? later : order).push_back(n);
      }
      order.insert(order.end(), later.begin(), later.end());
      order.resize(static_cast<std::size_t>(r.nodes));
      Held h{j, {}, t, t + d};
      for (const NodeId n : order) h.parts.push_back({n, whole_ ? 0 : gpus(r, room(n, t, t + d))});
      held_.push_back(h);
      return;
    }
}

/// The highest of the partitions that the job may use.
std::int32_t Twin::tier(JobIndex j) const {
  std::int32_t tier = 0;
  for (const Unit& u : units_[j])
    tier = std::max(tier,
                    u.partition < 0 ? 1 : case_.machine.layout->partitions[static_cast<std::size_t>(u.partition)].tier);
  return tier;
}

void Twin::enter(JobIndex j) {
  auto at = queue_.begin();
  while (at != queue_.end() && tier(*at) >= tier(j)) ++at;
  queue_.insert(at, j);
}

/// Of each partition the first job that cannot start is in the way of the others: of all of them, or of those that would
/// delay it.
void Twin::pass_by_partition() {
  const bool passing = rule_ == Rule::kEasyByPartition;
  std::set<std::int32_t> blocked;
  std::vector<JobIndex> shielded;
  for (std::size_t i = 0; i < queue_.size();) {
    const JobIndex j = queue_[i];
    const std::int32_t partition = units_[j].front().partition;
    const Duration d = case_.workload.jobs[j].limit;
    const Choice c = choose(j, now_, now_ + d);
    if (c.found && (passing || blocked.count(partition) == 0)) {
      start(j, c);
      continue;
    }
    if (blocked.insert(partition).second && passing) {
      const Time t = earliest(j, kNever);
      held_.push_back({j, choose(j, t, t + d).parts, t, t + d});
      shielded.push_back(j);
    }
    ++i;
  }
  for (const JobIndex j : shielded) drop(j);
}

void Twin::easy_pass() {
  std::size_t i = 0;
  const auto limit = [&](JobIndex j) { return case_.workload.jobs[j].limit; };
  while (!queue_.empty()) {
    const Choice c = choose(queue_[0], now_, now_ + limit(queue_[0]));
    if (!c.found) break;
    start(queue_[0], c);
  }
  if (queue_.empty()) return;
  const JobIndex head = queue_[0];
  shield(head);
  for (i = 1; i < queue_.size();) {
    const JobIndex j = queue_[i];
    const Choice c = choose(j, now_, now_ + limit(j));
    if (c.found) start(j, c);
    else ++i;
  }
  drop(head);
}

/// The first instant before `before` at which it fits: now, or where something ends.
Time Twin::earliest(JobIndex j, Time before) const {
  const Duration d = case_.workload.jobs[j].limit;
  std::vector<Time> tries = ends();
  tries.insert(tries.begin(), now_);
  for (const Time t : tries)
    if (t < before && choose(j, t, t + d).found) return t;
  return kNever;
}

/// Those that have reservations move up first; then new jobs get theirs.
void Twin::conservative_pass(bool ended) {
  const auto limit = [&](JobIndex j) { return case_.workload.jobs[j].limit; };
  std::vector<JobIndex> sequence = queue_;
  std::stable_partition(sequence.begin(), sequence.end(), [&](JobIndex j) { return reserved_.count(j) != 0; });
  for (const JobIndex j : sequence) {
    const bool had = reserved_.count(j) != 0;
    if (had && !ended) continue;
    Held own{};
    for (const Held& h : held_)
      if (h.job == j) own = h;
    if (had && own.from <= now_) continue;
    drop(j);
    const Time t = earliest(j, had ? own.from : kNever);
    if (t == kNever) {
      held_.push_back(own);
      continue;
    }
    reserved_[j] = choose(j, t, t + limit(j));
    held_.push_back({j, reserved_[j].parts, t, t + limit(j)});
  }
  const std::vector<Held> copy = held_;
  for (const Held& h : copy)
    if (h.from == now_ && reserved_.count(h.job) != 0 && starts_[h.job].time == kNever) start(h.job, reserved_[h.job]);
}

std::vector<Start> Twin::run() {
  std::size_t next = 0;
  const std::vector<Job>& jobs = case_.workload.jobs;
  for (;;) {
    Time t = next < jobs.size() ? jobs[next].submit : kNever;
    for (const auto& [j, end] : really_ends_) t = std::min(t, end);
    for (const Held& h : held_)
      if (starts_[h.job].time == kNever) t = std::min(t, h.from);
    if (t == kNever) return starts_;
    now_ = t;
    const bool ended = end_jobs();
    for (; next < jobs.size() && jobs[next].submit == now_; ++next)
      if (!units_[next].empty()) enter(static_cast<JobIndex>(next));
    if (rule_ == Rule::kConservative) conservative_pass(ended);
    else if (rule_ == Rule::kEasy) easy_pass();
    else pass_by_partition();
  }
}

}  // namespace coslice::twin

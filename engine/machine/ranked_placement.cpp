#include "machine/ranked_placement.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>

namespace coslice {
namespace {

class Equal : public NodeRanking {
 public:
  bool may_decline() const override { return false; }
  void score(std::uint32_t, const Request&, const NodePool&, const std::vector<NodeId>&,
             std::vector<NodeScore>&) override {}
  std::uint32_t reads() const override { return kReadsNothingElse; }
};

class UsedFirst : public NodeRanking {
 public:
  bool may_decline() const override { return false; }
  void score(std::uint32_t, const Request&, const NodePool& pool, const std::vector<NodeId>& nodes,
             std::vector<NodeScore>& out) override {
    for (std::size_t i = 0; i != nodes.size(); ++i) out[i].value = pool.room(nodes[i]).jobs > 0 ? 1 : 0;
  }
  std::uint32_t reads() const override { return kReadsNode; }
};

/// The more is left the better, or (sign -1) the worse.
class ByWhatIsLeft : public NodeRanking {
 public:
  ByWhatIsLeft(const MachineLayout& layout, double sign) : layout_(layout), sign_(sign) {
    for (const NodeKind& kind : layout.kinds) {
      cores_ = std::max(cores_, kind.core_share());
      memory_ = std::max(memory_, kind.memory_mib);
      gpus_ = std::max(gpus_, kind.gpus * kWholeGpu);
    }
  }

  void score(std::uint32_t, const Request&, const NodePool& pool, const std::vector<NodeId>& nodes,
             std::vector<NodeScore>& out) override {
    for (std::size_t i = 0; i != nodes.size(); ++i) out[i].value = sign_ * left(pool, nodes[i]);
  }
  std::uint32_t reads() const override { return memory_ != 0 ? kReadsMemory : kReadsNothingElse; }
  bool may_decline() const override { return false; }

 private:
  double left(const NodePool& pool, NodeId n) const {
    const NodeRoom& room = pool.room(n);
    double sum = static_cast<double>(room.cores) / cores_;
    if (gpus_ != 0) sum += static_cast<double>(std::accumulate(room.gpus.begin(), room.gpus.end(), 0)) / gpus_;
    if (memory_ != 0 && layout_.kind_of(n).memory_mib != 0)
      sum += static_cast<double>(room.memory_mib) / static_cast<double>(memory_);
    return sum;
  }

  const MachineLayout& layout_;
  double sign_;
  CoreShare cores_ = 1;  ///< the most that a node has
  std::int64_t memory_ = 0;
  GpuShare gpus_ = 0;
};

/// Scores that are kept at most, over all rows; 100 MB.
constexpr std::size_t kMostScores = 4'000'000;
constexpr std::size_t kMostStates = 500'000;
constexpr std::size_t kMostJobScores = 1'000'000;  ///< of rows of single jobs; 24 MB
constexpr double kNotAdmitted = -std::numeric_limits<double>::infinity();

/// What of a request scores depend on, however little they read.
Request outline(const Request& r, bool all) {
  if (all) return r;
  return {.cores = r.cores, .gpus = r.gpus, .gpu_share = r.gpu_share, .gpu_types = r.gpu_types};
}

/// Of what most requests differ in.
std::uint64_t hash_of(const Request& r, bool all) {
  std::uint64_t h = hash_mix(static_cast<std::uint64_t>(r.cores), static_cast<std::uint64_t>(r.gpus));
  h = hash_mix(h, static_cast<std::uint64_t>(r.gpu_share));
  for (const std::int32_t t : r.gpu_types) h = hash_mix(h, static_cast<std::uint64_t>(t));
  if (all) h = hash_mix(hash_mix(h, static_cast<std::uint64_t>(r.memory_mib)), static_cast<std::uint64_t>(r.nodes));
  return h;
}

bool same_outline(const Request& outlined, const Request& r, bool all) {
  if (all) return outlined == r;
  return outlined.cores == r.cores && outlined.gpus == r.gpus && outlined.gpu_share == r.gpu_share &&
         outlined.gpu_types == r.gpu_types;
}

/// How many of its nodes a job of a range could do without.
std::int32_t nodes_spared(const Request& r) { return r.range_least > 0 ? std::max(r.nodes - r.range_least, 0) : 0; }

}  // namespace

std::unique_ptr<NodeRanking> make_ranking(BuiltInRank rank, const MachineLayout& layout) {
  switch (rank) {
    case BuiltInRank::kFirst: return std::make_unique<Equal>();
    case BuiltInRank::kPack: return std::make_unique<UsedFirst>();
    case BuiltInRank::kBestFit: return std::make_unique<ByWhatIsLeft>(layout, -1);
    case BuiltInRank::kSpread: return std::make_unique<ByWhatIsLeft>(layout, 1);
  }
  return nullptr;
}

std::size_t RankedPlacement::StateHash::operator()(const State& s) const {
  std::uint64_t h = hash_mix(static_cast<std::uint64_t>(s.kind), static_cast<std::uint64_t>(s.cores));
  h = hash_mix(h, static_cast<std::uint64_t>(s.memory_mib));
  for (const GpuShare left : s.gpus) h = hash_mix(h, static_cast<std::uint64_t>(left));
  return h;
}

RankedPlacement::RankedPlacement(const MachineLayout& layout, std::unique_ptr<NodeRanking> ranking,
                                 const PlacementRules& rules)
    : ranking_(std::move(ranking)), rules_(rules), node_draws_(rules.seed, "placement.nodes"),
      gpu_draws_(rules.seed, "placement.gpus") {
  const auto nodes = static_cast<std::size_t>(layout.node_count());
  for (std::size_t k = 0; k != layout.kinds.size(); ++k)
    kind_of_.insert(kind_of_.end(), static_cast<std::size_t>(layout.kinds[k].count), static_cast<std::int32_t>(k));
  rank_.resize(nodes);
  for (std::size_t i = 0; i != nodes; ++i)
    rank_[layout.order.empty() ? i : static_cast<std::size_t>(layout.order[i])] = i;
  stamps_.resize(nodes);
  state_.resize(nodes);
  state_tag_.resize(nodes);
}

void RankedPlacement::reset(Row& row) const {
  row.tags.assign(rank_.size(), 0);
  row.values.assign(rank_.size(), kNotAdmitted);
  row.gpus.assign(rank_.size(), 0);
}

void RankedPlacement::forget() {
  row_by_hash_.clear();
  row_requests_.clear();
  rows_.clear();
  row_of_job_.clear();
  states_.clear();
  std::ranges::fill(stamps_, 0);
}

RankedPlacement::Row& RankedPlacement::row_of(std::uint32_t job, const Request& request) {
  if ((reads_ & kReadsAnything) != 0) {
    reset(own_);
    return own_;
  }
  if ((reads_ & kReadsJob) != 0) return row_of_job(job, request);
  const bool all = (reads_ & kReadsRequest) != 0;
  const std::uint64_t hash = hash_of(request, all);
  for (auto [at, end] = row_by_hash_.equal_range(hash); at != end; ++at)
    if (same_outline(row_requests_[at->second], request, all)) return *rows_[at->second];
  if ((rows_.size() + 1) * rank_.size() > kMostScores) forget();
  row_by_hash_.emplace(hash, rows_.size());
  row_requests_.push_back(outline(request, all));
  rows_.push_back(std::make_unique<Row>());
  reset(*rows_.back());
  return *rows_.back();
}

/// Jobs that wait are asked about at most passes, and few nodes have changed since. Each component of a job asks for
/// something else.
RankedPlacement::Row& RankedPlacement::row_of_job(std::uint32_t job, const Request& request) {
  const std::uint64_t key = std::uint64_t{job} << 32 | (hash_of(request, true) & 0xFFFFFFFFU);
  const auto known = row_of_job_.find(key);
  if (known != row_of_job_.end()) return known->second;
  if ((row_of_job_.size() + 1) * rank_.size() > kMostJobScores) row_of_job_.clear();
  Row& row = row_of_job_[key];
  reset(row);
  return row;
}

/// Looks up the node's state if it has changed.
void RankedPlacement::look_at(const NodePool& pool, NodeId n) {
  const auto i = static_cast<std::size_t>(n);
  if (stamps_[i] == pool.stamp(n)) return;
  stamps_[i] = pool.stamp(n);
  const NodeRoom& room = pool.room(n);
  State state{kind_of_[i], room.cores, (reads_ & kReadsMemory) != 0 ? room.memory_mib : 0, room.gpus};
  KnownState& known = states_[std::move(state)];
  if (known.tag == 0) known.tag = ++last_tag_;
  known.node = n;
  state_[i] = &known;
  state_tag_[i] = known.tag;
}

std::uint64_t RankedPlacement::tag_of(const NodePool& pool, NodeId n) const {
  const auto i = static_cast<std::size_t>(n);
  if ((reads_ & (kReadsNode | kReadsAnything)) == 0) return state_tag_[i];
  // Both are small numbers: one is mixed before the other one comes to it, else different pairs would be equal.
  return node_changes_ == nullptr ? pool.stamp(n) : hash_mix(hash_mix(0, pool.stamp(n)), (*node_changes_)[i]);
}

/// Where they do not: of those in states that were not scored yet, one for each state.
void RankedPlacement::find_unknown_states(Row& row, const NodePool& pool, const NodeSet& fitting) {
  fitting.for_each([&](NodeId n) {
    look_at(pool, n);
    const auto i = static_cast<std::size_t>(n);
    const std::uint64_t tag = state_tag_[i];
    if (row.tags[i] == tag) return;
    KnownState& state = *state_[i];
    const auto other = static_cast<std::size_t>(state.node);
    if (row.tags[other] == tag) {
      row.tags[i] = tag;
      row.values[i] = row.values[other];
      row.gpus[i] = row.gpus[other];
    } else if (state.question == question_) {
      alike_.emplace_back(n, state.place);
    } else {
      state.question = question_;
      state.place = asked_.size();
      asked_.push_back(n);
    }
  });
}

/// Has the ranking score those nodes whose scores are not known.
void RankedPlacement::ask(Row& row, std::uint32_t job, const Request& request, const NodePool& pool,
                          const NodeSet& fitting) {
  ++question_;
  node_changes_ = ranking_->node_changes();
  asked_.clear();
  alike_.clear();
  if (states_.size() > kMostStates) {
    states_.clear();
    std::ranges::fill(stamps_, 0);
  }
  if ((reads_ & (kReadsNode | kReadsAnything)) != 0) find_unknown(row, pool, fitting);
  else find_unknown_states(row, pool, fitting);
  if (asked_.empty()) return;
  answers_.assign(asked_.size(), {});
  ranking_->score(job, request, pool, asked_, answers_);
  const auto note = [&](NodeId n, const NodeScore& s) {
    const auto i = static_cast<std::size_t>(n);
    row.tags[i] = tag_of(pool, n);
    row.values[i] = s.admitted ? s.value : kNotAdmitted;
    row.gpus[i] = s.gpus;
  };
  for (std::size_t k = 0; k != asked_.size(); ++k) note(asked_[k], answers_[k]);
  for (const auto& [n, place] : alike_) note(n, answers_[place]);
}

/// Puts the best `wanted` nodes into best_, the best first; fewer if fewer are admitted.
void RankedPlacement::select(const Row& row, std::uint32_t job, const Request& request, const NodePool& pool,
                             const NodeSet& fitting) {
  const auto wanted = static_cast<std::size_t>(request.nodes);
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.value != b.value ? a.value > b.value : a.order < b.order;
  };
  best_.clear();
  fitting.for_each([&](NodeId n) {
    const double value = row.values[static_cast<std::size_t>(n)];
    if (value == kNotAdmitted) return;
    if (wanted == 1 && !best_.empty() && rules_.group_of.empty() && !rules_.runs) {
      if (value < best_[0].value) return;
      if (const Candidate c{value, order_of(job, n), n}; before(c, best_[0])) best_[0] = c;
      return;
    }
    best_.push_back({value, order_of(job, n), n});
  });
  if (rules_.runs) return select_by_runs(request, pool);
  if (!rules_.group_of.empty()) {
    std::ranges::sort(best_, before);
    return select_by_groups(wanted);
  }
  if (best_.size() <= wanted && wanted == 1) return;
  const auto end = best_.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, best_.size()));
  if (!std::ranges::is_sorted(best_, before)) std::partial_sort(best_.begin(), end, best_.end(), before);
  best_.erase(end, best_.end());
}

/// Of the best ones that are enough, with all that are as good as the last of them, takes whole groups or parts of
/// them, as few groups as it can.
void RankedPlacement::select_by_groups(std::size_t wanted) {
  if (best_.size() <= wanted) return;
  std::size_t enough = wanted;
  while (enough != best_.size() && best_[enough].value == best_[wanted - 1].value) ++enough;
  std::map<std::int32_t, std::vector<Candidate>> groups;
  for (std::size_t i = 0; i != enough; ++i)
    groups[rules_.group_of[static_cast<std::size_t>(best_[i].node)]].push_back(best_[i]);
  best_.clear();
  while (best_.size() != wanted) {
    const std::size_t missing = wanted - best_.size();
    const auto better = [&](const auto& a, const auto& b) {
      const std::size_t m = a.second.size(), n = b.second.size();
      if ((m >= missing) != (n >= missing)) return m >= missing;
      return m >= missing ? m < n : m > n;
    };
    const auto next = std::ranges::min_element(groups, better);
    const std::size_t n = std::min(missing, next->second.size());
    best_.insert(best_.end(), next->second.begin(), next->second.begin() + static_cast<std::ptrdiff_t>(n));
    groups.erase(next);
  }
}

/// Of nodes in the order.
std::vector<RankedPlacement::Run> RankedPlacement::runs_of(const std::vector<Candidate>& nodes,
                                                           const NodePool& pool) const {
  std::vector<Run> runs;
  for (const Candidate& c : nodes) {
    const bool goes_on =
        !runs.empty() && runs.back().nodes.back().order + 1 == c.order && runs.back().nodes.back().value == c.value;
    if (!goes_on) runs.emplace_back();
    runs.back().nodes.push_back(c);
    runs.back().cores += pool.room(c.node).cores;
  }
  return runs;
}

/// Of the best nodes takes runs, as few as it can: of those that are enough the one with the fewest cores left, else
/// the one with the most. The last node of all is the one of its run with the fewest cores left; the others are the
/// first ones. Of a job of a range of nodes a run is enough that has the fewest of them (Slurm: _enough_nodes()).
void RankedPlacement::select_by_runs(const Request& request, const NodePool& pool) {
  std::ranges::sort(best_, {}, &Candidate::order);
  std::vector<Run> runs = runs_of(best_, pool);
  best_.clear();
  const auto wanted = static_cast<std::size_t>(request.nodes);
  while (best_.size() != wanted && !runs.empty()) {
    const std::size_t missing = wanted - best_.size();
    const std::ptrdiff_t needed = request.nodes - nodes_spared(request) - std::ssize(best_);
    const auto better = [&](const Run& a, const Run& b) {
      if (a.nodes.front().value != b.nodes.front().value) return a.nodes.front().value > b.nodes.front().value;
      const bool enough = std::ssize(a.nodes) >= needed;
      if (enough != (std::ssize(b.nodes) >= needed)) return enough;
      return enough ? a.cores < b.cores : a.cores > b.cores;
    };
    const auto next = std::ranges::min_element(runs, better);
    std::vector<Candidate>& nodes = next->nodes;
    if (missing == 1)
      std::swap(nodes.front(), *std::ranges::min_element(nodes, [&](const Candidate& a, const Candidate& b) {
                  const CoreShare left = pool.room(a.node).cores, other = pool.room(b.node).cores;
                  return left != other ? left < other : a.order < b.order;
                }));
    const std::size_t n = std::min(missing, nodes.size());
    best_.insert(best_.end(), nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(n));
    runs.erase(next);
  }
}

/// Spreads the job over the best of the nodes, in a way that only orders them. Where some nodes with few cores are all
/// that it may have, it lacks others: it is tried again without nodes that have one core for it, then two, and so on.
bool RankedPlacement::spread(const Row& row, std::uint32_t job, const Request& request, const NodePool& pool,
                             const NodeSet& fitting, Parts& out) {
  std::vector<Candidate> nodes;
  std::vector<NodeId> all;
  CoreShare most = 0;
  fitting.for_each([&](NodeId n) {
    const double value = row.values[static_cast<std::size_t>(n)];
    const CoreShare there = spread_on(request, pool.room(n));
    if (value == kNotAdmitted || there == 0) return;
    nodes.push_back({value, order_of(job, n), n});
    all.push_back(n);
    most = std::max(most, there);
  });
  if (lacks_cores(request, pool, NodeSet(fitting.size(), as_ranges(all)))) return false;
  if (spread_over(nodes, request, pool, out)) return true;
  for (CoreShare few = kWholeCore; few < most; few += kWholeCore) {
    const auto has_few = [&](const Candidate& c) { return spread_on(request, pool.room(c.node)) <= few; };
    if (std::erase_if(nodes, has_few) != 0 && spread_over(nodes, request, pool, out)) return true;
  }
  return spread_in_order(request, pool, std::move(all), out);
}

bool RankedPlacement::spread_over(const std::vector<Candidate>& nodes, const Request& request, const NodePool& pool,
                                  Parts& out) {
  best_ = nodes;
  if (rules_.runs) {
    std::ranges::sort(best_, {}, &Candidate::order);
    return spread_by_runs(best_, request, pool, out);
  }
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.value != b.value ? a.value > b.value : a.order < b.order;
  };
  std::ranges::sort(best_, before);
  const std::vector<Candidate> sorted = best_;
  const auto attempt = [&] {
    CoreSpreading spreading(request);
    out.clear();
    for (const Candidate& c : best_) {
      const CoreShare there = spread_on(request, pool.room(c.node));
      if (spreading.over()) break;
      if (spreading.takes(there)) out.push_back({c.node, 0, spreading.take(there)});
    }
    return spreading.done();
  };
  if (rules_.group_of.empty()) return attempt();
  // As few nodes as do, of as few groups as these can be of.
  for (auto count = static_cast<std::size_t>(fewest_nodes(request)); count <= sorted.size(); ++count) {
    best_ = sorted;
    select_by_groups(count);
    if (attempt()) return true;
  }
  return false;
}

/// As select_by_runs(): a run is enough that has all cores and nodes that are missing. The last node is the one of its
/// run that has the fewest cores left, but all that are missing.
bool RankedPlacement::spread_by_runs(const std::vector<Candidate>& nodes, const Request& request, const NodePool& pool,
                                     Parts& out) const {
  std::vector<Run> runs = runs_of(nodes, pool);
  CoreSpreading spreading(request);
  out.clear();
  while (!spreading.over() && !runs.empty()) {
    const auto better = [&](const Run& a, const Run& b) {
      if (a.nodes.front().value != b.nodes.front().value) return a.nodes.front().value > b.nodes.front().value;
      const auto enough = [&](const Run& run) {
        return run.cores >= spreading.missing() &&
               std::ssize(run.nodes) >= spreading.nodes_missing() - nodes_spared(request);
      };
      if (enough(a) != enough(b)) return enough(a);
      return enough(a) ? a.cores < b.cores : a.cores > b.cores;
    };
    const auto next = std::ranges::min_element(runs, better);
    const auto left = [&](const Candidate& c) { return pool.room(c.node).cores; };
    std::vector<Candidate> from = next->nodes;
    if (spreading.nodes_missing() <= 1) {
      std::erase_if(from, [&](const Candidate& c) { return left(c) < spreading.missing(); });
      const auto tightest = std::ranges::min_element(from, {}, left);
      from = tightest == from.end() ? next->nodes : std::vector<Candidate>{*tightest};
    }
    for (const Candidate& c : from) {
      if (spreading.over()) break;
      const CoreShare there = spread_on(request, pool.room(c.node));
      if (spreading.takes(there)) out.push_back({c.node, 0, spreading.take(there)});
    }
    runs.erase(next);
  }
  return spreading.done();
}

std::uint64_t RankedPlacement::gpus_of(std::uint32_t job, const Request& request, const NodePool& pool,
                                       NodeId n) const {
  const NodeRoom& room = pool.room(n);
  if (request.gpus != 1 || request.gpu_share == kWholeGpu || rules_.gpus == GpuChoice::kFitting)
    return fitting_gpus(request, room);
  std::uint64_t enough = 0;
  for (std::size_t g = 0; g != room.gpus.size(); ++g)
    if (room.gpus[g] >= request.gpu_share) enough |= std::uint64_t{1} << g;
  std::int64_t skip = 0;
  if (rules_.gpus == GpuChoice::kRandom)
    skip = gpu_draws_.stream(job, static_cast<std::uint64_t>(n)).uniform_int(0, std::popcount(enough) - 1);
  for (; skip > 0; --skip) enough &= enough - 1;
  return enough & (~enough + 1);
}

bool RankedPlacement::choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                             Parts& out) {
  Row* row = nullptr;
  do {
    if (const std::uint32_t reads = ranking_->reads(); reads != reads_) {
      forget();
      reads_ = reads;
    }
    row = &row_of(job, request);
    ask(*row, job, request, pool, fitting);
  } while (ranking_->reads() != reads_);
  if (request.spread.cores != 0) return spread(*row, job, request, pool, fitting, out);
  const auto wanted = static_cast<std::size_t>(request.nodes);
  select(*row, job, request, pool, fitting);
  out.clear();
  if (best_.size() < wanted) return false;
  for (const Candidate& c : best_) {
    const std::uint64_t chosen = row->gpus[static_cast<std::size_t>(c.node)];
    out.push_back({c.node, chosen != 0 ? chosen : gpus_of(job, request, pool, c.node)});
  }
  return true;
}

}  // namespace coslice

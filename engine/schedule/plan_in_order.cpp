#include "schedule/plan_in_order.h"

#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "availability/shared_node_availability.h"
#include "core/random.h"
#include "core/work_count.h"
#include "jobs/job_demands.h"
#include "schedule/job_follower.h"
#include "schedule/preemption.h"
#include "schedule/rooms_ahead.h"

namespace coslice {

Time EndGrouping::mark(Time t, Duration day_begun) const {
  return aligned && first > Duration{0} ? later(t, first - (t.time_since_epoch() + day_begun) % first) : t;
}

Duration EndGrouping::longer(Duration span) const {
  return later(Time{span}, step > Duration{0} ? step : span).time_since_epoch();
}

static Duration between(Time from, Time to) { return to == kNever ? Duration::max() : to - from; }

Duration EndGrouping::at_least(Duration span, Duration least) const {
  if (span >= least) return span;
  if (step <= Duration{0}) {
    while (span < least) span = longer(span);
    return span;
  }
  const std::int64_t steps = (least - span) / step;  // rounded down: so there is no overflow on the way
  span += steps * step;
  return span < least ? longer(span) : span;
}

Time EndGroups::gone(Time t, const NodeSet* nodes) {
  if (grouping_.first <= Duration{0} || t == kNever) return t;
  if (!known_) {
    ends_.clear();
    for (const StartedJob& job : view_.started()) ends_.emplace_back(job.expected_end, &job.nodes);
    std::ranges::stable_sort(ends_, [](const auto& a, const auto& b) { return a.first < b.first; });
    known_ = true;
  }
  const auto counts = [nodes](const NodeRanges& of) { return nodes == nullptr || nodes->intersects(of); };
  Duration span = grouping_.first;
  std::optional<Time> mark;  // from which aligned groups are reckoned
  for (auto at = ends_.begin(); at != ends_.end() && at->first <= t;) {
    if (!counts(*at->second)) {
      ++at;
      continue;
    }
    if (grouping_.aligned && !mark) mark = grouping_.mark(at->first, day_begun_);
    const Time until = later(mark.value_or(at->first), span);
    Time last = at->first;
    bool has_t = last == t;
    while (++at != ends_.end() && at->first <= until) {
      // Of a job elsewhere it is not asked whether the one behind it belongs to the group, too.
      while (at != ends_.end() && !counts(*at->second)) ++at;
      if (at == ends_.end()) break;
      last = at->first;
      has_t = has_t || last == t;
    }
    if (has_t) return last;
    span = grouping_.longer(span);
    if (mark && at != ends_.end()) span = grouping_.at_least(span, between(*mark, at->first));
  }
  return t;
}

namespace {

/// The jobs that may be entries of the plan, in order.
class Walk {
 public:
  /// What it leaves out, of jobs that are followed, goes to `left_out`, if there is one.
  using LeftOutJobs = std::map<JobIndex, LeftOut>;
  Walk(const View& view, const PlanOptions& options, bool asks, LeftOutJobs* left_out = nullptr)
      : view_(view), queue_(view.queue()), depth_(options.depth),
        by_partitions_(options.partitions && view.demands() != nullptr),
        may_start_(asks ? &options.may_start : nullptr), next_(queue_.first()), left_out_(left_out) {
    for (const PlanLimit& limit : options.limits) counts_.push_back({&limit, {}, nullptr});
  }
  /// The next one, or the queue's end.
  View::Position next() {
    while (peek() < queue_.end())
      if (const View::Position p = next_++; takes(p, -1)) return p;
    return queue_.end();
  }
  /// The one that is next, whether it may be an entry or not; the queue's end where no more are looked at.
  View::Position peek() {
    if (looked_at_ >= depth_) return queue_.end();
    while (next_ < queue_.end() && !queue_.live(next_)) ++next_;
    return next_;
  }
  /// Passes the one that is next.
  void pass() { ++next_; }
  bool looks_at_more() const { return looked_at_ < depth_; }
  /// Whether the waiting job at p may be an entry in that partition (-1: any). Then it counts.
  bool takes(View::Position p, std::int32_t partition) {
    const JobIndex j = queue_.job(p);
    if (may_start_ != nullptr && *may_start_ && !(*may_start_)(j)) return false;
    if (!std::ranges::all_of(counts_, [&](Counts& c) { return c.allows(view_.job(j), partition_of(j, partition)); })) {
      if (left_out_ != nullptr && is_followed(view_, j)) left_out_->emplace(j, LeftOut::kLimit);
      return false;
    }
    for (Counts& c : counts_) ++*c.looked_at;
    ++looked_at_;
    return true;
  }
  /// Counts the job, which was looked at, so often again.
  void count_again(JobIndex j, std::int32_t partition, std::size_t times) {
    for (Counts& c : counts_)
      if (c.allows(view_.job(j), partition_of(j, partition)) || times > 0) *c.looked_at += times;
    looked_at_ += times;
  }
  void ignore_limits() {
    counts_.clear();
    depth_ = PlanOptions::kAll;
  }
  std::size_t looked_at() const { return looked_at_; }
  /// Returns where it goes on.
  View::Position position() const { return next_; }

 private:
  /// How many jobs that are alike have been counted, by their attributes.
  struct Counts {
    const PlanLimit* limit;
    std::unordered_map<std::uint64_t, std::size_t> by_attributes;
    std::size_t* looked_at = nullptr;  ///< of those that are like the job that was asked about last
    bool allows(const Job& job, std::optional<std::int32_t> partition) {
      std::uint64_t key = 0;
      for (const Attribute* a : limit->alike) {
        const bool is_partition = partition && a->name == "partition";
        key = hash_mix(key, static_cast<std::uint64_t>(is_partition ? *partition : a->whole(job)));
      }
      looked_at = &by_attributes[key];
      return *looked_at < limit->most;
    }
  };

  /// Where some jobs are entries in several partitions, jobs are told apart by those of the machine.
  std::optional<std::int32_t> partition_of(JobIndex j, std::int32_t partition) const {
    if (!by_partitions_) return {};
    if (partition >= 0) return partition;
    const Demand& demand = view_.demands()->demand(j);
    return demand.empty() ? -1 : view_.demands()->unit(demand.front()).partition;
  }

  const View& view_;
  const WaitingQueue& queue_;
  std::size_t depth_, looked_at_ = 0;
  bool by_partitions_;
  const std::function<bool(JobIndex)>* may_start_;
  View::Position next_;
  std::vector<Counts> counts_;
  LeftOutJobs* left_out_;
};

/// What is counted for a slot of the plan, and for a running job whose nodes are looked at: as many looks at a node
/// take as long.
constexpr std::uint64_t kSlot = 8, kRunning = 10;

/// Whether some of these nodes are in the set; most jobs have one.
bool meets(const NodeSet& set, const NodeRanges& nodes) {
  const auto& runs = nodes.ranges();
  if (runs.size() == 1 && runs.front().first == runs.front().last) return set.contains(runs.front().first);
  return set.intersects(nodes);
}

/// Jobs that fit alike: at the same instants, on the same nodes.
struct Question {
  const void* demand;      ///< of a heterogeneous machine
  std::int32_t partition;  ///< that it is asked about; -1: all that it may have
  std::int32_t nodes;
  Duration duration;
  bool operator==(const Question&) const = default;
};
struct QuestionHash {
  std::size_t operator()(const Question& q) const {
    const auto word = [](std::int32_t n) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(n)); };
    return hash_mix(hash_mix(reinterpret_cast<std::uintptr_t>(q.demand), word(q.partition) << 32 | word(q.nodes)),
                    static_cast<std::uint64_t>(q.duration.count()));
  }
};

class Plan {
 public:
  Plan(View& view, const PlanOptions& options)
      : view_(view), queue_(view.queue()), options_(options), ends_(view, options.ends, options.day_begun),
        told_(view.promises_heard() || view.explained()), explained_(view.explained()) {
    // Releases before those that align ends, which look for places otherwise, are nearer to the ledger's places.
    if (options.keeps == ReservationKeeps::kWholeNodes &&
        (options.tries_shared || (options.ends.aligned && options.resolution > Duration{0})))
      ledger_ = dynamic_cast<SharedNodeAvailability*>(&view.available());
    all_ = told_ || (options.partitions && ledger_ != nullptr);
    if (ledger_ != nullptr) rooms_.emplace(ledger_->pool(), *view.demands());
    if (ledger_ != nullptr) slots_.emplace(Time::min(), NodeSet(view.demands()->layout().node_count()));
    view.available().prefer_busy(options.busy_nodes);
  }
  /// Also where a filter raised an error.
  ~Plan() {
    for (const Entry& entry : entries_) view_.available().unreserve(entry.of, entry.t);
    view_.available().prefer_busy(false);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  PlanResult run() {
    Walk::LeftOutJobs left_out;
    if (explained_) tell_followers(view_, [&](JobFollower& o) { o.planning(view_); });
    Walk walk(view_, options_, true, explained_ ? &left_out : nullptr);
    Walk ahead(view_, options_, false);
    // What the filter will say is not known ahead; jobs that it leaves out count neither for limits nor for the depth.
    if (options_.may_start) ahead.ignore_limits();
    View::Position candidate = ahead.next();  // none before it can start now, or stop others
    std::optional<View::Position> rest;       // that is not looked at
    for (Turn turn = next_turn(walk); turn.p < queue_.end(); turn = next_turn(walk)) {
      const View::Position p = turn.p;
      if (result_.started == options_.starts) {
        rest = p;
        break;
      }
      while (!all_ && candidate < queue_.end() && (candidate < p || !is_candidate(candidate))) candidate = ahead.next();
      if (!all_ && candidate >= queue_.end()) {
        result_.complete = false;
        break;
      }
      const std::size_t held = held_;
      only_ = turn.partition;
      const bool goes_on = add(p);
      only_ = -1;
      if (!goes_on) break;
      if (options_.counts_as && held_ > held)
        walk.count_again(queue_.job(p), turn.partition, options_.counts_as(queue_.job(p)) - 1);
    }
    result_.tested = walk.looked_at();
    if (explained_) tell_left_out(left_out, rest.value_or(walk.position()));
    return result_;
  }

 private:
  /// An entry that is next: a waiting job, and the partition in which it is one; -1: in any of its own.
  struct Turn {
    View::Position p;
    std::int32_t partition = -1;
  };
  /// An entry of a job of several partitions, behind the one where it stands in the queue: in order of their turns.
  struct Later {
    std::int32_t tier;
    double key;
    std::size_t number;  ///< as they were noted
    Turn turn;
    bool operator<(const Later& o) const {
      return tier != o.tier ? tier > o.tier : key != o.key ? key < o.key : number < o.number;
    }
  };

  Turn next_turn(Walk& walk) {
    while (walk.looks_at_more()) {
      const View::Position p = walk.peek();
      if (!later_.empty() && (p >= queue_.end() || comes_before(*later_.begin(), p))) {
        const Turn turn = later_.extract(later_.begin()).value().turn;
        if (!queue_.live(turn.p)) continue;  // it has started
        look_in(turn.partition);
        if (walk.takes(turn.p, turn.partition)) return turn;
        continue;
      }
      if (p >= queue_.end()) break;
      walk.pass();
      const Turn turn{p, options_.partitions && ledger_ != nullptr ? enter(p) : -1};
      look_in(turn.partition);
      if (walk.takes(p, turn.partition)) return turn;
    }
    return {queue_.end()};
  }
  bool comes_before(const Later& entry, View::Position p) const {
    const std::int32_t tier = tier_of(queue_.job(p));
    if (entry.tier != tier) return entry.tier > tier;
    const double key = queue_.key(p);
    return entry.key != key ? entry.key < key : queue_.job(entry.turn.p) < queue_.job(p);
  }
  std::int32_t tier_of(JobIndex j) const {
    const std::vector<std::int32_t>& tiers = view_.demands()->tiers();
    return tiers.empty() ? 1 : tiers[j];
  }
  void look_in(std::int32_t partition) const {
    if (options_.looks_in) options_.looks_in(partition);
  }
  /// Notes the entries of the job in further partitions; returns the first one.
  std::int32_t enter(View::Position p) {
    const std::vector<PlanPartition> all = options_.partitions(queue_.job(p));
    const bool tiered = !view_.demands()->tiers().empty();
    for (std::size_t i = 1; i < all.size(); ++i) {
      const auto& partition = view_.demands()->layout().partitions[static_cast<std::size_t>(all[i].partition)];
      later_.insert(
          {tiered ? partition.tier : 1, queue_.key(p) + all[i].behind, later_noted_++, {p, all[i].partition}});
    }
    return all.empty() ? -1 : all.front().partition;
  }
  /// Whether the entry that is looked at may be in the partition of that unit.
  bool concerns(std::int32_t unit) const { return only_ < 0 || view_.demands()->unit(unit).partition == only_; }

  /// How far an instant is above a multiple of the resolution.
  Duration above_multiple(Time t) const {
    if (options_.resolution <= Duration{0} || t == kNever) return Duration{0};
    return (t.time_since_epoch() % options_.resolution + options_.day_begun % options_.resolution) %
           options_.resolution;
  }
  Time begin_of(Time t) const { return t - above_multiple(t); }
  /// How long the job must have room from t on, so that no entry has begun when it is over: they begin at multiples,
  /// and one at the instant of its end is in its way.
  Duration span(View::Position p, Time t) const {
    const Time end = later(t, queue_.duration(p));
    const Duration over = above_multiple(end);
    if (options_.resolution <= Duration{0} || end == kNever || (!options_.ends.aligned && over == Duration{0}))
      return end - t;
    return later(end, options_.resolution - over) - t;
  }
  /// How long an entry of the job from t on is: up to the last multiple.
  Duration entry_span(View::Position p, Time t) const {
    const Time end = later(t, queue_.duration(p));
    const Time upto = end == kNever ? end : end - above_multiple(end);
    return (upto > t ? upto : end) - t;
  }
  /// How long it must have room from t on, which is after now. Where others end, which is no multiple, it is looked at
  /// only whether entries overlap.
  Duration later_span(View::Position p, Time t) const {
    return options_.ends.aligned && above_multiple(t) != Duration{0} ? entry_span(p, t) : span(p, t);
  }
  Ask ask(View::Position p, Duration d) const { return {queue_.job(p), queue_.nodes(p), d}; }

  /// Room becomes no more while a plan is made: what does not fit now will not.
  bool has_room_now(View::Position p) {
    const Duration d = span(p, view_.now());
    const void* const demand = view_.demands() == nullptr ? nullptr : &view_.demands()->demand(queue_.job(p));
    const auto [at, is_new] = known_.try_emplace({demand, only_, queue_.nodes(p), d}, Known{});
    Known& known = at->second;
    if (!is_new && (!known.fits || known.changes == changes_)) return known.fits;
    known.changes = changes_;
    return known.fits = ledger_ != nullptr ? has_nodes_now(p) : view_.available().has_room_now(ask(p, d));
  }
  /// Whether the job could start now, or have others make way: else it can do no more than hold a place.
  bool may_act_now(View::Position p) {
    return has_room_now(p) || (options_.preempts && ledger_ != nullptr && !options_.preempts(queue_.job(p)).empty());
  }
  bool is_candidate(View::Position p) {
    return may_act_now(p) && (!options_.refusals_stay || !options_.may_start || options_.may_start(queue_.job(p)));
  }
  bool has_nodes_now(View::Position p) {
    return has_nodes_beside(p, planned(view_.now(), later(view_.now(), queue_.duration(p))));
  }
  bool has_nodes_beside(View::Position p, const NodeSet& closed) {
    const Time end = later(view_.now(), queue_.duration(p));
    const Demand& demand = view_.demands()->demand(queue_.job(p));
    return std::any_of(demand.begin(), demand.end(), [&](std::int32_t unit) {
      return concerns(unit) && ledger_->has_nodes_until(unit, end, queue_.nodes(p), closed) &&
             ledger_->licences_until(unit, end);
    });
  }

  /// Whether the job fits on nodes of no entry that has begun when it is over; then start() takes these.
  bool fits_now(View::Position p) {
    if (ledger_ == nullptr || (slots_.size() == 1 && only_ < 0)) return view_.fits_now(p);
    place_.outside = planned(view_.now(), later(view_.now(), queue_.duration(p)));
    place_.partition = only_;
    ledger_->direct(&place_);
    if (view_.fits_now(p)) return true;
    ledger_->direct(nullptr);
    return false;
  }

  /// The nodes of entries that have not ended at `from`, and have begun at `end`; the next call changes them.
  const NodeSet& planned(Time from, Time end) {
    auto slot = slot_at(from);
    planned_ = slot->second;
    count_looks(kSlot);
    while (++slot != slots_.end() && slot->first <= end) {
      planned_ |= slot->second;
      count_looks(kSlot);
    }
    return planned_;
  }
  std::map<Time, NodeSet>::const_iterator slot_at(Time t) const { return std::prev(slots_.upper_bound(t)); }
  /// Notes in the slots that the nodes are planned between the two instants.
  void plan_nodes(const NodeRanges& nodes, Time from, Time to) {
    for (const Time t : {from, to}) slots_.emplace(t, slot_at(t)->second);
    for (auto slot = slots_.find(from); slot->first != to; ++slot) slot->second.insert(nodes);
  }

  /// The nodes on which the job, which shares none, is believed to fit beside one job that shares; empty where it is
  /// not. Of neighbours it gets those of the shortest run that is enough, else first those of the longest.
  NodeRanges tried_in_vain(View::Position p) {
    const JobDemands& demands = *view_.demands();
    const Request& r = demands.request(queue_.job(p));
    if (!r.exclusive || r.rows > 1) return {};
    NodeSet open(demands.layout().node_count()), shared = open;
    for (const std::int32_t unit : demands.demand(queue_.job(p)))
      if (concerns(unit)) open |= demands.nodes(demands.unit(unit));
    open -= planned(view_.now(), later(view_.now(), queue_.duration(p)));
    for (const StartedJob& down : view_.down()) open.erase(down.nodes);
    for (const StartedJob& job : view_.started()) {
      const Request& other = demands.request_of(job.unit);
      for_each_node(job.nodes, [&](NodeId n) {
        const bool has_room = r.memory_mib + other.memory_mib <= demands.layout().kind_of(n).memory_mib;
        if (other.rows <= 1 || shared.contains(n) || !has_room) open.erase(n);
        shared.insert(n);
      });
    }
    if (open.count() < r.nodes || !open.intersects(shared.ranges())) return {};
    NodeRanges chosen;
    for (std::int32_t wanted = r.nodes; wanted > 0;) {
      const NodeRanges runs = open.ranges();
      const auto length = [](const NodeRange& run) { return run.last - run.first + 1; };
      const auto better = [&](const NodeRange& a, const NodeRange& b) {
        const bool enough = length(a) >= wanted;
        if (enough != (length(b) >= wanted)) return enough;
        return enough ? length(a) < length(b) : length(a) > length(b);
      };
      const NodeRange best = *std::min_element(runs.ranges().begin(), runs.ranges().end(), better);
      NodeRanges part;
      part.append(best.first, std::min(best.last, best.first + wanted - 1));
      chosen = together(chosen, part);
      open.erase(part);
      wanted -= part.count();
    }
    return chosen;
  }

  /// Stops running jobs for the job, where it then fits on nodes of no entry. Nothing else starts now on what they had.
  bool make_way(View::Position p) {
    const std::vector<PlanPreemption> ways = options_.preempts(queue_.job(p));
    for (const PlanPreemption& way : ways)
      stoppable_.insert(stoppable_.end(), way.candidates.begin(), way.candidates.end());
    for (const PlanPreemption& way : ways) {
      const NodeRanges nodes = room_without(p, way.candidates);
      if (nodes.empty()) continue;
      const std::vector<StartedJob*> victims =
          fewest_that_fit(way.candidates, [&](const auto& some) { return !room_without(p, some).empty(); });
      NodeRanges left;
      for (StartedJob* const job : victims) {
        left = together(left, job->nodes);
        result_.stopped += job->leaves == kNever ? 1 : 0;
        view_.stop(*job, way.order);
      }
      stoppable_.clear();
      forget_running();
      ++changes_;
      if (way.order.how == StopOrder::How::kCheckpoint && fits_now(p)) {
        view_.start(p, StartReason::kPolicy);
        ++result_.started;
        return true;
      }
      const Time now = view_.now();
      plan_nodes(left, begin_of(now), later(begin_of(now), std::max(options_.resolution, Duration{1})));
      if (options_.may_hold && !options_.may_hold(queue_.job(p))) return true;
      plan_nodes(nodes, begin_of(now), later(now, entry_span(p, now)));
      ++held_;
      return true;
    }
    return false;
  }
  /// The nodes of no entry on which the job would start now if these jobs were gone; empty if there are not enough.
  NodeRanges room_without(View::Position p, const std::vector<StartedJob*>& jobs) {
    const JobIndex j = queue_.job(p);
    const Time end = later(view_.now(), queue_.duration(p));
    const NodeSet& closed = planned(view_.now(), end);
    for (const std::int32_t unit : view_.demands()->demand(j)) {
      if (!concerns(unit)) continue;
      Time opens = kNever;
      NodeSet open = ledger_->open_between(unit, view_.now(), end, opens);
      if ((open -= closed).count() < queue_.nodes(p) || !ledger_->licences_until(unit, end)) continue;
      WithoutJobs left(*ledger_);
      for (const StartedJob* job : jobs) left.end(job->index);
      Parts parts;
      if (left.choose(j, unit, open, false, parts)) return nodes_in(parts);
    }
    return {};
  }

  /// Tells which jobs it did not look at: those, and all from `rest` on.
  [[gnu::noinline]] void tell_left_out(Walk::LeftOutJobs& jobs, View::Position rest) {
    for (View::Position p = rest; p < queue_.end(); p = queue_.next(p)) {
      const JobIndex j = queue_.job(p);
      if (is_followed(view_, j)) jobs.emplace(j, LeftOut::kDepth);
    }
    for (const auto& job : jobs)
      tell_followers(view_, [&](JobFollower& o) { o.left_out(view_, job.first, job.second); });
  }

  /// Tells which place in the plan leaves the job no room that it would have beside what runs.
  [[gnu::noinline]] void tell_planned_around(View::Position p) {
    if (!is_followed(view_, queue_.job(p)) || places_.empty()) return;
    const Ask own = ask(p, queue_.duration(p));
    const Time end = later(view_.now(), own.duration);
    const std::unique_ptr<Availability> ledger = ledger_ == nullptr ? view_.without_reservations() : nullptr;
    NodeSet closed;
    if (ledger_ != nullptr) closed = NodeSet(view_.demands()->layout().node_count());
    const auto has_room = [&] { return ledger != nullptr ? ledger->has_room_now(own) : has_nodes_beside(p, closed); };
    if (!has_room()) return;
    for (const Told& place : places_) {
      if (place.from > end || place.to <= view_.now()) continue;
      if (ledger == nullptr) closed.insert(place.nodes);
      else if (const Ask other{place.job, place.count, place.to - place.from}; ledger->fits_at(other, place.from))
        ledger->reserve(other, place.from, ReservationKeeps::kAskedFor);
      if (has_room()) continue;
      const JobIndex j = queue_.job(p);
      return tell_followers(view_, [&](JobFollower& o) { o.planned_around(view_, j, place.job, place.start); });
    }
  }

  /// False: the plan ends.
  bool add(View::Position p) {
    if (const std::optional<bool> goes_on = start_or_clear(p)) return *goes_on;
    if (explained_) tell_planned_around(p);
    return add_place(p);
  }

  /// Nothing if the job can do no more than wait for a place.
  std::optional<bool> start_or_clear(View::Position p) {
    const bool fits = options_.largest_sizes && view_.sizes_of(queue_.job(p)) != nullptr
                          ? fits_with_largest(p)
                          : has_room_now(p) && fits_now(p);
    if (fits) {
      view_.start(p, StartReason::kPolicy);
      forget_running();
      ++changes_;
      ++result_.started;
      return true;
    }
    stoppable_.clear();
    if (options_.preempts && ledger_ != nullptr && make_way(p)) return true;
    if (options_.tries_shared && ledger_ != nullptr) {
      if (const NodeRanges tried = tried_in_vain(p); !tried.empty()) {
        plan_nodes(tried, begin_of(view_.now()), later(view_.now(), entry_span(p, view_.now())));
        ++changes_;
        return true;
      }
    }
    return std::nullopt;
  }

  /// Gives the moldable job the largest of its sizes with which it fits now, and may start; returns whether it fits at
  /// all. Else it has the smallest one.
  bool fits_with_largest(View::Position p) {
    const JobIndex j = queue_.job(p);
    const std::vector<std::size_t> by_nodes = sizes_by_nodes(j);
    const auto fits = [&](std::size_t i) {
      if (ledger_ != nullptr) ledger_->direct(nullptr);
      view_.set_size(p, by_nodes[i]);
      return (i == 0 || !options_.may_start || options_.may_start(j)) && has_room_now(p) && fits_now(p);
    };
    if (by_nodes.empty() || !fits(0)) return false;
    const std::size_t largest = last_that(by_nodes.size(), fits);
    return fits(largest);
  }
  /// Numbers of its sizes, the one of the fewest nodes first.
  std::vector<std::size_t> sizes_by_nodes(JobIndex j) const {
    const std::vector<JobSize>& all = *view_.sizes_of(j);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return all[i].nodes; });
    return order;
  }
  /// The last of n numbers that fits, where those before it do. Precondition: 0 does.
  template <class F>
  static std::size_t last_that(std::size_t n, F&& fits) {
    std::size_t low = 0, high = n - 1;
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      if (fits(middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  bool add_place(View::Position p) {
    if (held_ == options_.reservations) return true;
    if (options_.may_hold && !options_.may_hold(queue_.job(p))) return true;
    const Place place = ledger_ != nullptr ? place_of(p) : Place{when(p), {}};
    if (place.t == kNever || place.t > options_.horizon) return true;
    if (instants_.size() + 1 >= options_.instants) return false;
    hold(p, place);
    ++held_;
    ++changes_;
    return true;
  }

  /// The first instant that is looked at and has room.
  Time when(View::Position p) {
    for (Time t = view_.now();;) {
      const Duration d = t == view_.now() ? span(p, t) : later_span(p, t);
      Time found = view_.available().earliest(ask(p, d), t);
      if (found == kNever) return found;
      if (later_span(p, found) <= d) {
        const Time looked_at = ends_.gone(found, options_.ends.first > Duration{0} ? unplanned(p, found) : nullptr);
        if (looked_at == found) return found;
        found = looked_at;
      }
      t = found;
    }
  }

  /// The nodes that the job may use, but for those of entries while it would run; null where nodes are not
  /// distinguished.
  const NodeSet* unplanned(View::Position p, Time t) {
    if (view_.available().by_count()) return nullptr;
    const JobDemands& demands = *view_.demands();
    nodes_ = NodeSet(demands.layout().node_count());
    for (const std::int32_t unit : demands.demand(queue_.job(p))) nodes_ |= demands.nodes(demands.unit(unit));
    const Time end = later(t, queue_.duration(p));
    for (const Entry& entry : entries_)
      if ((options_.ends.aligned ? begin_of(entry.t) <= end : entry.t < end) && later(entry.t, entry.of.duration) > t)
        nodes_.erase(entry.nodes);
    return &nodes_;
  }

  struct Place {
    Time t = kNever;
    NodeRanges nodes;
  };

  /// As Slurm's scheduler looks for a place: with the nodes that no entry has from an instant on for as long as the job
  /// may run, it asks its plugin when running jobs would leave room; it tries again with those that are there where an
  /// entry ends before that, or where what the plugin chose is planned.
  Place place_of(View::Position p) {
    const Duration length = queue_.duration(p);
    NodeSet own(view_.demands()->layout().node_count());
    for (const std::int32_t unit : view_.demands()->demand(queue_.job(p)))
      if (concerns(unit)) own |= view_.demands()->nodes(view_.demands()->unit(unit));
    for (Time from = view_.now();;) {
      const Time end = later(from, length);
      Time again = first_return(own, from, end);
      Place place = first_room(p, from, end, again);
      if (place.t == kNever) {
        if (again == kNever) return place;
        from = again;
        continue;
      }
      place.t = std::max(place.t, from);
      if (place.t > again) from = again;
      else if (place.t > view_.now() && overlaps(p, place)) from = place.t;
      else return place;
    }
  }

  /// The first instant after `from` at which some of these nodes are in no entry any more, behind those begun by `end`.
  Time first_return(const NodeSet& own, Time from, Time end) {
    for (auto slot = slot_at(from); slot->first <= end; ++slot) {
      const auto next = std::next(slot);
      if (next == slots_.end()) break;
      count_looks(kSlot);
      nodes_ = slot->second;
      nodes_ &= own;
      if (!(nodes_ -= next->second).empty()) return next->first;
    }
    return kNever;
  }

  /// Where the job has room on nodes that no entry has between the two instants, now or when running jobs have gone.
  /// Where nodes are closed to it in that time, `again` is when they are open again, if that is earlier.
  Place first_room(View::Position p, Time from, Time end, Time& again) {
    const JobIndex j = queue_.job(p);
    const NodeSet& closed = planned(from, end);
    Place best;
    for (const std::int32_t unit : view_.demands()->demand(j)) {
      if (!concerns(unit)) continue;
      Time opens = kNever;
      NodeSet open = ledger_->open_between(unit, from, end, opens);
      again = std::min(again, opens);
      if ((open -= closed).count() < queue_.nodes(p)) continue;
      Place place = first_room_on(j, unit, open, again);
      if (place.t < best.t) best = std::move(place);
    }
    return best;
  }

  /// When a running job is believed to end, as the groups have it: aligned ones in whole seconds of the clock, as jobs
  /// start in.
  Time end_of(const StartedJob& job) const {
    const Time end = job.expected_end;
    return options_.ends.aligned && end != kNever ? end - end.time_since_epoch() % std::chrono::seconds{1} : end;
  }

  /// Others run now, or they end at other times.
  void forget_running() {
    ends_.refresh();
    running_.clear();
    if (rooms_) rooms_->forget();
  }

  /// What runs, by ends. Of those that end in the same second the one that was submitted first comes first; elements of
  /// an array count from their starts, as Slurm makes records of them one by one.
  void find_running() {
    for (const StartedJob& job : view_.started()) running_.push_back(&job);
    const auto made = [this](const StartedJob& job) {
      const Job& of = view_.job(job.index);
      return of.has_extras() && !attributes::kArray.text(of).empty() ? job.start : of.submit;
    };
    std::stable_sort(running_.begin(), running_.end(), [&](const auto* a, const auto* b) {
      const Time one = end_of(*a), two = end_of(*b);
      return one != two || !options_.ends.aligned ? one < two : made(*a) < made(*b);
    });
  }

  /// Chooses nodes for the job, which is of a partition's unit: of a moldable one as many as there are for its sizes.
  bool choose(WithoutJobs& left, JobIndex j, std::int32_t unit, const NodeSet& open, bool busy_first, Parts& parts) {
    if (!left.choose(j, unit, open, busy_first, parts)) return false;
    if (!options_.largest_sizes || view_.sizes_of(j) == nullptr) return true;
    const JobDemands& demands = *view_.demands();
    std::vector<std::pair<std::int32_t, std::int32_t>> larger;  // nodes and unit
    for (const JobDemands::OfSize& of : demands.sizes(j))
      for (const std::int32_t u : demands.demands()[static_cast<std::size_t>(of.demand)])
        if (demands.unit(u).partition == demands.unit(unit).partition) larger.emplace_back(of.size.nodes, u);
    std::ranges::sort(larger);
    if (larger.empty()) return true;
    const std::size_t last = last_that(larger.size(), [&](std::size_t i) {
      Parts some;
      return left.choose(j, larger[i].second, open, busy_first, some);
    });
    if (last > 0) left.choose(j, larger[last].second, open, busy_first, parts);
    return true;
  }

  /// Where the job has room on these nodes, now or when running jobs have gone, by `latest`; later is never.
  Place first_room_on(JobIndex j, std::int32_t unit, const NodeSet& open, Time latest) {
    if (running_.empty()) find_running();
    // If those may be stopped that it is looked at for, it has room before.
    const std::uint32_t needed = stoppable_.empty() ? rooms_->ends_until_room(unit, open, running_) : 0;
    if (needed == RoomsAhead::kNever || (needed > 0 && end_of(*running_[needed - 1]) > latest)) return {};
    WithoutJobs left(*ledger_);
    Parts parts;
    if (needed == 0 && choose(left, j, unit, open, false, parts)) return {view_.now(), nodes_in(parts)};
    if (!stoppable_.empty()) {
      for (const StartedJob* job : stoppable_) left.end(job->index);
      if (choose(left, j, unit, open, false, parts)) return {view_.now(), nodes_in(parts)};
    }
    return room_when_gone(j, unit, open, left, needed, latest);
  }

  /// Takes what runs on these nodes away, in groups of ends, until the job has room; of `needed` jobs at least.
  Place room_when_gone(JobIndex j, std::int32_t unit, const NodeSet& open, WithoutJobs& left, std::uint32_t needed,
                       Time latest) {
    const EndGrouping& grouping = options_.ends;
    const auto stoppable = [this](const StartedJob& job) {
      return std::ranges::find(stoppable_, &job) != stoppable_.end();
    };
    const bool single = grouping.first <= Duration{0};  // each end by itself
    Duration span = grouping.first;
    std::optional<Time> mark;
    for (auto at = running_.begin(); at != running_.end();) {
      std::optional<Time> last;
      if (!grouping.aligned) mark.reset();
      while (at != running_.end()) {
        const StartedJob& job = **at++;
        count_looks(kRunning);
        if (!meets(open, job.nodes) || stoppable(job)) continue;
        if (!mark) mark = grouping.mark(end_of(job), options_.day_begun);
        left.end(job.index);
        last = end_of(job);
        if (single || (at != running_.end() && end_of(**at) > later(*mark, span))) break;
      }
      if (!last || *last > latest) break;
      span = grouping.longer(span);
      if (!single && grouping.aligned && at != running_.end())
        span = grouping.at_least(span, between(*mark, end_of(**at)));
      if (at - running_.begin() < static_cast<std::ptrdiff_t>(needed)) continue;
      Parts parts;
      if (choose(left, j, unit, open, options_.busy_nodes, parts)) return {*last, nodes_in(parts)};
    }
    return {};
  }

  bool overlaps(View::Position p, const Place& place) const {
    const Time to = begin_of(later(place.t, queue_.duration(p)));
    for (auto slot = slot_at(begin_of(place.t)); slot != slots_.end() && slot->first < to; ++slot)
      if (slot->second.intersects(place.nodes)) return true;
    return false;
  }

  void hold(View::Position p, const Place& place) {
    const Time t = place.t;
    const Duration d = entry_span(p, t);
    // Not as a reservation of the view's, which would ask for a pass at its time: schedules do not depend on who
    // listens.
    if (ledger_ != nullptr) {
      // One that would begin and end at the same multiple keeps nothing.
      if (const Time to = begin_of(later(t, queue_.duration(p))); begin_of(t) < to) {
        plan_nodes(place.nodes, begin_of(t), to);
        if (explained_) places_.push_back({queue_.job(p), t, begin_of(t), to, place.nodes, queue_.nodes(p)});
      }
    } else {
      entries_.push_back({ask(p, d), t, {}});
      entries_.back().of.hold = view_.available().reserve(entries_.back().of, t, options_.keeps);
      if (explained_) places_.push_back({queue_.job(p), t, t, later(t, d), {}, queue_.nodes(p)});
      if (options_.ends.first > Duration{0}) entries_.back().nodes = view_.available().reserved_nodes(queue_.job(p));
    }
    if (options_.instants != PlanOptions::kAll) {
      instants_.insert(t - above_multiple(t));
      if (t + d < options_.horizon) instants_.insert(t + d);
    }
    if (told_) view_.promise(p, t);
  }

  struct Known {
    bool fits = false;
    std::uint64_t changes = 0;
  };
  struct Entry {
    Ask of;
    Time t;
    NodeRanges nodes;  ///< empty where they are not distinguished
  };

  /// A place, as it is told to those who ask why others have none.
  struct Told {
    JobIndex job;
    Time start, from, to;
    NodeRanges nodes;  ///< empty where they are not distinguished
    std::int32_t count;
  };

  View& view_;
  const WaitingQueue& queue_;
  const PlanOptions& options_;
  EndGroups ends_;
  SharedNodeAvailability* ledger_ = nullptr;  ///< where places are looked for as Slurm does; entries are not in it
  std::map<Time, NodeSet> slots_;             ///< nodes of entries from each instant on, up to the next one: then
  std::vector<const StartedJob*> running_;    ///< by their ends; empty: not known
  std::optional<RoomsAhead> rooms_;           ///< of the ledger, as those end
  NodeSet planned_;                           ///< planned()
  NodeSet nodes_;                             ///< unplanned(), first_return()
  StartDirective place_;                      ///< fits_now()
  bool all_ = false;                          ///< also what cannot start now is looked at
  bool told_;                                 ///< observers are told of all entries
  bool explained_;                            ///< and of why jobs do not start
  std::vector<Told> places_;                  ///< where they are
  std::vector<StartedJob*> stoppable_;        ///< of all ways, for the job that is looked at
  std::int32_t only_ = -1;                    ///< the partition of the entry that is looked at; -1: any of its job's
  std::set<Later> later_;                     ///< entries that are to come
  std::size_t later_noted_ = 0;
  std::unordered_map<Question, Known, QuestionHash> known_;
  std::vector<Entry> entries_;
  std::set<Time> instants_;  ///< at which entries begin or end
  std::size_t held_ = 0;
  std::uint64_t changes_ = 1;
  PlanResult result_;
};

}  // namespace

PlanResult plan_in_order(View& view, const PlanOptions& options) { return Plan(view, options).run(); }

}  // namespace coslice

#include "sharing/pair_choice.h"

#include <algorithm>
#include <cmath>

#include "jobs/waiting_queue.h"

namespace coslice {
namespace {

bool matchable(const ResourceSlowdowns& model, const PairRules& rules, JobIndex a, JobIndex b) {
  const Resource kind_a = model.profile(a).kind, kind_b = model.profile(b).kind;
  if (!rules.kinds[static_cast<std::size_t>(kind_a)][static_cast<std::size_t>(kind_b)]) return false;
  return kind_a != kind_b || model.competition(kind_a, a, b) < 2;
}

/// Which rule kept two jobs apart: the first that was not counted.
const char* rule_text(const PairCounts& before, const PairCounts& after) {
  if (after.long_enough == before.long_enough) return "one of them is too short to share nodes";
  if (after.narrow_enough == before.narrow_enough) return "it needs more nodes than the other one has";
  if (after.memory_fits == before.memory_fits) return "a node does not have enough memory for both";
  if (after.matchable == before.matchable) return "they want the same parts of a node";
  return "one of them would get too slow";
}

/// The job waiting at p, with the work that its nodes are held for: with at_limit = "extend" that may be more than its
/// limit.
Candidate waiting_at(const View& view, View::Position p) {
  Candidate c = waiting_candidate(view, view.queue().job(p));
  c.work = std::max(c.work, to_seconds(view.queue().duration(p)));
  return c;
}

NodesTime nodes_time(const Candidate& c) { return {static_cast<double>(c.nodes), c.work}; }

/// Profits of the partners of one job.
class Profits {
 public:
  Profits(const View& view, const ResourceSlowdowns& model, const Candidate& job, View::Position at,
          const PairChoice& choice)
      : view_(view), model_(model), job_(job), choice_(choice) {
    if (choice.by != PairChoice::By::kResponse) return;
    const WaitingQueue& queue = view.queue();
    for (auto p = queue.first(); p != at; p = queue.next(p)) ahead_.push_back(p);
    // The job itself comes first, as a running partner stands in front of it.
    for (auto p = at; p < queue.end(); p = queue.next(p)) {
      index_.push_back(queue.job(p));
      queue_.push_back(waiting(p));
    }
    queue_.front() = nodes_time(job);
    behind_.assign(queue_.begin() + 1, queue_.end());
    if (!behind_.empty()) impact_.emplace(impact(queue_.front(), behind_));
  }

  double of(const Candidate& other) {
    const double slowdown = model_.beside(job_.job, other.job);
    switch (choice_.by) {
      case PairChoice::By::kFirst: return 1;
      case PairChoice::By::kFirstGain:
      case PairChoice::By::kGain: return overlap_gain(job_.nodes, other.nodes, slowdown);
      case PairChoice::By::kWeightedGain:
        return weighted_overlap_gain(job_.nodes, other.nodes, job_.work, other.work, slowdown);
      case PairChoice::By::kResponse: break;
    }
    if (other.running) return impact(nodes_time(other), queue_).of(0, slowdown);
    // Candidates come in order of the queue.
    while (next_ahead_ != ahead_.size() && view_.queue().job(ahead_[next_ahead_]) != other.job) ++next_ahead_;
    if (next_ahead_ != ahead_.size()) return with_one_ahead(slowdown);
    while (index_[place_ + 1] != other.job) ++place_;
    return impact_->of(place_, slowdown);
  }

 private:
  /// For the one in front of the two, which the job itself comes forward to.
  double with_one_ahead(double slowdown) {
    std::vector<NodesTime> behind;
    for (std::size_t i = next_ahead_ + 1; i < ahead_.size(); ++i) behind.push_back(waiting(ahead_[i]));
    const std::size_t place = behind.size();
    behind.insert(behind.end(), queue_.begin(), queue_.end());
    return impact(waiting(ahead_[next_ahead_]), behind).of(place, slowdown);
  }

  NodesTime waiting(View::Position p) const {
    return {static_cast<double>(view_.queue().nodes(p)), to_seconds(view_.queue().duration(p))};
  }
  ResponseImpact impact(NodesTime first, const std::vector<NodesTime>& queue) const {
    return {first, queue, static_cast<double>(view_.capacity()), choice_.arrivals, choice_.own};
  }

  const View& view_;
  const ResourceSlowdowns& model_;
  const Candidate& job_;
  const PairChoice& choice_;
  std::vector<JobIndex> index_;    ///< from the job on
  std::vector<NodesTime> queue_;   ///< from the job on
  std::vector<NodesTime> behind_;  ///< behind the job
  std::optional<ResponseImpact> impact_;
  std::size_t place_ = 0;
  std::vector<View::Position> ahead_;  ///< in front of the job
  std::size_t next_ahead_ = 0;
};

}  // namespace

bool may_pair(const ResourceSlowdowns& model, const PairRules& rules, const Candidate& job, const Candidate& other,
              const Candidate& wider, PairCounts& counts) {
  if (other.runtime <= rules.over || job.runtime <= rules.over) return false;
  ++counts.long_enough;
  if (rules.narrower && std::max(job.nodes, other.nodes) > wider.nodes) return false;
  ++counts.narrow_enough;
  if (rules.memory && !model.memory_fits(job.job, other.job)) return false;
  ++counts.memory_fits;
  if (rules.matchable && !matchable(model, rules, job.job, other.job)) return false;
  ++counts.matchable;
  if (model.beside(job.job, other.job) > rules.max_slowdown) return false;
  ++counts.slow_enough;
  return true;
}

double overlap_gain(double size_a, double size_b, double slowdown) {
  return gain_of_pair(1 / slowdown, 1 / slowdown, std::min(size_a, size_b) / std::max(size_a, size_b));
}

double weighted_overlap_gain(double size_a, double size_b, double time_a, double time_b, double slowdown) {
  return overlap_gain(size_a, size_b, slowdown) * std::min(time_a, time_b) / std::max(time_a, time_b);
}

PairChooser::PairChooser(const View& view, const GroupSearch& search, const ResourceSlowdowns& model, View::Position at)
    : view_(view), search_(search), model_(model), at_(at), job_(waiting_at(view, at)) {}

/// may_pair, which tells the observers of decisions why not. `over`: the job whose nodes are shared.
bool PairChooser::may_pair_told(const PairRules& rules, const Candidate& other, const Candidate& over,
                                PairCounts& counts) const {
  const PairCounts before = counts;
  if (may_pair(model_, rules, job_, other, over, counts)) return true;
  if (view_.explained()) {
    GroupPlan plan;
    plan.primary = over;
    plan.matched = {over.job == job_.job ? other : job_};
    refuse_plan(view_, plan, GroupRefusal::kPolicy, kNoJob, rule_text(before, counts));
  }
  return false;
}

Partners PairChooser::waiting(const PairRules& rules, std::size_t depth, std::optional<View::Position> behind) const {
  Partners out;
  const WaitingQueue& queue = view_.queue();
  for (auto p = queue.next(behind.value_or(at_)); p < queue.end() && out.seen != depth; p = queue.next(p)) {
    if (p == at_) continue;
    ++out.seen;
    const Candidate other = waiting_at(view_, p);
    if (may_pair_told(rules, other, job_, out.counts)) out.found.push_back(other);
  }
  return out;
}

Partners PairChooser::running(const PairRules& rules) const {
  Partners out;
  for (const StartedJob& s : view_.started()) {
    ++out.seen;
    if (s.nodes.empty() || !view_.may_be_joined(s)) continue;
    const Candidate other = running_candidate(view_, s);
    if (may_pair_told(rules, other, other, out.counts)) out.found.push_back(other);
  }
  return out;
}

const Candidate* PairChooser::stranger(const Candidates& partners) const {
  const WaitingQueue& queue = view_.queue();
  View::Position p = queue.first();
  for (const Candidate& c : partners) {
    if (!c.running)
      while (p < queue.end() && (p == at_ || queue.job(p) != c.job)) p = queue.next(p);
    if (!(c.running ? is_current(view_, c) : p < queue.end())) return &c;
  }
  return nullptr;
}

GroupPlan PairChooser::plan(const Candidate& other) const {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const bool other_first = other.running || other.nodes > job_.nodes;
  const Candidate& primary = other_first ? other : job_;
  const Tolerance any{kAny, false, kAny, kAny};
  Candidates second = search_.tolerating(primary, {other_first ? job_ : other}, any);
  return second.empty() ? GroupPlan{} : search_.plan(primary, std::move(second));
}

/// Whether the head of the queue could start as early with the pair as without it. Nodes under a running partner are
/// held already; that they are held for longer may delay the head, too.
bool PairChooser::leaves_in_time(const GroupPlan& plan, View::Position head) const {
  constexpr double kRounding = 1e-6;  // s
  if (!view_.available().by_count()) {
    const auto start_in = [&](Availability& ledger) { return ledger.earliest(view_.ask(head), view_.now()); };
    return start_in(*ledger_with(view_, search_, plan)) <= start_in(*view_.without_reservations());
  }
  EasyHole hole = view_.hole(head);
  const double window = to_seconds(hole.window) - kRounding;
  for (const GroupSearch::Holding& h : GroupSearch::holdings(plan, search_.ends(plan)))
    if (h.until > window) hole.extra -= h.nodes;
  const auto held_already = [&](const Candidate& c) {
    for (const StartedJob& s : view_.started())
      if (c.running && s.index == c.job && s.expected_end > hole.shadow) hole.extra += s.held;
  };
  held_already(plan.primary);
  for (const Candidate& c : plan.matched) held_already(c);
  return hole.extra >= 0;
}

/// Tells of a pair that was not chosen; its gain is told as what the choice went by.
void PairChooser::refuse(const Candidate& other, double profit, GroupRefusal why, JobIndex hurt) const {
  if (!view_.explained()) return;
  GroupPlan refused = plan(other);
  refused.gain = profit;
  if (!refused.matched.empty()) refuse_plan(view_, refused, why, hurt);
}

std::optional<ChosenPair> PairChooser::best(const Candidates& partners, const PairChoice& choice) const {
  Profits profits(view_, model_, job_, at_, choice);
  std::optional<ChosenPair> best;
  const bool first_of_all = choice.by == PairChoice::By::kFirst || choice.by == PairChoice::By::kFirstGain;
  for (std::size_t i = 0; i != partners.size() && !(first_of_all && best); ++i) {
    const double profit = profits.of(partners[i]), most = best ? best->profit : 0;
    if (profit <= most) {
      refuse(partners[i], profit, best ? GroupRefusal::kLessGain : GroupRefusal::kLowGain);
      continue;
    }
    GroupPlan pair = plan(partners[i]);
    if (pair.matched.empty()) continue;
    const Availability& ledger = view_.available();
    if ((!ledger.by_count() || ledger.closes()) && !can_be_placed(view_, search_, pair)) {
      refuse(partners[i], profit, GroupRefusal::kNodes);
      continue;
    }
    if (choice.head && !leaves_in_time(pair, *choice.head)) {
      refuse(partners[i], profit, GroupRefusal::kReservation, view_.queue().job(*choice.head));
      continue;
    }
    if (best) refuse(partners[best->place], most, GroupRefusal::kLessGain);
    best = {std::move(pair), i, profit};
  }
  return best;
}

}  // namespace coslice

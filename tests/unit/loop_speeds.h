// What the twin of the loop knows of running jobs: how much each has still to do, how fast it is beside those that are
// on its nodes, and when it ends.
#pragma once

#include <cmath>

#include "loop_ledger.h"

namespace coslice::loop {

class Speeds : protected Ledger {
 public:
  using Ledger::Ledger;

 protected:
  // --- work is counted in 2^-40 ns, and a rate is so much of it in a nanosecond

  static constexpr Rate kFull = Rate{1} << 40;
  static Wide work(Tick t) { return static_cast<Wide>(t) * kFull; }
  static Rate rate_of(double slowdown) { return std::llround(static_cast<double>(kFull) / slowdown); }
  /// To the nearest nanosecond.
  static Tick time_at(Wide left, Rate rate) { return left <= 0 ? 0 : static_cast<Tick>((left + rate / 2) / rate); }

  // --- by how much jobs are slowed down

  static double factor(int tenths) { return tenths / 10.0; }
  double speed_of(int n) const { return c_.kind_of(n).halves / 2.0; }

  /// On that node without others.
  double alone_on(int j, int n) const {
    const Ask& ask = said(j).ask;
    if (!c_.contends) return 1 / speed_of(n);
    const bool several = c_.own > 0 && ask.given && ask.cores > 1000;
    const double own = several ? factor(c_.own) : 1;
    const double on_gpus = ask.given && ask.gpus > 0 ? factor(c_.kind_of(n).on_gpus) : 1;
    return own * on_gpus / speed_of(n);
  }
  /// On the slowest of the kinds of nodes of which it may have some.
  double slowest_alone(int j) const {
    double most = 0;
    for (const Unit& u : units_[static_cast<std::size_t>(j)])
      for (const int n : u.nodes) most = std::max(most, alone_on(j, n));
    return most;
  }

  /// Whether it does something on its nodes.
  bool gets_on(int j) const { return job(j).phase == Phase::kRunning && !job(j).booting && !job(j).suspended; }
  static std::uint64_t gpus_on(const Fate& f, int n) {
    for (std::size_t i = 0; i != f.gpus.size(); ++i)
      if (f.nodes[i] == n) return f.gpus[i];
    return 0;
  }
  /// What those do to it that are on the node, and share one of these GPUs if that is what counts.
  double beside(int j, int n, std::uint64_t gpus) const {
    double all = 1, worst = 0;
    for (const int k : started_) {
      const Fate& f = fates_[static_cast<std::size_t>(k)];
      if (k == j || !gets_on(k) || !has(f.nodes, n) || (c_.by_gpu && (gpus_on(f, n) & gpus) == 0)) continue;
      const double by = factor(c_.factors[static_cast<std::size_t>(said(j).user + 2 * said(k).user) % 4]);
      worst = std::max(worst, by);
      if (c_.combine == Combine::kProduct) all *= by;
      if (c_.combine == Combine::kSum) all += by - 1;
    }
    if (c_.combine == Combine::kWorst && worst > 0) all = worst;
    return std::max(all, 0.01);
  }
  /// Of several nodes and GPUs, as on the one on which it is slowed down most.
  double slowdown(int j) const {
    const Fate& f = fates_[static_cast<std::size_t>(j)];
    double most = 0;
    for (const int n : f.nodes) {
      double there = 1;
      const std::uint64_t gpus = gpus_on(f, n);
      if (c_.contends && !c_.by_gpu) there = beside(j, n, 0);
      if (c_.contends && c_.by_gpu && gpus != 0) {
        there = 0;
        for (std::uint64_t g = 1; g != 0 && g <= gpus; g <<= 1)
          if ((gpus & g) != 0) there = std::max(there, beside(j, n, g));
      }
      most = std::max(most, alone_on(j, n) * there);
    }
    return most;
  }

  // --- how long jobs take

  /// For how long a scheduler holds nodes for it.
  Tick planned(int j) const override { return believed(j) + longest_boot(); }
  Tick longest_boot() const { return c_.power ? seconds(c_.boot + c_.shutdown) : 0; }
  Tick believed(int j) const {
    if (!estimated(j)) return planned_alone(j);
    if (plans_work()) return time_at(work(believed_work(j)), rate_of(slowest_alone(j)));
    return std::min(seconds(said(j).estimate), planned_alone(j));
  }
  /// An estimate that is the limit says no more than that does.
  bool estimated(int j) const { return said(j).estimate > 0 && said(j).estimate != said(j).limit; }
  /// What a scheduler believes that it has to do.
  Tick believed_work(int j) const {
    return estimated(j) ? std::min(seconds(said(j).estimate), planned_work(j)) : planned_work(j);
  }
  /// Estimates are of work where limits are, and where no limit ends a job that others slow down.
  bool plans_work() const { return c_.sliced || (c_.contends && c_.extend); }
  /// What it has to do as far as its limit says.
  Tick planned_work(int j) const {
    return c_.extend ? std::max(limit(j), with_checkpoints(j, seconds(said(j).runtime))) : limit(j);
  }
  /// Limits are of time, and of work in slices.
  Tick planned_alone(int j) const {
    if (!c_.sliced && !c_.extend) return limit(j);
    const Rate slowest = rate_of(slowest_alone(j));
    if (c_.sliced || c_.contends) return time_at(work(planned_work(j)), slowest);
    return std::max(limit(j), time_at(work(with_checkpoints(j, seconds(said(j).runtime))), slowest));
  }

  // --- what has been done

  void begin_run(int j) {
    Progress& p = job(j);
    p.total = with_checkpoints(j, seconds(said(j).runtime));
    p.left = work(p.total);
    p.planned_left = work(plans_work() ? believed_work(j) : planned_work(j));
    p.limit = limit(j) + std::max<Tick>(0, over_limit(held(j).unit->partition) -  // what it did beyond its limit then
                                               std::max<Tick>(0, p.saved - seconds(said(j).limit)));
    p.stopped = 0;
    p.told = kNever;
    p.since = p.up;
    p.rate = rate_of(slowdown(j));
    if (p.booting) p.ends = kNever;
    else schedule(j);
  }
  void account(int j) {
    Progress& p = job(j);
    if (!gets_on(j) || p.since >= now_) return;
    const Wide done = static_cast<Wide>(now_ - p.since) * p.rate;
    p.left -= done;
    p.planned_left -= done;
    p.since = now_;
  }
  /// Since its start.
  Tick done(int j) {
    account(j);
    return job(j).total - time_at(job(j).left, kFull);
  }

  /// When its limit is over: it is told to end then.
  Tick limit_over(int j) {
    const Progress& p = job(j);
    if (!c_.sliced) return std::min(killed_at(p.up + p.limit + p.stopped), reservation_over(j));
    const Wide did = work(p.total) - p.left;
    return std::min(killed_at(std::max(p.since, now_) + time_at(work(p.limit) - did, p.rate)), reservation_over(j));
  }
  /// When the reservation that it names, and in which it began, is over: it is gone by then.
  Tick reservation_over(int j) const {
    const Reserved* const r = named(j);
    const Tick began = job(j).began;
    if (r == nullptr || began < seconds(r->from) || began >= seconds(r->from + r->length)) return kNever;
    return killed_at(seconds(r->from + r->length));
  }
  /// When it ends, as things are now. What starts in a pass does not end at once.
  void schedule(int j) {
    Progress& p = job(j);
    const Tick least = in_pass_ ? 1 : 0;
    p.order = ++scheduled_;
    p.ends = std::max(p.since, now_) + std::max(time_at(p.left, p.rate), least);
    p.killed = false;
    if (c_.extend) {
      p.gone = p.up + p.stopped + (c_.sliced ? time_at(work(planned_work(j)), p.rate) : planned_alone(j));
      return;
    }
    Tick last = limit_over(j);
    if (c_.sliced && c_.kill_wait > 0) {  // what it has been told stands
      if (p.told > now_) p.told = last;
      last = p.told;
    }
    p.gone = std::min(last + seconds(c_.kill_wait), reservation_over(j));
    if (c_.sliced) last = std::max(last, now_ + least);
    p.killed = p.ends > last || (c_.sliced && p.ends == last && c_.limit_check == 0 && p.total > p.limit);
    p.ends = std::min(p.ends, std::max(last, p.gone));
  }

  Tick over_limit(int partition) const {
    const int own = partition < 0 ? -1 : c_.partitions[static_cast<std::size_t>(partition)].over_limit;
    return seconds(own >= 0 ? own : c_.over_limit);
  }
  /// The first instant from then on at which limits are looked at.
  Tick killed_at(Tick t) const {
    if (c_.limit_check == 0) return t;
    Tick look = seconds(c_.first_limit_check % c_.limit_check);
    while (look < t) look += seconds(c_.limit_check);
    return look;
  }

  /// A job has come or gone: those beside it are faster or slower from now on.
  void change_speeds() {
    if (!c_.contends) return;
    for (const int j : started_) {
      if (!gets_on(j)) continue;
      const Rate rate = rate_of(slowdown(j));
      if (rate == job(j).rate) continue;
      account(j);
      job(j).rate = rate;
      schedule(j);
      changed_.insert(j);
    }
  }

  Hold& held(int j) {
    return *std::find_if(holds_.begin(), holds_.end(), [j](const Hold& h) { return h.job == j; });
  }

  std::vector<int> started_;  ///< in the order of their starts
  std::set<int> changed_;     ///< jobs whose speed schedulers have not been told
  int scheduled_ = 0;
  bool in_pass_ = false;
};

}  // namespace coslice::loop

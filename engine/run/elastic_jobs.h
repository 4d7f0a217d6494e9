// The elastic jobs of a run: when those that run reach the points of their work at which they may change their nodes,
// and the changes that are ordered and wait for such a point. Under time slices they change in the slices of their
// class only: between these they are away, preempted or in a slice of another class, and orders and wishes wait.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "events/event_queues.h"
#include "jobs/elasticity.h"
#include "jobs/job_sizes.h"
#include "machine/node_set.h"
#include "schedule/view_host.h"

namespace coslice {

class ElasticJobs {
 public:
  /// A change that is not in force yet.
  struct Order {
    std::int32_t nodes = 0;             ///< that the job is to have; 0: there is no order
    NodeRanges gained;                  ///< kept for it from now on
    NodeRanges stay;                    ///< of its own, where it is to have fewer; empty: those are chosen then
    std::vector<StartedJob*> given_up;  ///< what holds the nodes that it gives up until then, in its view
    Time end_without = kNever;          ///< when it was expected to end before it was ordered
    Time end_with = kNever;             ///< when it is expected to end by the order
  };
  /// What becomes due of a running job.
  struct Due {
    StartedJob* job;
    bool change = false;                     ///< its order comes into force
    const Elasticity::Wish* wish = nullptr;  ///< it asks for this; null: for nothing
  };

  /// Makes the record of elastic jobs, as far as they `may` change; null where none does. Throws InputError as
  /// elasticity_of().
  static std::unique_ptr<ElasticJobs> make(const std::vector<Job>& jobs, const std::function<bool(JobIndex)>& may);

  /// Returns whether the job may change its nodes while it runs.
  bool is_elastic(JobIndex j) const { return kind_[j] != kRigid; }
  /// Returns the elastic job if it runs, or is suspended; else null.
  StartedJob* running(JobIndex j) const {
    const auto r = running_.find(j);
    return r == running_.end() ? nullptr : r->second.job;
  }
  /// Returns whether the elastic job runs, or is suspended.
  bool knows(JobIndex j) const { return running(j) != nullptr; }
  /// Notes that the elastic job has started, with the i-th of its sizes. `away`: its class has no slice now.
  void start(StartedJob& job, const Elasticity::RunTime& runtime, const std::vector<JobSize>& sizes, std::size_t i,
             bool away);
  /// Notes that the running job is about to change, at the point where it is now: it is there for this instant, and
  /// never again, however its further points are rounded. Precondition: its rate is still the one before.
  void reach(const StartedJob& job, Time now);
  /// Notes that the job goes on with the i-th of its sizes at its new rate, from `job.since` on.
  void change(StartedJob& job, std::size_t size, Work done);
  /// Notes that the job stands still at `now`, or goes on. One that was preempted goes on where it was: if it stopped
  /// at one of its points, it is there still.
  void pause(StartedJob& job, Work done, Time now);
  /// Notes that the class of the job has no slice any more, or has one again.
  void set_away(JobIndex j, bool away, Time now);
  /// Returns whether the job's class has no slice now.
  bool is_away(JobIndex j) const { return at(j).away; }
  /// Returns the instant of which next_point() is to be asked: `now`, or when the job stopped if it stands still.
  Time present(JobIndex j, Time now) const { return at(j).paused ? at(j).paused_at : now; }
  /// Returns for how long the job stands still for a change yet, or will do so when it goes on.
  Duration standstill_left(JobIndex j, Time now) const {
    const Running& r = at(j);
    return r.paused ? r.standstill : r.resized ? std::max(r.since - now, Duration{0}) : Duration{0};
  }
  /// Forgets the job, which has ended or was interrupted, and its order. Returns the size with which it started.
  std::size_t forget(JobIndex j);
  /// Returns the rate at which the job progressed when it started.
  Rate first_rate(JobIndex j) const { return at(j).first_rate; }
  /// Returns the size that the running job has.
  std::size_t size(JobIndex j) const { return at(j).size; }
  /// Returns whether the job goes on with fewer nodes where one of them fails.
  bool survives(JobIndex j) const { return how(j).survives; }
  Duration standstill(JobIndex j, std::int32_t nodes) const { return how(j).standstill(nodes); }

  /// Returns the first instant from t on at which the running job may change its nodes; kNever: it has no more points
  /// before its end. Of one that is preempted: as if it had run on when it stopped.
  Time next_point(const StartedJob& job, Time t) const;
  /// Returns the earliest instant after t at which a running job of the view is at a point; kNever: none will be. Jobs
  /// that may change at any time have no points.
  Time next_point_of_any(const HostedView& view, Time t) const;

  /// Returns what the elastic jobs of the view could give up and have, if all of them may change their nodes.
  ElasticRoom room(const View& view) const;
  /// Returns the first elastic job of the view to have started whose number is not below `from`; without a job: there
  /// is none.
  ElasticMember next(const View& view, std::uint64_t from) const;

  /// Returns the order of the running job.
  const Order& order(JobIndex j) const { return at(j).order; }
  /// Replaces the order of the running job, which comes into force at its first point from t on.
  void order(StartedJob& job, Order order, Time t);
  /// Takes the order back, and returns it.
  Order take_order(JobIndex j);
  /// Returns a job for which the node is kept, away or not; null: for none.
  StartedJob* keeper(NodeId n) const;

  /// Returns when a change or a wish is due next; kNever: none is known.
  Time next_time() const;
  /// Takes the next one that is due by `now`. Precondition: next_time() <= now.
  Due take(Time now);

 private:
  static constexpr std::uint32_t kRigid = ~std::uint32_t{0};
  struct Running {
    StartedJob* job = nullptr;
    std::uint64_t number = 0;          ///< of its start
    std::int32_t least = 0, most = 0;  ///< nodes of its sizes
    ElasticRoom room;                  ///< of this job, as it is in that of its view
    Rate first_rate;
    Elasticity::RunTime runtime;
    std::size_t started = 0;  ///< sizes, by number
    std::size_t size = 0;
    Work done;  ///< at `since`, when its rate changed last
    Time since{};
    std::int64_t point = -1;  ///< at which it changed last: what is done there is not exactly what the point says
    Time reached{};
    bool resized = false;   ///< since it started
    Duration standstill{};  ///< for a change, that is left while it stands still
    Time paused_at{};
    bool paused = false;     ///< it stands still since then: it is suspended or preempted
    bool preempted = false;  ///< when it stood still last
    bool begun = false;      ///< it has progressed since it started
    bool away = false;       ///< its class has no slice now
    Order order;
    std::size_t wish = 0;       ///< the next one
    std::uint32_t version = 0;  ///< of what is due: older events are void
  };
  struct Event {
    Time time;
    std::uint64_t sequence;
    JobIndex job;
    std::uint32_t version;
    bool operator>(const Event& o) const { return time != o.time ? time > o.time : sequence > o.sequence; }
  };

  const Elasticity& how(JobIndex j) const { return kinds_[kind_[j]]; }
  const Running& at(JobIndex j) const { return running_.find(j)->second; }
  Running& at(JobIndex j) { return running_.find(j)->second; }
  Time instant(const Running& r, Work done) const;
  std::int64_t point_from(const Running& r, const Elasticity& e, Time t) const;
  Time instant_of_point(const Running& r, const Elasticity& e, std::int64_t i) const;
  Time wish_time(const Running& r, JobIndex j) const;
  void look_ahead(JobIndex j, Time t);
  bool is_void(const Event& e) const;
  static std::int32_t ordered(const Running& r) { return r.order.nodes != 0 ? r.order.nodes : r.job->node_count; }
  ElasticRoom& room_of(const View& view);
  void count_room(Running& r, const ElasticRoom& now);
  void recount(Running& r);

  std::deque<Elasticity> kinds_;
  std::vector<std::uint32_t> kind_;  ///< by JobIndex; kRigid: it is not elastic
  std::map<JobIndex, Running> running_;
  std::map<std::uint64_t, const Running*> by_start_;
  std::vector<std::pair<const View*, ElasticRoom>> rooms_;  ///< few: one for each class of jobs
  std::uint64_t starts_ = 0;
  mutable EventHeap<Event> events_;
  std::uint64_t sequence_ = 0;
  std::uint32_t version_ = 0;
  std::int32_t kept_ = 0;  ///< nodes, for orders
};

}  // namespace coslice

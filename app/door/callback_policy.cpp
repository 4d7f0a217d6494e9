#include "door/callback_policy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"
#include "door/failures.h"
#include "door/handles.h"
#include "jobs/job_demands.h"
#include "machine/start_directive.h"
#include "schedule/easy_backfill.h"
#include "schedule/observer.h"
#include "schedule/preemption.h"

namespace coslice::door {
namespace {

constexpr double kWaits = std::numeric_limits<double>::quiet_NaN();

coslice_job shown_job(const coslice_view& shown, const View& view, JobIndex j) {
  const Job& job = view.job(j);
  coslice_job out{};
  out.job = j;
  out.nodes = view.nodes_of(j);
  out.id = job.id;
  out.submit = to_seconds(shown.entered[j]);
  out.estimate = to_seconds(view.estimate(j));
  out.limit = to_seconds(job.limit);
  out.start = shown.started[j];
  out.processes = job.size;
  out.user = job.user;
  out.group = job.group;
  out.executable = job.executable;
  out.queue = job.queue;
  out.partition = job.partition;
  out.memory = job.requested_memory_kb;
  return out;
}

/// The view is shown for as long as a callback runs. Callbacks nest: a pass starts jobs, of which another one is told.
class Shown {
 public:
  Shown(coslice_view& shown, View& view, const Pass* pass)
      : shown_(shown), view_(std::exchange(shown.view, &view)),
        decides_(std::exchange(shown.decides, pass != nullptr)) {
    if (pass == nullptr) return;
    shown_.pass = *pass;
    shown_.listed.clear();
    shown_.places.clear();
  }
  ~Shown() {
    shown_.view = view_;
    shown_.decides = decides_;
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

 private:
  coslice_view& shown_;
  View* view_;
  bool decides_;
};

View& view_of(const coslice_view* shown) {
  if (shown == nullptr || shown->view == nullptr)
    throw InputError({"", 0, "the view is only valid inside the callback that it was handed to"});
  return *shown->view;
}

View& deciding(const coslice_view* shown) {
  View& view = view_of(shown);
  if (!shown->decides) throw InputError({"", 0, "this callback cannot start or reserve", "the callback schedule"});
  return view;
}

/// Where a job waits; throws InputError where it does not.
View::Position place_of(coslice_view* shown, std::uint32_t job) {
  const View& view = view_of(shown);
  const WaitingQueue& queue = view.queue();
  // Callbacks go through the list of the waiting jobs, most often in its order.
  for (const std::size_t i : {shown->next, shown->next + 1}) {
    if (i >= shown->places.size() || shown->listed[i] != job) continue;
    const View::Position p = shown->places[i];
    if (p < queue.end() && queue.live(p) && queue.job(p) == job) {
      shown->next = i;
      return p;
    }
  }
  const auto at = std::find(shown->listed.begin(), shown->listed.end(), job) - shown->listed.begin();
  if (static_cast<std::size_t>(at) < shown->places.size()) {
    const View::Position p = shown->places[static_cast<std::size_t>(at)];
    if (p < queue.end() && queue.live(p) && queue.job(p) == job) {
      shown->next = static_cast<std::size_t>(at);
      return p;
    }
  }
  const View::Position p = queue.find(job);
  if (p >= queue.end()) throw InputError({"", 0, fmt::format("job number {} of the view is not waiting", job)});
  return p;
}

Time instant(coslice_time t) { return Time{Duration{t}}; }
coslice_time shown_instant(Time t) { return t == kNever ? COSLICE_NEVER : t.time_since_epoch().count(); }

void start_waiting(View& view, View::Position p) {
  const WaitingQueue& queue = view.queue();
  const Time reserved = queue.reserved(p);
  const std::int64_t id = view.job(queue.job(p)).id;
  const auto refuse = [&](std::string why) { throw InputError({"", 0, fmt::format("job {} {}", id, why)}); };
  if (reserved == kNever && !view.fits_now(p)) {
    if (!view.available().by_count())
      refuse("cannot start now: too few of the nodes that it may have have room for it until its expected end");
    refuse(fmt::format("cannot start now: it needs {} nodes for its whole estimate, {} are free now", queue.nodes(p),
                       view.free_now()));
  }
  if (reserved != kNever && reserved != view.now()) refuse("is reserved for another time; unreserve it first");
  if (queue.nodes(p) > view.ceiling())
    refuse(fmt::format("cannot start now: only {} of its {} reserved nodes are available", view.ceiling(),
                       queue.nodes(p)));
  view.start(p, StartReason::kPolicy);
}

void reserve_waiting(View& view, View::Position p, Time at) {
  const Time old = view.queue().reserved(p);
  const std::int64_t id = view.job(view.queue().job(p)).id;
  if (at == kNever) throw InputError({"", 0, fmt::format("job {} can never fit", id)});
  if (at < view.now()) throw InputError({"", 0, fmt::format("the instant for job {} lies in the past", id)});
  view.unreserve(p);
  if (!view.fits_at(p, at)) {
    if (old != kNever) view.reserve(p, old);
    throw InputError({"", 0, fmt::format("job {} does not fit at that instant", id)});
  }
  view.reserve(p, at, ReservationKeeps::kAskedFor);
  view.reserved_late();
}

/// Lists the waiting jobs that need at most so many nodes and of which `wanted` holds; those with a reservation may
/// need more, as they have theirs.
template <class Wanted>
std::size_t list_jobs(coslice_view& shown, std::int32_t nodes, const Wanted& wanted, const std::uint32_t** jobs) {
  const WaitingQueue& queue = shown.view->queue();
  if (shown.view->reserved_count() != 0) nodes = INT32_MAX;
  shown.listed.clear();
  shown.places.clear();
  shown.next = 0;
  const auto next = [&](View::Position p) {
    return nodes == INT32_MAX ? queue.next(p) : queue.next_fitting(p + 1, nodes);
  };
  auto p = nodes == INT32_MAX ? queue.first() : queue.next_fitting(queue.first(), nodes);
  for (; p < queue.end(); p = next(p)) {
    if (!wanted(p)) continue;
    shown.listed.push_back(queue.job(p));
    shown.places.push_back(p);
  }
  if (jobs != nullptr) *jobs = shown.listed.data();
  return shown.listed.size();
}

/// As long as it lives, questions to the view are about these nodes, until a job has started.
class OnNodes {
 public:
  OnNodes(const coslice_view* shown, View::Position p, const std::int32_t* nodes, std::size_t count)
      : view_(view_of(shown)) {
    check_list(nodes, count, "nodes");
    const JobDemands* const demands = view_.demands();
    if (demands == nullptr || !view_.available().directs())
      throw InputError({"", 0, "nodes are counted, and cannot be named here",
                        "a policy with names_nodes, without time slices and shared nodes"});
    const std::int64_t id = view_.job(view_.queue().job(p)).id;
    if (view_.queue().reserved(p) != kNever)
      throw InputError({"", 0, fmt::format("job {} has a reservation, which says where it starts", id),
                        "coslice_view_unreserve() first"});
    place_.outside = NodeSet(demands->layout().node_count(), true);
    NodeSet named(place_.outside.size());
    for (std::size_t i = 0; i != count; ++i) {
      if (nodes[i] < 0 || nodes[i] >= named.size())
        throw InputError({"", 0, fmt::format("there is no node {}", nodes[i]),
                          fmt::format("numbers from 0 to {}", named.size() - 1)});
      named.insert(nodes[i]);
    }
    place_.outside -= named;
    view_.available().direct(&place_);
  }
  ~OnNodes() { view_.available().direct(nullptr); }
  OnNodes(const OnNodes&) = delete;
  OnNodes& operator=(const OnNodes&) = delete;

 private:
  View& view_;
  StartDirective place_;
};

/// The started job of that number; throws InputError where there is none.
StartedJob& started_job(View& view, std::uint32_t job) {
  StartedJob* const found = view.find_started(job);
  if (found == nullptr) throw InputError({"", 0, fmt::format("job number {} of the view is not running", job)});
  return *found;
}

/// Whether it could make way now.
bool may_stop(const View& view, const StartedJob& job, bool suspend) {
  if (suspend) return !view.host().lendable(job).empty();
  return job.leaves == kNever && !job.nodes.empty() && job.phase != Phase::kPreempted && job.phase != Phase::kSuspended;
}

/// Jobs that are suspended have no order: they keep what they have.
std::optional<StopOrder> order_of(coslice_stop how, double grace) {
  constexpr double kMostGrace = 1e9;
  if (!(grace >= 0) || grace > kMostGrace)
    throw InputError({"", 0, "the grace is no span of time", "seconds from 0 on"});
  StopOrder order;
  switch (how) {
    case COSLICE_REQUEUE: order.how = StopOrder::How::kRequeue; break;
    case COSLICE_CHECKPOINT: order.how = StopOrder::How::kCheckpoint; break;
    case COSLICE_KILL: order.how = StopOrder::How::kCancel; break;
    case COSLICE_SUSPEND:
      if (grace > 0) throw InputError({"", 0, "a job that is suspended has no grace", "0"});
      return std::nullopt;
    default:
      throw InputError({"", 0, fmt::format("{} is no way to stop a job", static_cast<int>(how)), "a coslice_stop"});
  }
  order.grace = from_seconds(grace);
  return order;
}

/// Starts the waiting job on nodes that some of the candidates give up or lend. Returns what room there is.
int start_instead(View& view, std::uint32_t job, View::Position p, const std::vector<StartedJob*>& candidates,
                  std::optional<StopOrder> order) {
  view.unshield();
  if (!order) {
    const std::vector<StartedJob*> lenders = choose_lenders(view, p, candidates);
    if (!lenders.empty()) view.start_over(p, lenders, StartReason::kPolicy);
    return lenders.empty() ? COSLICE_NO_ROOM : COSLICE_STARTED;
  }
  const std::vector<StartedJob*> victims = choose_victims(view, p, candidates);
  if (victims.empty()) return COSLICE_NO_ROOM;
  order->for_job = job;
  for (StartedJob* const victim : victims) view.stop(*victim, *order);
  return view.start_first(view.queue().find(job), StartReason::kPolicy) ? COSLICE_STARTED : COSLICE_ROOM_IS_MADE;
}

void check_job(const coslice_view* shown, std::uint32_t job) {
  if (job >= shown->entered.size() || shown->entered[job] == kNever)
    throw InputError({"", 0, fmt::format("there is no job number {} in the view", job)});
}

}  // namespace

std::string script_of(const std::string& name, const coslice_policy& policy) {
  const std::string version = policy.version != nullptr ? policy.version : "1";
  // A placement that might decline nodes has a ledger that tells them apart; equal scores take the lowest ones.
  const char* const placement =
      policy.names_nodes != 0 ? "placement = { rank = function() return 0 end, cached = true }, " : "";
  const std::string backfill = policy.backfill != nullptr ? policy.backfill : "easy";
  if (version.find_first_of("\"\\\n\r") != std::string::npos)
    throw InputError({name, 0, "its version has quotes, backslashes or line ends", "a text such as \"1\""});
  if (policy.key != nullptr && policy.schedule != nullptr)
    throw InputError({name, 0, "has both key and schedule", "one of the two"});
  if (policy.schedule != nullptr && policy.backfill != nullptr)
    throw InputError({name, 0, "has both backfill and schedule", "one of the two"});
  const char* const hook = policy.schedule != nullptr ? "schedule = function() end"
                           : policy.key != nullptr    ? "key = function() return 0 end"
                                                      : "order = \"submit\"";
  return fmt::format(
      "return {{ api = 1, name = \"{}\", version = \"{}\", description = \"Decided by the program that runs it.\",\n"
      "  {}{}{} }}\n",
      name, version, policy.schedule != nullptr ? "" : fmt::format("backfill = \"{}\", ", backfill), placement, hook);
}

CallbackScheduler::CallbackScheduler(const HostPolicy& policy, Scheduler& asked)
    : WrappedScheduler(&asked), policy_(policy), callbacks_(*policy.callbacks) {}

void CallbackScheduler::begin(View& view) {
  asked_->begin(view);
  if (callbacks_.begin == nullptr) return;
  const Shown shown(shown_, view, nullptr);
  if (callbacks_.begin(callbacks_.user, &shown_) != 0)
    throw CallbackFailed{fmt::format("policy '{}' gave up when the run began", policy_.name)};
}

std::optional<OwnCheckpoints> CallbackScheduler::checkpoints(View& view, JobIndex j) {
  return asks_another() ? asked_->checkpoints(view, j) : std::nullopt;
}

std::optional<Duration> CallbackScheduler::estimate(View& view, JobIndex j) {
  return asks_another() ? asked_->estimate(view, j) : std::nullopt;
}

void CallbackScheduler::corrected(View& view, JobIndex j) {
  if (asks_another()) asked_->corrected(view, j);
}

double CallbackScheduler::key(View& view, JobIndex j) {
  if (j >= shown_.entered.size()) {
    shown_.entered.resize(j + std::size_t{1}, kNever);
    shown_.started.resize(j + std::size_t{1}, kWaits);
  }
  shown_.entered[j] = view.now();
  shown_.started[j] = kWaits;
  if (callbacks_.key == nullptr) return asks_another() ? asked_->key(view, j) : 0;
  const coslice_job job = shown_job(shown_, view, j);
  const double key = callbacks_.key(callbacks_.user, &job);
  if (std::isnan(key))
    throw CallbackFailed{fmt::format("policy '{}' gave no number as the key of job {}, at {} s", policy_.name, job.id,
                                     format_seconds(view.now().time_since_epoch()))};
  return key;
}

void CallbackScheduler::tell(Told told, const char* what, View& view, JobIndex j) {
  if (told == nullptr || j >= shown_.entered.size()) return;
  const Shown shown(shown_, view, nullptr);
  const coslice_job job = shown_job(shown_, view, j);
  if (told(callbacks_.user, &shown_, &job) != 0)
    throw CallbackFailed{fmt::format("policy '{}' gave up when job {} {}, at {} s", policy_.name, job.id, what,
                                     format_seconds(view.now().time_since_epoch()))};
}

void CallbackScheduler::submitted(View& view, JobIndex j) {
  if (asks_another()) asked_->submitted(view, j);
  tell(callbacks_.submitted, "came", view, j);
}

void CallbackScheduler::started(View& view, JobIndex j) {
  if (asks_another()) asked_->started(view, j);
  if (j < shown_.started.size()) shown_.started[j] = to_seconds(view.now());
  tell(callbacks_.started, "started", view, j);
}

void CallbackScheduler::ended(View& view, JobIndex j, Time started) {
  if (asks_another()) asked_->ended(view, j, started);
  tell(callbacks_.ended, "ended", view, j);
}

void CallbackScheduler::dropped(View& view, JobIndex j) {
  if (asks_another()) asked_->dropped(view, j);
}

void CallbackScheduler::withdrawn(View& view, JobIndex j) {
  if (asks_another()) asked_->withdrawn(view, j);
}

void CallbackScheduler::schedule(View& view, const Pass& pass) {
  if (asks_another()) return asked_->schedule(view, pass);
  const Shown shown(shown_, view, &pass);
  if (callbacks_.schedule(callbacks_.user, &shown_) != 0)
    throw CallbackFailed{fmt::format("policy '{}' gave up in its pass at {} s", policy_.name,
                                     format_seconds(view.now().time_since_epoch()))};
}

PolicyRun simulate(const Prepared& prepared, std::size_t i, RunCallbacks callbacks) {
  const HostPolicy* const own = prepared.callbacks_of(i);
  if (own == nullptr) return prepared.runner.run(i, callbacks);
  std::optional<CallbackScheduler> scheduler;
  callbacks.between = [&](Scheduler& asked) -> Scheduler& { return scheduler.emplace(*own, asked); };
  PolicyRun run = prepared.runner.run(i, callbacks);
  if (scheduler) run.notes.add(scheduler->notes());
  return run;
}

}  // namespace coslice::door

using namespace coslice;
using namespace coslice::door;

coslice_time coslice_view_now(const coslice_view* view) {
  return view != nullptr && view->view != nullptr ? view->view->now().time_since_epoch().count() : 0;
}

int32_t coslice_view_free(const coslice_view* view) {
  return view != nullptr && view->view != nullptr ? view->view->free_now() : 0;
}

int32_t coslice_view_capacity(const coslice_view* view) {
  return view != nullptr && view->view != nullptr ? view->view->capacity() : 0;
}

uint32_t coslice_view_events(const coslice_view* view) {
  if (view == nullptr || view->view == nullptr) return 0;
  const Pass& pass = view->pass;
  return (pass.submitted ? COSLICE_SUBMITTED : 0) | (pass.ended ? COSLICE_ENDED : 0) | (pass.due ? COSLICE_DUE : 0) |
         (pass.corrected ? COSLICE_CORRECTED : 0);
}

size_t coslice_view_waiting(coslice_view* view, const uint32_t** jobs) {
  size_t count = 0;
  guarded([&] {
    view_of(view);
    count = list_jobs(
        *view, INT32_MAX, [](View::Position) { return true; }, jobs);
  });
  return count;
}

size_t coslice_view_fitting(coslice_view* view, const uint32_t** jobs) {
  size_t count = 0;
  guarded([&] {
    const View& shown = view_of(view);
    count = list_jobs(
        *view, shown.most_nodes_now(), [&](View::Position p) { return shown.fits_now(p); }, jobs);
  });
  return count;
}

size_t coslice_view_running(coslice_view* view, const uint32_t** jobs) {
  size_t count = 0;
  guarded([&] {
    const View& shown = view_of(view);
    view->running.clear();
    for (const StartedJob& job : shown.started()) view->running.push_back(job.index);
    if (jobs != nullptr) *jobs = view->running.data();
    count = view->running.size();
  });
  return count;
}

coslice_status coslice_view_job(const coslice_view* view, uint32_t job, coslice_job* out, size_t size) {
  return guarded([&] {
    const View& shown = view_of(view);
    check_job(view, job);
    const coslice_job found = shown_job(*view, shown, job);
    std::memset(&pointed(out, "out"), 0, size);
    std::memcpy(out, &found, std::min(size, sizeof found));
  });
}

coslice_status coslice_view_fits(coslice_view* view, uint32_t job, int* fits) {
  return guarded([&] { pointed(fits, "fits") = view_of(view).fits_now(place_of(view, job)) ? 1 : 0; });
}

coslice_status coslice_view_earliest(coslice_view* view, uint32_t job, coslice_time after, coslice_time* at) {
  return guarded([&] {
    const View& shown = view_of(view);
    pointed(at, "instant") = shown_instant(shown.earliest(place_of(view, job), std::max(shown.now(), instant(after))));
  });
}

coslice_status coslice_view_reservation(coslice_view* view, uint32_t job, coslice_time* at) {
  return guarded([&] { pointed(at, "instant") = shown_instant(view_of(view).queue().reserved(place_of(view, job))); });
}

coslice_status coslice_view_shadow(coslice_view* view, uint32_t job, coslice_time* at, int32_t* extra) {
  return guarded([&] {
    const View& shown = view_of(view);
    const View::Position p = place_of(view, job);
    const EasyHole hole = shown.hole(p);
    shown.explain([&](DecisionObserver& o) { o.blocked(shown, p, hole.shadow, hole.extra, shown.queue().end()); });
    pointed(at, "instant") = shown_instant(hole.shadow);
    if (extra != nullptr) *extra = hole.extra;
  });
}

coslice_status coslice_view_ends_by(coslice_view* view, uint32_t job, coslice_time at, int* ends) {
  return guarded([&] {
    const View& shown = view_of(view);
    pointed(ends, "ends") = later(shown.now(), shown.queue().duration(place_of(view, job))) <= instant(at) ? 1 : 0;
  });
}

coslice_status coslice_view_nodes(coslice_view* view, uint32_t job, const int32_t** nodes, size_t* count) {
  return guarded([&] {
    const StartedJob& started = started_job(view_of(view), job);
    view->nodes.clear();
    for_each_node(started.nodes, [&](NodeId n) { view->nodes.push_back(n); });
    pointed(nodes, "nodes") = view->nodes.data();
    pointed(count, "count") = view->nodes.size();
  });
}

coslice_status coslice_view_fits_on(coslice_view* view, uint32_t job, const int32_t* nodes, size_t count, int* fits) {
  return guarded([&] {
    const View::Position p = place_of(view, job);
    const OnNodes on(view, p, nodes, count);
    pointed(fits, "fits") = view_of(view).fits_now(p) ? 1 : 0;
  });
}

coslice_status coslice_view_start_on(coslice_view* view, uint32_t job, const int32_t* nodes, size_t count) {
  return guarded([&] {
    View& shown = deciding(view);
    const View::Position p = place_of(view, job);
    const OnNodes on(view, p, nodes, count);
    if (!shown.fits_now(p) || shown.queue().nodes(p) > shown.ceiling())
      throw InputError({"", 0, fmt::format("job {} cannot start there now", shown.job(job).id),
                        "nodes that are free for its whole estimate, as coslice_view_fits_on() says"});
    shown.start(p, StartReason::kPolicy);
  });
}

coslice_status coslice_view_stop(coslice_view* view, uint32_t job, coslice_stop how, double grace) {
  return guarded([&] {
    View& shown = deciding(view);
    StartedJob& started = started_job(shown, job);
    const std::optional<StopOrder> order = order_of(how, grace);
    const auto refuse = [&](const char* why) {
      throw InputError({"", 0, fmt::format("job {} {}", shown.job(job).id, why)});
    };
    if (started.nodes.empty()) refuse("starts at this instant and cannot be stopped yet");
    if (!order && started.leaves != kNever) refuse("is about to stop and cannot be suspended");
    if (!order) return shown.suspend(started);
    if (started.phase == Phase::kSuspended) refuse("is suspended; resume it first");
    shown.stop(started, *order);
  });
}

coslice_status coslice_view_resume(coslice_view* view, uint32_t job) {
  return guarded([&] {
    View& shown = deciding(view);
    shown.go_on(started_job(shown, job));
  });
}

coslice_status coslice_view_preempt(coslice_view* view, uint32_t job, const uint32_t* running, size_t count,
                                    coslice_stop how, double grace, int* room) {
  return guarded([&] {
    View& shown = deciding(view);
    const View::Position p = place_of(view, job);
    const std::optional<StopOrder> order = order_of(how, grace);
    check_list(running, count, "running");
    pointed(room, "room") = COSLICE_STARTED;
    if (shown.start_first(p, StartReason::kPolicy)) return;
    *room = COSLICE_NO_ROOM;
    if (shown.ceiling() <= 0) return;
    for (const StartedJob& s : shown.started())
      if (s.leaves != kNever && s.leaves_for == job) *room = COSLICE_ROOM_IS_MADE;
    if (*room == COSLICE_ROOM_IS_MADE) return;
    std::vector<StartedJob*> candidates;
    for (std::size_t i = 0; i != count; ++i) {
      StartedJob& candidate = started_job(shown, running[i]);
      const bool listed = std::find(candidates.begin(), candidates.end(), &candidate) != candidates.end();
      if (!listed && may_stop(shown, candidate, !order)) candidates.push_back(&candidate);
    }
    if (!candidates.empty()) *room = start_instead(shown, job, p, candidates, order);
  });
}

coslice_status coslice_view_start(coslice_view* view, uint32_t job) {
  return guarded([&] { start_waiting(deciding(view), place_of(view, job)); });
}

coslice_status coslice_view_start_in_order(coslice_view* view, uint32_t* left) {
  return guarded([&] {
    View& shown = deciding(view);
    const View::Position p = start_in_order(shown);
    if (left != nullptr) *left = p < shown.queue().end() ? shown.queue().job(p) : COSLICE_NO_JOB;
  });
}

coslice_status coslice_view_easy(coslice_view* view, int64_t reservations, int64_t depth) {
  return guarded([&] {
    if (reservations < 0 || depth < -1)
      throw InputError(
          {"", 0, "EASY with fewer than no reservations, or jobs", "reservations from 0, depth from -1 on"});
    EasyOptions options;
    options.reservations = static_cast<std::size_t>(reservations);
    if (depth >= 0) options.depth = static_cast<std::size_t>(depth);
    EasyBackfill(options).schedule(deciding(view), view->pass);
  });
}

coslice_status coslice_view_conservative(coslice_view* view, int by_start) {
  return guarded([&] {
    View& shown = deciding(view);
    view->conservative.set_order(by_start != 0 ? CompressOrder::kReservedStart : CompressOrder::kQueue);
    Pass pass = view->pass;
    pass.submitted = pass.submitted || std::exchange(view->gave_up, false);
    view->conservative.schedule(shown, pass);
  });
}

coslice_status coslice_view_reserve(coslice_view* view, uint32_t job, coslice_time at) {
  return guarded([&] { reserve_waiting(deciding(view), place_of(view, job), instant(at)); });
}

coslice_status coslice_view_unreserve(coslice_view* view, uint32_t job) {
  return guarded([&] {
    deciding(view).unreserve(place_of(view, job));
    view->gave_up = true;
  });
}

coslice_status coslice_view_start_due(coslice_view* view) {
  return guarded([&] {
    View& shown = deciding(view);
    if (view->pass.due) start_due(shown);
  });
}

coslice_status coslice_view_rekey(coslice_view* view, const double* keys, size_t count) {
  return guarded([&] {
    View& shown = deciding(view);
    const std::size_t waiting = shown.queue().size();
    if (count != waiting)
      throw InputError({"", 0, fmt::format("{} keys for {} waiting jobs", count, waiting), "a key for each of them"});
    check_list(keys, count, "keys");
    for (std::size_t i = 0; i != count; ++i)
      if (std::isnan(keys[i])) throw InputError({"", 0, fmt::format("key {} is not a number", i)});
    const double* next = keys;
    shown.resort([&next](JobIndex) { return *next++; });
    view->places.clear();
  });
}

coslice_status coslice_view_wake(coslice_view* view, coslice_time at) {
  return guarded([&] {
    View& shown = view_of(view);
    if (at == COSLICE_NEVER) return;
    if (instant(at) <= shown.now()) throw InputError({"", 0, "the instant is not after now"});
    shown.wake_at(instant(at));
    shown.explain([&](DecisionObserver& o) { o.wakes(shown, instant(at), {}); });
  });
}

coslice_status coslice_view_note(coslice_view* view, const char* name, double value) {
  return guarded([&] {
    view_of(view);
    if (!std::isfinite(value)) throw InputError({"", 0, "the value of a note is not a finite number"});
    if (!view->notes.add(required(name, "name"), value))
      throw InputError({"", 0, fmt::format("a policy may note {} different names at most", int{PolicyNotes::kMost})});
  });
}

coslice_status coslice_view_because(coslice_view* view, uint32_t job, const char* text) {
  return guarded([&] {
    const View& shown = view_of(view);
    check_job(view, job);
    const std::string_view words = required(text, "text");
    shown.explain([&](DecisionObserver& o) { o.reasoned(shown, job, words); });
  });
}

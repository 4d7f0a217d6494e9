#include "run/elastic_jobs.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "jobs/attributes.h"

namespace coslice {

std::unique_ptr<ElasticJobs> ElasticJobs::make(const std::vector<Job>& jobs, const std::function<bool(JobIndex)>& may) {
  if (std::ranges::none_of(jobs, coslice::is_elastic)) return nullptr;
  auto all = std::make_unique<ElasticJobs>();
  all->kind_.assign(jobs.size(), kRigid);
  std::unordered_map<std::string, std::uint32_t> known;
  for (JobIndex j = 0; j != jobs.size(); ++j) {
    if (!coslice::is_elastic(jobs[j]) || !may(j)) continue;
    const auto number = static_cast<std::uint32_t>(all->kinds_.size());
    const auto [kind, fresh] = known.try_emplace(attributes::kElastic.text(jobs[j]), number);
    if (fresh) all->kinds_.push_back(elasticity_of(jobs[j]));
    all->kind_[j] = kind->second;
  }
  return all;
}

void ElasticJobs::start(StartedJob& job, const Elasticity::RunTime& runtime, const std::vector<JobSize>& sizes,
                        std::size_t i, bool away) {
  Running& r = running_[job.index];
  r = {};
  r.job = &job;
  r.number = starts_++;
  by_start_.emplace_hint(by_start_.end(), r.number, &r);
  const auto [least, most] = std::ranges::minmax(sizes, {}, &JobSize::nodes);
  r.least = least.nodes;
  r.most = most.nodes;
  r.first_rate = job.rate;
  r.runtime = runtime;
  r.started = r.size = i;
  r.since = job.since;
  r.away = away;
  recount(r);
  look_ahead(job.index, r.since);
}

ElasticRoom& ElasticJobs::room_of(const View& view) {
  const auto known = std::ranges::find(rooms_, &view, &std::pair<const View*, ElasticRoom>::first);
  return known != rooms_.end() ? known->second : rooms_.emplace_back(&view, ElasticRoom{}).second;
}

void ElasticJobs::count_room(Running& r, const ElasticRoom& now) {
  ElasticRoom& all = room_of(*r.job->view);
  all.spare += now.spare - r.room.spare;
  all.more += now.more - r.room.more;
  all.leaving += now.leaving - r.room.leaving;
  r.room = now;
}

/// It has other nodes, or was ordered to have others.
void ElasticJobs::recount(Running& r) {
  const std::int32_t nodes = ordered(r);
  count_room(r, {nodes - r.least, r.most - nodes, std::max(r.job->node_count - nodes, 0)});
}

ElasticRoom ElasticJobs::room(const View& view) const {
  const auto known = std::ranges::find(rooms_, &view, &std::pair<const View*, ElasticRoom>::first);
  return known != rooms_.end() ? known->second : ElasticRoom{};
}

ElasticMember ElasticJobs::next(const View& view, std::uint64_t from) const {
  for (auto at = by_start_.lower_bound(from); at != by_start_.end(); ++at) {
    const Running& r = *at->second;
    if (r.job->view == &view) return {r.job, r.number, ordered(r), r.least, r.most};
  }
  return {};
}

void ElasticJobs::change(StartedJob& job, std::size_t size, Work done) {
  Running& r = at(job.index);
  r.size = size;
  r.done = done;
  r.since = job.since;
  r.resized = true;
  recount(r);
  look_ahead(job.index, r.since);
}

void ElasticJobs::pause(StartedJob& job, Work done, Time now) {
  const bool goes_on = job.phase == Phase::kRunning;
  if (!goes_on) reach(job, now);
  Running& r = at(job.index);
  if (goes_on && r.preempted && r.reached == r.paused_at) r.reached = now;
  r.done = done;
  r.standstill = goes_on ? Duration{0} : standstill_left(job.index, now);
  r.since = goes_on ? job.since : later(now, r.standstill);
  r.paused = !goes_on;
  r.paused_at = now;
  r.preempted = job.phase == Phase::kPreempted;
  r.begun = r.begun || goes_on;
  look_ahead(job.index, now);
}

void ElasticJobs::set_away(JobIndex j, bool away, Time now) {
  Running& r = at(j);
  if (r.away == away) return;
  r.away = away;
  look_ahead(j, now);
}

std::size_t ElasticJobs::forget(JobIndex j) {
  Running& r = at(j);
  const std::size_t started = r.started;
  kept_ -= r.order.gained.count();
  count_room(r, {});
  by_start_.erase(r.number);
  running_.erase(j);
  return started;
}

/// When so much is done, at the rate that it has now. One that stands still begins to progress at `since`.
Time ElasticJobs::instant(const Running& r, Work done) const {
  return later(r.since, (done - r.done).time_at(r.job->rate));
}

Time ElasticJobs::instant_of_point(const Running& r, const Elasticity& e, std::int64_t i) const {
  if (i <= r.point) return i == r.point ? r.reached : Time::min();
  const Work done = e.at(i, r.runtime);
  return done < r.done ? Time::min() : instant(r, done);
}

/// The first of its points that is not before t.
std::int64_t ElasticJobs::point_from(const Running& r, const Elasticity& e, Time t) const {
  std::int64_t first = 0, last = e.points(r.runtime);
  while (first != last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (instant_of_point(r, e, middle) < t) first = middle + 1;
    else last = middle;
  }
  return first;
}

Time ElasticJobs::next_point(const StartedJob& job, Time t) const {
  const Elasticity& e = how(job.index);
  const Running& r = at(job.index);
  if (job.phase != Phase::kRunning && !(job.phase == Phase::kPreempted && r.begun)) return kNever;
  if (e.any_time()) return t;
  const std::int64_t first = point_from(r, e, t);
  if (first == e.points(r.runtime)) return kNever;
  const Time point = instant_of_point(r, e, first);
  return point < std::min(job.next_event, job.leaves) ? point : kNever;
}

void ElasticJobs::reach(const StartedJob& job, Time now) {
  const Elasticity& e = how(job.index);
  if (e.any_time()) return;
  Running& r = at(job.index);
  const std::int64_t point = point_from(r, e, now);
  if (point == e.points(r.runtime) || instant_of_point(r, e, point) != now) return;
  r.point = point;
  r.reached = now;
}

Time ElasticJobs::next_point_of_any(const HostedView& view, Time t) const {
  Time next = kNever;
  for (const auto& [j, r] : running_)
    if (r.job->view == &view && !how(j).any_time()) next = std::min(next, next_point(*r.job, later(t, Duration{1})));
  return next;
}

Time ElasticJobs::wish_time(const Running& r, JobIndex j) const {
  const Elasticity& e = how(j);
  if (r.wish == e.wishes.size() || r.job->phase != Phase::kRunning || r.away) return kNever;
  const Time t = instant(r, Work(from_seconds(e.wishes[r.wish].part * to_seconds(r.runtime.started))));
  return t < std::min(r.job->next_event, r.job->leaves) ? t : kNever;
}

/// Notes what of the job is due next, from t on.
void ElasticJobs::look_ahead(JobIndex j, Time t) {
  Running& r = at(j);
  r.version = ++version_;
  Time due = wish_time(r, j);
  if (r.order.nodes != 0 && r.job->phase == Phase::kRunning && !r.away) due = std::min(due, next_point(*r.job, t));
  if (due != kNever) events_.push({due, sequence_++, j, r.version});
}

void ElasticJobs::order(StartedJob& job, Order order, Time t) {
  Running& r = at(job.index);
  r.order = std::move(order);
  kept_ += r.order.gained.count();
  recount(r);
  look_ahead(job.index, t);
}

ElasticJobs::Order ElasticJobs::take_order(JobIndex j) {
  Running& r = at(j);
  kept_ -= r.order.gained.count();
  Order order = std::exchange(r.order, {});
  recount(r);
  return order;
}

StartedJob* ElasticJobs::keeper(NodeId n) const {
  if (kept_ == 0) return nullptr;
  const NodeRanges node = as_ranges({n});
  for (const auto& [j, r] : running_)
    if (common_nodes(r.order.gained, node) != 0) return r.job;
  return nullptr;
}

bool ElasticJobs::is_void(const Event& e) const {
  const auto r = running_.find(e.job);
  return r == running_.end() || r->second.version != e.version;
}

Time ElasticJobs::next_time() const {
  while (!events_.empty() && is_void(events_.first())) events_.pop();
  return events_.next_time();
}

ElasticJobs::Due ElasticJobs::take(Time now) {
  const JobIndex j = events_.pop().job;
  Running& r = at(j);
  Due due{r.job};
  if (wish_time(r, j) <= now) due.wish = &how(j).wishes[r.wish++];
  due.change = r.order.nodes != 0 && next_point(*r.job, now) <= now;
  look_ahead(j, later(now, Duration{1}));
  return due;
}

}  // namespace coslice

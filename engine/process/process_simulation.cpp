#include "process/process_simulation.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "sched/decisions.h"

namespace coslice {

namespace {

Ns ns(Time t) { return t.time_since_epoch().count(); }
Time at(Ns t) { return Time{Duration{t}}; }

}  // namespace

ProcessSimulation::ProcessSimulation(std::int32_t processors, const std::vector<Program>& programs,
                                     const std::vector<ProcessJob>& jobs, Coscheduler& coscheduler,
                                     const ProcessSimulationOptions& options)
    : programs_(programs), jobs_(jobs), coscheduler_(coscheduler), rules_(coscheduler.rules()), options_(options),
      processors_(processors, rules_, options.seed), matrix_(rules_.multiprogramming, processors, options.packing),
      starts_(jobs.size(), kNever), ends_(jobs.size(), kNever), classes_(jobs.size()) {}

Ns ProcessSimulation::next_arrival() const {
  return arrived_ == jobs_.size() ? kUnknown : ns(jobs_[arrived_].submit);
}

void ProcessSimulation::run() {
  for (;;) {
    const Ns until = std::min(next_arrival(), next_strobe_);
    if (until == kUnknown && processors_.next_event() == kUnknown) break;
    const Ns now = processors_.run_until(until);
    const bool ended = end_jobs(now), submitted = submit(now);
    if (ended || submitted) {
      admit(now);
      settled(now);
    }
    if (now == next_strobe_) strobe(now);
    if (progress_) progress_(ended_);
  }
  if (!running_.empty() || !waiting_.empty()) {
    throw SimulationError("processes are left waiting for ever: no slot lets them run");
  }
}

/// Tells everybody that the instant is over.
void ProcessSimulation::settled(Ns now) {
  std::vector<bool> used(static_cast<std::size_t>(processors_.count()), false);
  for (const Running& r : running_) {
    for (const std::int32_t c : r.columns) used[static_cast<std::size_t>(c)] = true;
  }
  std::vector<std::int32_t> columns;
  for (std::int32_t c = 0; c < processors_.count(); ++c) {
    if (used[static_cast<std::size_t>(c)]) columns.push_back(c);
  }
  const InstantState state{at(now), static_cast<std::int32_t>(waiting_.size()), nodes_of(columns).count(),
                           static_cast<std::int64_t>(columns.size())};
  for (Observer* o : observers_) {
    o->passed(at(now));
    o->settled(state);
  }
}

NodeRanges ProcessSimulation::nodes_of(const std::vector<std::int32_t>& columns) const {
  NodeRanges nodes;
  std::int32_t last = -1;
  for (const std::int32_t c : columns) {
    const std::int32_t node = c / options_.processors_per_node;
    if (node != last) nodes.append(node, node);
    last = node;
  }
  return nodes;
}

ProcessAccount ProcessSimulation::account() const {
  ProcessAccount a;
  for (ProcessId p = 0; p < processors_.processes(); ++p) {
    a.computing += Duration{processors_.process(p).used};
    a.polling += Duration{processors_.process(p).spun};
  }
  for (std::int32_t c = 0; c < processors_.count(); ++c) a.switching += Duration{processors_.processor(c).switching};
  a.events = processors_.events();
  a.strobes = strobes_;
  return a;
}

ProcessRecord ProcessSimulation::record() const {
  ProcessRecord r;
  r.processors = processors_.count();
  r.exact = options_.path == ProcessPath::kExact;
  r.classes = rules_.classes;
  r.last_class = classes_;
  r.changes = changes_;
  r.account = account();
  return r;
}

// --- jobs

bool ProcessSimulation::end_jobs(Ns now) {
  const std::size_t before = ended_;
  for (const std::int32_t g : processors_.take_finished()) {
    const auto it = std::find_if(running_.begin(), running_.end(), [&](const Running& r) { return r.group == g; });
    const Running ended = *it;
    running_.erase(it);
    matrix_.release(ended.row, ended.columns);
    ends_[ended.job] = at(now);
    ++ended_;
    const ProcessGroup& group = processors_.group(g);
    for (ProcessId p = group.first; p < group.first + group.size; ++p) {
      classes_[ended.job].push_back(processors_.process(p).cls);
    }
    for (Observer* o : observers_) o->ended(at(now), ended.job, nodes_of(ended.columns), false);
  }
  if (matrix_.empty()) next_strobe_ = kUnknown;
  return ended_ != before;
}

bool ProcessSimulation::submit(Ns now) {
  const std::size_t before = arrived_;
  for (; next_arrival() <= now; ++arrived_) {
    const auto job = static_cast<JobIndex>(arrived_);
    for (Observer* o : observers_) o->submitted(at(now), job);
    if (jobs_[job].size <= processors_.count()) {
      waiting_.push_back(job);
    } else {
      for (Observer* o : observers_) o->rejected(at(now), job);
    }
  }
  return arrived_ != before;
}

/// EASY backfilling: jobs start in order, and behind the first that does not fit those that do not delay it.
void ProcessSimulation::admit(Ns now) {
  std::vector<JobIndex> left;
  std::optional<Shadow> shadow;
  bool in_order = true;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const JobIndex job = waiting_[i];
    const bool started = (in_order || options_.backfill) && try_start(job, now, shadow ? &*shadow : nullptr);
    if (started) {
      if (shadow) shadow = shadow_of(left.front(), now);
      continue;
    }
    left.push_back(job);
    if (in_order && options_.backfill) shadow = shadow_of(job, now);
    in_order = false;
    if (!listeners_.empty()) explain_wait(job, left.front(), shadow, now);
  }
  waiting_ = std::move(left);
}

void ProcessSimulation::explain_wait(JobIndex job, JobIndex head, const std::optional<Shadow>& shadow, Ns now) const {
  RoomInRows room{jobs_[job].size, 0, head == job ? kNoJob : head, options_.backfill, kNever};
  for (std::int32_t row = 0; row < matrix_.rows(); ++row) room.most_free = std::max(room.most_free, matrix_.free_columns(row));
  if (shadow && shadow->time != kUnknown) room.shadow = at(shadow->time);
  for (DecisionObserver* d : listeners_) d->not_admitted(at(now), job, room);
}

bool ProcessSimulation::try_start(JobIndex job, Ns now, const Shadow* shadow) {
  for (std::int32_t row = 0; row < matrix_.rows(); ++row) {
    if (shadow && delays(*shadow, row, job, now)) continue;
    std::optional<std::vector<std::int32_t>> columns = matrix_.find(row, jobs_[job].size);
    if (!columns) continue;
    const StartReason reason = shadow ? StartReason::kBackfilled : StartReason::kInOrder;
    for (Observer* o : observers_) o->decided(at(now), job, reason);
    start(job, row, std::move(*columns), now);
    return true;
  }
  return false;
}

bool ProcessSimulation::delays(const Shadow& shadow, std::int32_t row, JobIndex job, Ns now) const {
  if (row != shadow.row || jobs_[job].size <= shadow.extra) return false;
  return now + jobs_[job].estimate.count() * rules_.multiprogramming > shadow.time;
}

/// In each row, jobs end when they are believed to; the first row in which enough columns are free then is the place.
ProcessSimulation::Shadow ProcessSimulation::shadow_of(JobIndex head, Ns now) const {
  Shadow best{kUnknown, 0, 0};
  for (std::int32_t row = 0; row < matrix_.rows(); ++row) {
    std::vector<const Running*> ending;
    for (const Running& r : running_) {
      if (r.row == row) ending.push_back(&r);
    }
    std::stable_sort(ending.begin(), ending.end(), [](const Running* a, const Running* b) { return a->believed_end < b->believed_end; });
    std::int32_t free = matrix_.free_columns(row);
    Ns when = now;
    for (const Running* r : ending) {
      if (free >= jobs_[head].size) break;
      free += static_cast<std::int32_t>(r->columns.size());
      when = std::max(now, r->believed_end);
    }
    if (when < best.time) best = {when, row, free - jobs_[head].size};
  }
  return best;
}

void ProcessSimulation::start(JobIndex job, std::int32_t row, std::vector<std::int32_t> columns, Ns now) {
  const ProcessJob& j = jobs_[job];
  const bool was_empty = matrix_.empty();
  matrix_.take(row, columns);
  const Program& program = programs_[static_cast<std::size_t>(j.program)];
  const std::int32_t group = processors_.add(job, program, j.iterations, columns, row, now);
  starts_[job] = at(now);
  for (Observer* o : observers_) o->started(at(now), job, nodes_of(columns));
  if (was_empty) active_row_ = row;
  if (was_empty && rules_.slice > Duration{0}) next_strobe_ = (now / rules_.slice.count() + 1) * rules_.slice.count();
  for (const std::int32_t c : columns) decide(c, now);
  running_.push_back({job, group, row, std::move(columns), now + j.estimate.count() * rules_.multiprogramming});
  if (options_.path == ProcessPath::kFast) processors_.advance_exclusive(group, next_strobe_);
}

// --- slots

void ProcessSimulation::decide(std::int32_t processor, Ns now) {
  const ProcessId own = processors_.resident(processor, active_row_);
  const ProcessFacts facts = own == kNobody ? ProcessFacts{} : processors_.facts(own);
  processors_.set_mode(processor, coscheduler_.slot(own == kNobody ? nullptr : &facts), own, now);
}

void ProcessSimulation::strobe(Ns now) {
  ++strobes_;
  classify_row(now);
  active_row_ = matrix_.next_row(active_row_);
  for (std::int32_t c = 0; c < processors_.count(); ++c) decide(c, now);
  next_strobe_ = now + rules_.slice.count();
  if (options_.path == ProcessPath::kFast) advance_exclusive();
}

/// Every process at the end of its assigned slot.
void ProcessSimulation::classify_row(Ns now) {
  for (std::int32_t c = 0; c < processors_.count(); ++c) {
    const ProcessId p = processors_.resident(c, active_row_);
    if (p == kNobody) continue;
    processors_.bring_up(c, now);
    processors_.count_slot(p);
    if (rules_.classifies) classify(p, now);
  }
}

void ProcessSimulation::classify(ProcessId p, Ns now) {
  const ProcessFacts facts = processors_.facts(p);
  const Classification verdict = coscheduler_.classify(facts);
  if (verdict.cls != facts.cls) changes_.push_back({at(now), facts.job, facts.rank, verdict.cls});
  processors_.set_class(p, verdict);
}

void ProcessSimulation::advance_exclusive() {
  for (const Running& r : running_) {
    if (r.row == active_row_) processors_.advance_exclusive(r.group, next_strobe_);
  }
}

}  // namespace coslice

// How the jobs of stories come into the queue and leave it without a start; what they wait for, looked at when each pass is over.
#include <algorithm>

#include "cluster/node_ids.h"
#include "observers/story_lack.h"
#include "observers/story_recorder.h"

namespace coslice {

void StoryRecorder::queued(const View& view, JobIndex j) {
  clock_ = view.wall_now();
  ViewState& state = state_of(view);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  tracks_[s].view = &view;
  state.waiting.push_back(s);
  const WaitingQueue& queue = view.queue();
  JobStory& story = stories_[s];
  if (story.submitted != kNever) return;  // it was set aside, or is requeued: what it found when it came is known
  const Position own = queue.find(j);
  for (Position p = queue.first(); p < own; p = queue.next(p))
    if (story.ahead_count++ < kNamesKept) story.ahead.push_back(queue.job(p));
  story.free = view.free_now();
}

void StoryRecorder::submitted(Time t, JobIndex j) {
  clock_ = t;
  queue_for_rows(j);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  if (stories_[s].submitted == kNever) stories_[s].submitted = t;  // not where it is requeued
  tracks_[s].waiting = true;
  ++waiting_;
}

void StoryRecorder::queue_for_rows(JobIndex j) {
  if (!states_.empty()) return;  // a view has the queue
  if (const std::uint32_t s = story_of(j); s != kNone) {
    stories_[s].ahead_count = row_queue_.size();
    stories_[s].ahead.assign(row_queue_.begin(),
                             row_queue_.begin() + static_cast<std::ptrdiff_t>(std::min(row_queue_.size(), kNamesKept)));
  }
  row_queue_.push_back(j);
}

void StoryRecorder::leave_rows(JobIndex j) {
  const auto it = std::find(row_queue_.begin(), row_queue_.end(), j);
  if (it != row_queue_.end()) row_queue_.erase(it);
}

void StoryRecorder::released(Time, JobIndex j, const Release& release) {
  if (const std::uint32_t s = story_of(j); s != kNone) stories_[s].release = release;
}

void StoryRecorder::unfulfilled(Time t, JobIndex j, JobIndex by) {
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  stories_[s].unfulfilled = true;
  stories_[s].unfulfilled_by = by;
  stories_[s].given_up = t;
}

/// What it waits for in the meantime is a phase of its own.
void StoryRecorder::set_aside(Time t, JobIndex j, bool aside) {
  clock_ = t;
  if (aside) not_ahead(j);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  if (aside) {
    stop_waiting(s);
    WaitPhase phase;
    phase.why = Hold::kAside;
    enter_phase(s, std::move(phase));
  } else {
    close_phase(s);
    tracks_[s].waiting = true;
    ++waiting_;
  }
}

void StoryRecorder::rejected(Time t, JobIndex j, Rejection why) {
  clock_ = t;
  leave_rows(j);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  JobStory& story = stories_[s];
  story.rejected = true;
  story.given_up = t;
  story.rejection = why;
  if (why == Rejection::kPolicy) story.refusal = words_for(state_of(*tracks_[s].view), j);
  if (story.submitted == kNever) story.submitted = t;
  if (tracks_[s].waiting) stop_waiting(s);
}

void StoryRecorder::withdrawn(Time t, JobIndex j) {
  clock_ = t;
  leave_rows(j);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  stories_[s].withdrawn = true;
  stories_[s].given_up = t;
  if (tracks_[s].waiting) stop_waiting(s);
  else close_phase(s);
}

/// The job is set aside at the instant at which others have come behind it: it does not wait before these.
void StoryRecorder::not_ahead(JobIndex j) {
  for (const ViewState& state : states_)
    for (const std::uint32_t s : state.waiting) {
      JobStory& story = stories_[s];
      const auto it = story.submitted == clock_ ? std::find(story.ahead.begin(), story.ahead.end(), j) : story.ahead.end();
      if (it == story.ahead.end()) continue;
      story.ahead.erase(it);
      --story.ahead_count;
    }
}

void StoryRecorder::stop_waiting(std::uint32_t s) {
  close_phase(s);
  tracks_[s].waiting = false;
  --waiting_;
  if (tracks_[s].view == nullptr) return;
  std::vector<std::uint32_t>& waiting = state_of(*tracks_[s].view).waiting;
  waiting.erase(std::find(waiting.begin(), waiting.end(), s));
}

// --- what they wait for

namespace {

/// Whether its last phase is later than its earlier runs.
bool waits_since(const JobStory& story) {
  return !story.phases.empty() && (story.earlier.empty() || story.phases.back().from >= story.earlier.back().to);
}

}  // namespace

void StoryRecorder::enter_phase(std::uint32_t s, WaitPhase phase) {
  std::vector<WaitPhase>& phases = stories_[s].phases;
  phase.from = phase.to = clock_;
  if (waits_since(stories_[s])) {
    WaitPhase& last = phases.back();
    last.to = clock_;
    if (last.why == phase.why && last.by == phase.by && last.words == phase.words && last.lack == phase.lack &&
        last.lack_of == phase.lack_of && last.reserved == phase.reserved && last.reservation == phase.reservation) {
      last.by_start = phase.by_start;
      last.extra = phase.extra;
      last.next = phase.next;
      last.next_what = phase.next_what;
      last.least = std::min(last.least, phase.least);
      last.most = std::max(last.most, phase.most);
      for (std::size_t k = 0; k != last.away.size(); ++k) last.away[k] = std::max(last.away[k], phase.away[k]);
      return;
    }
    if (last.from == clock_) phases.pop_back();  // another pass of the same instant
  }
  phases.push_back(std::move(phase));
}

void StoryRecorder::outage_begun(Time t, const Outage& outage) {
  forget_outages(t);
  outages_.push_back(outage);
  for (auto& [n, kind] : down_) kind = kind_of_outage(n, kind);
}

void StoryRecorder::node_down(Time t, NodeId n, OutageKind kind) {
  forget_outages(t);
  down_.emplace_back(n, kind_of_outage(n, kind));
}

/// Of outages that overlap, each keeps the node away for its own time; a failure is said first.
OutageKind StoryRecorder::kind_of_outage(NodeId n, OutageKind was) const {
  const Outage* found = nullptr;
  for (const Outage& o : outages_) {
    if (common_nodes(o.nodes, as_ranges({n})) == 0) continue;
    if (o.kind == OutageKind::kFailure) return o.kind;
    if (found == nullptr) found = &o;
  }
  return found == nullptr ? was : found->kind;
}

/// Those that are over: nodes may still be away for others.
void StoryRecorder::forget_outages(Time t) {
  if (std::erase_if(outages_, [t](const Outage& o) { return o.to <= t; }) == 0) return;
  for (auto& [n, kind] : down_) kind = kind_of_outage(n, kind);
}

void StoryRecorder::node_up(Time, NodeId n) {
  std::erase_if(down_, [n](const auto& down) { return down.first == n; });
}

void StoryRecorder::close_phase(std::uint32_t s) {
  std::vector<WaitPhase>& phases = stories_[s].phases;
  if (!waits_since(stories_[s])) return;
  phases.back().to = clock_;
  if (phases.back().from == clock_) phases.pop_back();
}

void StoryRecorder::passed(Time t) {
  clock_ = t;
  deciding_ = kNoJob;
  forget_outages(t);
  if (waiting_ == 0) return;
  for (ViewState& state : states_)
    if (!state.waiting.empty()) look(state, t);
}

void StoryRecorder::look(ViewState& state, Time t) {
  std::optional<ShieldedStarts> shielded;
  each_waiting(state, [&](std::uint32_t s, Position p) {
    clock_ = t;
    note_place(stories_[s], state.view->queue(), p);
    enter_phase(s, phase_of(state, s, p, shielded));
    if (tracks_[s].passed_at == t) check_promise(s, *state.view, p);
  });
}

/// Where keys order the queue, jobs that come later may stand before one that waits.
void StoryRecorder::note_place(JobStory& story, const WaitingQueue& queue, Position own) const {
  std::size_t place = 1, later = 0;
  for (Position p = queue.first(); p < own; p = queue.next(p)) {
    ++place;
    if (queue.job(p) > story.job) ++later;
  }
  story.best_place = story.best_place == 0 ? place : std::min(story.best_place, place);
  story.worst_place = std::max(story.worst_place, place);
  story.later_ahead = std::max(story.later_ahead, later);
}

/// Whether the job's reservation is still for when it was before others started at this instant.
void StoryRecorder::check_promise(std::uint32_t s, const View& view, Position p) {
  const Time now = view.queue().reserved(p);
  if (now <= tracks_[s].before) return;
  for (Passing& passing : stories_[s].passings)
    if (passing.at == clock_ && passing.promised != kNever) passing.moved_to = wall(view, now);
}

namespace {

/// The jobs that hold most nodes just now. One that is suspended keeps its own; under time slices one that is stopped does not.
void name_holders(WaitPhase& phase, const View& view, std::size_t most, bool sliced) {
  std::vector<std::pair<std::int32_t, JobIndex>> held;
  for (const StartedJob& job : view.started())
    if (!sliced || job.phase != Phase::kPreempted) held.emplace_back(-job.node_count, job.index);
  const std::size_t n = std::min(held.size(), most);
  std::partial_sort(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(n), held.end());
  for (std::size_t i = 0; i != n; ++i) phase.holders.push_back(held[i].second);
  phase.holder_count = held.size();
}

}  // namespace

WaitPhase StoryRecorder::phase_of(ViewState& state, std::uint32_t s, Position p,
                                  std::optional<ShieldedStarts>& shielded) const {
  const View& view = *state.view;
  const WaitingQueue& queue = view.queue();
  const JobIndex j = queue.job(p);
  WaitPhase phase;
  phase.needed = queue.nodes(p);
  phase.planned = queue.duration(p);
  if (sliced_ && open_ != &view) {
    phase.why = Hold::kSlice;
    return phase;
  }
  phase.least = phase.most = view.free_now();
  for (const auto& [node, kind] : down_) ++phase.away[static_cast<std::size_t>(kind)];
  phase.words = words_for(state, j);
  if (!phase.words.empty()) {
    phase.why = Hold::kPolicy;
  } else if (std::find(state.ruled_out.begin(), state.ruled_out.end(), j) != state.ruled_out.end()) {
    phase.why = Hold::kRule;
  } else if (!view.available().by_count()) {
    note_lack(phase, view, j, kNamesKept, maintenance_);
    if (phase.reserved != WaitPhase::Reserved::kNo) phase.why = Hold::kReserved;
    else if (phase.lack != Lack::kNothing || phase.needed > view.free_now()) phase.why = Hold::kNodes;
    else if (phase.why != Hold::kMaintenance) note_order(phase, state, p, shielded);
  } else if (phase.needed > view.free_now()) {
    if (!waits_since(stories_[s]) || stories_[s].phases.back().why != Hold::kNodes) name_holders(phase, view, kNamesKept, sliced_);
  } else {
    note_order(phase, state, p, shielded);
  }
  return phase;
}

/// What keeps a job that has room now from starting: other jobs that wait, or its policy.
void StoryRecorder::note_order(WaitPhase& phase, const ViewState& state, Position p,
                               std::optional<ShieldedStarts>& shielded) const {
  const View& view = *state.view;
  const WaitingQueue& queue = view.queue();
  const bool by_book = !view.available().by_count();
  if (!shielded) {
    std::vector<Shield> shields = state.shields;
    if (by_book && state.head != kNoJob && state.may_pass) shields.push_back({state.head, state.shadow});
    shielded.emplace(view, shields);
  }
  if (const std::optional<Shield> delayed = shielded->first_delayed(p)) {
    phase.why = Hold::kReservation;
    phase.by = delayed->job;
    phase.by_start = wall(view, delayed->start);
    phase.extra = -1;
    return;
  }
  const bool behind = state.head != kNoJob && state.head != queue.job(p) && queue.find(state.head) < p;
  phase.why = Hold::kPolicy;
  if (state.next != kNever) {
    phase.next = wall(view, state.next);
    phase.next_what = state.next_what;
  }
  if (!behind) return;
  if (!state.may_pass) phase.why = Hold::kOrder;
  else if (p >= state.end) phase.why = Hold::kDepth;
  else if (!by_book && phase.planned > state.shadow - view.now() && phase.needed > state.extra) phase.why = Hold::kReservation;
  else return;
  phase.by = state.head;
  phase.extra = state.extra;
  if (state.may_pass) phase.by_start = wall(view, state.shadow);
}

void StoryRecorder::not_admitted(Time t, JobIndex j, const RoomInRows& room) {
  clock_ = t;
  if (room.head == kNoJob) {
    row_head_ = j;
    row_shadow_ = room.shadow;
  }
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  JobStory& story = stories_[s];
  if (story.phases.empty() && story.submitted == t) story.free = room.most_free;
  WaitPhase phase;
  phase.needed = room.needed;
  phase.least = phase.most = room.most_free;
  if (room.head != kNoJob && !room.may_pass) phase.why = Hold::kOrder;
  else if (room.head != kNoJob && room.most_free >= room.needed) phase.why = Hold::kReservation;
  if (phase.why != Hold::kNodes) {
    phase.by = room.head;
    phase.by_start = room.shadow;
    phase.extra = -1;
  }
  enter_phase(s, std::move(phase));
}

/// For nodes that it has.
void StoryRecorder::booting(Time t, JobIndex j, Duration wait, std::int32_t nodes) {
  note_event(j, {JobEvent::kBooting, t, kNoJob, wait, static_cast<double>(nodes)});
}

}  // namespace coslice

// What the jobs of stories wait for, looked at when each pass is over.
#include <algorithm>

#include "observers/story_lack.h"
#include "observers/story_recorder.h"

namespace coslice {

void StoryRecorder::enter_phase(std::uint32_t s, WaitPhase phase) {
  std::vector<WaitPhase>& phases = stories_[s].phases;
  phase.from = phase.to = clock_;
  if (!phases.empty()) {
    WaitPhase& last = phases.back();
    last.to = clock_;
    if (last.why == phase.why && last.by == phase.by && last.words == phase.words && last.lack == phase.lack &&
        last.lack_of == phase.lack_of && last.reserved == phase.reserved && last.reservation == phase.reservation) {
      last.by_start = phase.by_start;
      last.extra = phase.extra;
      last.least = std::min(last.least, phase.least);
      last.most = std::max(last.most, phase.most);
      for (std::size_t k = 0; k != last.away.size(); ++k) last.away[k] = std::max(last.away[k], phase.away[k]);
      return;
    }
    if (last.from == clock_) phases.pop_back();  // another pass of the same instant
  }
  phases.push_back(std::move(phase));
}

void StoryRecorder::node_down(Time, NodeId n, OutageKind kind) { down_.emplace_back(n, kind); }

void StoryRecorder::node_up(Time, NodeId n) {
  std::erase_if(down_, [n](const auto& down) { return down.first == n; });
}

void StoryRecorder::close_phase(std::uint32_t s) {
  std::vector<WaitPhase>& phases = stories_[s].phases;
  if (phases.empty()) return;
  phases.back().to = clock_;
  if (phases.back().from == clock_) phases.pop_back();
}

void StoryRecorder::passed(Time t) {
  clock_ = t;
  deciding_ = kNoJob;
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

/// The jobs that hold most nodes just now.
void name_holders(WaitPhase& phase, const View& view, std::size_t most) {
  std::vector<std::pair<std::int32_t, JobIndex>> held;
  for (const StartedJob& job : view.started())
    if (job.phase != Phase::kPreempted) held.emplace_back(-job.node_count, job.index);
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
  } else if (view.resources() != nullptr) {
    note_lack(phase, view, j, kNamesKept, maintenance_);
    const bool lacks = phase.lack != Lack::kNothing || phase.needed > view.free_now();
    if (phase.reserved != WaitPhase::Reserved::kNo) phase.why = Hold::kReserved;
    else if (phase.why != Hold::kMaintenance || lacks) phase.why = lacks ? Hold::kNodes : Hold::kPolicy;  // counts of nodes do not say which job it would delay
  } else if (phase.needed > view.free_now()) {
    const std::vector<WaitPhase>& before = stories_[s].phases;
    if (before.empty() || before.back().why != Hold::kNodes) name_holders(phase, view, kNamesKept);
  } else {
    if (!shielded) shielded.emplace(view, state.shields);
    if (const std::optional<Shield> delayed = shielded->first_delayed(p)) {
      phase.why = Hold::kReservation;
      phase.by = delayed->job;
      phase.by_start = wall(view, delayed->start);
      phase.extra = -1;
      return phase;
    }
    const bool behind = state.head != kNoJob && state.head != j && queue.find(state.head) < p;
    phase.why = Hold::kPolicy;
    if (!behind) return phase;
    if (!state.may_pass) phase.why = Hold::kOrder;
    else if (p >= state.end) phase.why = Hold::kDepth;
    else if (phase.planned > state.shadow - view.now() && phase.needed > state.extra) phase.why = Hold::kReservation;
    else return phase;
    phase.by = state.head;
    phase.extra = state.extra;
    if (state.may_pass) phase.by_start = wall(view, state.shadow);
  }
  return phase;
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

#include "observe/story_recorder.h"

#include <algorithm>
#include <limits>

#include "jobs/job_demands.h"
#include "machine/node_set.h"
#include "sharing/contention.h"
#include "sharing/group_search.h"
#include "sharing/sharing.h"

namespace coslice {
namespace {

/// How many refused sharing groups of a job are kept apart.
constexpr std::size_t kGroups = 200;

/// Jobs that start together do not pass others of their own sharing group.
void pass_with(StartFacts& facts, const Group& group) {
  const auto drop = [&](JobIndex j) { facts.passed_count -= std::erase(facts.passed, j); };
  drop(group.primary->index);
  for (const Group::Matched& m : group.matched) drop(m.job->index);
}

/// Whether its last phase is later than its earlier runs.
bool waits_since(const JobStory& story) {
  return !story.phases.empty() && (story.earlier.empty() || story.phases.back().from >= story.earlier.back().to);
}

/// The jobs that hold most nodes just now. One that is suspended keeps its own; one that waits for its slice does not.
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

StoryRecorder::StoryRecorder(std::size_t jobs, const std::vector<JobIndex>& of, std::vector<Outage> maintenance)
    : maintenance_(std::move(maintenance)), index_(jobs, kNone), stories_(of.size()), tracks_(of.size()) {
  for (std::size_t s = 0; s != of.size(); ++s) {
    index_[of[s]] = static_cast<std::uint32_t>(s);
    stories_[s].job = of[s];
  }
}

bool StoryRecorder::complete() const {
  return std::ranges::all_of(stories_, [](const JobStory& s) { return s.ended != kNever || s.given_up != kNever; });
}

StoryRecorder::ViewState& StoryRecorder::state_of(const View& view) {
  for (ViewState& state : states_)
    if (state.view == &view) return state;
  ViewState& state = states_.emplace_back();
  state.view = &view;
  return state;
}

/// On the machine's clock, as far as that can be told.
Time StoryRecorder::wall(const View& view, Time t) {
  if (t == kNever) return kNever;
  return view.wall_time_after(std::max(Duration{0}, t - view.now()));
}

const std::string& StoryRecorder::words_for(const Words& words, JobIndex j) {
  static const std::string none;
  for (auto it = words.rbegin(); it != words.rend(); ++it)
    if (it->first == j) return it->second;
  return none;
}

void StoryRecorder::reserved(Time, JobIndex j, Time start) {
  const std::uint32_t s = story_of(j);
  if (s == kNone || tracks_[s].view == nullptr || tracks_[s].promised == start) return;
  const View& view = *tracks_[s].view;
  clock_ = view.wall_now();
  tracks_[s].promised = start;
  PromisedStart promise{clock_, wall(view, start), view.queue().reserved(view.queue().find(j)) != kNever, kNoJob};
  if (ended_at_ == clock_ && !ended_.empty()) promise.after = ended_.front();
  std::vector<PromisedStart>& promises = stories_[s].promises;
  if (!promises.empty() && promises.back().at == promise.at) promises.back() = promise;
  else promises.push_back(promise);
}

// --- what the scheduler of a view says

void StoryRecorder::asked(const View& view) {
  clock_ = view.wall_now();
  ViewState& state = state_of(view);
  state.head = kNoJob;
  state.may_pass = false;
  state.shields.clear();
  state.ruled_out.clear();
  state.words.clear();
  state.words_if_none.clear();
  const Wake asked_for = next_of(state);
  state.earlier = {};
  if (asked_for.at > view.now()) state.earlier = asked_for;
  state.next = {};
  state.next_unsaid = {};
}

/// The first of them counts; where it says nothing, only if no other one does.
void StoryRecorder::wakes(const View& view, Time t, std::string_view what) {
  ViewState& state = state_of(view);
  if (waiting_ != 0) (what.empty() ? state.next_unsaid : state.next).add(t, what);
}

const StoryRecorder::Wake& StoryRecorder::next_of(const ViewState& state) {
  if (state.next.at != kNever) return state.next;
  return state.next_unsaid.at != kNever ? state.next_unsaid : state.earlier;
}

void StoryRecorder::blocked(const View& view, std::size_t head) {
  ViewState& state = state_of(view);
  state.head = view.queue().job(head);
  state.may_pass = false;
}

void StoryRecorder::blocked(const View& view, std::size_t head, Time shadow, std::int32_t extra, std::size_t end) {
  ViewState& state = state_of(view);
  state.head = view.queue().job(head);
  state.may_pass = true;
  state.shadow = shadow;
  state.extra = extra;
  state.end = end;
}

void StoryRecorder::group_refused(const View& view, const GroupPlan& plan, GroupRefusal why, JobIndex hurt,
                                  std::string_view words) {
  if (waiting_ == 0) return;
  const auto note = [&](JobIndex j) {
    const std::uint32_t s = story_of(j);
    if (s == kNone || !tracks_[s].waiting) return;
    std::vector<JobIndex> matched;
    for (const Candidate& c : plan.matched) matched.push_back(c.job);
    std::vector<RefusedGroup>& refused = stories_[s].refused;
    auto same = std::ranges::find_if(refused, [&](const RefusedGroup& g) {
      return g.why == why && g.primary == plan.primary.job && g.matched == matched && g.words == words;
    });
    const Time now = view.wall_now();
    if (same == refused.end()) {
      if (refused.size() == kGroups) {
        ++stories_[s].refused_more;
        return;
      }
      refused.push_back({now, now, 0, plan.primary.job, std::move(matched), 0, why, hurt, 0, std::string(words)});
      same = refused.end() - 1;
    }
    same->last = now;
    ++same->times;
    same->gain = plan.gain;
    same->hurt = hurt;
    same->fresh = plan.fresh;
  };
  note(plan.primary.job);
  for (const Candidate& c : plan.matched) note(c.job);
}

// --- starts

void StoryRecorder::starting(const View& view, std::size_t position) {
  clock_ = view.wall_now();
  const WaitingQueue& queue = view.queue();
  const JobIndex j = queue.job(position);
  if (waiting_ == 0) return;
  Starting s{j, &view, queue.duration(position), queue.nodes(position), {}, {}};
  each_waiting(state_of(view), [&](std::uint32_t other, Position p) {
    if (p < position) s.passed.push_back(other);
    else if (p > position && stories_[other].job < j) s.ordered.push_back(other);
  });
  if (sliced_ && open_ != nullptr && open_ != &view)
    each_waiting(state_of(*open_), [&](std::uint32_t other, Position) { s.passed.push_back(other); });
  if (story_of(j) != kNone) take_place(stories_[story_of(j)], view, position);
  starting_.push_back(std::move(s));
}

/// The jobs that the job passes by starting now, and what bounded that.
void StoryRecorder::take_place(JobStory& story, const View& view, Position position) {
  const WaitingQueue& queue = view.queue();
  StartFacts& facts = story.start;
  for (Position p = queue.first(); p < position; p = queue.next(p))
    if (facts.passed_count++ < kNamesKept) facts.passed.push_back(queue.job(p));
  facts.planned = queue.duration(position);
}

void StoryRecorder::decided(Time now, JobIndex j, StartReason reason) {
  if (states_.empty()) clock_ = now;  // no view, so the time is that of the machine
  deciding_ = j;
  const auto it = std::ranges::find_if(starting_, [j](const Starting& s) { return s.job == j; });
  if (it != starting_.end()) note_passings(*it, reason);
  else if (states_.empty() && waiting_ != 0) note_row_passings(j);
  if (story_of(j) != kNone) note_start(story_of(j), reason, it != starting_.end() ? &*it : nullptr);
  if (it != starting_.end()) starting_.erase(it);
}

void StoryRecorder::note_passings(const Starting& starting, StartReason reason) {
  const ViewState& state = state_of(*starting.view);
  for (const std::uint32_t s : starting.passed) {
    Passing passing{starting.job,   clock_, reason, starting.planned,
                    starting.nodes, kNoJob, kNever, 0,
                    kNever,         kNever, false,  words_for(state.words, starting.job)};
    if (state.head != kNoJob && state.may_pass) {
      passing.head = state.head;
      passing.head_start = wall(*starting.view, state.shadow);
      passing.extra = state.extra;
    }
    const View& own = *tracks_[s].view;
    const Position p = own.queue().find(stories_[s].job);
    if (p < own.queue().end() && own.queue().reserved(p) != kNever) {
      passing.promised = wall(own, own.queue().reserved(p));
      if (tracks_[s].passed_at != clock_) tracks_[s].before = own.queue().reserved(p);
      tracks_[s].passed_at = clock_;
    }
    stories_[s].passings.push_back(std::move(passing));
  }
  for (const std::uint32_t s : starting.ordered) {
    stories_[s].passings.push_back(
        {starting.job, clock_, reason, starting.planned, starting.nodes, kNoJob, kNever, 0, kNever, kNever, true, ""});
  }
}

/// On shared processors jobs wait in the order in which they came.
void StoryRecorder::note_row_passings(JobIndex j) {
  for (std::uint32_t s = 0; s != stories_.size(); ++s) {
    if (!tracks_[s].waiting || stories_[s].job >= j) continue;
    stories_[s].passings.push_back(
        {j, clock_, StartReason::kBackfilled, {}, 0, row_head_, row_shadow_, 0, kNever, kNever, false, ""});
  }
}

void StoryRecorder::note_start(std::uint32_t s, StartReason reason, const Starting* starting) {
  JobStory& story = stories_[s];
  ++story.start_reasons;
  StartFacts& facts = story.start;
  facts.reason = reason;
  facts.slice_began = sliced_ && slice_began_ == clock_;
  if (ended_at_ == clock_)
    facts.ended.assign(ended_.begin(),
                       ended_.begin() + static_cast<std::ptrdiff_t>(std::min(ended_.size(), kNamesKept)));
  if (starting != nullptr) {
    const ViewState& state = state_of(*starting->view);
    facts.words = words_for(state.words, story.job);
    if (state.head != kNoJob && state.head != story.job && state.may_pass && facts.passed_count > 0) {
      facts.head = state.head;
      facts.head_start = wall(*starting->view, state.shadow);
      facts.extra = state.extra;
    }
  } else if (reason == StartReason::kBackfilled) {
    facts.head = row_head_;
    facts.head_start = row_shadow_;
  }
  while (!story.passings.empty() && story.passings.back().at == clock_) story.passings.pop_back();
  if (tracks_[s].waiting) stop_waiting(s);
}

void StoryRecorder::started(Time t, JobIndex j, const NodeRanges& nodes) {
  clock_ = t;
  if (deciding_ == j) deciding_ = kNoJob;
  if (j == row_head_) row_head_ = kNoJob;
  leave_rows(j);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  JobStory& story = stories_[s];
  story.started = t;
  story.where = nodes;
  story.start.nodes = nodes.count();
  if (sliced_ && open_ != nullptr && open_ != tracks_[s].view)
    note_event(j, {JobEvent::kForeign, t, kNoJob, {}, 0, slice_});
}

// --- after the start

/// What was told at this instant of standing still in place and of going on did not take effect. Returns whether it
/// stands still since before.
bool StoryRecorder::forget_turns(Time t, JobIndex j) {
  if (story_of(j) == kNone) return false;
  std::vector<JobEvent>& events = stories_[story_of(j)].events;
  const auto is_turn = [](const JobEvent& e) {
    return e.kind == JobEvent::kContinued || e.kind == JobEvent::kSuspended;
  };
  while (!events.empty() && events.back().at == t && is_turn(events.back())) events.pop_back();
  const auto last = std::find_if(events.rbegin(), events.rend(), is_turn);
  return last != events.rend() && last->kind == JobEvent::kSuspended;
}

void StoryRecorder::stand_still(Time t, JobIndex j, JobEvent why) {
  clock_ = t;
  partners_.pauses(t, j);
  forget_turns(t, j);
  if (const std::uint32_t s = story_of(j); s != kNone) tracks_[s].still_since = t;
  note_event(j, std::move(why));
}

void StoryRecorder::resumed(Time t, JobIndex j, const NodeRanges&) {
  clock_ = t;
  partners_.goes_on(t, j);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  move_again(t, s);
  if (forget_turns(t, j)) return note_event(j, {JobEvent::kContinued, t});
  if (!sliced_) return;
  note_event(j, {open_ == tracks_[s].view ? JobEvent::kResumed : JobEvent::kForeign, t, kNoJob, {}, 0, slice_});
}

/// It goes on, or its run is over.
void StoryRecorder::move_again(Time t, std::uint32_t s) {
  if (tracks_[s].still_since == kNever) return;
  stories_[s].still += t - tracks_[s].still_since;
  tracks_[s].still_since = kNever;
}

void StoryRecorder::group_formed(Time t, const Group& group, double gain) {
  const auto note = [&](JobIndex j) {
    const std::uint32_t s = story_of(j);
    if (s == kNone) return;
    tracks_[s].group = group.id;
    JobEvent event{JobEvent::kGroup, t, group.primary->index, {}, gain};
    for (const Group::Matched& m : group.matched) event.members.push_back(m.job->index);
    if (stories_[s].started == kNever) pass_with(stories_[s].start, group);
    note_event(j, std::move(event));
  };
  note(group.primary->index);
  for (const Group::Matched& m : group.matched) note(m.job->index);
}

void StoryRecorder::group_ended(Time t, const Group& group) {
  for (std::uint32_t s = 0; s != stories_.size(); ++s) {
    if (tracks_[s].group != group.id) continue;
    tracks_[s].group = 0;
    if (stories_[s].ended == kNever) note_event(stories_[s].job, {JobEvent::kAlone, t});
  }
}

void StoryRecorder::slice_begun(Time t, std::size_t job_class, Duration) {
  clock_ = t;
  slice_ = job_class;
  slice_began_ = t;
}

void StoryRecorder::interrupted(Time t, JobIndex j, const NodeRanges&, const Interruption& what) {
  clock_ = t;
  note_shared(t, j);
  forget_turns(t, j);
  note_event(j, {what.by == InterruptedBy::kFailure ? JobEvent::kFailed : JobEvent::kStopped, t, what.for_job,
                 what.lost, what.requeued ? 1.0 : 0.0});
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  tracks_[s].promised = kNever;
  tracks_[s].group = 0;  // it leaves it
  move_again(t, s);
  JobStory& story = stories_[s];
  if (!what.requeued) {
    story.ended = t;
    return;
  }
  story.earlier.push_back({story.started, t, story.still, what.lost, story.events.size() - 1});
  story.still = Duration{0};
  story.started = kNever;
  story.start = {};
}

void StoryRecorder::ended(Time t, JobIndex j, const NodeRanges&, bool killed) {
  clock_ = t;
  note_shared(t, j);
  if (ended_at_ != t) ended_.clear();
  ended_at_ = t;
  ended_.push_back(j);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  move_again(t, s);
  stories_[s].ended = t;
  stories_[s].killed = killed;
}

// --- how they come into the queue and leave it without a start

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
    phase.why = WaitReason::kAside;
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
  if (why == Rejection::kPolicy) story.refusal = words_for(state_of(*tracks_[s].view).words, j);
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
      if (story.submitted == clock_) story.ahead_count -= std::erase(story.ahead, j);
    }
}

void StoryRecorder::stop_waiting(std::uint32_t s) {
  close_phase(s);
  tracks_[s].waiting = false;
  --waiting_;
  if (tracks_[s].view == nullptr) return;
  std::erase(state_of(*tracks_[s].view).waiting, s);
}

// --- what they wait for

void StoryRecorder::enter_phase(std::uint32_t s, WaitPhase phase) {
  std::vector<WaitPhase>& phases = stories_[s].phases;
  phase.from = phase.to = clock_;
  if (waits_since(stories_[s])) {
    WaitPhase& last = phases.back();
    last.to = clock_;
    if (last.why == phase.why && last.by == phase.by && last.words == phase.words && last.lack == phase.lack &&
        last.lack_of == phase.lack_of && last.component == phase.component && last.reserved == phase.reserved &&
        last.reservation == phase.reservation && last.kept == phase.kept &&
        last.beside.reservation == phase.beside.reservation && last.beside.times == phase.beside.times) {
      if (phase.needed < last.needed) {  // one of several sizes came with another one
        last.needed = phase.needed;
        last.holders = std::move(phase.holders);
        last.holder_ends = std::move(phase.holder_ends);
      }
      last.beside.nodes = std::max(last.beside.nodes, phase.beside.nodes);
      last.by_start = phase.by_start;
      last.extra = phase.extra;
      last.next = phase.next;
      last.next_what = phase.next_what;
      last.least = std::min(last.least, phase.least);
      last.most = std::max(last.most, phase.most);
      for (std::size_t k = 0; k != last.down.size(); ++k) last.down[k] = std::max(last.down[k], phase.down[k]);
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

/// Outages that are over: nodes may still be down for others.
void StoryRecorder::forget_outages(Time t) {
  if (std::erase_if(outages_, [t](const Outage& o) { return o.to <= t; }) == 0) return;
  for (auto& [n, kind] : down_) kind = kind_of_outage(n, kind);
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
  if (waiting_ == 0 || !looks()) return;
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

WaitPhase StoryRecorder::phase_of(ViewState& state, std::uint32_t s, Position p,
                                  std::optional<ShieldedStarts>& shielded) const {
  const View& view = *state.view;
  const WaitingQueue& queue = view.queue();
  const JobIndex j = queue.job(p);
  WaitPhase phase;
  phase.needed = queue.nodes(p);
  phase.planned = queue.duration(p);
  if (sliced_ && open_ != &view) {
    phase.why = WaitReason::kSlice;
    return phase;
  }
  phase.least = phase.most = view.free_now();
  for (const auto& [node, kind] : down_) ++phase.down[static_cast<std::size_t>(kind)];
  phase.words = words_for(state.words, j);
  if (!phase.words.empty()) {
    phase.why = WaitReason::kPolicy;
  } else if (std::ranges::find(state.ruled_out, j) != state.ruled_out.end()) {
    phase.why = WaitReason::kRule;
  } else if (!view.available().by_count()) {
    note_lack(phase, view, j, kNamesKept, maintenance_);
    if (phase.reserved != WaitPhase::Reserved::kNo) phase.why = WaitReason::kReserved;
    else if (phase.lack != Lack::kNothing || (!down_.empty() && phase.needed > view.free_now()))
      phase.why = WaitReason::kNodes;
    else if (phase.why != WaitReason::kMaintenance) note_order(phase, state, p, shielded);
  } else if (phase.needed > view.free_now()) {
    if (!waits_since(stories_[s]) || stories_[s].phases.back().why != WaitReason::kNodes)
      name_holders(phase, view, kNamesKept);
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
  const bool by_node = !view.available().by_count();
  if (!shielded) {
    std::vector<Shield> shields = state.shields;
    if (by_node && state.head != kNoJob && state.may_pass) shields.push_back({state.head, state.shadow});
    shielded.emplace(view, shields);
  }
  if (const std::optional<Shield> delayed = shielded->first_delayed(p)) {
    phase.why = WaitReason::kReservation;
    phase.by = delayed->job;
    phase.by_start = wall(view, delayed->start);
    phase.extra = -1;
    return;
  }
  note_next(phase, state);
  const bool behind = state.head != kNoJob && state.head != queue.job(p) && queue.find(state.head) < p;
  if (!behind) return note_planned(phase, state, p, *shielded);
  if (!state.may_pass) phase.why = WaitReason::kOrder;
  else if (p >= state.end) phase.why = WaitReason::kDepth;
  else if (!by_node && phase.planned > state.shadow - view.now() && phase.needed > state.extra)
    phase.why = WaitReason::kReservation;
  else return note_planned(phase, state, p, *shielded);
  phase.by = state.head;
  phase.extra = state.extra;
  if (state.may_pass) phase.by_start = wall(view, state.shadow);
}

void StoryRecorder::note_next(WaitPhase& phase, const ViewState& state) const {
  const Wake& next = next_of(state);
  if (next.at == kNever) return;
  phase.next = wall(*state.view, next.at);
  phase.next_what = next.what;
}

/// What a policy's own pass has told of a job that would delay no start that is kept free.
void StoryRecorder::note_planned(WaitPhase& phase, const ViewState& state, Position p,
                                 const ShieldedStarts& shielded) const {
  const View& view = *state.view;
  const JobIndex j = view.queue().job(p);
  const auto planned = state.planned.find(j);
  phase.why = WaitReason::kPolicy;
  if (planned != state.planned.end() && planned->second.start > view.now()) {
    phase.why = planned->second.why;
    phase.by = planned->second.by;
    phase.by_start = wall(view, planned->second.start);
    phase.extra = -1;
  } else if (!view.without_reservations()->has_room_now(view.ask(p))) {
    // What is free is counted without nodes that are down.
    phase.why = down_.empty() || view.available().by_count() ? WaitReason::kTime : WaitReason::kNodes;
  } else {
    if (const Time own = view.queue().reserved(p); own != kNever && own > view.now()) {
      phase.why = WaitReason::kOwnStart;
      phase.by_start = wall(view, own);
    }
    phase.words = words_for(state.words_if_none, j);
    if (phase.words.empty() && phase.why == WaitReason::kPolicy) note_kept_nodes(phase, state, p, shielded);
  }
}

/// Which nodes a start is to have was chosen in the pass, from what was free then: others may do for it now, but the
/// job was asked beside those.
void StoryRecorder::note_kept_nodes(WaitPhase& phase, const ViewState& state, Position p,
                                    const ShieldedStarts& shielded) const {
  const View& view = *state.view;
  if (view.available().by_count() || state.head == view.queue().job(p)) return;
  const bool in_the_pass = (state.head != kNoJob && state.may_pass) || !state.shields.empty();
  if (!in_the_pass && view.available().has_room_now(view.ask(p))) return;
  const std::optional<Shield> kept = shielded.first_within(p);
  if (!kept) return;
  phase.why = WaitReason::kReservation;
  phase.by = kept->job;
  phase.by_start = wall(view, kept->start);
  phase.kept = true;
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
  if (room.head != kNoJob && !room.may_pass) phase.why = WaitReason::kOrder;
  else if (room.head != kNoJob && room.most_free >= room.needed) phase.why = WaitReason::kReservation;
  if (phase.why != WaitReason::kNodes) {
    phase.by = room.head;
    phase.by_start = room.shadow;
    phase.extra = -1;
  }
  enter_phase(s, std::move(phase));
}

// --- jobs that share GPUs

/// On nodes of several kinds it is as fast as on the slowest.
double StoryRecorder::speed_alone(JobIndex j, const Parts& parts) const {
  const View* const view = states_.empty() ? nullptr : states_.front().view;
  if (view == nullptr || view->demands() == nullptr) return 1;
  const MachineLayout& layout = view->demands()->layout();
  double slowest = std::numeric_limits<double>::infinity();
  for (const NodePart& part : parts) {
    const std::int32_t kind = layout.kind_index(part.node);
    const Contention* const contention = view->host().contention();
    const std::int32_t slices = layout.kinds[static_cast<std::size_t>(kind)].slices;
    double slowdown = 0;  // where GPUs are divided, alone is on a whole one
    if (contention != nullptr && slices != 0) slowdown = contention->expected_on_gpu_instance(j, kind, slices);
    if (contention != nullptr && slowdown == 0) slowdown = contention->expected_on(j, kind, kNoJob);
    slowest = std::min(slowest, slowdown > 0 ? 1 / slowdown : layout.kind_of(part.node).speed);
  }
  return slowest;
}

bool StoryRecorder::has_slice(JobIndex j) const {
  const View* const view = states_.empty() ? nullptr : states_.front().view;
  return view != nullptr && view->demands() != nullptr && view->demands()->request(j).slice > 0;
}

/// The job's run is over.
void StoryRecorder::note_shared(Time t, JobIndex j) {
  if (const std::optional<GpuSlice> slice = partners_.slice_of(t, j)) {
    JobEvent event{JobEvent::kShared, t, kNoJob, slice->time};
    event.members = slice->beside;
    event.lost = slice->lost;
    note_event(j, std::move(event));
  }
  for (GpuTogether both : partners_.left(t, j)) {
    for (int i = 0; i < 2; ++i) {
      JobEvent event{JobEvent::kShared, t, both.other, both.time};
      event.lost = both.lost;
      event.other_lost = both.other_lost;
      note_event(both.job, std::move(event));
      std::swap(both.job, both.other);
      std::swap(both.lost, both.other_lost);
    }
  }
}

}  // namespace coslice

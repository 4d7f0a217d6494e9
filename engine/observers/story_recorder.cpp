#include "observers/story_recorder.h"

#include <algorithm>

#include "sharing/group_search.h"
#include "sharing/sharing.h"

namespace coslice {

namespace {

/// How many refused sharing groups of a job are kept apart.
constexpr std::size_t kGroups = 200;

}  // namespace

StoryRecorder::StoryRecorder(std::size_t jobs, const std::vector<JobIndex>& of, std::vector<Outage> maintenance)
    : maintenance_(std::move(maintenance)), index_(jobs, kNone), stories_(of.size()), tracks_(of.size()) {
  for (std::size_t s = 0; s != of.size(); ++s) {
    index_[of[s]] = static_cast<std::uint32_t>(s);
    stories_[s].job = of[s];
  }
}

bool StoryRecorder::complete() const {
  return std::all_of(stories_.begin(), stories_.end(),
                     [](const JobStory& s) { return s.ended != kNever || s.given_up != kNever; });
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

const std::string& StoryRecorder::words_for(const ViewState& state, JobIndex j) {
  static const std::string none;
  for (auto it = state.words.rbegin(); it != state.words.rend(); ++it)
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
  ViewState& state = state_of(view);
  state.head = kNoJob;
  state.may_pass = false;
  state.shields.clear();
  state.ruled_out.clear();
  state.words.clear();
  state.next = kNever;
}

/// The first of them counts.
void StoryRecorder::wakes(const View& view, Time t, std::string_view what) {
  ViewState& state = state_of(view);
  if (waiting_ == 0 || t >= state.next) return;
  state.next = t;
  state.next_what = what;
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

void StoryRecorder::shields(const View& view, JobIndex j, Time start) {
  if (waiting_ != 0 || !starting_.empty()) state_of(view).shields.push_back({j, start});
}

void StoryRecorder::ruled_out(const View& view, JobIndex j) {
  if (story_of(j) != kNone) state_of(view).ruled_out.push_back(j);
}

void StoryRecorder::reasoned(const View& view, JobIndex j, std::string_view words) {
  if (waiting_ != 0) state_of(view).words.emplace_back(j, words);
}

void StoryRecorder::opened(const View& view) {
  sliced_ = true;
  open_ = &view;
}

void StoryRecorder::closed(const View&) {
  sliced_ = true;
  open_ = nullptr;
}

void StoryRecorder::foreign_refused(const View&, JobIndex j, ForeignRefusal why) {
  const std::uint32_t s = story_of(j);
  if (s != kNone) ++stories_[s].foreign_refusals[static_cast<std::size_t>(why)];
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
    auto same = std::find_if(refused.begin(), refused.end(), [&](const RefusedGroup& g) {
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
  const auto it = std::find_if(starting_.begin(), starting_.end(), [j](const Starting& s) { return s.job == j; });
  if (it != starting_.end()) note_passings(*it, reason);
  else if (states_.empty() && waiting_ != 0) note_row_passings(j);
  if (story_of(j) != kNone) note_start(story_of(j), reason, it != starting_.end() ? &*it : nullptr);
  if (it != starting_.end()) starting_.erase(it);
}

void StoryRecorder::note_passings(const Starting& starting, StartReason reason) {
  const ViewState& state = state_of(*starting.view);
  for (const std::uint32_t s : starting.passed) {
    Passing passing{starting.job, clock_, reason, starting.planned, starting.nodes, kNoJob,
                    kNever,       0,      kNever, kNever,           false,          words_for(state, starting.job)};
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
    facts.words = words_for(state, story.job);
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

void StoryRecorder::note_event(JobIndex j, JobEvent event) {
  if (story_of(j) != kNone) stories_[story_of(j)].events.push_back(std::move(event));
}

/// What was told at this instant of standing still in place and of going on did not take effect. Returns whether it stands still
/// since before.
bool StoryRecorder::forget_turns(Time t, JobIndex j) {
  if (story_of(j) == kNone) return false;
  std::vector<JobEvent>& events = stories_[story_of(j)].events;
  const auto is_turn = [](const JobEvent& e) { return e.kind == JobEvent::kContinued || e.kind == JobEvent::kSuspended; };
  while (!events.empty() && events.back().at == t && is_turn(events.back())) events.pop_back();
  const auto last = std::find_if(events.rbegin(), events.rend(), is_turn);
  return last != events.rend() && last->kind == JobEvent::kSuspended;
}

void StoryRecorder::preempted(Time t, JobIndex j) {
  clock_ = t;
  partners_.pauses(t, j);
  forget_turns(t, j);
  if (const std::uint32_t s = story_of(j); s != kNone) tracks_[s].still_since = t;
  if (deciding_ != kNoJob)
    note_event(j, {sliced_ ? JobEvent::kEvicted : JobEvent::kSuspended, t, deciding_});
  else note_event(j, {JobEvent::kSliceEnded, t});
}

void StoryRecorder::resumed(Time t, JobIndex j, const NodeRanges&) {
  clock_ = t;
  partners_.goes_on(t, j);
  const std::uint32_t s = story_of(j);
  if (s == kNone) return;
  move_again(t, s);
  if (!sliced_) {
    if (forget_turns(t, j)) note_event(j, {JobEvent::kContinued, t});
    return;
  }
  note_event(j, {open_ == tracks_[s].view ? JobEvent::kResumed : JobEvent::kForeign, t, kNoJob, {}, 0, slice_});
}

/// It goes on, or its run is over.
void StoryRecorder::move_again(Time t, std::uint32_t s) {
  if (tracks_[s].still_since == kNever) return;
  stories_[s].still += t - tracks_[s].still_since;
  tracks_[s].still_since = kNever;
}

void StoryRecorder::swapped_out(Time t, JobIndex j, Duration time) {
  note_event(j, {JobEvent::kSwapped, t, kNoJob, time});
}

void StoryRecorder::rate_changed(Time t, JobIndex j, Rate rate) {
  partners_.rate_changed(t, j, rate.value());
  note_event(j, {JobEvent::kRate, t, kNoJob, {}, rate.value()});
}

namespace {

/// Jobs that start together do not pass others of their own sharing group.
void pass_with(StartFacts& facts, const Group& group) {
  const auto drop = [&](JobIndex j) {
    const auto it = std::find(facts.passed.begin(), facts.passed.end(), j);
    if (it == facts.passed.end()) return;
    facts.passed.erase(it);
    --facts.passed_count;
  };
  drop(group.primary->index);
  for (const Group::Matched& m : group.matched) drop(m.job->index);
}

}  // namespace

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
  stories_[s].ended = t;
  stories_[s].killed = killed;
}

}  // namespace coslice

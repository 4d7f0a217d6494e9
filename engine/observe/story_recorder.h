// Writes down the stories of some jobs, or of all, while a run goes on: what each waited for, which jobs passed it, why
// it started, what happened to it then.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/job_story.h"
#include "observe/story_resources.h"
#include "schedule/job_follower.h"
#include "schedule/shielded_starts.h"
#include "schedule/view.h"

namespace coslice {

class StoryRecorder : public Observer, public JobFollower {
 public:
  /// Records the stories of the jobs `of`. `jobs` is how many jobs the run has; `maintenance`: what is planned.
  StoryRecorder(std::size_t jobs, const std::vector<JobIndex>& of, std::vector<Outage> maintenance = {});
  DecisionObserver* decisions() override { return this; }

  /// Lets it look at what waits in passes at that instant only, and ask then what priorities are made of.
  void look_only_at(Time t) { only_at_ = t; }
  /// Returns whether it has heard of something later than that.
  bool is_past(Time t) const { return clock_ > t; }
  /// Returns what a job's place in the queue was made of then; empty where the policy does not say.
  const PriorityFactors& factors_of(JobIndex j) { return factors_[j]; }
  /// Returns whether all of these jobs have ended or were rejected: nothing more will be told of them.
  bool complete() const;
  /// Returns the stories in the order in which they were asked for. Called once, after the run.
  std::vector<JobStory> take() { return std::move(stories_); }

  // Observer
  void submitted(Time t, JobIndex j) override;
  void released(Time, JobIndex j, const Release& release) override {
    if (const std::uint32_t s = story_of(j); s != kNone) stories_[s].release = release;
  }
  void unfulfilled(Time t, JobIndex j, JobIndex by) override;
  void set_aside(Time t, JobIndex j, bool aside) override;
  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t) override {
    if (parts.empty()) return;
    if (partners_.knows(j)) partners_.resized(t, j, parts);
    else partners_.placed(t, j, parts, speed_alone(j, parts), has_slice(j));
  }
  void rejected(Time t, JobIndex j, Rejection why) override;
  void withdrawn(Time t, JobIndex j) override;
  void reserved(Time now, JobIndex j, Time start) override;
  bool hears_promises() const override { return true; }
  void decided(Time now, JobIndex j, StartReason reason) override;
  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void preempted(Time t, JobIndex j) override {
    if (deciding_ != kNoJob && !sliced_) return suspended(t, j);
    stand_still(t, j,
                deciding_ != kNoJob ? JobEvent{JobEvent::kEvicted, t, deciding_} : JobEvent{JobEvent::kSliceEnded, t});
  }
  void suspended(Time t, JobIndex j) override { stand_still(t, j, {JobEvent::kSuspended, t, deciding_}); }
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override;
  /// Notes that the job waits for nodes that it has to come up.
  void booting(Time t, JobIndex j, Duration wait, std::int32_t nodes) override {
    note_event(j, {JobEvent::kBooting, t, kNoJob, wait, static_cast<double>(nodes)});
  }
  void resized(Time t, JobIndex j, const NodeRanges&, const NodeRanges& nodes, Duration standstill) override {
    note_event(j, {JobEvent::kResized, t, kNoJob, standstill, static_cast<double>(nodes.count())});
  }
  void loading(Time t, JobIndex j, Duration time) override {
    partners_.pauses(t, j);
    note_event(j, {JobEvent::kLoading, t, kNoJob, time});
  }
  void loaded(Time t, JobIndex j) override {
    partners_.goes_on(t, j);
    note_event(j, {JobEvent::kLoaded, t});
  }
  void swapped_out(Time t, JobIndex j, Duration time) override { note_event(j, {JobEvent::kSwapped, t, kNoJob, time}); }
  void rate_changed(Time t, JobIndex j, Rate rate) override {
    partners_.rate_changed(t, j, rate.value());
    note_event(j, {JobEvent::kRate, t, kNoJob, {}, rate.value()});
  }
  void group_formed(Time t, const Group& group, double gain) override;
  void group_ended(Time t, const Group& group) override;
  void slice_begun(Time t, std::size_t job_class, Duration productive) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) override;
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) override;
  void outage_begun(Time t, const Outage& outage) override;
  void node_down(Time t, NodeId n, OutageKind kind) override {
    forget_outages(t);
    down_.emplace_back(n, kind_of_outage(n, kind));
  }
  void node_up(Time, NodeId n) override {
    std::erase_if(down_, [n](const auto& down) { return down.first == n; });
  }
  void passed(Time t) override;

  // DecisionObserver, JobFollower
  bool follows(JobIndex j) const override { return looks() && story_of(j) != kNone && tracks_[story_of(j)].waiting; }
  bool wants_factors() const override { return only_at_ != kNever && looks(); }
  void weighed(const View&, JobIndex j, const PriorityFactors& factors) override { factors_[j] = factors; }
  void queued(const View& view, JobIndex j) override;
  void asked(const View& view) override;
  void starting(const View& view, std::size_t position) override;
  void blocked(const View& view, std::size_t head) override;
  void blocked(const View& view, std::size_t head, Time shadow, std::int32_t extra, std::size_t end) override;
  void shields(const View& view, JobIndex j, Time start) override {
    if (waiting_ != 0 || !starting_.empty()) state_of(view).shields.push_back({j, start});
  }
  void ruled_out(const View& view, JobIndex j) override {
    if (story_of(j) != kNone) state_of(view).ruled_out.push_back(j);
  }
  void reasoned(const View& view, JobIndex j, std::string_view words) override {
    if (waiting_ != 0) state_of(view).words.emplace_back(j, words);
  }
  void reasoned_if_none(const View& view, JobIndex j, std::string_view words) override {
    if (follows(j)) state_of(view).words_if_none.emplace_back(j, words);
  }
  void planning(const View& view) override {
    if (waiting_ != 0) state_of(view).planned.clear();
  }
  void planned_around(const View& view, JobIndex j, JobIndex by, Time start) override {
    state_of(view).planned[j] = {WaitReason::kReservation, by, start};
  }
  void left_out(const View& view, JobIndex j, LeftOut why) override {
    state_of(view).planned[j] = {why == LeftOut::kLimit ? WaitReason::kLimit : WaitReason::kDepth, kNoJob, kNever};
  }
  void wakes(const View& view, Time t, std::string_view what) override;
  void group_refused(const View& view, const GroupPlan& plan, GroupRefusal why, JobIndex hurt,
                     std::string_view words) override;
  void opened(const View& view) override {
    sliced_ = true;
    open_ = &view;
  }
  void closed(const View&) override {
    sliced_ = true;
    open_ = nullptr;
  }
  void foreign_refused(const View&, JobIndex j, ForeignRefusal why) override {
    const std::uint32_t s = story_of(j);
    if (s != kNone) ++stories_[s].foreign_refusals[static_cast<std::size_t>(why)];
  }
  void not_admitted(Time t, JobIndex j, const RoomInRows& room) override;

 private:
  using Position = View::Position;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kNamesKept = 5;  ///< enough for a reader

  using Words = std::vector<std::pair<JobIndex, std::string>>;

  /// A pass that a policy asked for, in the view's time, and what for, if it said.
  struct Wake {
    Time at = kNever;
    std::string what{};
    /// Keeps the earlier one.
    void add(Time t, std::string_view for_what) {
      if (t < at) *this = {t, std::string(for_what)};
    }
  };
  /// What kept a job out of a policy's plan for an instant.
  struct Planned {
    WaitReason why;
    JobIndex by;
    Time start;  ///< of that job's place, in the view's time
  };
  /// What the scheduler of a view said in its last pass.
  struct ViewState {
    const View* view = nullptr;
    std::vector<std::uint32_t> waiting;  ///< stories of jobs in its queue
    JobIndex head = kNoJob;              ///< the job that cannot start
    bool may_pass = false;               ///< others may start before it
    Time shadow = kNever;                ///< its start, in the view's time
    std::int32_t extra = 0;
    Position end = 0;
    std::vector<Shield> shields;
    std::vector<JobIndex> ruled_out;
    Words words, words_if_none;
    std::map<JobIndex, Planned> planned;  ///< of its last plan
    Wake next, next_unsaid;               ///< for when it asked for a pass first, saying what for, and not
    Wake earlier;                         ///< of those of earlier passes, the first one that is still to come
  };
  /// What is known of a job besides its story.
  struct Track {
    const View* view = nullptr;
    bool waiting = false;
    Time promised = kNever;     ///< in the view's time
    Time passed_at = kNever;    ///< when another one started before it while it held a reservation
    Time before = kNever;       ///< start of the reservation that it held then, in the view's time
    Time still_since = kNever;  ///< since when it is preempted or suspended; kNever: it is not
    std::uint32_t group = 0;    ///< the sharing group that it is in; 0: none
  };
  /// The job that is about to start, and the jobs with stories that it passes.
  struct Starting {
    JobIndex job;
    const View* view;
    Duration planned;
    std::int32_t nodes;
    std::vector<std::uint32_t> passed;
    std::vector<std::uint32_t> ordered;  ///< jobs that came earlier and stand behind
  };

  std::uint32_t story_of(JobIndex j) const { return index_[j]; }
  bool looks() const { return only_at_ == kNever || clock_ == only_at_; }
  ViewState& state_of(const View& view);
  /// Calls f(story, position) for the jobs with stories in the view's queue. Few are looked up, of many the queue is
  /// read.
  template <class F>
  void each_waiting(const ViewState& state, F&& f) const;
  static Time wall(const View& view, Time t);
  static const std::string& words_for(const Words& words, JobIndex j);
  static const Wake& next_of(const ViewState& state);
  void note_next(WaitPhase& phase, const ViewState& state) const;
  void note_planned(WaitPhase& phase, const ViewState& state, Position p, const ShieldedStarts& shielded) const;
  void note_kept_nodes(WaitPhase& phase, const ViewState& state, Position p, const ShieldedStarts& shielded) const;

  void note_passings(const Starting& starting, StartReason reason);
  void note_row_passings(JobIndex j);
  void queue_for_rows(JobIndex j);
  void leave_rows(JobIndex j) { std::erase(row_queue_, j); }
  void note_start(std::uint32_t s, StartReason reason, const Starting* starting);
  void take_place(JobStory& story, const View& view, Position p);
  void enter_phase(std::uint32_t s, WaitPhase phase);
  void close_phase(std::uint32_t s);
  void look(ViewState& state, Time t);
  void note_place(JobStory& story, const WaitingQueue& queue, Position p) const;
  void check_promise(std::uint32_t s, const View& view, Position p);
  WaitPhase phase_of(ViewState& state, std::uint32_t s, Position p, std::optional<ShieldedStarts>& shielded) const;
  void note_order(WaitPhase& phase, const ViewState& state, Position p, std::optional<ShieldedStarts>& shielded) const;
  void note_event(JobIndex j, JobEvent event) {
    if (story_of(j) != kNone) stories_[story_of(j)].events.push_back(std::move(event));
  }
  bool forget_turns(Time t, JobIndex j);
  void stand_still(Time t, JobIndex j, JobEvent why);
  double speed_alone(JobIndex j, const Parts& parts) const;
  bool has_slice(JobIndex j) const;
  void note_shared(Time t, JobIndex j);
  void stop_waiting(std::uint32_t s);
  void move_again(Time t, std::uint32_t s);
  void not_ahead(JobIndex j);
  OutageKind kind_of_outage(NodeId n, OutageKind was) const;
  void forget_outages(Time t);

  std::vector<Outage> maintenance_;
  std::vector<Outage> outages_;                      ///< those that have begun and are not over
  std::vector<std::pair<NodeId, OutageKind>> down_;  ///< by what keeps them down now
  std::vector<std::uint32_t> index_;                 ///< by JobIndex
  std::vector<JobStory> stories_;
  std::vector<Track> tracks_;  ///< beside the stories
  std::deque<ViewState> states_;
  std::vector<Starting> starting_;
  std::size_t waiting_ = 0;
  Time only_at_ = kNever;  ///< look_only_at(); kNever: at all times
  std::map<JobIndex, PriorityFactors> factors_;
  Time clock_{};
  bool sliced_ = false;
  GpuPartners partners_;
  const View* open_ = nullptr;  ///< the view whose slice is productive
  std::size_t slice_ = 0;       ///< its class
  Time slice_began_ = kNever;
  JobIndex deciding_ = kNoJob;  ///< its start is decided and has not taken effect
  Time ended_at_ = kNever;
  std::vector<JobIndex> ended_;  ///< at that instant
  /// The first job that waits for shared processors.
  JobIndex row_head_ = kNoJob;
  std::vector<JobIndex> row_queue_;  ///< all that do
  Time row_shadow_ = kNever;
};

template <class F>
void StoryRecorder::each_waiting(const ViewState& state, F&& f) const {
  constexpr std::size_t kFew = 4;
  const WaitingQueue& queue = state.view->queue();
  if (state.waiting.size() <= kFew) {
    for (const std::uint32_t s : state.waiting)
      if (const Position p = queue.find(stories_[s].job); p != queue.end()) f(s, p);
    return;
  }
  std::size_t left = state.waiting.size();
  for (Position p = queue.first(); p < queue.end() && left != 0; p = queue.next(p)) {
    const std::uint32_t s = story_of(queue.job(p));
    if (s == kNone) continue;
    --left;
    f(s, p);
  }
}

}  // namespace coslice

// What is recorded of a run for pictures: what jobs do on their nodes, piece by piece, and what processors do over
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time.h"
#include "machine/request.h"
#include "process/processors.h"
#include "schedule/observer.h"

namespace coslice {

/// A stretch of time in which a job is on its nodes and does one thing. Its nodes are those of its outcome, or of the
/// run that ended before it, unless it was resized: while a job runs, nothing migrates.
struct Segment {
  JobIndex job = kNoJob;
  Time from{}, to{};        ///< from < to
  std::int16_t slice = -1;  ///< class whose slice it lies in, the time lost at its end included; -1: no slices
  bool loading = false;     ///< its memory is being loaded, else it makes progress
  std::int32_t run = -1;    ///< in Segments::earlier; -1: it is of the run that the outcome tells
  std::int32_t size = -1;   ///< its nodes, in Segments::sizes; -1: those of its run
};

/// A run of a job that was interrupted, where it was.
struct EarlierRun {
  JobIndex job = kNoJob;
  Time from{}, to{};
  NodeRanges nodes;
  Parts parts;       ///< empty where jobs have whole nodes
  Duration lost{0};  ///< of its work
  InterruptedBy by = InterruptedBy::kFailure;
  RequestId request = kNoRequest;  ///< what it had, where that is known (InterruptedRun)
};

/// A slice as it happened.
struct SliceSpan {
  std::size_t job_class = 0;
  Time begin{}, productive_end{};
};

/// Memory of a job was displaced, which lengthened its work.
struct SwapOut {
  JobIndex job = kNoJob;
  Time at{};
  Duration time{0};
};

/// What the jobs of a run did on their nodes. Outcomes know only a job's last start and its end.
struct Segments {
  std::vector<Segment> pieces;  ///< by their beginning; of one instant, in order of the jobs
  std::vector<SliceSpan> slices;
  std::vector<SwapOut> swaps;
  std::vector<EarlierRun> earlier;  ///< in the order of their ends
  std::vector<NodeRanges> sizes;    ///< that jobs had one after the other
  std::vector<Parts> size_parts;    ///< of those; empty where jobs have whole nodes
  bool shared = false;              ///< some jobs shared nodes, so that pieces may overlap
};

/// Records the segments of a run with or without slices. A piece ends where the job begins to do something else or
/// where a slice of another class begins.
class SegmentRecorder : public Observer {
 public:
  explicit SegmentRecorder(std::size_t jobs) : open_(jobs), last_(jobs, kNone) {}

  void placed(Time t, JobIndex j, const Parts& parts, std::int32_t partition) override;
  void started(Time t, JobIndex j, const NodeRanges&) override {
    open_[j].size = -1;
    enter(t, j);
  }
  void resumed(Time t, JobIndex j, const NodeRanges&) override { enter(t, j); }
  void resized(Time t, JobIndex j, const NodeRanges& before, const NodeRanges& nodes, Duration standstill) override;
  void loading(Time t, JobIndex j, Duration) override { turn(t, j, true); }
  void loaded(Time t, JobIndex j) override { turn(t, j, false); }
  void preempted(Time t, JobIndex j) override { leave(t, j); }
  void ended(Time t, JobIndex j, const NodeRanges&, bool) override { leave(t, j); }
  /// Marks what the job did as that of an earlier run.
  void interrupted(Time, JobIndex j, const NodeRanges&, const Interruption&) override;
  void swapped_out(Time t, JobIndex j, Duration time) override { segments_.swaps.push_back({j, t, time}); }
  void group_formed(Time, const Group&, double) override { segments_.shared = true; }
  void slice_begun(Time t, std::size_t job_class, Duration productive) override;
  void slice_ended(Time t, std::size_t) override { segments_.slices.back().productive_end = t; }

  /// Returns everything recorded. Called once, after the run.
  Segments take();

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Open {
    Time since = kNever;
    bool loading = false;
    std::int32_t size = -1;
  };
  void enter(Time t, JobIndex j) {
    open_[j] = {t, false, open_[j].size};
    on_nodes_.push_back(j);
  }
  void turn(Time t, JobIndex j, bool loading) {
    close(t, j);
    open_[j] = {t, loading, open_[j].size};
  }
  void leave(Time t, JobIndex j);
  void close(Time t, JobIndex j);

  Segments segments_;
  std::vector<Open> open_;         ///< by JobIndex
  std::vector<std::size_t> last_;  ///< by JobIndex: its last piece
  std::vector<Parts> parts_;       ///< by JobIndex: of its current run; empty where jobs have whole nodes
  Parts replaced_;                 ///< what the job had that was placed last
  std::vector<JobIndex> on_nodes_;
  std::int16_t slice_ = -1;
};

/// What processors do over time, in columns: the process that had most of each, of a millisecond or of an hour.
class ProcessorPicture : public ProcessorWatch {
 public:
  /// A stretch of columns of one processor in which the same was done most of the time.
  struct Stretch {
    std::int32_t processor;
    std::int32_t from, to;  ///< columns, `to` left out
    Activity what;
    JobIndex job;
  };

  /// Begins a picture of [from, to), in this many columns. Throws std::invalid_argument if it is empty.
  ProcessorPicture(std::int32_t processors, Time from, Time to, std::int32_t columns);

  void did(std::int32_t processor, Activity what, JobIndex job, Ns from, Ns to) override;
  /// Returns what processors did, without what was idle; by processor, then column.
  std::vector<Stretch> stretches() const;

  std::int32_t processors() const { return static_cast<std::int32_t>(cells_.size()) / columns_; }
  std::int32_t columns() const { return columns_; }
  Time from() const { return Time{Duration{from_}}; }
  Time to() const { return Time{Duration{to_}}; }
  /// Returns the nanoseconds of each kind in the window, by number of Activity, over all processors.
  const std::vector<Ns>& sums() const { return sums_; }

 private:
  struct Part {
    Activity what;
    JobIndex job;
    Ns time;
  };

  Ns border(std::int32_t column) const;

  std::int32_t columns_;
  Ns from_, to_;
  std::vector<std::vector<Part>> cells_;  ///< by processor, then column
  std::vector<Ns> sums_;
};

}  // namespace coslice

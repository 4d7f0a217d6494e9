// Coarse-grain time slices: each interval is divided among classes of jobs; in a slice the jobs of its class run, and
// others where they delay no job. (Scojo-PECT: Esbaugh & Sodan 2007, Esbaugh 2010, Chapters 3 and 4.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"

namespace coslice {

class View;

/// A class of jobs with slices of its own. Jobs belong to the first class whose bound their estimate does not exceed.
struct SliceClass {
  std::string name;
  Duration up_to = Duration::max();
  /// Share of the interval, relative to the other classes' shares. 0: the class has no slice of its own.
  double share = 1;
  /// Whether the class has, instead of a share, a slice only if jobs of it wait or are preempted when its turn comes;
  /// the slice ends as soon as none of them runs or can be started.
  bool on_demand = false;
  /// The most productive time of an on-demand slice.
  Duration longest = whole_seconds(600);
};

/// The jobs that may run in the slices of other classes (safe non-type slice backfilling).
enum class ForeignJobs : std::uint8_t {
  kNone,
  kSafe,  ///< preempted jobs, then waiting ones, shortest class first, if they delay no reservation
};

/// Order in which admissible nodes are taken.
enum class NodeChoice : std::uint8_t {
  kFirstFree,      ///< lowest number first
  kFewestForeign,  ///< fewest allocated jobs of other classes first
  kMemoryFit,      ///< by memory, in two stages (MemoryFit)
};

enum class Fit : std::uint8_t { kBest, kWorst, kFirst };

/// Two stages of memory-aware node selection (Esbaugh 2010, Fig. 14). A node's size is the memory that the jobs
/// allocated to it leave; worst fit takes the highest number among equals.
struct MemoryFit {
  Fit enough = Fit::kBest;  ///< among nodes that hold the job beside all jobs allocated to them
  Fit rest = Fit::kWorst;   ///< what is still missing after the nodes that cannot, sorted by the first end of a job
};

/// What becomes of the memory of a job whose nodes others need.
enum class Swapping : std::uint8_t {
  kParts,      ///< a displaced job loses no more than the others need (SwappedParts)
  kWholeJobs,  ///< what the thesis' program swaps (SwappedJobs); what it charges is kEachLoad
};

/// What a job is charged for being written out.
enum class SwapCharge : std::uint8_t {
  kLongest,   ///< the most on any of its nodes while it is preempted: they write at the same time
  kEachLoad,  ///< for each job that displaces it, the most on any node: one after the other (Esbaugh 2010, Fig. 16)
};

/// State of a node, for choosing nodes of a job.
struct NodeFacts {
  std::int32_t number = 0;
  std::int32_t foreign = 0;  ///< jobs of other classes that are allocated to it
  Duration needed{0};        ///< memory that all jobs allocated to it need together, as transfer time
};

/// What the jobs of a class ask for.
struct ClassDemand {
  std::int64_t waiting = 0, started = 0;              ///< jobs; started ones run or are preempted
  std::int64_t waiting_nodes = 0, started_nodes = 0;  ///< of all of them
  double waiting_work = 0, started_work = 0;          ///< nodes x seconds that they are believed to need still
};

struct SliceOptions {
  Duration interval = whole_seconds(3600);
  std::vector<SliceClass> classes;  ///< in the order of their slices; also by increasing estimate
  /// Returns the shares of an interval, one per class, and is asked at its beginning; empty: those of the classes.
  std::function<std::vector<double>(Time, const std::vector<ClassDemand>&)> shares;
  /// Returns the demand by class, for `shares`; the simulation sets it.
  std::function<std::vector<ClassDemand>()> demand;
  Duration overhead = whole_seconds(60);  ///< at the end of each slice nothing makes progress
  bool charge_continuing = true;          ///< also for jobs whose class has the next slice
  ForeignJobs foreign = ForeignJobs::kSafe;
  bool evict = true;  ///< a job of the slice's class may stop foreign ones
  NodeChoice nodes = NodeChoice::kFewestForeign;
  MemoryFit fit;
  /// Returns the rank of a node for a job, lowest first, ties by number; replaces `nodes`.
  std::function<double(const View&, JobIndex, const NodeFacts&)> node_rank;
  Swapping swapping = Swapping::kParts;
  SwapCharge swap_charge = SwapCharge::kLongest;
  Duration memory{0};  ///< of a node, as the time that transferring it takes; 0: not modelled
  /// Returns the memory that the job needs on each of its nodes, as transfer time, above 0 and at most `memory`. Asked
  /// once, at submission.
  std::function<Duration(const View&, JobIndex)> memory_of;
};

/// Returns the class of a job by its estimate: the first that takes it, else the last.
std::size_t class_of_estimate(const std::vector<SliceClass>& classes, Duration estimate);

/// What happened to jobs under slices, in all.
struct SliceCounts {
  std::int64_t slices = 0;
  std::int64_t preemptions = 0;
  std::int64_t loads = 0;  ///< loads that took time
  std::int64_t swaps = 0;  ///< displacements that were charged to a job
  std::int64_t evictions = 0;
  std::int64_t foreign_resumed = 0;    ///< preempted jobs run in a slice of another class
  std::int64_t foreign_finishing = 0;  ///< waiting jobs started in another class's slice that finish in it
  std::int64_t foreign_pinned = 0;     ///< waiting jobs started there that do not
};

/// One planned slice.
struct Slice {
  std::size_t job_class = 0;
  Time begin{};
  Time productive_end{};
  Time end{};
};

/// Divides intervals into slices. Intervals begin at multiples of their length.
class SlicePlan {
 public:
  explicit SlicePlan(const SliceOptions& options) : options_(options) {}

  /// Finds the next slice that begins at `now` or, where the rest of the interval has none, at the next interval.
  /// `wants(c)` tells whether the on-demand class c has jobs to run now. Returns false if the interval has no slice
  /// left: then `now` is to be the beginning of the next one, interval_end().
  bool next(Time now, const std::function<bool(std::size_t)>& wants, Slice& slice);
  Time interval_end() const { return interval_end_; }

 private:
  void begin_interval(Time now);
  Duration length(std::size_t c, Duration left) const;

  const SliceOptions& options_;
  std::vector<double> shares_;
  std::size_t turn_ = 0;
  Time interval_end_ = Time::min();
};

// Which slice it is, and when productive time of a class will have passed on the wall clock.

class SliceClock {
 public:
  using Wants = std::function<bool(std::size_t job_class)>;
  static constexpr std::size_t kNoClass = ~std::size_t{0};

  /// Makes the clock of a run. `options` outlive it.
  explicit SliceClock(const SliceOptions& options)
      : options_(options), plan_(options), on_demand_time_(options.classes.size()) {}

  /// Returns whether there are no time slices: the only class then has one slice that never ends.
  bool endless() const { return options_.classes.empty(); }
  /// Sets the clock to the beginning of the interval of `first`; without slices to `first`. There are no slices before
  /// `from`.
  void begin(Time first, Time from) {
    from_ = from;
    if (endless()) {
      state_ = State::kProductive;
      slice_ = {0, first, kNever, kNever};
      now_ = first;
    } else {
      now_ = first_interval_ = interval_of(first);
    }
  }
  void advance(Time now) { now_ = now; }
  Time now() const { return now_; }

  /// Returns whether the first slice has not begun, and slices are yet to be.
  bool waits() const { return !endless() && now_ < from_; }
  /// Returns whether jobs make progress now: it is neither the end of a slice nor a time without slices.
  bool productive() const { return state_ == State::kProductive; }
  bool productive_for(std::size_t job_class) const { return productive() && slice_.job_class == job_class; }
  /// Returns the slice it is, or was last.
  const Slice& slice() const { return slice_; }
  /// Returns the productive time left in the slice.
  Duration rest() const { return slice_.productive_end - now_; }
  /// Returns when the slice ends to be productive, or the next one may begin.
  Time boundary() const {
    return productive()             ? slice_.productive_end
           : state_ == State::kDead ? slice_.end
                                    : std::max(plan_.interval_end(), from_);
  }

  /// Returns how it goes on in this interval.
  const SlicePlan& plan() const { return plan_; }

  /// Begins the next slice, if the interval has one left. `wants` as for SlicePlan::next().
  bool open(const Wants& wants) {
    state_ = plan_.next(now_, wants, slice_) ? State::kProductive : State::kNone;
    return productive();
  }
  /// Ends the productive part of an on-demand slice now: nothing is left to do in it.
  void cut_short() {
    slice_.productive_end = now_;
    slice_.end = later(now_, options_.overhead);
  }
  /// Counts the slice, whose end begins: its length counts for the means.
  void count_slice() {
    const std::size_t c = slice_.job_class;
    if (options_.classes[c].on_demand) on_demand_time_[c] += slice_.end - slice_.begin;
  }
  /// Ends the productive part: nothing is productive until the slice's end.
  void close() { state_ = State::kDead; }
  /// Returns the class of the slice that would follow at once; kNoClass if none does.
  std::size_t class_after(const Wants& wants) const;

  /// A slice as the fixed shares make it, or an on-demand one as its class had them on average.
  struct Typical {
    Duration offset{0};  ///< from the beginning of the interval
    Duration productive{0};
  };
  Typical typical(std::size_t job_class) const;
  /// Returns when so much productive time of the class will have passed, if slices to come are typical. kNever: never.
  Time after(std::size_t job_class, Duration productive) const;

 private:
  enum class State : std::uint8_t { kNone, kProductive, kDead };
  Time interval_of(Time t) const { return Time{(t.time_since_epoch() / options_.interval) * options_.interval}; }
  Duration mean_on_demand(std::size_t job_class) const {
    return on_demand_time_[job_class] / (1 + (now_ - first_interval_) / options_.interval);
  }

  const SliceOptions& options_;
  SlicePlan plan_;
  State state_ = State::kNone;
  Slice slice_;
  Time now_{};
  Time from_{};
  Time first_interval_{};
  std::vector<Duration> on_demand_time_;  ///< by class: length of its on-demand slices so far, in all
};

}  // namespace coslice

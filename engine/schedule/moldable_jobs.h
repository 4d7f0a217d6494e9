// Jobs that may have one of several sizes: which one each has while it waits, and how one is chosen where a policy does
// not say (EngineOptions::molding).
#pragma once

#include <array>

#include "jobs/job_demands.h"
#include "schedule/view.h"

namespace coslice {

class MoldableJobs {
 public:
  /// Makes the sizes of moldable jobs; null where no job is moldable. `jobs` are those of the run; they get the size,
  /// run time and limit that is chosen. Sizes that need more than `nodes` nodes are left out; a job whose own size is
  /// left out begins with the next of its sizes. On a heterogeneous machine, `demands` say with which sizes a job can
  /// run; those of the chosen size become the job's. Throws InputError as job_sizes. All arguments outlive it.
  static std::unique_ptr<MoldableJobs> make(std::vector<Job>& jobs, Molding rule, std::int32_t nodes, std::int32_t ppn,
                                            JobDemands* demands = nullptr);

  /// Returns the job's sizes; null where it is not moldable, or has been started.
  const std::vector<JobSize>* sizes(JobIndex j) const {
    const Moldable& m = moldable_[j];
    return !m.is_one || m.fixed ? nullptr : &read(j).sizes;
  }
  /// Returns the job's sizes, also when it has started, until leave(). Precondition: it is moldable.
  const std::vector<JobSize>& all_sizes(JobIndex j) const { return read(j).sizes; }
  /// Returns the number of the size that the job has.
  std::size_t size_of(JobIndex j) const;
  /// Gives the job the i-th of its sizes from now on.
  void choose(JobIndex j, std::size_t i);
  /// Gives the running job that number of nodes, which is one of its sizes; its run time and its limit stay those of
  /// the size with which it started. Returns the number of its size.
  std::size_t resize(JobIndex j, std::int32_t nodes);
  /// Gives the job, which has ended or was interrupted, the size with which it started.
  void take_size(JobIndex j, std::size_t i);
  /// Returns for how long a scheduler may believe that the job holds its nodes with the i-th of its sizes.
  using Try = std::function<Duration(JobIndex, std::size_t)>;
  void try_by(Try t) { try_ = std::move(t); }
  /// Fixes the size of a job that has started, also if it waits again, until release().
  void fix(JobIndex j) { moldable_[j].fixed = true; }
  /// Lets the job choose its size again: it was interrupted and begins from the start.
  void release(JobIndex j) { moldable_[j].fixed = false; }
  /// Lets the job choose anew at the next choice: it has not waited since the last one.
  void forget_choice(JobIndex j) {
    if (moldable_[j].is_one) fits_from_[j] = kNotChosen;
  }
  /// Frees what is kept of the job's sizes: it has ended.
  void leave(JobIndex j) {
    if (demands_ == nullptr) moldable_[j].sizes = std::vector<JobSize>();  // frees it, which {} would not
  }
  /// Returns which of its sizes the waiting job is to have: the largest that fits now, or the one with which it would
  /// end first, of those the smallest; the one that it has if none fits. `end_with` says when it would end with the
  /// i-th size, kNever if it does not fit; where sizes are chosen by what fits now, `now` for all that do.
  std::size_t best_of(JobIndex j, const std::vector<JobSize>& sizes,
                      const std::function<Time(std::size_t)>& end_with) const;
  /// Chooses sizes for all jobs that wait, hold no reservation and ask for no slice of a GPU, in order of the queue.
  /// Returns whether one got another size.
  bool choose_for_waiting(View& view);
  /// Chooses a size for the job, which is about to enter the queue of the view.
  void choose_for_coming(const View& view, JobIndex j);

 private:
  /// What is known of a job. Choices for all that wait are most of a pass, so what they read most is in one place: the
  /// list of sizes is elsewhere in memory.
  struct Moldable {
    std::vector<JobSize> sizes;    ///< empty: they have not been read
    JobSize own;                   ///< as the job says it
    std::uint32_t asked = 0;       ///< the number of the size that it has
    std::int32_t own_nodes = 0;    ///< of the first size
    std::int32_t least_nodes = 0;  ///< of the smallest of the others
    Duration own_limit{};
    Duration least_limit{};  ///< of the fastest of the others
    /// Where more is faster: no size before the 2^k-th takes less than the k-th of these, in whole seconds.
    std::array<std::int32_t, 12> least_seconds{};
    bool is_one = false;
    bool fixed = false;
    bool more_is_faster = false;  ///< behind the first size: the others ascend, and the last one is the fastest
    bool own_between = false;     ///< the first has more nodes than the least of the others, and fewer than the most
    bool consecutive = false;     ///< where more is faster, all numbers of nodes up to the most
    bool nest = true;             ///< room for more nodes is room for fewer (JobDemands::sizes_nest)
  };
  /// What was chosen last, since when no other hand gave the job a size.
  struct Choice {
    Duration time{};    ///< for how long it would run
    Time others_end{};  ///< if it fitted at once: no size that fitted later would have ended before that
    std::int32_t nodes = 0;
  };
  static constexpr Time kNotChosen = Time::min();
  MoldableJobs(std::vector<Job>& jobs, Molding rule, std::int32_t nodes, std::int32_t ppn, JobDemands* demands)
      : jobs_(jobs), rule_(rule), nodes_(nodes), ppn_(ppn), demands_(demands) {}
  std::vector<JobSize> sizes_on_machine(const Job& job, WantedSizes wanted) const;
  /// Lists are long, and most jobs of a run have not come yet, or have ended: so they are read when they are asked for.
  const Moldable& read(JobIndex j) const {
    Moldable& m = moldable_[j];
    if (m.sizes.empty()) read_sizes(j, m);
    return m;
  }
  void read_sizes(JobIndex j, Moldable& m) const;
  static void describe(Moldable& m);
  void take(JobIndex j, std::size_t i, const JobSize& size);
  void ask_for(JobIndex j, std::size_t i);
  void look_at(const View& view);
  static void bound_limits(Moldable& m);
  static Duration least_limit_up_to(const Moldable& m, std::size_t i);
  std::size_t ending_first(JobIndex j, std::size_t had);
  std::size_t ending_first_by_tries(JobIndex j, const std::function<Time(std::size_t)>& earliest) const;
  void compare();
  void find_unsettled(const View& view);
  bool is_settled(JobIndex j, Time now);
  static std::size_t last_with(const Moldable& m, std::int32_t nodes);
  static Time earliest_end(const Moldable& m, const FreeFrom& free);
  std::size_t choice(const View& view, JobIndex j);

  std::vector<Job>& jobs_;
  Molding rule_;
  std::int32_t nodes_, ppn_;  ///< of the machine
  JobDemands* demands_;       ///< null where nodes are equal
  Try try_;
  mutable std::vector<Moldable> moldable_;  ///< by JobIndex
  std::vector<Choice> chosen_;              ///< by JobIndex
  std::vector<Time> fits_from_;             ///< likewise, from when on that size fits; kNever: the job is not moldable
  bool only_comes_free_ = false;            ///< as `free_` says
  std::vector<FreeFrom> free_;              ///< in the pass, or where the job comes
  std::vector<FreeFrom> before_;            ///< likewise, where it was looked at before that
  const View* view_ = nullptr;              ///< of which that is
  bool all_chose_ = false;                  ///< all that wait chose by it
  bool settles_ = false;                    ///< likewise by `before_`, so that the two below are known
  Time alike_from_ = kNever;                ///< from then on as much is free as was then
  std::vector<FreeFrom> rises_;             ///< where more is, those of `free_`
  std::vector<View::Position> unsettled_;   ///< in the pass
};

}  // namespace coslice

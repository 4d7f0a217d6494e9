// How much slower jobs run when they share processors, nodes or their memory with themselves or with others: drawn,
// from tables, measured, or from what jobs do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "jobs/job.h"

namespace coslice {

/// What a job may be bound by.
enum class Resource : std::uint8_t { kCpu, kNetwork, kDisk };
inline constexpr std::size_t kResources = 3;

/// What a job uses: fractions of its time, and memory.
struct ResourceProfile {
  std::array<double, kResources> fraction{1, 0, 0};  ///< of the run time, by Resource; they add up to 1
  double memory = 0;                                 ///< of a node's memory, from 0 to 1
  Resource kind = Resource::kCpu;                    ///< what the job is bound by, as it was said or drawn
};

/// Of some jobs, by id.
using ResourceProfiles = std::map<std::int64_t, ResourceProfile>;

/// Returns whether the fractions add up to 1, but for the few digits of tables.
bool adds_up(const std::array<double, kResources>& fractions);
/// Returns the kind of a job by the largest of its fractions; of equal ones the first.
Resource largest_fraction(const std::array<double, kResources>& fractions);

class ResourceSlowdowns;

/// Slowdowns are factors on the run time with one process per node on nodes of its own; below 1: it gets faster.
class SlowdownModel {
 public:
  virtual ~SlowdownModel() = default;
  /// Returns SL_nos: the factor of the job, with a process on each processor of its nodes.
  virtual double over_processors(JobIndex j) const = 0;
  /// Returns SL_crs: the further factor of the job, with a process on each core.
  virtual double over_cores(JobIndex j) const = 0;
  /// Returns SL_cos: the further factor of the job beside another one on its nodes.
  virtual double beside(JobIndex j, JobIndex other) const = 0;
  /// Returns the further factor of the job beside another one that has other processors of its nodes.
  virtual double beside_apart(JobIndex j, JobIndex other) const { return beside(j, other); }
  /// Returns a bound below which no value of beside() and beside_apart() is; 0 where that is not known.
  virtual double least_beside() const { return 0; }
  /// Returns how many times `beside` the real slowdown is, where that is an estimate that may be wrong.
  virtual double misjudged(JobIndex, JobIndex) const { return 1; }
  double really_beside(JobIndex j, JobIndex other) const { return beside(j, other) * misjudged(j, other); }
  /// Returns the factor of the job alone, where it has GPUs of that type (a number in MachineLayout::gpu_types; -1: it
  /// has none).
  virtual double on_gpus(JobIndex, std::int32_t) const { return 1; }
  /// Returns the further factor on a slice of `slice` of the `slices` parts of such a GPU; 0: the job cannot run there.
  virtual double on_gpu_instance(JobIndex, std::int32_t /*type*/, std::int32_t slice, std::int32_t slices) const {
    return static_cast<double>(slices) / slice;
  }
  /// Returns beside() where the two share GPUs of that type.
  virtual double beside_on(JobIndex j, JobIndex other, std::int32_t) const { return beside(j, other); }
  /// Returns the true value of what beside_on() estimates.
  virtual double really_beside_on(JobIndex j, JobIndex other, std::int32_t) const { return really_beside(j, other); }
  /// Returns what the job runs, where the model has applications; else "".
  virtual std::string_view application(JobIndex) const { return {}; }
  /// Returns what jobs do, where the model has that (ResourceSlowdowns); else null.
  virtual const ResourceSlowdowns* resources() const { return nullptr; }
  /// Returns the factor of the job alone on its nodes, with this many processes on each of them (Zeng 2009, Section
  /// 4.5): up to `first` of them have a processor each (or, in ExchangedSlowdowns, a core of one processor each).
  double alone(JobIndex j, std::int32_t ppn, std::int32_t first) const {
    if (ppn <= 1) return 1;
    return ppn <= first ? over_processors(j) : over_processors(j) * over_cores(j);
  }
};

/// Slowdowns where processes go to the cores of one processor first, and those of different jobs to different ones:
/// processors and cores change their roles.
class ExchangedSlowdowns : public SlowdownModel {
 public:
  /// Makes the model in which processors and cores of `model` change their roles. `model` outlives it.
  explicit ExchangedSlowdowns(const SlowdownModel& model) : model_(model) {}
  double over_processors(JobIndex j) const override { return model_.over_cores(j); }
  double over_cores(JobIndex j) const override { return model_.over_processors(j); }
  double beside(JobIndex j, JobIndex other) const override { return model_.beside_apart(j, other); }
  double beside_apart(JobIndex j, JobIndex other) const override { return model_.beside(j, other); }
  double least_beside() const override { return model_.least_beside(); }
  double misjudged(JobIndex j, JobIndex other) const override { return model_.misjudged(j, other); }
  std::string_view application(JobIndex j) const override { return model_.application(j); }
  const ResourceSlowdowns* resources() const override { return model_.resources(); }

 private:
  const SlowdownModel& model_;
};

/// No job is slowed down by anything.
class NoSlowdowns : public SlowdownModel {
 public:
  double over_processors(JobIndex) const override { return 1; }
  double over_cores(JobIndex) const override { return 1; }
  double beside(JobIndex, JobIndex) const override { return 1; }
  double least_beside() const override { return 1; }
};

/// Slowdowns drawn from histograms with bins of 0.1, uniform inside a bin, independently for each job and for each
/// ordered pair; a draw depends on the seed and on the jobs' indices only. (Zeng 2009, Table 4.)
class DrawnSlowdowns : public SlowdownModel {
 public:
  static constexpr std::size_t kBins = 9;
  /// probabilities of [.9, 1), [1, 1.1), ... [1.7, 1.8); they add up to 1
  using Histogram = std::array<double, kBins>;
  static const Histogram kOverCores, kOverProcessors, kBeside;

  /// Draws values for that many jobs.
  DrawnSlowdowns(std::uint64_t seed, std::size_t jobs);
  double over_processors(JobIndex j) const override { return processors_[j]; }
  double over_cores(JobIndex j) const override { return cores_[j]; }
  double beside(JobIndex j, JobIndex other) const override { return quantile(kBeside, beside_.uniform(j, other)); }
  double least_beside() const override { return 0.9; }
  /// Returns the value at u in [0, 1) of a histogram's distribution.
  static double quantile(const Histogram& histogram, double u);

 private:
  RandomKey beside_;
  std::vector<double> processors_, cores_;
};

/// Slowdowns by class of application.
class SlowdownTable : public SlowdownModel {
 public:
  struct Application {
    std::string name;
    double over_processors = 1, over_cores = 1;
    std::vector<double> beside;  ///< by the number of the other's class
    std::vector<double> apart;   ///< as `beside`, on other processors; empty: `beside`
  };
  /// Makes the model of a table. `class_of` by job; all are below the number of applications, and each application has
  /// a value for each.
  SlowdownTable(std::vector<Application> applications, std::vector<std::uint32_t> class_of)
      : applications_(std::move(applications)), class_of_(std::move(class_of)) {}
  double over_processors(JobIndex j) const override { return of(j).over_processors; }
  double over_cores(JobIndex j) const override { return of(j).over_cores; }
  double beside(JobIndex j, JobIndex other) const override { return of(j).beside[class_of_[other]]; }
  double beside_apart(JobIndex j, JobIndex other) const override {
    return of(j).apart.empty() ? beside(j, other) : of(j).apart[class_of_[other]];
  }
  double least_beside() const override;
  std::string_view application(JobIndex j) const override { return of(j).name; }

 protected:
  const Application& of(JobIndex j) const { return applications_[class_of_[j]]; }
  std::vector<Application> applications_;
  std::vector<std::uint32_t> class_of_;
};

/// Shares of CPU-bound, network-bound and disk-bound jobs; they add up to 1.
using ResourceMix = std::array<double, kResources>;

/// Returns a job bound by one resource, uniform in the ranges of Sodan & Lan (2005, Section 6.1) under the condition
/// that the fractions add up to 1; its memory by the same section.
ResourceProfile draw_profile(RandomStream& random, Resource kind);
/// Returns profiles for that many jobs; each depends on the seed and the job's index only.
std::vector<ResourceProfile> draw_profiles(std::uint64_t seed, const ResourceMix& mix, std::size_t jobs);

/// What happens where two jobs use the same resource.
struct ResourceConflicts {
  /// How the overlaps of the fractions make a slowdown. `printed`: the weighted overlaps alone, but 1 at least, as the
  /// formula is printed. `complete`: what does not overlap counts, too, as in the authors' own table of estimates.
  enum class Overlap : std::uint8_t { kPrinted, kComplete } overlap = Overlap::kPrinted;
  double competing = 2;            ///< factor on the time in which both use the same resource
  double compatible = 1.4;         ///< the factor for the CPU, of pairs that go well together
  double compatible_share = 0.33;  ///< of all pairs
  double memory_conflict = 2.5;    ///< slowdown by paging, where both do not fit into the memory together
  /// Whether the slowdown is at least that, or grows by it.
  enum class Paging : std::uint8_t { kAtLeast, kAdded } paging = Paging::kAtLeast;
  double misjudged_share = 0;  ///< of all pairs: their slowdown turns out to be another one than the estimate
  double misjudged = 2;        ///< how many times the estimate, 1 at least
};

/// Slowdowns from what jobs do: how much of its time a job computes, communicates and reads or writes. Two jobs on the
/// same nodes interfere where they use the same resource. (Sodan & Lan 2005, Sections 4.1 and 6.1.) Symmetric: each job
/// of a pair is slowed down as much as the other. More than one process of a job on a node does not slow the job down.
class ResourceSlowdowns : public SlowdownModel {
 public:
  ResourceSlowdowns(std::uint64_t seed, std::vector<ResourceProfile> profiles, const ResourceConflicts& conflicts = {});

  double over_processors(JobIndex) const override { return 1; }
  double over_cores(JobIndex) const override { return 1; }
  double beside(JobIndex j, JobIndex other) const override;
  double misjudged(JobIndex j, JobIndex other) const override;
  const ResourceSlowdowns* resources() const override { return this; }

  const ResourceProfile& profile(JobIndex j) const { return profiles_[j]; }
  /// Returns k: the factor on the time in which both jobs use that resource. For the CPU it is drawn for each pair.
  double competition(Resource r, JobIndex i, JobIndex j) const;
  /// Returns whether both fit into the memory of a node.
  bool memory_fits(JobIndex i, JobIndex j) const { return profiles_[i].memory + profiles_[j].memory <= 1; }

  /// Returns the slowdown of two jobs whose CPU parts compete with that factor, memory aside.
  static double of(const ResourceProfile& a, const ResourceProfile& b, double cpu, const ResourceConflicts& conflicts);

 private:
  RandomKey pairs_, misjudged_;
  std::vector<ResourceProfile> profiles_;
  ResourceConflicts conflicts_;
};

/// A table of slowdowns that has one for each type of GPU, of jobs that share GPUs.
class MeasuredSlowdowns : public SlowdownTable {
 public:
  /// Of one kind of GPU. Rows are classes of the table, as are columns.
  struct Gpu {
    std::vector<double> alone;   ///< factor on the run time, by class
    std::vector<double> beside;  ///< by class, then by that of the other
    /// By class: where two jobs run the same application, they were measured as two; `beside` is the value of the one
    /// that came first, this the value of the other one.
    std::vector<double> second;
  };

  /// Makes the model of measured GPUs. `table` is for all but GPUs; `class_of` by job, as in SlowdownTable. `gpus` is
  /// not empty; `gpu_of_type` by the machine's type of GPU. Where a job has no GPU, or the type is not known, gpus[0]
  /// counts.
  MeasuredSlowdowns(std::vector<SlowdownTable::Application> table, std::vector<std::uint32_t> class_of,
                    std::vector<Gpu> gpus, std::vector<std::size_t> gpu_of_type)
      : SlowdownTable(std::move(table), std::move(class_of)), gpus_(std::move(gpus)),
        gpu_of_type_(std::move(gpu_of_type)) {}

  double beside(JobIndex j, JobIndex other) const override { return beside_on(j, other, -1); }
  double beside_apart(JobIndex j, JobIndex other) const override { return beside(j, other); }
  double least_beside() const override;
  double on_gpus(JobIndex j, std::int32_t type) const override { return type < 0 ? 1 : gpu(type).alone[class_of_[j]]; }
  double beside_on(JobIndex j, JobIndex other, std::int32_t type) const override {
    const std::uint32_t c = class_of_[j], by = class_of_[other];
    return c == by && j > other ? gpu(type).second[c] : gpu(type).beside[c * applications_.size() + by];
  }
  double really_beside_on(JobIndex j, JobIndex other, std::int32_t type) const override {
    return beside_on(j, other, type);
  }

 private:
  const Gpu& gpu(std::int32_t type) const {
    return gpus_[type < 0 || gpu_of_type_.empty() ? 0 : gpu_of_type_[static_cast<std::size_t>(type)]];
  }

  std::vector<Gpu> gpus_;
  std::vector<std::size_t> gpu_of_type_;
};

/// What jobs really do to one another is one model, what schedulers believe another one.
class BelievedSlowdowns : public SlowdownModel {
 public:
  BelievedSlowdowns(std::unique_ptr<SlowdownModel> truth, std::unique_ptr<SlowdownModel> belief)
      : truth_(std::move(truth)), belief_(std::move(belief)) {}
  double over_processors(JobIndex j) const override { return truth_->over_processors(j); }
  double over_cores(JobIndex j) const override { return truth_->over_cores(j); }
  double beside(JobIndex j, JobIndex other) const override { return belief_->beside(j, other); }
  double beside_apart(JobIndex j, JobIndex other) const override { return belief_->beside_apart(j, other); }
  double least_beside() const override { return belief_->least_beside(); }
  double misjudged(JobIndex j, JobIndex other) const override {
    return truth_->really_beside(j, other) / belief_->beside(j, other);
  }
  std::string_view application(JobIndex j) const override { return truth_->application(j); }
  const ResourceSlowdowns* resources() const override { return truth_->resources(); }
  double on_gpus(JobIndex j, std::int32_t type) const override { return truth_->on_gpus(j, type); }
  double on_gpu_instance(JobIndex j, std::int32_t type, std::int32_t slice, std::int32_t slices) const override {
    return truth_->on_gpu_instance(j, type, slice, slices);
  }
  double beside_on(JobIndex j, JobIndex other, std::int32_t type) const override {
    return belief_->beside_on(j, other, type);
  }
  double really_beside_on(JobIndex j, JobIndex other, std::int32_t type) const override {
    return truth_->really_beside_on(j, other, type);
  }

 private:
  std::unique_ptr<SlowdownModel> truth_, belief_;
};

}  // namespace coslice

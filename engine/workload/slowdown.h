// How much slower jobs run when they share processors, nodes or their memory with themselves or with others.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "workload/job.h"

namespace coslice {

class ResourceSlowdowns;

/// Slowdowns are factors on the run time with one process per node on nodes of its own; below 1: it gets faster.
class SlowdownModel {
 public:
  virtual ~SlowdownModel() = default;
  /// SL_nos: of the job, with a process on each processor of its nodes.
  virtual double over_processors(JobIndex j) const = 0;
  /// SL_crs: the further factor with a process on each core.
  virtual double over_cores(JobIndex j) const = 0;
  /// SL_cos: the further factor for the job beside another one on its nodes.
  virtual double beside(JobIndex j, JobIndex other) const = 0;
  /// The same where the other one has other processors of its nodes.
  virtual double beside_apart(JobIndex j, JobIndex other) const { return beside(j, other); }
  /// No value of beside() and beside_apart() is lower; 0 where that is not known.
  virtual double least_beside() const { return 0; }
  /// How many times `beside` the real slowdown is, where that is an estimate that may be wrong.
  virtual double misjudged(JobIndex, JobIndex) const { return 1; }
  double really_beside(JobIndex j, JobIndex other) const { return beside(j, other) * misjudged(j, other); }
  /// Of a job alone, where it has GPUs of that type (a number in MachineLayout::gpu_types; -1: it has none).
  virtual double on_gpus(JobIndex, std::int32_t) const { return 1; }
  /// The further factor where it has a slice of such a GPU, of so many of its parts; 0: it cannot run there.
  virtual double on_slice(JobIndex, std::int32_t /*type*/, std::int32_t slice, std::int32_t slices) const {
    return static_cast<double>(slices) / slice;
  }
  /// beside() where the two share GPUs of that type.
  virtual double beside_on(JobIndex j, JobIndex other, std::int32_t) const { return beside(j, other); }
  /// The same as it really is.
  virtual double really_beside_on(JobIndex j, JobIndex other, std::int32_t) const { return really_beside(j, other); }
  /// What the job runs, where the model knows applications; else "".
  virtual std::string_view application(JobIndex) const { return {}; }
  /// What jobs do, where the model knows (workload/resource_slowdowns.h); else null.
  virtual const ResourceSlowdowns* resources() const { return nullptr; }
  /// Of the job alone on its nodes, with this many processes on each of them (Zeng 2009, Section 4.5): up to `first` of
  /// them have a processor each (or, in ExchangedSlowdowns, a core of one processor each).
  double alone(JobIndex j, std::int32_t ppn, std::int32_t first) const {
    if (ppn <= 1) return 1;
    return ppn <= first ? over_processors(j) : over_processors(j) * over_cores(j);
  }
};

/// Slowdowns where processes go to the cores of one processor first, and those of different jobs to different ones:
/// processors and cores change their roles.
class ExchangedSlowdowns : public SlowdownModel {
 public:
  /// `model` outlives it.
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
  using Histogram =
      std::array<double, kBins>;  ///< probabilities of [.9, 1), [1, 1.1), ... [1.7, 1.8); they add up to 1
  static const Histogram kOverCores, kOverProcessors, kBeside;

  /// For that many jobs.
  DrawnSlowdowns(std::uint64_t seed, std::size_t jobs);
  double over_processors(JobIndex j) const override { return processors_[j]; }
  double over_cores(JobIndex j) const override { return cores_[j]; }
  double beside(JobIndex j, JobIndex other) const override;
  double least_beside() const override { return 0.9; }
  /// The value at u in [0, 1) of a histogram's distribution.
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
    std::vector<double> apart;   ///< the same on other processors; empty: as `beside`
  };
  /// `class_of` by job; all below the number of applications, and each application has a value for each.
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

 private:
  const Application& of(JobIndex j) const { return applications_[class_of_[j]]; }
  std::vector<Application> applications_;
  std::vector<std::uint32_t> class_of_;
};

/// Slowdowns that are computed elsewhere.
class AskedSlowdowns : public SlowdownModel {
 public:
  std::function<double(JobIndex)> ask_over_processors, ask_over_cores;
  std::function<double(JobIndex, JobIndex)> ask_beside;
  double over_processors(JobIndex j) const override { return ask_over_processors(j); }
  double over_cores(JobIndex j) const override { return ask_over_cores(j); }
  double beside(JobIndex j, JobIndex other) const override { return ask_beside(j, other); }
};

}  // namespace coslice

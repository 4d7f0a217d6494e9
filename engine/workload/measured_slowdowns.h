// Slowdowns of jobs that share GPUs, by what they run and by the kind of GPU; and what a scheduler believes of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workload/slowdown.h"

namespace coslice {

/// A table of slowdowns that has one for each type of GPU.
class MeasuredSlowdowns : public SlowdownModel {
 public:
  /// Of one kind of GPU. Rows are classes of the table, as are columns.
  struct Gpu {
    std::vector<double> alone;   ///< factor on the run time, by class
    std::vector<double> beside;  ///< by class, then by that of the other
    /// Where two jobs run the same, they were measured as two: `beside` is that of the one that came first, this of the
    /// other one. By class.
    std::vector<double> second;
  };

  /// `table` is for all but GPUs; `class_of` by job, as there. `gpus` is not empty; `gpu_of_type` by the machine's type of
  /// GPU. Where a job has no GPU, or the type is not said, gpus[0] counts.
  MeasuredSlowdowns(std::vector<SlowdownTable::Application> table, std::vector<std::uint32_t> class_of,
                    std::vector<Gpu> gpus, std::vector<std::size_t> gpu_of_type)
      : classes_(table.size()), class_of_(class_of), table_(std::move(table), std::move(class_of)),
        gpus_(std::move(gpus)), gpu_of_type_(std::move(gpu_of_type)) {}

  double over_processors(JobIndex j) const override { return table_.over_processors(j); }
  double over_cores(JobIndex j) const override { return table_.over_cores(j); }
  double beside(JobIndex j, JobIndex other) const override { return beside_on(j, other, -1); }
  double least_beside() const override;
  std::string_view application(JobIndex j) const override { return table_.application(j); }
  double on_gpus(JobIndex j, std::int32_t type) const override {
    return type < 0 ? 1 : gpu(type).alone[class_of_[j]];
  }
  double beside_on(JobIndex j, JobIndex other, std::int32_t type) const override {
    const std::uint32_t c = class_of_[j], by = class_of_[other];
    return c == by && j > other ? gpu(type).second[c] : gpu(type).beside[c * classes_ + by];
  }
  double really_beside_on(JobIndex j, JobIndex other, std::int32_t type) const override {
    return beside_on(j, other, type);
  }

 private:
  const Gpu& gpu(std::int32_t type) const {
    return gpus_[type < 0 || gpu_of_type_.empty() ? 0 : gpu_of_type_[static_cast<std::size_t>(type)]];
  }

  std::size_t classes_;
  std::vector<std::uint32_t> class_of_;
  SlowdownTable table_;
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
  double on_slice(JobIndex j, std::int32_t type, std::int32_t slice, std::int32_t slices) const override {
    return truth_->on_slice(j, type, slice, slices);
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

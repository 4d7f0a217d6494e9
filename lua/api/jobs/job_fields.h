// The fields of jobs that a formula needs, read once from the tables that the policy sees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/jobs/job_tables.h"
#include "formula/formula.h"

namespace coslice {

class LuaState;

class JobFields {
 public:
  /// Keeps references to both, which outlive it.
  JobFields(LuaState& state, const JobTables& jobs) : state_(state), jobs_(jobs) {}

  /// Takes the fields of this formula from now on; another `version` is another formula.
  void want(const formula::Formula& formula, int version);
  /// Reads those of a job that waits, if they are not known. False if one of them is not what formulas take it for.
  bool read(JobIndex j);
  /// Notes that the job enters the queue, perhaps not for the first time: its fields may be others.
  void forget(JobIndex j) {
    if (j < known_.size()) known_[j] = 0;
  }
  bool known(JobIndex j) const { return j < known_.size() && known_[j] != 0; }
  /// Returns the fields of a job in the order of Formula::fields(). Precondition: read() came before.
  const double* of(JobIndex j) const { return values_.data() + j * width_; }

 private:
  /// Reads a field of the job's table; nothing if it is not a number. Precondition: inside a protected call.
  std::optional<JobNumber> ask_table(JobIndex j, const std::string& field) const;

  LuaState& state_;
  const JobTables& jobs_;
  const formula::Formula* formula_ = nullptr;
  int version_ = 0;
  std::size_t width_ = 0;            ///< of a job
  std::vector<std::uint8_t> known_;  ///< by JobIndex
  std::vector<double> values_;       ///< by JobIndex
};

}  // namespace coslice

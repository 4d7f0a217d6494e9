// Measurements of programs that share a GPU, as they are published: a CSV file with a row for each pair of
// configurations, and one with a row for each configuration alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/trace_file.h"
#include "jobs/pair_estimate.h"

namespace coslice {

/// What the columns mean. A column of a pair appears twice, with _a and _b behind its name.
struct PairColumns {
  std::vector<std::string> configuration;  ///< together its name; empty: all that appear twice, but `speed`
  std::string speed = "speed";             ///< what is kept of the speed alone; or a rate, where `rate` is said
  std::string gpu = "gpu";                 ///< kind of GPU; a file without that column has one kind
  // of the file of configurations alone
  std::vector<std::string> single;           ///< the same columns there, in the same order; empty: of the same names
  std::map<std::string, std::string> where;  ///< only its rows that have these values
  std::string rate;                          ///< rate alone, e.g. steps per second; `speed` is such a rate then; "": no
  bool rates_only_alone = false;             ///< `speed` is what is kept of the speed, though there is a `rate`
};

/// All that was measured on one kind of GPU.
struct GpuMeasurements {
  std::string gpu;                            ///< "": the only one
  std::vector<PairSpeed> pairs;               ///< each once
  std::vector<std::vector<double>> profiles;  ///< by configuration: the numbers of it alone; empty where there are none
  std::vector<double> rates;                  ///< by configuration: alone; 0 where it does not run
};

class MeasuredPairs {
 public:
  /// Reads both files; `single` "": there is none. Throws InputError.
  MeasuredPairs(const std::string& pairs, const std::string& single, const PairColumns& columns);

  /// Returns the names of the configurations, "ResNet18/CIFAR-10/32/0", in the order of the files.
  const std::vector<std::string>& configurations() const { return names_; }
  /// Returns the number of the configuration; that of configurations().size() where it is not known.
  std::uint32_t number(const std::string& configuration) const {
    const auto at = numbers_.find(configuration);
    return at == numbers_.end() ? static_cast<std::uint32_t>(names_.size()) : at->second;
  }
  const std::vector<GpuMeasurements>& gpus() const { return gpus_; }
  /// Returns what the numbers of profiles are.
  const std::vector<std::string>& profile_columns() const { return profile_columns_; }
  /// Returns what the configuration columns are called, without _a and _b.
  const std::vector<std::string>& configuration_columns() const { return configuration_; }

 private:
  void read_single(const std::string& path, const PairColumns& columns);
  void read_pairs(const CsvTable& table, const std::string& path, const PairColumns& columns);
  void complete_gpus(const std::string& pairs);
  std::uint32_t intern(const std::string& configuration);
  GpuMeasurements& of_gpu(const std::string& gpu);

  std::vector<std::string> names_, configuration_, profile_columns_;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<GpuMeasurements> gpus_;
};

/// Returns the configuration columns of a table of pairs: `said`, else all that appear twice, but `speed`. Throws
/// InputError where there are none.
std::vector<std::string> pair_columns(const CsvTable& table, const std::vector<std::string>& said,
                                      const std::string& speed);
/// Returns the name of the configuration in a row: its cells with a slash between, in which a slash within one of
/// several cells is written `\/`, and a backslash `\\`. `side` is "_a", "_b" or "".
std::string configuration_in(const CsvTable& table, std::size_t row, const std::vector<std::string>& columns,
                             const std::string& side);

}  // namespace coslice

// Results as columns: those of jobs.csv and of timeline.csv, numbers where they are numbers. A column is made when it
// is first asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "door/coslice.h"
#include "metrics/summary.h"
#include "observe/result.h"

namespace coslice::door {

/// A column's own data.
struct ColumnData {
  coslice_type type = COSLICE_INT64;
  std::vector<std::int64_t> integers;  ///< also the offsets of texts
  std::vector<double> reals;
  std::vector<std::int32_t> codes;
  std::vector<std::string> names;
  std::vector<const char*> name_texts;
  std::string bytes;
};

class ResultTables {
 public:
  /// `result` and `options` outlive it.
  ResultTables(const RunResult& result, const MetricsOptions& options);

  /// Returns the names of a table's columns, in the order of its file; null if there is no such table.
  const std::vector<std::string>* columns(std::string_view table) const;
  /// Returns a column. Throws InputError if there is none.
  coslice_column column(std::string_view table, std::string_view name);

 private:
  using Make = std::function<void(ColumnData&)>;
  void add(const std::string& name, Make make);
  void add_batsim_columns();
  void add_own_columns();
  void add_columns_of_text();
  void read_rest();
  void each_job(ColumnData& to, const std::function<double(JobIndex)>& value) const;
  void each_number(ColumnData& to, const std::function<std::int64_t(JobIndex)>& value) const;

  const RunResult& result_;
  const MetricsOptions& options_;
  std::vector<std::string> job_columns_, timeline_columns_;
  std::map<std::string, Make, std::less<>> makers_;
  std::map<std::string, ColumnData, std::less<>> made_;  ///< "jobs job_id"; addresses stay
  std::vector<std::string> rest_;                        ///< columns that some runs have, read from the text
};

}  // namespace coslice::door

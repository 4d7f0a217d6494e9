// Results as columns: those of jobs.csv and of timeline.csv, numbers where they are numbers. A column is made when it
// is first asked for. All of them at once are made a block of rows at a time, so that what the engine knows of a job is
// read once and not for each column.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "door/coslice.h"
#include "metrics/summary.h"
#include "observe/result.h"

namespace coslice::door {

/// Memory of numbers that are written before they are read: a vector would write zeros first.
template <class T>
struct Unwritten : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Unwritten<U>;
  };
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Given>
  void construct(U* at, Given&&... given) {
    ::new (static_cast<void*>(at)) U(std::forward<Given>(given)...);
  }
};

/// A column's own data.
struct ColumnData {
  coslice_type type = COSLICE_INT64;
  std::vector<std::int64_t, Unwritten<std::int64_t>> integers;  ///< also the offsets of texts
  std::vector<double, Unwritten<double>> reals;
  std::vector<std::int32_t, Unwritten<std::int32_t>> codes;
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
  /// Returns all columns of a table, in the order of its file; where `texts` is false, without those in which each row
  /// has a text of its own. They live as long as this. Throws InputError if there is no such table.
  const std::vector<coslice_column>& all(std::string_view table, bool texts);

 private:
  /// How a column is made.
  struct Maker {
    coslice_type type;
    std::vector<std::string> names;                                           ///< of codes
    std::function<void(ColumnData&, std::size_t from, std::size_t to)> fill;  ///< these rows; texts are appended
  };

  template <class Value>
  void add(std::string table, const std::string& name, coslice_type type, Value value,
           std::vector<std::string> names = {});
  template <class Value>
  void add_real(const std::string& name, Value value);
  template <class Value>
  void add_whole(const std::string& name, Value value);
  void add_batsim_columns();
  void add_own_columns();
  void add_timeline();
  void add_columns_of_text();
  void make(const std::vector<std::string>& keys);
  void read_rest();
  const std::vector<std::string>& required_columns(std::string_view table) const;

  const RunResult& result_;
  const MetricsOptions& options_;
  std::vector<std::string> job_columns_, timeline_columns_;
  std::map<std::string, Maker, std::less<>> makers_;     ///< "jobs job_id"
  std::map<std::string, ColumnData, std::less<>> made_;  ///< by the same keys; addresses stay
  std::vector<std::string> rest_;                        ///< columns that some runs have, read from the text
  std::map<std::string, std::vector<coslice_column>, std::less<>> all_;
};

}  // namespace coslice::door

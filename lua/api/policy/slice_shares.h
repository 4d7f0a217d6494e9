// Shares of the interval by class: as a Lua table, and by the time of day (field `shares`, lua/meta/slices.lua).
#pragma once

#include <string>
#include <vector>

#include "core/time.h"
#include "slices/slices.h"

struct lua_State;

namespace coslice {

class FieldReader;

/// Shares that change with the time of day.
class DayShares {
 public:
  bool empty() const { return entries_.empty(); }
  /// Returns what holds at this time after midnight: the last entry that has begun, in the small hours that of the
  /// evening before. Precondition: not empty, 0 <= time_of_day < 24 h.
  const std::vector<double>& at(Duration time_of_day) const;
  void add(Duration from, std::vector<double> shares);

 private:
  struct Entry {
    Duration from;
    std::vector<double> shares;  ///< one per class
  };
  std::vector<Entry> entries_;  ///< by time
};

/// Reads the table on the top of the stack, shares by class name; classes that are not named get none. Says in
/// `problem` what is wrong with it, and leaves it empty if nothing is. Inside a protected call.
std::vector<double> read_shares(lua_State* L, const std::vector<SliceClass>& classes, std::string& problem);

/// Reads the table on the top of the stack, shares by "HH:MM". `slices` is for complaints. Throws InputError.
DayShares read_day_shares(const FieldReader& slices, const std::vector<SliceClass>& classes);

}  // namespace coslice

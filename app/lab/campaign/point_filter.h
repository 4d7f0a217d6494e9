// The filter of a campaign, `where`: which of its points are run.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"
#include "host/ref.h"
#include "host/state.h"

namespace coslice {

class PointFilter {
 public:
  /// A Lua expression, or a body that returns a value or a function of the point; "" lets everything pass. The axes are
  /// known in it by the last parts of their names, and by their full names in the table `point`.
  /// Throws InputError at `place` if it is no Lua.
  PointFilter(const std::string& where, Place place, const std::vector<std::string>& axes);

  /// Returns whether the point is to be run. `point` has a value for each axis. Throws InputError.
  bool holds(const Value& point);

 private:
  [[noreturn]] void blame(const std::string& problem) const;

  Place place_;
  LuaState state_;
  LuaRef function_;
};

}  // namespace coslice

// A function that a script gives.
#pragma once

#include <string>

#include "host/ref.h"

namespace coslice {

/// A function that a policy gives, and what errors call it.
struct Hook {
  LuaRef function;
  std::string label;  ///< "hook 'key' of policy 'sjf'"

  explicit operator bool() const { return static_cast<bool>(function); }
};

}  // namespace coslice

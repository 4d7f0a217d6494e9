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

class FieldReader;

/// The function in the field of a table inside a policy, or an empty hook; errors of it will call it "function 'NAME'
/// WHERE". Throws InputError if the field is no function. Inside a protected call.
Hook read_hook(const FieldReader& f, const char* name, const std::string& where);

}  // namespace coslice

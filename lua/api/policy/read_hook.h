#pragma once

#include <string>

#include "api/policy/hook.h"

namespace coslice {

class FieldReader;

/// The function in the field of a table inside a policy, or an empty hook; errors of it will call it "function 'NAME'
/// WHERE". Throws InputError if the field is no function. Inside a protected call.
Hook read_hook(const FieldReader& f, const char* name, const std::string& where);

}  // namespace coslice

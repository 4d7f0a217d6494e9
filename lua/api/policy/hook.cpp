#include "api/policy/hook.h"

#include <fmt/format.h>

#include "api/scripts/script_errors.h"

namespace coslice {

Hook read_hook(const FieldReader& f, const char* name, const std::string& where) {
  Hook hook;
  if (!f.has(name)) return hook;
  f.require_function(name);
  f.push(name);
  hook.function = LuaRef::pop(f.state());
  hook.label = fmt::format("function '{}' {}", name, where);
  return hook;
}

}  // namespace coslice

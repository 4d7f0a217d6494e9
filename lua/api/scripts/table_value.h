// Lua tables as trees of plain data.
#pragma once

#include <string>

#include "api/scripts/script_errors.h"
#include "core/codec.h"

struct lua_State;

namespace coslice {

/// Marks the table at the stack index as written at that line, so that messages about what is in it name the line.
void mark_line(lua_State* L, int index, int line);

/// Returns the value at the stack index. Tables with the keys 1..n become lists; empty ones become lists, too, if
/// `empty_is_list`. `path` names the value in messages: functions, other keys, more than 32 levels.
/// Throws InputError.
Value value_from_lua(lua_State* L, int index, const Place& place, const std::string& path, bool empty_is_list = false);

/// Sets the lines of values that have none to where the script's text first assigns to a field of their name.
void find_lines(Value& v, std::string_view text);

/// Reads the table at the stack index by these keys. `path` leads the names in messages, which name the file, and the
/// line as far as the script's text tells it. Throws InputError.
template <class S>
void read_lua_record(const std::vector<Key<S>>& keys, S& out, lua_State* L, int index, const std::string& file,
                     std::string_view text, const std::string& path) {
  Value v = value_from_lua(L, index, {std::make_shared<Source>(Source{file, ""}), 0}, path);
  try {
    read_record(keys, out, v, path);
  } catch (
      const InputError&) {  // Lua keeps no lines, and to look for them takes time: only where there is something to say
    find_lines(v, text);
    read_record(keys, out, v, path);
    throw;
  }
}

/// Pushes a copy of the reader's table without the fields that are read apart. Complains about a field that is neither
/// among these nor among the keys.
void push_data(const FieldReader& f, std::vector<std::string> keys, const std::vector<std::string>& apart);

void pop_data(const FieldReader& f);

/// Reads the reader's table by these keys. `apart` are the fields that are no data: functions, and tables with some.
template <class S>
void read_fields(const std::vector<Key<S>>& keys, S& out, const FieldReader& f,
                 const std::vector<std::string>& apart = {}) {
  std::vector<std::string> names;
  for (const Key<S>& k : keys) names.push_back(k.name);
  push_data(f, std::move(names), apart);
  read_lua_record(keys, out, f.state(), -1, f.file(), f.script(), f.what());
  pop_data(f);
}

}  // namespace coslice

// Complaints about the table that a script returns. Lua keeps no line for a table's field, so the line is looked up in
// the script's text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct lua_State;

namespace coslice {

/// Returns the line (1-based) on which `name =` or `["name"] =` first stands in the text, 0 if nowhere.
int line_of_field(std::string_view text, std::string_view name);

/// Reads fields of the table that a script returned, with messages that name file, line and field.
/// All members may raise Lua memory errors: use it inside LuaState::protect. Throws InputError.
class FieldReader {
 public:
  /// `what` says in messages what the table is: "policy", "workload script", "parameter 'depth'".
  FieldReader(lua_State* L, int index, std::string file, std::string_view text, std::string what);

  /// Complains about fields that are not in `known`.
  void only(const std::vector<std::string>& known) const;
  bool has(const char* name) const;
  /// Pushes the field's value.
  void push(const char* name) const;
  std::string text(const char* name, const char* fallback = nullptr) const;
  std::string choice(const char* name, const std::vector<std::string>& choices) const;
  /// Returns the field as a whole number of at least `least`. Throws InputError if it is not one.
  long long integer(const char* name, long long least) const;
  double number(const char* name) const;
  bool flag(const char* name) const;
  /// Complains unless the field is a function.
  void require_function(const char* name) const;
  [[noreturn]] void fail(std::string_view field, std::string problem, std::string expected = "",
                         std::string suggestion = "") const;
  /// Returns a reader of the table at the stack index, which stands inside this one.
  FieldReader inner(int index, std::string what) const { return {L_, index, file_, text_, std::move(what)}; }
  lua_State* state() const { return L_; }
  int index() const { return index_; }
  const std::string& file() const { return file_; }
  std::string_view script() const { return text_; }
  const std::string& what() const { return what_; }

 private:
  [[noreturn]] void fail_type(const char* name, int index, const char* expected) const;

  lua_State* L_;
  int index_;
  std::string file_;
  std::string_view text_;
  std::string what_;
};

}  // namespace coslice

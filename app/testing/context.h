// What the functions of the test library know of the suite that calls them.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"

struct lua_State;

namespace coslice {

class LuaState;
class RandomLibrary;

/// An expectation that does not hold. The diagnostic has the suite's file and line; the detail has further lines.
class TestFailure : public std::runtime_error {
 public:
  explicit TestFailure(Diagnostic d) : std::runtime_error(d.message()), diagnostic_(std::move(d)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// A case asked to be skipped; what() is the reason.
class TestSkipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One suite while it runs. The second half is of the case that runs just now.
struct SuiteContext {
  std::string path;                   ///< of the suite, as it was given
  std::string folder;                 ///< of that file; "" is the current one
  bool update = false;                ///< golden snapshots are written, not compared
  std::optional<std::uint64_t> seed;  ///< for all properties, instead of their own
  std::int64_t times = 1;             ///< each property holds on so many times as many workloads
  LuaState* state = nullptr;
  RandomLibrary* random = nullptr;

  bool skipping = false;
  std::string input_error;          ///< the last one of simulate, as Lua saw it
  std::string remark;               ///< e.g. "100 runs, seed 1"
  std::vector<std::string> notes;   ///< what a failure should say besides
  std::vector<std::string> output;  ///< printed lines
  int goldens_written = 0;

  /// Of the whole suite; each kind of warning is said once.
  std::vector<std::string> warnings;
  void warn(const std::string& kind, std::string text);

 private:
  std::vector<std::string> warned_;
};

/// A line of the suite (or of a module that it requires).
struct SuiteLine {
  std::string file;
  int line = 0;
};

/// Returns the lines of the suite at which the running calls stand, the innermost first; the test library's own are
/// left out.
std::vector<SuiteLine> suite_lines(lua_State* L);

/// Throws TestFailure at the innermost line of suite_lines(). What follows the first line of the message becomes the
/// detail.
[[noreturn]] void fail_test(lua_State* L, const std::string& message);
/// Fails the test at a line of the suite that no longer runs.
[[noreturn]] void fail_test_at(const SuiteLine& where, const std::string& message);

}  // namespace coslice

// Errors are for people. What a person gave us and got wrong is an InputError: it names the place, what is
// wrong, what was expected, and what to try.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coslice {

/// One message about wrong input. Empty parts are left out of the message.
struct Diagnostic {
  std::string file{};        ///< path as the user gave it; "--flag" for the command line
  int line = 0;              ///< 1-based; 0 if there is none
  std::string problem{};     ///< what is wrong, a phrase without a full stop
  std::string expected{};    ///< what would have been right
  std::string suggestion{};  ///< what to try, e.g. "did you mean 'easy'?"
  std::string detail{};      ///< further lines, e.g. a Lua traceback; printed as they are

  /// Returns "file:line: problem; expected ...; suggestion", then the detail on lines of its own.
  std::string message() const;
};

/// Bad input: a trace, a scenario, a policy, a flag. Ends the program with status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostic d) : std::runtime_error(d.message()), diagnostic_(std::move(d)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// The simulation could not go on: a policy raised an error, a limit was hit. Ends the program with status 1.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the name out of `known` that `typed` was probably meant to be, or "" if none is near (optimal string
/// alignment distance of at most a third of the length, at least 1; upper and lower case are the same). Where none is
/// near, the only one that begins with `typed`. Of equally near ones the first.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& known);
/// Returns the name out of `known` of which `typed` is one but for a slip: a letter too many, too few, wrong or changed
/// with the next one, two such slips in names of eight letters or more; "" if it is one of them, or not like any.
std::string misspelt_name(std::string_view typed, const std::vector<std::string>& known);
/// Returns "did you mean 'x'?", where some name is near, or "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known);

}  // namespace coslice

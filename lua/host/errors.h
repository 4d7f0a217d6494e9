// What a call into Lua can throw. Errors of the engine that pass through Lua come out as they went in.
#pragma once

#include "core/error.h"

namespace coslice {

/// A script raised an error. what() is "file:line: problem" followed by the traceback on lines of its own.
class ScriptError : public SimulationError {
 public:
  /// `d.detail` is the traceback.
  explicit ScriptError(Diagnostic d) : SimulationError(d.message()), diagnostic_(std::move(d)) {}
  /// Returns file, line, problem and traceback; a loader of scripts turns it into an InputError.
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// A script used up its instructions or its memory. Scripts cannot catch it.
class LimitError : public ScriptError {
 public:
  using ScriptError::ScriptError;
};

}  // namespace coslice

#include "door/failures.h"

#include <new>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice::door {
namespace {

/// The last error of a thread, and the struct that shows it.
struct Kept {
  Diagnostic diagnostic;
  std::string message;
  coslice_error_text shown{};

  void show(coslice_status status) {
    shown = {status,
             message.c_str(),
             diagnostic.file.c_str(),
             diagnostic.line,
             diagnostic.problem.c_str(),
             diagnostic.expected.c_str(),
             diagnostic.suggestion.c_str()};
  }
};

Kept& kept() {
  thread_local Kept last;
  return last;
}

coslice_status keep(coslice_status status, Diagnostic diagnostic, std::string message) {
  Kept& last = kept();
  last.diagnostic = std::move(diagnostic);
  last.message = std::move(message);
  last.show(status);
  return status;
}

coslice_status keep_problem(coslice_status status, const std::string& problem) {
  Diagnostic diagnostic;
  diagnostic.problem = problem;
  return keep(status, std::move(diagnostic), problem);
}

}  // namespace

coslice_status fail(coslice_status status, std::string problem, std::string expected) {
  Diagnostic diagnostic;
  diagnostic.problem = std::move(problem);
  diagnostic.expected = std::move(expected);
  std::string message = diagnostic.message();
  return keep(status, std::move(diagnostic), std::move(message));
}

coslice_status keep_error() noexcept {
  try {
    try {
      throw;
    } catch (const InputError& e) {
      return keep(COSLICE_BAD_INPUT, e.diagnostic(), e.what());
    } catch (const SimulationError& e) {
      return keep_problem(COSLICE_FAILED, e.what());
    } catch (const Interrupted&) {
      return keep_problem(COSLICE_INTERRUPTED, "the run was interrupted");
    } catch (const CallbackFailed& e) {
      return keep_problem(COSLICE_CALLBACK, e.what);
    } catch (const std::bad_alloc&) {
      return keep_problem(COSLICE_NO_MEMORY, "there is not enough memory");
    } catch (const std::exception& e) {
      return keep_problem(COSLICE_INTERNAL, fmt::format("a fault of coslice: {}", e.what()));
    } catch (...) {
      return keep_problem(COSLICE_INTERNAL, "a fault of coslice");
    }
  } catch (...) {  // without memory for the words
    Kept& last = kept();
    last.diagnostic = {};
    last.message.clear();
    last.show(COSLICE_NO_MEMORY);
    return COSLICE_NO_MEMORY;
  }
}

void fail_null(const char* argument) { throw InputError({argument, 0, "is NULL", "where it goes, or is"}); }

std::string_view required(const char* text, const char* argument) {
  if (text == nullptr) throw InputError({argument, 0, "is NULL", "a text"});
  return text;
}

}  // namespace coslice::door

const coslice_error_text* coslice_error(void) {
  using coslice::door::kept;
  auto& last = kept();
  if (last.shown.message == nullptr) last.show(COSLICE_OK);
  return &last.shown;
}

// Errors at the C interface: no exception leaves it; what was wrong is kept for the thread that called.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "door/coslice.h"

namespace coslice::door {

/// The progress callback asked for an end.
struct Interrupted {};

/// A callback of a policy gave up, or gave no answer.
struct CallbackFailed {
  std::string what;
};

/// Keeps an error for coslice_error() and returns its status.
coslice_status fail(coslice_status status, std::string problem, std::string expected = "");

/// Keeps the exception that is being handled as the thread's error and returns its status.
coslice_status keep_error() noexcept;

/// Calls f and returns COSLICE_OK, or the status of what it throws.
template <class F>
coslice_status guarded(F&& f) noexcept {
  try {
    std::forward<F>(f)();
    return COSLICE_OK;
  } catch (...) {
    return keep_error();
  }
}

/// Throws InputError: the argument is NULL.
[[noreturn]] void fail_null(const char* argument);

/// Returns what the argument points to. Throws InputError that names it where it is NULL.
template <class T>
T& pointed(T* to, const char* argument) {
  if (to == nullptr) fail_null(argument);
  return *to;
}

/// Sees to it that a list of so many is there.
template <class T>
void check_list(const T* list, std::size_t count, const char* argument) {
  if (list == nullptr && count != 0) fail_null(argument);
}

/// Returns the text, which the caller must have given. Throws InputError that names the argument.
std::string_view required(const char* text, const char* argument);

}  // namespace coslice::door

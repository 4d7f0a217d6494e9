// What a mistake is told.
#pragma once

#include <concepts>
#include <exception>
#include <string>

/// The message of what f throws; "no error" if it throws nothing.
template <std::invocable F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

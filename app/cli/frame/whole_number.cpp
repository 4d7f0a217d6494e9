#include "cli/frame/whole_number.h"

#include <charconv>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice::cli {

std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < low || number > high) {
    throw InputError({flag, 0, fmt::format("'{}' does not fit", text),
                      fmt::format("a whole number from {} to {}", low, high), "", ""});
  }
  return number;
}

}  // namespace coslice::cli

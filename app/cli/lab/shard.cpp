#include "cli/lab/shard.h"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice::cli {

Shard shard_of(const std::string& text) {
  Shard s;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, s.number);
  const bool divided = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  const auto second = divided ? std::from_chars(first.ptr + 1, end, s.of) : first;
  if (!divided || second.ec != std::errc() || second.ptr != end || s.of < 1 || s.of > 1'000'000 || s.number < 1 ||
      s.number > s.of) {
    throw InputError({"--shard", 0, fmt::format("'{}' is not a part", text), "I/N with I from 1 to N, e.g. 3/40"});
  }
  return s;
}

std::string results_name(const std::string& campaign, const Shard& shard) {
  const std::string stem = std::filesystem::path(campaign).stem().string();
  return stem + (shard.of == 1 ? "" : fmt::format("-{}-of-{}", shard.number, shard.of)) + ".sqlite";
}

}  // namespace coslice::cli

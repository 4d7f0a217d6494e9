// What jobs use: fractions of their time, and memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace coslice {

enum class Resource : std::uint8_t { kCpu, kNetwork, kDisk };
inline constexpr std::size_t kResources = 3;

/// How jobs use nodes.
struct ResourceProfile {
  std::array<double, kResources> fraction{1, 0, 0};  ///< of the run time, by Resource; they add up to 1
  double memory = 0;                                 ///< of a node's memory, from 0 to 1
  Resource kind = Resource::kCpu;                    ///< what the job is bound by, as it was said or drawn
};

}  // namespace coslice

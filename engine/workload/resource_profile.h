// What jobs use: fractions of their time, and memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace coslice {

enum class Resource : std::uint8_t { kCpu, kNetwork, kDisk };
inline constexpr std::size_t kResources = 3;

/// How jobs use nodes.
struct ResourceProfile {
  std::array<double, kResources> fraction{1, 0, 0};  ///< of the run time, by Resource; they add up to 1
  double memory = 0;                                 ///< of a node's memory, from 0 to 1
  Resource kind = Resource::kCpu;                    ///< what the job is bound by, as it was said or drawn
};

/// Of some jobs, by id.
using ResourceProfiles = std::map<std::int64_t, ResourceProfile>;

/// Whether the fractions add up to 1, but for the few digits of tables.
bool adds_up(const std::array<double, kResources>& fractions);
/// The kind of a job by the largest of its fractions; of equal ones the first.
Resource largest_fraction(const std::array<double, kResources>& fractions);

}  // namespace coslice

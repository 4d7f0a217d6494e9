// Numbers for the names of a dump: users, accounts, partitions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workload/recorded.h"

namespace coslice {

/// Numbers names from 1, in the order in which they are seen.
class NameNumbers {
 public:
  /// The name's number; -1 for an empty one. `kind` is what the name is of.
  std::int32_t number(std::string_view kind, std::string_view name) {
    if (name.empty()) return -1;
    const auto [at, added] = numbers_.try_emplace(std::string(name), static_cast<std::int32_t>(numbers_.size() + 1));
    if (added) names_.push_back({std::string(kind), at->second, at->first, 0});
    ++names_[static_cast<std::size_t>(at->second) - 1].jobs;
    return at->second;
  }
  /// In the order of their numbers, with how many jobs have each.
  const std::vector<RecordedWorkload::Name>& all() const { return names_; }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<RecordedWorkload::Name> names_;
};

}  // namespace coslice

// When those that wait would start and end if each had the units that it asks for to itself, in order, from the instants at which
// units come free (UnitBook::releases).
#pragma once

#include <optional>
#include <vector>

#include "sharing/unit_book.h"

namespace coslice {

struct UnitSlot {
  std::int32_t kind;  ///< -1: it fits no kind alone, and has units of all that it may have, at the pace of the slowest
  double start, finish;
  std::int32_t spare;  ///< units that are left over then
};

/// Where the waiting job would end soonest, not starting before an instant; nothing if it asks for no units or never starts.
std::optional<UnitSlot> first_slot(const UnitBook::Tenant& t, const std::vector<UnitBook::Releases>& releases, double not_before);

/// When the jobs of a list would end, none starting before the one ahead of it; nothing for those that never start, or ask for no units.
std::vector<std::optional<double>> play_forward(const std::vector<UnitBook::Tenant*>& queue,
                                                std::vector<UnitBook::Releases> releases, double now);

}  // namespace coslice

#include "report/explain/reserved_text.h"

#include <fmt/format.h>

#include "report/explain/story_words.h"
#include "report/number.h"

namespace coslice {

std::string reserved_text(const WaitPhase& p, const StoryContext& c) {
  const std::string& name = c.result->reservations[static_cast<std::size_t>(p.reservation)].name;
  const std::string when = words::instant(c.clock, p.by_start);
  switch (p.reserved) {
    case WaitPhase::Reserved::kNow: return fmt::format("waits: the nodes are reserved for {} until {}", name, when);
    case WaitPhase::Reserved::kSoon:
      return fmt::format("waits: the nodes are reserved for {} from {} on, and it may run longer ({})", name, when,
                         human_duration(p.planned));
    case WaitPhase::Reserved::kOwnLater:
      return fmt::format("waits for its reservation {}, which begins at {}", name, when);
    default:
      return fmt::format("waits: its reservation {} ends at {}, and it may run longer ({})", name, when,
                         human_duration(p.planned));
  }
}

}  // namespace coslice

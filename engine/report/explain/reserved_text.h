// Reservations of nodes in explanations, in words.
#pragma once

#include <string>

#include "report/explain/story_text.h"

namespace coslice {

/// What a reservation of nodes has to do with it that a job waited. Precondition: p.why is Hold::kReserved.
std::string reserved_text(const WaitPhase& p, const StoryContext& c);

}  // namespace coslice

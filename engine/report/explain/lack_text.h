// What a waiting job lacked, in words.
#pragma once

#include <string>

#include "report/explain/story_text.h"

namespace coslice {

/// "needed ...: waited for 4 GPUs on a node of kind gpu; job 2 held it until 5,400 s, job 4 until 7,320 s".
/// Precondition: p.lack says what.
std::string lack_text(const WaitPhase& p, const StoryContext& c);

}  // namespace coslice

// Why a job was rejected, in words.
#pragma once

#include <string>

#include "report/explain/story_text.h"

namespace coslice {

/// The reason, without an end: "its policy refused it: no twos". Precondition: story.rejected.
std::string rejected_text(const JobStory& story, const StoryContext& c);

}  // namespace coslice

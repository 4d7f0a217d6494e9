// The story of a job for machines.
#pragma once

#include <string>

#include "report/explain/story_text.h"

namespace coslice {

/// A JSON object of one story. Jobs are the trace's numbers, times seconds; what is not known is null.
std::string story_json(const JobStory& story, const StoryContext& context);

}  // namespace coslice

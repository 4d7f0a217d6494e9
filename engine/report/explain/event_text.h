// What happened to a job after its start, in words: many events of a kind at once (event_text() of story_text.h is for one).
#pragma once

#include <cstdint>
#include <string>

#include "observers/job_story.h"

namespace coslice {

/// What n events of a kind came to, which cost the job that time; "" where that says nothing.
std::string sum_text(JobEvent::Kind kind, std::int64_t n, Duration time);

}  // namespace coslice

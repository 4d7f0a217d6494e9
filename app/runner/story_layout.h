// Stories of jobs as they are printed.
#pragma once

#include <string>
#include <vector>

#include "observe/story_recorder.h"
#include "report/explain/story_text.h"
#include "runner/runner.h"

namespace coslice {

/// Returns what records the stories of these jobs of a run, with all maintenance that is planned.
StoryRecorder story_recorder(const Runner& runner, const std::vector<JobIndex>& jobs);

/// Returns what the words about a job of this run need. `run` and `name` outlive it.
StoryContext story_context(const PolicyRun& run, const std::string& name, JobIndex job);

/// Returns the text in lines of at most `width` columns; each part with its title, instants in a column of their own.
std::string laid_out(const StoryText& text, std::size_t width, bool colour);

}  // namespace coslice

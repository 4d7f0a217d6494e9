// Why a job waits when nothing more happens, in words.
#pragma once

#include <string>

#include "report/explain/story_text.h"
#include "schedule/view.h"

namespace coslice {

/// Returns what keeps a job waiting, "job 2, came at 0 s: needed 4 nodes, 3 were free", when nothing runs.
/// Precondition: it waits in the view's queue, or is set aside.
std::string left_text(const View& view, const RunResult& result, JobIndex j);

}  // namespace coslice

// Lists of jobs of coslice's own: a table (CSV) or a list of objects (JSON) whose columns are the attributes of jobs.
#pragma once

#include <string>
#include <string_view>

#include "formats/recorded.h"

namespace coslice {

/// Returns whether a text begins like such a list: its columns, or the members of its first object, are `runtime`, and
/// `nodes` or `processes`.
bool looks_like_job_list(std::string_view head);

/// Reads a list of jobs. Columns have the names and units of attributes (jobs/attributes.h), and `nodes`: a job says
/// either its nodes, which it has for itself, or its processes. A cell that is empty is not said. Of attributes that
/// are numbers of names (user, queue, partition, ...) names are read, too, and numbered. Columns of other names are
/// left out with a warning; one that is nearly such a name is an error. Throws InputError with file and line.
RecordedWorkload parse_job_list(std::string text, const std::string& file);

}  // namespace coslice

// Where in a trace a job stands, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace coslice {

/// The line of the first record with that job number, 1-based; 0 if there is none, or where the file is a pipe. Of a dump of sacct, if its first
/// column are the numbers. Throws InputError if the file cannot be read.
std::int64_t line_of_job(const std::string& path, std::int64_t id);

}  // namespace coslice

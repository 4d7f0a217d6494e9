// Names: the numbers of a trace and the names and ids that a site has for them, as a CSV file.
#pragma once

#include <string>

#include "formats/recorded.h"

namespace coslice::cli {

/// Returns CSV with the head "kind,number,name,jobs": a row for each user, group, executable, queue and partition, then
/// one for each job with the id that the site gave it.
std::string site_names_csv(const RecordedWorkload& recorded);

/// Gives the jobs the ids and the numbers the names that the file has for them. Throws InputError.
void read_site_names(const std::string& path, RecordedWorkload& recorded);

}  // namespace coslice::cli

// Files that appear whole or not at all.
#pragma once

#include <string>

#include "report/files/new_file.h"
#include "report/files/output.h"

namespace coslice::cli {

/// Throws InputError if something of that name is there.
void require_absent(const std::string& path);

}  // namespace coslice::cli

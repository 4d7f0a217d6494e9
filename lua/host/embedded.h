// Files that are built into the program: the Lua half of the library and the policies that come with it.
#pragma once

#include <string_view>
#include <vector>

#include "core/file.h"

namespace coslice {

/// Returns all embedded files, sorted by name.
const std::vector<EmbeddedFile>& embedded_files();

/// Returns the embedded file of that name, or null.
const EmbeddedFile* find_embedded(std::string_view name);

}  // namespace coslice

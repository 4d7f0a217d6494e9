// Files that are built into the program: the Lua half of the library and the policies that come with it.
#pragma once

#include <string_view>
#include <vector>

#include "core/file.h"

namespace coslice {

/// All of them, sorted by name.
const std::vector<EmbeddedFile>& embedded_files();

/// The one of that name, or null.
const EmbeddedFile* find_embedded(std::string_view name);

}  // namespace coslice

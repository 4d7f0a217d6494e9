// Files that are built into a library (cmake/EmbedFiles.cmake).
#pragma once

#include <string_view>

namespace coslice {

/// A file as it was when the library was built.
struct EmbeddedFile {
  std::string_view name;  ///< "lib/prelude.lua", "web/gantt.css"
  std::string_view text;
};

}  // namespace coslice

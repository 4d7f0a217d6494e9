// Settings with which the Lua language server completes inside policies and suites: `.luarc.json`.
#pragma once

#include <string>

namespace coslice::cli {

/// What a folder of policies still needs.
struct EditorSettings {
  std::string path;  ///< the file to write; "" if there is nothing to write
  std::string text;
  std::string hint;  ///< what to do by hand instead: a line for people, or ""
};

/// Returns settings for files in `folder` ("" is the current one). A file of that name in the folder or above it is
/// never touched; if it does not name our definitions, the hint says what to add to it.
EditorSettings editor_settings(const std::string& folder);

}  // namespace coslice::cli

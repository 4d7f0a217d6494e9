// Folders that are found by where the running program is, not by a prefix known at build time: a program that was just
// built must not find what another version left there.
#pragma once

#include <filesystem>
#include <vector>

namespace coslice {

/// Returns the folder share/coslice of the prefix in which the running program is installed, "" if it is not.
std::filesystem::path share_folder();

/// Returns the folders above the program, nearest first: a program that was built in its source tree finds that tree.
std::vector<std::filesystem::path> above_program();

/// Returns the definitions for the Lua language server that belong to the program: the installed ones, else those of
/// its source tree; "" if there are none.
std::filesystem::path definitions_folder();

}  // namespace coslice

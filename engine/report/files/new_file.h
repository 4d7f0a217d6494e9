// Files that appear whole or not at all: written under another name beside their place, then renamed. A file that was
// there before stays until its successor is complete, and keeps its permissions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coslice {

/// Lets `write` make the file under another name beside its place, with the same ending, and then moves it there.
/// If `write` throws, nothing is left. Complaints name `path`. A link stays one; a device or a pipe is written directly.
/// What killed processes left in that folder goes. Throws InputError and SimulationError as OutputFile does.
void write_new_file(const std::string& path, const std::function<void(const std::string& temporary)>& write);

/// The same for a text.
void write_new_file(const std::string& path, std::string_view text);

/// Writes several text files: all of them appear, or none. (One that replaces a file which was there stays where a
/// later one fails: each is whole.)
void write_new_files(const std::vector<std::pair<std::string, std::string>>& paths_and_texts);

}  // namespace coslice

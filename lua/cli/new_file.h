// Files that appear whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/output.h"

namespace coslice::cli {

/// Throws InputError if something of that name is there.
void require_absent(const std::string& path);

/// Lets `write` make the file under another name beside its place, with the same ending, and then moves it there.
/// If `write` throws, nothing is left.
void write_new_file(const std::string& path, const std::function<void(const std::string& temporary)>& write);

/// Writes several new text files: all of them appear, or none.
void write_new_files(const std::vector<std::pair<std::string, std::string>>& paths_and_texts);

}  // namespace coslice::cli

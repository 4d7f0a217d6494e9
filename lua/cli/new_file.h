// Files that appear whole or not at all.
#pragma once

#include <functional>
#include <string>

#include "report/output.h"

namespace coslice::cli {

/// Throws InputError if something of that name is there.
void require_absent(const std::string& path);

/// Lets `write` make the file under another name beside its place, with the same ending, and then moves it there.
/// If `write` throws, nothing is left.
void write_new_file(const std::string& path, const std::function<void(const std::string& temporary)>& write);

}  // namespace coslice::cli

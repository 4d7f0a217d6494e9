// Whole files, read through the system's own calls: streams take an error while reading for the end of the file, or throw
// without its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace coslice {

/// Appends the bytes of a file to `text`. Returns 0, or the errno of what failed: EFBIG where there are more than `most`.
[[nodiscard]] int append_file(std::string& text, const std::string& path, std::size_t most = SIZE_MAX);

/// The bytes of a file. Throws InputError, with its name, if it cannot be read.
std::string read_whole_file(const std::string& path);

}  // namespace coslice

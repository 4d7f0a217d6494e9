#include "workload/trace_line.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "workload/packed_file.h"

namespace coslice {

std::int64_t line_of_job(const std::string& path, std::int64_t id) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;  // what came through a pipe is gone
  const std::string text = read_packed(path);
  std::int64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    const std::size_t first = text.find_first_not_of(" \t\r\f\v", begin);
    const char* const last = text.data() + end;
    if (first < end) {
      std::int64_t found = 0;
      const auto [stop, wrong] = std::from_chars(text.data() + first, last, found);
      if (wrong == std::errc{} && found == id && stop != last && (*stop == ' ' || *stop == '\t' || *stop == '|'))
        return number;
    }
    begin = end + 1;
  }
  return 0;
}

}  // namespace coslice

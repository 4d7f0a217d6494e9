// How many threads the commands of the laboratory have.
#include "cli/frame/inputs.h"
#include "lab/thread_pool.h"

namespace coslice::cli {

int threads_of(const std::string& flag, const std::optional<std::string>& text) {
  constexpr std::int64_t kMost = 1024;
  return text ? static_cast<int>(whole_number(flag, *text, 1, kMost)) : all_processors();
}

}  // namespace coslice::cli

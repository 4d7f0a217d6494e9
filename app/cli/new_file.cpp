#include "cli/new_file.h"

#include <filesystem>

#include "core/error.h"

namespace coslice::cli {

void require_absent(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return;
  throw InputError({path, 0, "is there already", "", "choose another name, or take the file away first", ""});
}

}  // namespace coslice::cli

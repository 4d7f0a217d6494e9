#include "report/leftovers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

namespace coslice {
namespace {

namespace fs = std::filesystem;

std::string prefix_of(const fs::path& target, const char* purpose) {
  return "." + target.filename().string() + "." + purpose + "-";
}

/// The number behind the prefix, 0 if the name is not made so.
long process_in(const std::string& name, const std::string& prefix) {
  const std::size_t digits = name.size() - std::min(prefix.size(), name.size());
  if (name.compare(0, prefix.size(), prefix) != 0 || digits == 0 || digits > 10) return 0;
  if (name.find_first_not_of("0123456789", prefix.size()) != std::string::npos) return 0;
  const long process = std::stol(name.substr(prefix.size()));
  return process <= std::numeric_limits<pid_t>::max() ? process : 0;
}

bool is_gone(long process) { return process > 0 && kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH; }

bool holds_only(const fs::path& folder, const std::vector<std::string>& ours, bool with_folders) {
  std::error_code error;
  fs::directory_iterator at(folder, error), end;
  for (; !error && at != end; at.increment(error)) {
    const fs::file_status status = at->symlink_status(error);
    const bool good = fs::is_directory(status)
                          ? with_folders && holds_only(at->path(), ours, false)
                          : std::find(ours.begin(), ours.end(), at->path().filename()) != ours.end();
    if (!good) return false;
  }
  return !error;
}

}  // namespace

fs::path hidden_sibling(const fs::path& target, const char* purpose) {
  return target.parent_path() / (prefix_of(target, purpose) + std::to_string(static_cast<long>(getpid())));
}

FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);
}

bool FolderLock::take(const fs::path& folder) {
  file_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0;
}

// A process of another machine may build in the same place: its number says nothing here, but its lock does.
void clear_leftovers(const fs::path& target, const std::vector<std::string>& ours) {
  std::error_code error, ignored;
  std::vector<fs::path> found;
  const bool replaced = fs::is_directory(fs::symlink_status(target, ignored));
  for (fs::directory_iterator at(target.parent_path(), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const long building = process_in(name, prefix_of(target, "new"));
    const long kept = replaced ? process_in(name, prefix_of(target, "old")) : 0;
    if (is_gone(std::max(building, kept))) found.push_back(at->path());
  }
  for (const fs::path& folder : found) {
    FolderLock lock;
    if (lock.take(folder) && holds_only(folder, ours, true)) fs::remove_all(folder, ignored);
  }
}

}  // namespace coslice

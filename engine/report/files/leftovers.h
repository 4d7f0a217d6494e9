// What a process that was killed leaves behind: hidden files and folders in which its results were being built.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coslice {

/// The hidden name beside `target` under which this process builds ("new") or keeps ("old") a folder.
std::filesystem::path hidden_sibling(const std::filesystem::path& target, const char* purpose);
/// The hidden name beside `target` under which this process builds a file; it ends as `target` does. Where a name is
/// taken, the next `number` gives another one.
std::filesystem::path hidden_file_beside(const std::filesystem::path& target, int number);

/// Tells other processes that a file or folder is in use, for as long as this lives.
class PathLock {
 public:
  PathLock() = default;
  PathLock(const PathLock&) = delete;
  PathLock& operator=(const PathLock&) = delete;
  ~PathLock();
  /// False if another process holds it, or it cannot be opened.
  bool take(const std::filesystem::path& path);

 private:
  int file_ = -1;
};

/// Whether there is a summary.json of coslice in it. Throws InputError if that cannot be read.
bool is_run_folder(const std::filesystem::path& folder);
/// The names of files in run folders.
const std::vector<std::string>& run_file_names();

/// Clears what processes that are gone left in `folder` ("" is the current one), whatever it was for: files and run
/// folders that were being built, and what a run was about to replace. That comes back under its name if nothing stands
/// there. Folders with anything in them that no run writes stay. Says nothing where it cannot.
void clear_leftovers(const std::filesystem::path& folder);
/// The same, at the first call of the process for that folder.
void clear_leftovers_once(const std::filesystem::path& folder);

}  // namespace coslice

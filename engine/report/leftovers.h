// What a run that was killed leaves behind: the hidden folder in which its results were being built.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coslice {

/// The hidden name beside `target` under which this process builds ("new") or keeps ("old") a folder.
std::filesystem::path hidden_sibling(const std::filesystem::path& target, const char* purpose);

/// Tells other processes that the folder is in use, for as long as this lives.
class FolderLock {
 public:
  FolderLock() = default;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();
  /// False if another process holds it, or the folder cannot be opened.
  bool take(const std::filesystem::path& folder);

 private:
  int file_ = -1;
};

/// Removes hidden siblings of `target` whose process is gone, if there is nothing in them but files called as in `ours`,
/// or folders of such files. What an earlier run replaced goes only if the target is there. Says nothing where it cannot.
void clear_leftovers(const std::filesystem::path& target, const std::vector<std::string>& ours);

}  // namespace coslice

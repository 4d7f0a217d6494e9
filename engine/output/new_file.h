// Files that appear whole or not at all: written under another name beside their place, then renamed. A file that was
// there before stays until its successor is complete, and keeps its permissions. What a process that was killed leaves
// behind is cleared by the next one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coslice {

/// Lets `write` make the file under another name beside its place, with the same ending, and then moves it there.
/// If `write` throws, nothing is left. Complaints name `path`. A link stays one; a device or a pipe is written
/// directly. What killed processes left in that folder goes. Throws InputError and SimulationError as OutputFile does.
void write_new_file(const std::string& path, const std::function<void(const std::string& temporary)>& write);

/// Writes the text to a file that appears whole or not at all.
void write_new_file(const std::string& path, std::string_view text);

/// Writes several text files: all of them appear, or none. (One that replaces a file which was there stays where a
/// later one fails: each is whole.)
void write_new_files(const std::vector<std::pair<std::string, std::string>>& paths_and_texts);

/// Returns the hidden name beside `target` under which this process builds ("new") or keeps ("old") a folder.
std::filesystem::path hidden_sibling(const std::filesystem::path& target, const char* purpose);
/// Returns the hidden name beside `target` under which this process builds a file; it ends as `target` does. Where a
/// name is taken, the next `number` gives another one.
std::filesystem::path hidden_file_beside(const std::filesystem::path& target, int number);

/// Tells other processes that a file or folder is in use, for as long as this lives.
class PathLock {
 public:
  PathLock() = default;
  PathLock(const PathLock&) = delete;
  PathLock& operator=(const PathLock&) = delete;
  ~PathLock();
  /// Returns false if another process holds it, or it cannot be opened.
  bool take(const std::filesystem::path& path);

 private:
  int file_ = -1;
};

/// Returns whether there is a summary.json of coslice in it. Throws InputError if that cannot be read.
bool is_run_folder(const std::filesystem::path& folder);
/// Returns the names of files in run folders.
const std::vector<std::string>& run_file_names();

/// Clears what processes that are gone left in `folder` ("" is the current one), whatever it was for: files and run
/// folders that were being built, and what a run was about to replace. That comes back under its name if nothing stands
/// there. Folders with anything in them that no run writes stay. Says nothing where it cannot.
void clear_leftovers(const std::filesystem::path& folder);
/// Clears leftovers as clear_leftovers(), at the first call of the process for that folder.
void clear_leftovers_once(const std::filesystem::path& folder);

}  // namespace coslice

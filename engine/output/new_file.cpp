#include "output/new_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <type_traits>

#include "core/error.h"
#include "core/file.h"
#include "output/output.h"
#include "output/summary_json.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFilePrefix = ".new-", kJournal = "-journal";

/// The number that a text is, 0 if it is none of a process.
long process_in(std::string_view digits) {
  if (digits.empty() || digits.size() > 10 || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return 0;
  const long process = std::stol(std::string(digits));
  return process <= std::numeric_limits<pid_t>::max() ? process : 0;
}

bool is_gone(long process) { return process > 0 && kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH; }

/// ".results.new-123": what it is for, and the process that made it.
struct HiddenFolder {
  std::string target;
  bool replaced = false;  ///< what was there before
  long process = 0;       ///< 0: the name is not made so
};

HiddenFolder hidden_folder(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash < 5 || name.front() != '.') return {};
  const std::string purpose = name.substr(dash - 4, 4);
  if (purpose != ".new" && purpose != ".old") return {};
  return {name.substr(1, dash - 5), purpose == ".old", process_in(std::string_view(name).substr(dash + 1))};
}

/// Whose ".new-123-picture.svg" is; 0 if the name is not made so.
long writer_of(std::string_view name) {
  if (name.substr(0, kFilePrefix.size()) != kFilePrefix) return 0;
  name.remove_prefix(kFilePrefix.size());
  const std::size_t dash = name.find('-');
  return dash == std::string_view::npos ? 0 : process_in(name.substr(0, dash));
}

bool holds_only_run_files(const fs::path& folder, bool with_folders) {
  const std::vector<std::string>& ours = run_file_names();
  std::error_code error;
  fs::directory_iterator at(folder, error), end;
  for (; !error && at != end; at.increment(error)) {
    const fs::file_status status = at->symlink_status(error);
    const bool good = fs::is_directory(status)
                          ? with_folders && holds_only_run_files(at->path(), false)
                          : std::find(ours.begin(), ours.end(), at->path().filename()) != ours.end();
    if (!good) return false;
  }
  return !error;
}

bool is_readable_run(const fs::path& folder) {
  try {
    return is_run_folder(folder);
  } catch (const InputError&) {
    return false;
  }
}

/// A process of another machine may build in the same place: its number says nothing here, but its lock does.
void clear_folder(const fs::path& folder, const HiddenFolder& hidden) {
  PathLock lock;
  if (!lock.take(folder) || !holds_only_run_files(folder, true)) return;
  std::error_code ignored;
  const fs::path target = folder.parent_path() / hidden.target;
  const bool wanted = hidden.replaced && !fs::exists(fs::symlink_status(target, ignored));
  if (!wanted) fs::remove_all(folder, ignored);
  else if (is_readable_run(folder)) fs::rename(folder, target, ignored);
}

/// The journal of a database goes with the database.
void clear_file(const fs::path& file) {
  std::string locked = file.string();
  const bool journal = locked.size() > kJournal.size() && locked.ends_with(kJournal);
  if (journal) locked.resize(locked.size() - kJournal.size());
  std::error_code ignored;
  PathLock lock;
  if (lock.take(locked) || (journal && !fs::exists(locked, ignored))) fs::remove(file, ignored);
}

/// Complaints speak of the file that the user named.
template <class Error>
[[noreturn]] void rethrow_for(const Error& e, const std::string& temporary, const std::string& path) {
  std::string text = e.what();
  const std::size_t at = text.find(temporary);
  if (at != std::string::npos) text.replace(at, temporary.size(), path);
  if constexpr (std::is_same_v<Error, InputError>) throw InputError({"", 0, text, "", "", ""});
  else throw Error(text);
}

/// Follows links to their targets, also where a target does not exist yet.
fs::path real_place(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : real;
}

/// A file under another name beside its place, which goes unless it is moved there.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : given_(path), target_(real_place(path)) {
    std::error_code ignored;
    const fs::file_status status = fs::status(target_, ignored);
    if (fs::is_directory(status)) throw InputError({path, 0, "is a folder", "a file to write", "", ""});
    replaces_ = fs::exists(status);
    if (replaces_ && !fs::is_regular_file(status)) {
      temporary_ = target_;
      direct_ = true;
      return;
    }
    clear_leftovers_once(target_.parent_path());
    create();
    if (replaces_ && fchmod(file_, static_cast<mode_t>(status.permissions()) & 07777) != 0) errno = 0;
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (file_ >= 0) close(file_);
    std::error_code ignored;
    if (!moved_ && !direct_) fs::remove(temporary_, ignored);
  }

  void write(const std::function<void(const std::string&)>& write) const {
    try {
      write(temporary_.string());
    } catch (const InputError& e) {
      rethrow_for(e, temporary_.string(), given_);
    } catch (const SimulationError& e) {
      rethrow_for(e, temporary_.string(), given_);
    }
  }

  void move() {
    if (direct_) return;
    sync_to_disk(file_, given_);
    const int file = file_;
    file_ = -1;
    if (close(file) != 0) throw SimulationError(given_ + ": cannot be written: " + std::strerror(errno));
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
      throw InputError({given_, 0, std::string("cannot be written: ") + std::strerror(errno), "", "", ""});
    moved_ = true;
  }

  /// Removes a file that was moved, if there was none before.
  void undo() const {
    std::error_code ignored;
    if (moved_ && !replaces_) fs::remove(target_, ignored);
  }

 private:
  /// Makes the file, empty, and holds its lock as long as it is written, so that no other process takes it for a
  /// leftover.
  void create() {
    constexpr int kMostTries = 100;  // names that are taken: other threads, a process of the same number elsewhere
    for (int i = 0; i < kMostTries; ++i) {
      temporary_ = hidden_file_beside(target_, i);
      file_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file_ >= 0 || errno != EEXIST) break;
    }
    if (file_ >= 0) {
      flock(file_, LOCK_EX | LOCK_NB);
      return;
    }
    throw InputError({given_, 0, std::string("cannot be created: ") + std::strerror(errno), "", "", ""});
  }

  std::string given_;
  fs::path target_, temporary_;
  int file_ = -1;
  bool replaces_ = false, direct_ = false, moved_ = false;
};

}  // namespace

const std::vector<std::string>& run_file_names() {
  static const std::vector<std::string> names = {"summary.json", "jobs.csv",    "timeline.csv",
                                                 "schedule.swf", "classes.csv", "scenario.toml"};
  return names;
}

bool is_run_folder(const fs::path& folder) {
  const std::string file = (folder / "summary.json").string();
  std::string text;
  const int failed = append_file(text, file);
  if (failed == ENOENT || failed == ENOTDIR) return false;
  if (failed != 0) throw InputError({file, 0, std::string("cannot be read: ") + std::strerror(failed), "", "", ""});
  return is_summary_json(text);
}

fs::path hidden_sibling(const fs::path& target, const char* purpose) {
  return target.parent_path() /
         ("." + target.filename().string() + "." + purpose + "-" + std::to_string(static_cast<long>(getpid())));
}

fs::path hidden_file_beside(const fs::path& target, int number) {
  constexpr std::size_t kLongest = 200;  // of 255 bytes that a name may have
  std::string name = target.filename().string();
  if (name.size() > kLongest) name.erase(0, name.size() - kLongest);
  const std::string which = number == 0 ? "" : std::to_string(number) + "-";
  return target.parent_path() /
         (std::string(kFilePrefix) + std::to_string(static_cast<long>(getpid())) + "-" + which + name);
}

PathLock::~PathLock() {
  if (file_ >= 0) close(file_);
}

bool PathLock::take(const fs::path& path) {
  file_ = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  return file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0;
}

void clear_leftovers(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files, folders;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.front() != '.') continue;
    const fs::file_status status = at->symlink_status(ignored);
    if (fs::is_directory(status) && is_gone(hidden_folder(name).process)) folders.push_back(at->path());
    if (fs::is_regular_file(status) && is_gone(writer_of(name))) files.push_back(at->path());
  }
  for (const fs::path& file : files) clear_file(file);
  for (const fs::path& path : folders) clear_folder(path, hidden_folder(path.filename().string()));
}

void clear_leftovers_once(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<std::string> cleared;
  const std::lock_guard<std::mutex> lock(mutex);
  if (cleared.insert(folder.string()).second) clear_leftovers(folder);
}

void write_new_file(const std::string& path, const std::function<void(const std::string&)>& write) {
  NewFile file(path);
  file.write(write);
  file.move();
}

void write_new_file(const std::string& path, std::string_view text) {
  write_new_file(path, [&](const std::string& temporary) { write_text_file(temporary, text); });
}

void write_new_files(const std::vector<std::pair<std::string, std::string>>& paths_and_texts) {
  std::vector<std::unique_ptr<NewFile>> files;
  for (const auto& [path, text] : paths_and_texts) {
    files.push_back(std::make_unique<NewFile>(path));
    files.back()->write([&content = text](const std::string& temporary) { write_text_file(temporary, content); });
  }
  try {
    for (const auto& file : files) file->move();
  } catch (...) {
    for (const auto& file : files) file->undo();
    throw;
  }
}

}  // namespace coslice

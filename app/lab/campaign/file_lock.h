// One writer at a time, also from another machine, and nothing to clean up after a crash.
#pragma once

#include <string>

namespace coslice {

/// Holds a file for this process until it goes. The kernel gives it back even after a kill -9.
class FileLock {
 public:
  /// Makes the file if there is none. Throws InputError if another process holds it, or if it cannot be opened. Where
  /// the file system knows no locks, nothing is locked.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace coslice

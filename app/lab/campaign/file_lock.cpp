#include "lab/campaign/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace coslice {
namespace {

// Beyond what SQLite locks (from 1 GB on). An "open file description" lock, because closing any descriptor of the file
// would give back SQLite's own, ordinary locks: so this descriptor must also be closed last.
constexpr off_t kLockPlace = 0x7fff0000;

}  // namespace

FileLock::FileLock(const std::string& path) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw InputError({path, 0, std::string("cannot be written: ") + std::strerror(errno)});
#ifdef F_OFD_SETLK
  struct flock place {};
  place.l_type = F_WRLCK;
  place.l_whence = SEEK_SET;
  place.l_start = kLockPlace;
  place.l_len = 1;
  if (fcntl(file_, F_OFD_SETLK, &place) == 0) return;
  if (errno != EAGAIN && errno != EACCES) return;
  close(file_);
  throw InputError(
      {path, 0, "another process is writing to it", "", "wait until that has ended, or choose another file"});
#endif
}

FileLock::~FileLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace coslice

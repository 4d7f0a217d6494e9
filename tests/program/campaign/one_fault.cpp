// Preloaded into a program, it makes one call fail by which the program writes files: the $FAULT_AT-th of them fails
// with $FAULT_KIND (EIO, ENOSPC), or the process is killed there (KILL). A write does half of its work before. That it
// has struck is told by the file $FAULT_MARK. With $FAULT_OLD_KERNEL, names cannot be exchanged.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kMostFiles = 4096;
std::atomic<long> calls{0};
long strike_at = -1;
int fault = 0;  // the error, 0: kill
std::atomic<bool> is_output[kMostFiles];

__attribute__((constructor)) void begin() {
  const char *at = std::getenv("FAULT_AT"), *kind = std::getenv("FAULT_KIND");
  if (at == nullptr || kind == nullptr) return;
  strike_at = std::atol(at);
  fault = std::strcmp(kind, "EIO") == 0 ? EIO : std::strcmp(kind, "ENOSPC") == 0 ? ENOSPC : 0;
}

template <class F>
F real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

bool counts(int file) { return file >= 0 && file < kMostFiles && is_output[file]; }

bool counts(const char* path) { return std::strncmp(path, "/dev/", 5) != 0 && std::strncmp(path, "/proc/", 6) != 0; }

/// Whether this is the call. Does not come back from the one that kills.
bool strikes() {
  if (strike_at < 0 || ++calls != strike_at) return false;
  const char* mark = std::getenv("FAULT_MARK");
  if (mark != nullptr) syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0644));
  if (fault == 0) kill(getpid(), SIGKILL);
  errno = fault;
  return true;
}

/// Where only a kill means something: what clears up may fail without a word.
void may_kill() {
  if (strike_at >= 0 && fault == 0) strikes();
}

bool writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

int opened(const char* name, int place, const char* path, int flags, mode_t mode) {
  const bool output = writes(flags) && counts(path);
  if (output && strikes()) return -1;
  const int file = real<int (*)(int, const char*, int, mode_t)>(name)(place, path, flags, mode);
  if (file >= 0 && file < kMostFiles) is_output[file] = output;
  return file;
}

mode_t mode_of(int flags, va_list more) { return (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; }

}  // namespace

#define OPEN_AT(name, parameters, place, path)                                                                         \
  extern "C" int name parameters {                                                                                     \
    va_list more;                                                                                                      \
    va_start(more, flags);                                                                                             \
    const mode_t mode = mode_of(flags, more);                                                                          \
    va_end(more);                                                                                                      \
    return opened("openat", place, path, flags, mode);                                                                 \
  }
OPEN_AT(open, (const char* path, int flags, ...), AT_FDCWD, path)
OPEN_AT(open64, (const char* path, int flags, ...), AT_FDCWD, path)
OPEN_AT(openat, (int place, const char* path, int flags, ...), place, path)
OPEN_AT(openat64, (int place, const char* path, int flags, ...), place, path)

extern "C" ssize_t write(int file, const void* bytes, size_t size) {
  const auto done = real<ssize_t (*)(int, const void*, size_t)>("write");
  if (!counts(file)) return done(file, bytes, size);
  if (strike_at == calls + 1 && size > 1) done(file, bytes, size / 2);
  return strikes() ? -1 : done(file, bytes, size);
}

extern "C" ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t place) {
  if (counts(file) && strikes()) return -1;
  return real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64")(file, bytes, size, place);
}

extern "C" ssize_t pwrite(int file, const void* bytes, size_t size, off_t place) {
  return pwrite64(file, bytes, size, place);
}

extern "C" int close(int file) {
  const bool output = counts(file);
  if (output) is_output[file] = false;
  const bool struck = output && strikes();
  const int result = real<int (*)(int)>("close")(file);
  if (struck) errno = fault;
  return struck ? -1 : result;
}

extern "C" int fsync(int file) { return strikes() ? -1 : real<int (*)(int)>("fsync")(file); }
extern "C" int fdatasync(int file) { return strikes() ? -1 : real<int (*)(int)>("fdatasync")(file); }

extern "C" int rename(const char* from, const char* to) noexcept {
  return strikes() ? -1 : real<int (*)(const char*, const char*)>("rename")(from, to);
}

extern "C" int renameat2(int place, const char* from, int other, const char* to, unsigned flags) noexcept {
  if (std::getenv("FAULT_OLD_KERNEL") != nullptr) {
    errno = EINVAL;
    return -1;
  }
  using Function = int (*)(int, const char*, int, const char*, unsigned);
  return strikes() ? -1 : real<Function>("renameat2")(place, from, other, to, flags);
}

extern "C" int mkdir(const char* path, mode_t mode) noexcept {
  may_kill();
  return real<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

extern "C" int unlink(const char* path) noexcept {
  may_kill();
  return real<int (*)(const char*)>("unlink")(path);
}

extern "C" int remove(const char* path) noexcept {
  may_kill();
  return real<int (*)(const char*)>("remove")(path);
}

extern "C" int rmdir(const char* path) noexcept {
  may_kill();
  return real<int (*)(const char*)>("rmdir")(path);
}

extern "C" int unlinkat(int place, const char* path, int flags) noexcept {
  may_kill();
  return real<int (*)(int, const char*, int)>("unlinkat")(place, path, flags);
}

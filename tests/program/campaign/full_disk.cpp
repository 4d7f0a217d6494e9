// Preloaded into a program, it makes every disk full after a while: of the bytes that the process writes into databases
// and their journals, the first $FULL_DISK_AFTER go through, and everything behind them fails with ENOSPC.
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long long> left{-1};

__attribute__((constructor)) void begin() {
  const char* bytes = std::getenv("FULL_DISK_AFTER");
  left = bytes != nullptr ? std::atoll(bytes) : 1LL << 62;
}

bool is_database(int file) {
  char link[64], name[4096];
  char* end = link;
  std::memcpy(end, "/proc/self/fd/", 14);
  end += 14;
  char digits[16];
  int n = 0;
  for (int f = file; n == 0 || f > 0; f /= 10) digits[n++] = static_cast<char>('0' + f % 10);
  while (n > 0) *end++ = digits[--n];
  *end = 0;
  const ssize_t size = readlink(link, name, sizeof name - 1);
  if (size < 0) return false;
  name[size] = 0;
  return std::strstr(name, ".sqlite") != nullptr;
}

}  // namespace

extern "C" ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t place) {
  using Function = ssize_t (*)(int, const void*, size_t, off64_t);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pwrite64"));
  if (is_database(file) && left.fetch_sub(static_cast<long long>(size)) < static_cast<long long>(size)) {
    errno = ENOSPC;
    return -1;
  }
  return real(file, bytes, size, place);
}

extern "C" ssize_t pwrite(int file, const void* bytes, size_t size, off_t place) {
  return pwrite64(file, bytes, size, place);
}

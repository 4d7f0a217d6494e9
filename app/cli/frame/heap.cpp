#include "cli/frame/heap.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace coslice::cli {
namespace {

constexpr std::uintmax_t kKept = 256 << 20;

}  // namespace

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kKept);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

void prepare_heap([[maybe_unused]] const std::string& trace) {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr std::uintmax_t kLargePage = 2 << 20, kLeast = 4 * kLargePage, kMost = kKept - kLargePage;
  constexpr std::uintmax_t kPerByte = 3, kPacked = 5;  // of traces in the Standard Workload Format
  std::error_code error;
  std::uintmax_t bytes = std::filesystem::file_size(trace, error);
  if (error) return;
  bytes = std::min(std::min(bytes, kMost) * kPerByte * (trace.ends_with(".gz") ? kPacked : 1), kMost);
  if (bytes < kLeast) return;
  void* const room = std::malloc(bytes);
  if (room == nullptr) return;  // memory is limited; what is left may be enough all the same
  const auto begin = (reinterpret_cast<std::uintptr_t>(room) + kLargePage - 1) / kLargePage * kLargePage;
  const auto end = (reinterpret_cast<std::uintptr_t>(room) + bytes) / kLargePage * kLargePage;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a kernel without them changes nothing
  std::free(room);                                                      // the heap keeps it
#endif
}

}  // namespace coslice::cli

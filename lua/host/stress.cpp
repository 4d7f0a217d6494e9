#include "host/stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace coslice {
namespace {

std::atomic<bool> stress{false};

constexpr unsigned char kFill = 0xDB;
constexpr std::size_t kKeptBlocks = std::size_t{2} << 20;  ///< bytes of freed blocks that are not used again
constexpr std::size_t kSmallestBuffer = 1025;              ///< bytes of a buffer of Lua's library that has a block
constexpr std::size_t kPace = 500;  ///< collections after which there is one request more between two
constexpr std::size_t kObjects = std::size_t{128} << 10;    ///< bytes in use that are worth another request between two
constexpr std::size_t kUnfinished = std::size_t{48} << 20;  ///< bytes in use that let Lua collect by itself for a while

// The address sanitizer sees any use of a freed block by itself, and sooner.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

void stress_new_states(bool on) { stress = on; }

namespace luahost {

bool stresses_new_states() { return stress; }

StressedHeap::~StressedHeap() {
  for (const Freed& f : freed_) {
    check(f);
    std::free(f.block);
  }
}

bool StressedHeap::refuses(const void* block, std::size_t kind, std::size_t new_size, std::size_t in_use) {
  if (refused_) return refused_ = false;
  // What has a finaliser is freed by collections that Lua begins by itself, and each of ours puts these off.
  if (in_use > kUnfinished) return false;
  const bool object = block == nullptr && kind != 0;
  if (!object && new_size >= kSmallestBuffer) return false;
  if (waited_++ < collections_ / kPace + in_use / kObjects) return false;
  waited_ = 0;
  ++collections_;
  return refused_ = true;
}

void* StressedHeap::resize(void* block, std::size_t old_size, std::size_t new_size) {
  void* moved = nullptr;
  if (new_size > 0) {
    moved = std::malloc(new_size);
    if (moved == nullptr) return nullptr;
    const std::size_t kept = std::min(old_size, new_size);
    if (kept > 0) std::memcpy(moved, block, kept);
    std::memset(static_cast<char*>(moved) + kept, kFill, new_size - kept);
  }
  if (block != nullptr) release(block, old_size);
  return moved;
}

void StressedHeap::release(void* block, std::size_t size) {
  if (kSanitized) {
    std::free(block);
    return;
  }
  std::memset(block, kFill, size);
  freed_.push_back({static_cast<unsigned char*>(block), size});
  freed_bytes_ += size;
  while (freed_bytes_ > kKeptBlocks) {
    check(freed_.front());
    std::free(freed_.front().block);
    freed_bytes_ -= freed_.front().size;
    freed_.pop_front();
  }
}

void StressedHeap::check(const Freed& freed) {
  if (std::all_of(freed.block, freed.block + freed.size, [](unsigned char c) { return c == kFill; })) return;
  fmt::print(stderr, "a block of Lua's, {} bytes, was written to after it had been freed\n", freed.size);
  std::abort();
}

}  // namespace luahost

}  // namespace coslice

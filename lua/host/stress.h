// For tests: a heap that makes each mistake with Lua's memory show at once. Lua collects all garbage before nearly
// every allocation, every block that changes its size moves, and what was freed is filled with 0xDB and not used again
// for long. No setting of users leads here.
#pragma once

#include <cstddef>
#include <deque>

namespace coslice {

/// Gives new Lua states of all threads such a heap from now on, or no longer. Not while states come to be on other
/// threads.
void stress_new_states(bool on);

namespace luahost {

/// Returns whether a new state gets one.
bool stresses_new_states();

class StressedHeap {
 public:
  StressedHeap() = default;
  ~StressedHeap();
  StressedHeap(const StressedHeap&) = delete;
  StressedHeap& operator=(const StressedHeap&) = delete;

  /// Returns whether to refuse this request once: Lua then collects all garbage, which runs no finaliser and no script,
  /// and asks again. `kind` is what Lua passes as the old size of new objects, 0 for anything else that is new. Of
  /// large buffers none is refused: Lua's library does not ask again for those.
  /// At first each request is, later ever fewer, as the more objects there are, the longer a collection takes. None is
  /// while so much is in use that objects with finalisers have to go.
  bool refuses(const void* block, std::size_t kind, std::size_t new_size, std::size_t in_use);
  /// Notes that a request was refused elsewhere, which Lua will repeat as well.
  void expect_again() { refused_ = true; }
  /// Resizes as realloc and free do, but the block moves. `old_size` is 0 for new ones.
  void* resize(void* block, std::size_t old_size, std::size_t new_size);
  std::size_t collections() const { return collections_; }

 private:
  struct Freed {
    unsigned char* block;
    std::size_t size;
  };
  void release(void* block, std::size_t size);
  static void check(const Freed& freed);

  std::deque<Freed> freed_;  ///< filled, the first one the longest
  std::size_t freed_bytes_ = 0;
  bool refused_ = false;  ///< the last request, which comes again
  std::size_t collections_ = 0, waited_ = 0;
};

}  // namespace luahost

}  // namespace coslice

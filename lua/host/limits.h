// What a script may use up. Limits are counted, never timed: the same script stops at the same place on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coslice {

/// Limits of a LuaState.
struct Limits {
  /// Bytes that all Lua objects of the state may take together.
  std::size_t memory = std::size_t{256} << 20;
  /// Bytes of a single string. Comparing and hashing strings cannot be interrupted, so their length is bounded.
  std::size_t string = std::size_t{16} << 20;
  /// Work units per outermost call: an instruction of the Lua machine is one, library functions count their loops, and
  /// long strings count their bytes. 0 means no limit and no count hook (trusted scripts; tight loops run twice as
  /// fast).
  std::int64_t instructions = 100'000'000;
};

/// Ends the call into Lua that is under way on this thread, if any, soon, with a LimitError that scripts cannot catch.
/// May be called from a signal handler.
void interrupt_script() noexcept;

}  // namespace coslice

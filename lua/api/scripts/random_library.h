// The global `random` of scripts (lua/meta/workload.lua), and the stream behind math.random.
#pragma once

#include <memory>
#include <string_view>

#include "core/random.h"
#include "host/ref.h"

namespace coslice {

class LuaState;

class RandomLibrary {
 public:
  /// Draws from the stream of that seed and purpose. The object outlives the scripts of the state.
  RandomLibrary(LuaState& state, std::uint64_t seed, std::string_view purpose);

  /// Begins another stream; functions that scripts hold draw from it.
  void reseed(std::uint64_t seed, std::string_view purpose) { *stream_ = RandomStream(seed, purpose); }

  /// Returns another number after each draw.
  std::uint64_t mark() const {
    RandomStream copy = *stream_;
    return copy();
  }

  /// Sets the global `random` of an environment.
  void install(LuaState& state, const LuaRef& environment) const;

 private:
  /// Stays where it is: the functions point to it.
  std::unique_ptr<RandomStream> stream_;
  LuaRef table_;
};

}  // namespace coslice

// Values that a function reads from tables by a number of the job: what a user holds just now. Each is read once
// between two moments at which scripts ran, for all jobs of that number.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "formula/formula.h"
#include "formula/outside.h"
#include "host/ref.h"

struct lua_State;

namespace coslice {
class LuaState;
}

namespace coslice::formula {

class Lookups {
 public:
  using SlotId = std::uint32_t;
  /// A value under one number.
  struct Slot {
    double value = 0;
    bool present = false;       ///< it is neither nil nor false
    bool usable = false;        ///< the formula takes it for what it is; else Lua must be asked
    std::uint64_t read = 0;     ///< the turn in which it was read
    std::uint64_t changed = 0;  ///< ... in which it was last found to be another one
  };

  explicit Lookups(LuaState& state) : state_(state) {}
  /// Takes the lookups of this formula from now on.
  void want(const Formula& formula);
  /// Finds the tables, right after Outside::begin() or refresh(), on the same stack. Values may be others from now on.
  void look_at(lua_State* L, const Outside& outside);
  std::size_t count() const { return tables_.size(); }
  /// Returns the place of the value with which lookup `l` answers for a number.
  SlotId slot(std::size_t l, std::int64_t number);
  /// Returns the value of lookup `l` at slot `s`; reads it if it has not been read in this turn.
  const Slot& at(std::size_t l, SlotId s) {
    Slot& slot = tables_[l].slots[s];
    if (slot.read != turn_) read(tables_[l], s);
    return slot;
  }
  std::uint64_t turn() const { return turn_; }

 private:
  struct Table {
    const Lookup* what;
    LuaRef table;
    const void* address = nullptr;
    std::unordered_map<std::int64_t, SlotId> numbers;
    std::vector<std::int64_t> number_of;
    std::vector<Slot> slots;
  };
  void read(Table& t, SlotId s);

  LuaState& state_;
  std::vector<Table> tables_;
  std::uint64_t turn_ = 0;
};

}  // namespace coslice::formula

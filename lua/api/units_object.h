// GPUs or nodes that jobs share, as policies ask about them (coslice.Units in lua/meta/units.lua).
#pragma once

#include <array>
#include <memory>

#include "sharing/unit_groups.h"

struct lua_State;

namespace coslice {

/// What is kept for a view of which a policy asks such questions.
class UnitBooks {
 public:
  struct Kept {
    Kept(View& view, UnitBook::Of of) : book(view, of), groups(book) {}
    UnitBook book;
    UnitGroups groups;
  };
  /// Null until it is made.
  Kept* of(UnitBook::Of of) const { return kept_[static_cast<std::size_t>(of)].get(); }
  Kept& make(View& view, UnitBook::Of of) { return *(kept_[static_cast<std::size_t>(of)] = std::make_unique<Kept>(view, of)); }

  void submitted(JobIndex j) {
    each([j](Kept& k) { k.book.submitted(j); });
  }
  void started(JobIndex j) {
    each([j](Kept& k) { k.groups.forget(), k.book.started(j); });
  }
  /// It ended, or left the queue.
  void gone(JobIndex j) {
    each([j](Kept& k) { k.groups.forget(), k.book.ended(j); });
  }

 private:
  template <class F>
  void each(F&& f) {
    for (const std::unique_ptr<Kept>& k : kept_)
      if (k) f(*k);
  }
  std::array<std::unique_ptr<Kept>, 2> kept_;
};

}  // namespace coslice

// Where a policy wants a job to start: the options of view:fits and view:start. For .cpp files; sees Lua's headers.
#pragma once

#include "api/view/view_call.h"
#include "machine/start_directive.h"

namespace coslice {

/// What stands in the table at a stack index; nothing there: a job goes where its placement says. As long as it lives,
/// questions to the view are about that place, until a job has started.
class Directed {
 public:
  /// Raises a Lua error where something else stands there, or the machine has no such places. `of` is the method:
  /// "view:fits".
  Directed(int index, const ViewCall& call, const char* of);
  ~Directed();
  Directed(const Directed&) = delete;
  Directed& operator=(const Directed&) = delete;

  /// Returns whether a place was given.
  bool given() const { return given_; }
  const StartDirective& place() const { return place_; }

 private:
  void take_alike(const MachineLayout& layout);

  View& view_;
  StartDirective place_;
  bool given_ = false;
};

}  // namespace coslice

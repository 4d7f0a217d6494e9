// Ending a script from outside, also one whose instructions are not counted.
#pragma once

namespace coslice {

/// Ends the call into Lua that is under way on this thread, if any, soon, with a LimitError that scripts cannot catch.
/// May be called from a signal handler.
void interrupt_script() noexcept;

}  // namespace coslice

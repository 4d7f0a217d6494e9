// Ctrl-C: the first one asks the program to stop where it is easy, the second one kills it.
#pragma once

namespace coslice::cli {

/// Thrown by stop_if_interrupted(); unwinding takes unfinished files away.
struct Interrupted {};

/// Lets stop_if_interrupted() notice Ctrl-C (and SIGTERM) from now on; either ends the call into Lua that is under way.
/// Without it they kill the program at once.
void notice_interrupts();
/// Notices Ctrl-C as notice_interrupts() does, but no number of them kills: for a program that has something to undo
/// before it ends. A terminal that is closed counts as Ctrl-C, and nothing happens where nobody reads the output any
/// more.
void survive_interrupts();
/// Returns whether there was a Ctrl-C.
bool is_interrupted();
/// Throws Interrupted if there was a Ctrl-C.
void stop_if_interrupted();

}  // namespace coslice::cli

// The program's heap: what a run pays most for beside the simulation is fresh pages, which are zeroed and entered one
// by one.
#pragma once

#include <string>

namespace coslice::cli {

/// Keeps freed memory. glibc gives large freed blocks back at once, so that each vector that grows pays again.
void keep_freed_memory();

/// Lets the heap grow at once by what a run of that trace will take, on pages of 2 MiB where the system gives those on
/// request. Does nothing for small traces, for what is no file, and without glibc.
void prepare_heap(const std::string& trace);

}  // namespace coslice::cli

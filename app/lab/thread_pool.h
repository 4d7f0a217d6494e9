// Independent tasks on several threads. What comes of them never depends on how many threads there are.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace coslice {

/// How a task learns that its result is no longer wanted.
class Cancel {
 public:
  /// Returns whether task i should give up: the caller was interrupted, or a task before it failed.
  bool requested(std::size_t i) const { return i >= limit_.load(std::memory_order_relaxed); }

 private:
  friend class Pool;
  std::atomic<std::size_t> limit_{std::size_t(-1)};
};

/// Thrown by a task that was told to give up.
struct Cancelled {};

struct PoolOptions {
  int workers = 1;  ///< threads beside the caller's; at least 1
  /// Called on the caller's thread ten times a second with the number of tasks that are done, and at the end. What it
  /// throws (e.g. after Ctrl-C) cancels all tasks and comes out of run_tasks.
  std::function<void(std::size_t done)> tick;
};

/// Runs task(0) .. task(count - 1), begun in this order; returns when no thread of it is left. A task puts its result
/// where it belongs by its number. If tasks throw, the exception of the one with the lowest number comes out, whatever
/// the number of threads; later tasks are cancelled.
void run_tasks(std::size_t count, const std::function<void(std::size_t i, const Cancel& cancel)>& task,
               const PoolOptions& options);

/// Threads that can run at once on this machine, at least 1.
int all_processors();

}  // namespace coslice

// Between the threads that make runs and the file that keeps them.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "lab/campaign/results_file.h"

namespace coslice {

/// A thread that writes finished runs as they come, all that are waiting in one transaction: a fast disk writes each by
/// itself, a slow one holds no worker up.
class ResultsQueue {
 public:
  /// `file` outlives it.
  explicit ResultsQueue(ResultsFile& file);
  /// Writes what is waiting.
  ~ResultsQueue();
  ResultsQueue(const ResultsQueue&) = delete;
  ResultsQueue& operator=(const ResultsQueue&) = delete;

  /// Hands a run over; waits if the disk is far behind.
  void add(FinishedRun run);
  /// Throws what went wrong with writing, if anything did.
  void check();
  /// Writes what is waiting and ends. Throws what went wrong.
  void close();

 private:
  void write();

  ResultsFile& file_;
  std::mutex mutex_;  ///< of all below
  std::condition_variable filled_, emptied_;
  std::vector<FinishedRun> waiting_;
  std::exception_ptr failure_;
  bool closed_ = false;
  std::thread writer_;
};

}  // namespace coslice

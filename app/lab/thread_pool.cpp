#include "lab/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace coslice {
namespace {
constexpr std::chrono::milliseconds kTick{100};
}

class Pool {
 public:
  Pool(std::size_t count, const std::function<void(std::size_t, const Cancel&)>& task, const PoolOptions& options)
      : count_(count), task_(task), options_(options) {}

  void run() {
    const auto workers = std::min<std::size_t>(static_cast<std::size_t>(std::max(options_.workers, 1)), count_);
    working_ = workers;
    std::vector<std::thread> threads;
    std::exception_ptr interruption;
    try {  // also where a thread cannot be made: those that run must be joined
      threads.reserve(workers);
      while (threads.size() < workers) threads.emplace_back([this] { work(); });
      watch();
    } catch (...) {
      interruption = std::current_exception();
      cancel_.limit_ = 0;
      stopped_ = true;
    }
    for (std::thread& t : threads) t.join();
    if (interruption) std::rethrow_exception(interruption);
    if (failure_) std::rethrow_exception(failure_);
    if (options_.tick) options_.tick(done_);
  }

 private:
  /// On the caller's thread, until no worker is left.
  void watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (working_ != 0) {
      changed_.wait_for(lock, kTick);
      const std::size_t done = done_;
      if (!options_.tick) continue;
      lock.unlock();
      options_.tick(done);
      lock.lock();
    }
  }

  void work() {
    for (std::size_t i; !stopped_ && (i = next_++) < count_ && !cancel_.requested(i);) {
      try {
        task_(i, cancel_);
        const std::lock_guard<std::mutex> lock(mutex_);
        ++done_;
      } catch (const Cancelled&) {  // the caller that cancelled it knows why
      } catch (...) {
        failed(i);
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--working_ == 0) changed_.notify_one();
  }

  /// Tasks begin in order, so every task before this one has begun, and may still turn out to be the first to fail.
  void failed(std::size_t i) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (i >= cancel_.limit_) return;
    cancel_.limit_ = i;
    failure_ = std::current_exception();
  }

  const std::size_t count_;
  const std::function<void(std::size_t, const Cancel&)>& task_;
  const PoolOptions& options_;
  Cancel cancel_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  ///< of all below
  std::condition_variable changed_;
  std::size_t done_ = 0, working_ = 0;
  std::exception_ptr failure_;
};

void run_tasks(std::size_t count, const std::function<void(std::size_t, const Cancel&)>& task,
               const PoolOptions& options) {
  Pool(count, task, options).run();
}

int all_processors() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace coslice

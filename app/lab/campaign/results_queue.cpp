#include "lab/campaign/results_queue.h"

namespace coslice {
namespace {

constexpr std::size_t kMostWaiting = 256;

}  // namespace

ResultsQueue::ResultsQueue(ResultsFile& file) : file_(file), writer_([this] { write(); }) {}

ResultsQueue::~ResultsQueue() {
  try {
    close();
  } catch (const std::exception&) {  // callers that need the error call close()
  }
}

void ResultsQueue::add(FinishedRun run) {
  std::unique_lock<std::mutex> lock(mutex_);
  emptied_.wait(lock, [this] { return waiting_.size() < kMostWaiting || failure_; });
  if (failure_) return;
  waiting_.push_back(std::move(run));
  filled_.notify_one();
}

void ResultsQueue::check() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void ResultsQueue::close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    filled_.notify_one();
  }
  if (writer_.joinable()) writer_.join();
  check();
}

void ResultsQueue::write() {
  std::vector<FinishedRun> runs;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!failure_) {
    filled_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    runs.clear();
    runs.swap(waiting_);
    emptied_.notify_all();
    lock.unlock();
    std::exception_ptr failure;
    try {
      file_.add(runs);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
  }
  waiting_.clear();
  emptied_.notify_all();
}

}  // namespace coslice

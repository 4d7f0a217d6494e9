#include "observe/result_order.h"

#include <algorithm>
#include <numeric>

namespace coslice {
namespace {

/// Which job goes where.
class Order {
 public:
  explicit Order(const std::vector<Job>& jobs) : from_(jobs.size()), to_(jobs.size()) {
    std::iota(from_.begin(), from_.end(), JobIndex{0});
    std::ranges::stable_sort(from_, {}, [&](JobIndex j) { return jobs[j].submit; });
    for (JobIndex i = 0; i != from_.size(); ++i) to_[from_[i]] = i;
  }

  /// A list by JobIndex; where it is shorter, nothing was noted of the last ones.
  template <class T>
  void of_each(std::vector<T>& list) const {
    if (list.empty()) return;
    list.resize(from_.size());
    std::vector<T> ordered;
    ordered.reserve(list.size());
    for (const JobIndex j : from_) ordered.push_back(std::move(list[j]));
    list = std::move(ordered);
  }
  template <class T>
  void of_some(std::map<JobIndex, T>& some) const {
    std::map<JobIndex, T> ordered;
    for (auto& [j, what] : some) ordered.emplace(to_[j], std::move(what));
    some = std::move(ordered);
  }
  template <class T>
  void in(std::vector<T>& records) const {
    for (T& r : records) r.job = to_[r.job];
  }

 private:
  std::vector<JobIndex> from_, to_;
};

}  // namespace

void order_by_submission(RunResult& result, Workload& workload) {
  if (std::ranges::is_sorted(workload.jobs, {}, &Job::submit)) return;
  const Order order(workload.jobs);
  order.of_each(workload.jobs);
  order.of_each(result.outcomes);
  order.of_each(result.submitted);
  order.of_each(result.partition);
  order.of_each(result.parts);
  order.of_each(result.earlier);
  order.of_each(result.checkpointing);
  order.of_each(result.joules);
  order.of_some(result.resized);
  order.of_some(result.blocked);
  order.in(result.interrupted);
  order.in(result.suspended);
  if (result.in_reservations) order.in(*result.in_reservations);
  if (result.power) order.in(result.power->boots);
}

}  // namespace coslice

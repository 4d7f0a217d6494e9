// The engine without Lua: a scheduler in C++ that starts the smallest waiting job first, on five jobs.
#include <cstdio>
#include <vector>

#include "run/simulation.h"
#include "schedule/easy_backfill.h"

namespace {

using namespace coslice;

/// Smallest job first, no backfilling.
class SmallestFirst : public Scheduler {
 public:
  double key(View& view, JobIndex j) override { return view.job(j).size; }
  void schedule(View& view, const Pass&) override { start_in_order(view); }
};

/// Prints the schedule while it happens.
class Printer : public Observer {
 public:
  explicit Printer(const std::vector<Job>& jobs) : jobs_(jobs) {}
  void started(Time now, JobIndex j, const NodeRanges&) override {
    std::printf("%8.0f s  job %lld starts on %d nodes\n", to_seconds(now), static_cast<long long>(jobs_[j].id),
                jobs_[j].size);
  }

 private:
  const std::vector<Job>& jobs_;
};

Job job(std::int64_t id, std::int64_t submit, std::int32_t size, std::int64_t runtime) {
  Job j;
  j.id = id;
  j.submit = Time{whole_seconds(submit)};
  j.size = size;
  j.runtime = j.limit = whole_seconds(runtime);
  return j;
}

}  // namespace

int main() {
  const std::vector<Job> jobs = {job(1, 0, 4, 100), job(2, 10, 4, 50), job(3, 20, 2, 50), job(4, 30, 1, 20),
                                 job(5, 40, 3, 10)};
  MachineSpec machine;
  machine.nodes = 4;
  SmallestFirst scheduler;
  Printer printer(jobs);
  Simulation simulation(machine, jobs, scheduler, EngineOptions{});
  simulation.add(printer);
  simulation.run();
}

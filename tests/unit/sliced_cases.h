// Runs under time slices on heterogeneous machines, watched.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contention_twin.h"
#include "observe/invariants.h"
#include "observe/recorder.h"
#include "run/simulation.h"
#include "schedule/queue_scheduler.h"

namespace coslice::sliced {

struct Ran {
  std::vector<twin::Life> lives;
  std::vector<std::string> violations;
  SliceCounts counts;
  RunResult result;
  Duration overhead{0};
};

inline SliceOptions two_classes(double interval, double up_to) {
  SliceOptions o;
  o.interval = from_seconds(interval);
  o.classes = {{"short", from_seconds(up_to), 0.5, false, {}}, {"long", Duration::max(), 0.5, false, {}}};
  o.overhead = Duration{0};
  o.foreign = ForeignJobs::kNone;
  return o;
}

inline Ran run(const cases::Case& c, const SliceOptions& slices, const ContentionOptions* contention,
               Backfill backfill = Backfill::kEasy, const EngineOptions& engine = {}, Observer* also = nullptr,
               const OutageOptions* outages = nullptr, const NodeReservations* reservations = nullptr) {
  QueueSchedulerOptions options;
  options.backfill = backfill;
  std::vector<std::unique_ptr<QueueScheduler>> schedulers;
  std::vector<Scheduler*> pointers;
  for (std::size_t i = 0; i != slices.classes.size(); ++i)
    pointers.push_back(schedulers.emplace_back(std::make_unique<QueueScheduler>(options)).get());
  Simulation simulation(c.machine, c.workload.jobs, pointers, slices, engine, {},
                        {&c.workload.requests, {}, contention, reservations}, outages);
  twin::Lives lives(c.workload.jobs.size());
  InvariantOptions kept;
  kept.checkpoints = outages != nullptr && outages->checkpoints.interval > Duration{0};
  kept.nodes_reserved = reservations != nullptr;
  InvariantChecker invariants(c.machine, c.workload.jobs, engine, kept);
  Recorder recorder(c.workload, c.machine);
  // Speeds are told after the start; what jobs did at them, InvariantChecker adds up.
  ResourceInvariants resources(c.machine, c.workload.jobs, c.workload.requests, ResourceInvariants::Speeds::kVary);
  for (Observer* o : std::initializer_list<Observer*>{&lives, &invariants, &recorder}) simulation.add(*o);
  if (!c.workload.requests.empty()) simulation.add(resources);  // else each job asks for whole nodes
  if (also != nullptr) simulation.add(*also);
  simulation.run();
  invariants.finish();
  Ran ran{std::move(lives.lives), invariants.violations(), simulation.counts(), recorder.take(), {}};
  ran.violations.insert(ran.violations.end(), resources.violations().begin(), resources.violations().end());
  for (const Duration d : simulation.memory().overhead()) ran.overhead += d;
  return ran;
}

/// Everything that a site may choose of slices, drawn. Memory is transferred in at most 0.7 s.
inline SliceOptions draw_slices(std::uint64_t seed, bool memory) {
  cases::Dice dice(seed * 2 + (memory ? 1 : 0));
  SliceOptions o = two_classes(static_cast<double>(dice.from(4, 9)), static_cast<double>(dice.from(2, 6)));
  o.foreign = dice.one_in(6) ? ForeignJobs::kNone : ForeignJobs::kSafe;
  if (dice.one_in(3)) o.classes.insert(o.classes.begin(), {"shortest", whole_seconds(1), 0.3, false, {}});
  if (dice.one_in(3)) {
    o.classes.front().on_demand = true;
    o.classes.front().longest = whole_seconds(dice.from(1, 2));
  } else if (dice.one_in(6) && o.foreign != ForeignJobs::kNone && !memory) {
    o.classes.front().share = 0;
  }
  o.evict = !dice.one_in(4);
  o.charge_continuing = dice.one_in(2);
  o.nodes = dice.one_in(2) ? NodeChoice::kFirstFree : NodeChoice::kFewestForeign;
  if (dice.one_in(3)) o.overhead = from_seconds(0.25);
  if (!memory) return o;
  o.memory = whole_seconds(2);
  o.memory_of = [](const View&, JobIndex j) { return from_seconds(0.1 + 0.2 * (j % 4)); };
  if (dice.one_in(2)) o.nodes = NodeChoice::kMemoryFit;
  o.swap_charge = dice.one_in(2) ? SwapCharge::kEachLoad : SwapCharge::kLongest;
  return o;
}

/// Whether a drawn machine has slices so short that jobs only swap each other out, for which it is refused: about one
/// of 15,000 with memory. One of them was followed through a hundred times as many slices.
inline bool swaps_for_ever(const std::string& wrong) {
  return wrong.find("they have only loaded and swapped each other out") != std::string::npos;
}

/// Reservations are in the time of each class, and must be kept, whatever runs in between.
class PromiseWatch : public Observer {
 public:
  explicit PromiseWatch(std::size_t jobs) : promised_(jobs, kNever) {}
  std::vector<std::string> complaints;

  void reserved(Time now, JobIndex j, Time start) override {
    if (start > promised_[j]) complain(now, j, "its reservation moved later");
    promised_[j] = std::min(promised_[j], start);
  }
  void decided(Time now, JobIndex j, StartReason reason) override {
    if (reason != StartReason::kForeignSlice && now > promised_[j]) complain(now, j, "started later than promised");
  }

 private:
  void complain(Time now, JobIndex j, const char* what) {
    complaints.push_back(
        fmt::format("{} s of its class, job {}: {}", format_seconds(now.time_since_epoch()), j + 1, what));
  }

  std::vector<Time> promised_;
};

/// Runs of a drawn machine in drawn slices, with and without slowdown and memory; what went wrong, "" if nothing did.
inline std::string wrong_in_drawn(std::uint64_t seed, SliceCounts& seen) {
  const bool whole = seed % 5 == 4;
  const cases::Case c = whole ? cases::random_case(seed, true) : twin::crowded_case(seed);
  const twin::HashedSlowdowns slowdowns(seed);
  ContentionOptions contention{&slowdowns,
                               seed % 3 == 0 ? ContentionOptions::Among::kGpu : ContentionOptions::Among::kNode,
                               static_cast<ContentionOptions::Combine>(seed % 5 % 3)};
  contention.own = seed % 4 == 0;
  EngineOptions engine;
  engine.at_limit = seed % 2 == 0 ? AtLimit::kExtend : AtLimit::kKill;
  for (const bool slows : {false, true}) {
    for (const bool memory : {false, true}) {
      const Backfill backfill = (seed + (slows ? 1 : 0)) % 2 == 0 ? Backfill::kEasy : Backfill::kConservative;
      PromiseWatch promises(c.workload.jobs.size());
      const std::string which = fmt::format("seed {}{}{}{}: ", seed, backfill == Backfill::kEasy ? ", EASY" : "",
                                            slows ? ", slowdown" : "", memory ? ", memory" : "");
      Ran ran;
      try {
        ran = run(c, draw_slices(seed, memory), slows ? &contention : nullptr, backfill, engine, &promises);
      } catch (const std::exception& e) {
        return which + e.what();
      }
      if (!ran.violations.empty()) return which + ran.violations.front();
      // Where jobs turn out slower than their schedulers believe, reservations move; what EASY says of a head while its
      // class waits for its slice is none.
      if (!slows && !memory && backfill == Backfill::kConservative && !promises.complaints.empty())
        return which + promises.complaints.front();
      if (slows)
        if (const std::string lost = twin::work_lost(c, contention, ran.lives); !lost.empty()) return which + lost;
      seen.foreign_resumed += ran.counts.foreign_resumed;
      seen.foreign_finishing += ran.counts.foreign_finishing;
      seen.foreign_pinned += ran.counts.foreign_pinned;
      seen.evictions += ran.counts.evictions;
    }
  }
  return "";
}

inline double begin(const Ran& ran, std::size_t j) {
  return to_seconds(ran.lives[j].runs.front().from.time_since_epoch());
}
inline double end(const Ran& ran, std::size_t j) { return to_seconds(ran.lives[j].runs.back().to.time_since_epoch()); }

}  // namespace coslice::sliced

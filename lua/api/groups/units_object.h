// GPUs or nodes that jobs share, as policies ask about them (coslice.Units in lua/meta/units.lua).
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "sharing/gpu_instances.h"
#include "sharing/unit_groups.h"
#include "sharing/unit_plan.h"

struct lua_State;

namespace coslice {

/// What is kept for a view of which a policy asks such questions.
class UnitLedgers {
 public:
  struct Kept {
    Kept(View& view, UnitLedger::Of of) : ledger(view, of), groups(ledger), plan(ledger), slices(ledger) {}
    UnitLedger ledger;
    UnitGroups groups;
    UnitPlan plan;
    GpuInstances slices;
  };
  /// Returns what is kept for these units; null until it is made.
  Kept* of(UnitLedger::Of of) const { return kept_[static_cast<std::size_t>(of)].get(); }
  Kept& make(View& view, UnitLedger::Of of) {
    return *(kept_[static_cast<std::size_t>(of)] = std::make_unique<Kept>(view, of));
  }

  /// Returns the key that a job had when it was stopped; nothing if it comes for the first time.
  std::optional<double> kept_key(JobIndex j) const {
    for (const std::unique_ptr<Kept>& k : kept_)
      if (const std::optional<double> rank = k ? k->ledger.kept_rank(j) : std::nullopt) return rank;
    return std::nullopt;
  }
  /// Notes that the job enters the queue with that key.
  void keyed(JobIndex j, double key) {
    each([=](Kept& k) { k.ledger.keyed(j, key); });
  }
  void submitted(JobIndex j) {
    each([j](Kept& k) { k.ledger.submitted(j), k.plan.submitted(); });
  }
  void started(JobIndex j) {
    each([j](Kept& k) { k.groups.forget(), k.ledger.started(j), k.plan.started(j); });
  }
  /// Notes that the job ended, or left the queue.
  void gone(JobIndex j) {
    each([j](Kept& k) { k.groups.forget(), k.plan.ended(j), k.slices.ended(j), k.ledger.ended(j); });
  }

 private:
  template <class F>
  void each(F&& f) {
    for (const std::unique_ptr<Kept>& k : kept_)
      if (k) f(*k);
  }
  std::array<std::unique_ptr<Kept>, 2> kept_;
};

}  // namespace coslice

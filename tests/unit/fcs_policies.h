// The coscheduling policies of Frachtenberg et al. 2005 in C++: what policies/*.lua say, for tests of the engine alone.
#pragma once

#include <vector>

#include "process/coscheduler.h"
#include "process/process_simulation.h"

namespace coslice::fcs {

inline Duration us(double n) { return Duration{static_cast<std::int64_t>(n * 1000)}; }
inline Duration ms(double n) { return us(n * 1000); }

struct Costs {
  Duration gang_switch = ms(2.2), fcs_switch = ms(3.5), dispatch = us(70), quantum = ms(3), slice = ms(100);
  Duration spin = us(120);
  bool f_everywhere = true, gaps = true, gaps_yield = false;
};

class Batch : public Coscheduler {
 public:
  Batch() { rules_.modes[0].name = "alone"; }
  const CoschedulingRules& rules() const override { return rules_; }
  ModeId slot(const ProcessFacts*) override { return 0; }

 protected:
  CoschedulingRules rules_;
};

class Gang : public Batch {
 public:
  Gang(std::int32_t rows, const Costs& c) {
    rules_.multiprogramming = rows;
    rules_.slice = c.slice;
    rules_.modes[0].switch_cost = c.gang_switch;
  }
};

class SpinBlock : public Batch {
 public:
  SpinBlock(std::int32_t rows, const Costs& c) {
    rules_.multiprogramming = rows;
    SlotMode& m = rules_.modes[0];
    m.exclusive = false;
    m.spin = c.spin;
    m.quantum = c.quantum;
    m.dispatch_cost = c.dispatch;
  }
};

/// Algorithms 1 and 2 of the paper.
class Fcs : public Coscheduler {
 public:
  enum { kCs, kF, kDc };
  enum { kExclusive, kFrustrated, kShared };

  Fcs(std::int32_t rows, const Costs& c) {
    rules_.classes = {"CS", "F", "DC"};
    rules_.multiprogramming = rows;
    rules_.slice = c.slice;
    rules_.classifies = true;
    SlotMode exclusive;
    exclusive.switch_cost = c.fcs_switch;
    SlotMode shared;
    shared.exclusive = false;
    shared.spin = c.spin;
    shared.quantum = c.quantum;
    shared.dispatch_cost = c.dispatch;
    shared.priority = {c.gaps ? 2 : -1, c.f_everywhere ? 0 : 1, 1};
    if (c.gaps) shared.fills_gaps = {true, false, false};
    shared.gaps_yield = c.gaps_yield;
    SlotMode frustrated = shared;
    frustrated.own_first = true;
    rules_.modes = {exclusive, frustrated, shared};
  }
  const CoschedulingRules& rules() const override { return rules_; }
  ModeId slot(const ProcessFacts* next) override {
    if (next && next->cls == kCs) return kExclusive;
    return next && next->cls == kF ? kFrustrated : kShared;
  }
  Classification classify(const ProcessFacts& p) override {
    constexpr double kCsThreshold = 2e6, kDcThreshold = 1e9, kFThreshold = 0.85 * kCsThreshold;
    if (p.slots % 32768 == 0) return {kCs, true};
    if (p.slots_in_class < 20) return {p.cls, false};
    if (p.communications == 0) return {kDc, false};
    const auto n = static_cast<double>(p.communications);
    const double cpu = static_cast<double>(p.cpu.count()) / n, comm = static_cast<double>(p.comm.count()) / n;
    const double g = cpu + comm;
    if (g < kCsThreshold) return {kCs, false};
    return {static_cast<ClassId>(g < kDcThreshold && cpu < kFThreshold ? kF : kDc), false};
  }

 private:
  CoschedulingRules rules_;
};

}  // namespace coslice::fcs

// Nodes that a scheduler powers down and up, and what all of them have drawn.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/node_power.h"
#include "machine/layout.h"
#include "machine/power.h"
#include "scenario/scenario.h"

namespace coslice::batsim {

/// What the nodes of the machine have drawn so far.
class Meter {
 public:
  enum class Draws { kNothing, kIdle, kBusy, kOff, kBooting };

  explicit Meter(const Scenario& scenario);
  /// Returns whether it is known what nodes draw.
  bool knows() const { return costs_ && costs_->kinds.front().watts; }
  /// All nodes are on and idle.
  void begin(Time now);
  void set(Time now, NodeId n, Draws draws);
  /// Returns what they have drawn since begin(), J. Precondition: knows().
  double joules(Time now);

 private:
  void go_on(Time now);

  std::optional<MachineCosts> costs_;
  std::shared_ptr<const MachineLayout> kinds_;
  std::vector<double> watts_;  ///< by node, now
  double all_watts_ = 0, joules_ = 0;
  Time last_{};
};

/// Nodes are on at first, and go off and come on as the scheduler says; both take their time (`power.boot`,
/// `power.shutdown`).
class NodeStates {
 public:
  /// A change that the scheduler has ordered, which is done when all of its nodes are there.
  struct Order {
    Time done{};
    NodeRanges nodes{};
    std::string state{};  ///< as the scheduler called it; "0" is on
  };

  /// `meter` outlives it.
  NodeStates(const Scenario& scenario, Meter& meter);

  /// Returns why nodes cannot be powered down here; "" where they can.
  const std::string& problem() const { return problem_; }
  bool is_on(NodeId n) const { return at(n).is == State::kOn; }
  /// Lets the nodes go off or come on. Precondition: none of them has a job. Throws BadMessage for nodes that are on
  /// their way.
  Order order(Time now, const NodeRanges& nodes, const std::string& state);
  /// The order is done.
  void arrive(Time now, const Order& order);
  /// The node, on which no job is, has failed, or was taken down: it is on when it comes back.
  void fails(Time now, NodeId n);
  /// Returns when nodes were off, for results. Once.
  std::vector<NodeOff> take();

 private:
  struct State {
    enum Is { kOn, kGoesOff, kOff, kComesOn } is = kOn;
    Time off_since{};
    int label = 0;         ///< the state's number
    std::size_t last = 0;  ///< of kComesOn: its time off, into off_
  };
  State& at(NodeId n) { return nodes_[static_cast<std::size_t>(n)]; }
  const State& at(NodeId n) const { return nodes_[static_cast<std::size_t>(n)]; }

  std::string problem_;
  Duration boot_, shutdown_;
  Meter& meter_;
  std::vector<State> nodes_;
  std::vector<NodeOff> off_;
};

}  // namespace coslice::batsim

#include "batsim/node_states.h"

#include <algorithm>

#include <fmt/format.h>

#include "batsim/messages.h"
#include "core/text.h"
#include "scenario/machine/power_spec.h"

namespace coslice::batsim {
namespace {

/// With that they are never powered down by themselves.
constexpr Duration kNeverIdle = whole_seconds(1'000'000'000);

}  // namespace

Meter::Meter(const Scenario& scenario) : costs_(machine_costs(scenario)), kinds_(kinds_of(scenario.machine)) {}

void Meter::begin(Time now) {
  last_ = now;
  watts_.assign(static_cast<std::size_t>(kinds_->node_count()), 0);
  for (NodeId n = 0; n != kinds_->node_count(); ++n) set(now, n, Draws::kIdle);
}

void Meter::set(Time now, NodeId n, Draws draws) {
  if (!knows()) return;
  go_on(now);
  const auto kind = std::min(static_cast<std::size_t>(kinds_->kind_index(n)), costs_->kinds.size() - 1);
  const NodeWatts& of = *costs_->kinds[kind].watts;
  double& watts = watts_[static_cast<std::size_t>(n)];
  all_watts_ -= watts;
  switch (draws) {
    case Draws::kNothing: watts = 0; break;
    case Draws::kIdle: watts = of.idle; break;
    case Draws::kBusy: watts = of.busy; break;
    case Draws::kOff: watts = of.off; break;
    case Draws::kBooting: watts = of.booting; break;
  }
  all_watts_ += watts;
}

double Meter::joules(Time now) {
  go_on(now);
  return joules_;
}

void Meter::go_on(Time now) {
  joules_ += all_watts_ * to_seconds(now - last_);
  last_ = now;
}

NodeStates::NodeStates(const Scenario& scenario, Meter& meter)
    : boot_{0}, shutdown_{0}, meter_(meter), nodes_(static_cast<std::size_t>(scenario.machine.nodes)) {
  if (!scenario.power.any()) {
    problem_ = "nodes are never powered down; expected power.idle = 1e9, with power.boot and power.shutdown";
    return;
  }
  const PowerOptions power = power_options(scenario);
  boot_ = power.boot;
  shutdown_ = power.shutdown;
  if (power.idle < kNeverIdle)
    problem_ = "nodes are powered down by themselves; expected power.idle = 1e9, which leaves it to the scheduler";
  else if (!power.off_at_first.empty())
    problem_ = "nodes are on at first where a scheduler powers them; expected no power.off_at_first";
}

NodeStates::Order NodeStates::order(Time now, const NodeRanges& nodes, const std::string& state) {
  const auto label = parse_number<int>(state);
  if (!label || *label < 0)
    throw BadMessage(fmt::format("\"{}\" is no state; expected \"0\" (on), or another number (powered down)",
                                 printable(shortened(state, 20))));
  for_each_node(nodes, [&](NodeId n) {
    if (at(n).is == State::kGoesOff || at(n).is == State::kComesOn)
      throw BadMessage(fmt::format("node {} still {}; expected nodes whose last change is done", n,
                                   at(n).is == State::kGoesOff ? "goes off" : "comes on"));
    if (at(n).is == State::kOff && *label != 0 && at(n).label != *label)
      throw BadMessage(fmt::format("node {} is in state {}, from which it only goes to 0", n, at(n).label));
  });
  Order out{now, nodes, state};
  for_each_node(nodes, [&](NodeId n) {
    State& node = at(n);
    if (*label == 0 && node.is == State::kOff) {
      node.is = State::kComesOn;
      node.last = off_.size();
      off_.push_back({n, node.off_since, now, later(now, boot_)});
      meter_.set(now, n, Meter::Draws::kBooting);
      out.done = later(now, boot_);
    } else if (*label != 0 && node.is == State::kOn) {
      node = {State::kGoesOff, now, *label, 0};
      meter_.set(now, n, Meter::Draws::kOff);
      out.done = std::max(out.done, later(now, shutdown_));
    }
  });
  return out;
}

void NodeStates::arrive(Time now, const Order& order) {
  for_each_node(order.nodes, [&](NodeId n) {
    State& node = at(n);
    if (node.is == State::kGoesOff && order.state != "0") node.is = State::kOff;
    if (node.is != State::kComesOn || order.state != "0") return;
    node.is = State::kOn;
    meter_.set(now, n, Meter::Draws::kIdle);
  });
}

void NodeStates::fails(Time now, NodeId n) {
  State& node = at(n);
  if (node.is == State::kGoesOff || node.is == State::kOff) off_.push_back({n, node.off_since, now, now});
  if (node.is == State::kComesOn) off_[node.last].up = now;
  node.is = State::kOn;
}

std::vector<NodeOff> NodeStates::take() {
  for (NodeId n = 0; n != static_cast<NodeId>(nodes_.size()); ++n)
    if (at(n).is == State::kGoesOff || at(n).is == State::kOff) off_.push_back({n, at(n).off_since, kNever, kNever});
  return std::move(off_);
}

}  // namespace coslice::batsim

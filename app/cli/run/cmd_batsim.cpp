// coslice batsim: a policy decides in a simulation of Batsim, or of anything else that speaks its protocol.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batsim/policy_server.h"
#include "cli/frame/command.h"
#include "cli/frame/inputs.h"
#include "cli/frame/stop_signals.h"
#include "core/error.h"

namespace coslice::cli {
namespace {

struct BatsimFlags {
  std::vector<std::string> policies, sets;
  std::optional<std::string> seed, endpoint;
};

/// What a policy takes from a scenario: its machine and its jobs come from the other side.
constexpr const char* kScenario = "machine.nodes = 1\nworkload.jobs = [{ runtime = 1, nodes = 1 }]\n";

/// Refuses settings of what the other side has: they would be taken, and change nothing.
void check_that_they_count(const std::vector<std::string>& sets) {
  Value set = Value::table();
  for (const std::string& assignment : sets) apply_override(set, assignment);
  const auto refuse = [](const std::string& key, const Value& value) {
    fail_at(value.place, key + " has no effect here: machine, jobs and engine are those of the simulation that asks",
            "policy.params, limits, metrics.classes or seed");
  };
  for (const auto& [key, value] : *set.members()) {
    if (key == "metrics" && value.is_table()) {
      for (const auto& [figure, of] : *value.members())
        if (figure != "classes") refuse("metrics." + figure, of);
    } else if (key != "policy" && key != "limits" && key != "seed") {
      refuse(key, value);
    }
  }
}

Scenario scenario_from(const BatsimFlags& flags) {
  Value tree = parse_scenario_tree(kScenario, "coslice batsim");
  if (!flags.policies.empty()) set_policies(tree, flags.policies);
  for (const std::string& assignment : flags.sets) apply_override(tree, assignment);
  if (flags.seed) set_from_flag(tree, "seed", "--seed", *flags.seed);
  Scenario scenario = check_scenario(tree);
  check_that_they_count(flags.sets);
  return scenario;
}

int serve(const BatsimFlags& flags) {
  const Scenario scenario = scenario_from(flags);
  notice_interrupts();
  batsim::serve(scenario, flags.endpoint.value_or(batsim::kUsualServer), stop_if_interrupted);
  return kDone;
}

}  // namespace

Command batsim_command() {
  auto flags = std::make_shared<BatsimFlags>();
  BatsimFlags& f = *flags;
  Command c;
  c.summary = "let a policy decide in a simulation of Batsim";
  c.examples = {
      {"coslice batsim --policy easy & coslice run s.toml --scheduler tcp://localhost:28000",
       "as Batsim would ask it; here another coslice does"},
      {"coslice run s.toml --scheduler 'coslice batsim --policy mine.lua --endpoint {endpoint}'",
       "the same, and ends with it"},
  };
  c.text =
      "Answers as the schedulers do that were written for Batsim (its protocol of version 4, JSON over ZeroMQ): the "
      "policy is told of jobs that are submitted and end and of nodes that go and come back, and its decisions are "
      "sent back: which jobs start, on which nodes, which are rejected or killed, and when it wants to decide again. "
      "Start Batsim with the same endpoint (`batsim -s tcp://localhost:28000`, which is what it does by itself). It "
      "ends when the simulation is over.\n\n"
      "The machine is as many equal nodes as Batsim says; jobs have whole ones. A job without a walltime is believed "
      "to run for a year. Policies that suspend jobs or let them wait again fail where they do so, as the protocol can "
      "only kill; those with time slices, groups on shared nodes or processes are refused.";
  c.options = {
      values("-p,--policy", "FILE|NAME", f.policies, "The policy (default `easy`).", {Completion::kPolicies}),
      values("-s,--set", "KEY=VALUE", f.sets,
             "Sets a parameter, `policy.params.depth=3`, or another key of a scenario that counts here: `limits`, "
             "`metrics.classes`.",
             {Completion::kScenarioKeys}),
      value("--seed", "N", f.seed, "Seed of the policy's random numbers (default 1)."),
      value("-e,--endpoint", "ENDPOINT", f.endpoint,
            "Where it waits to be asked: tcp://ADDRESS:PORT or ipc://PATH (default tcp://*:28000)."),
  };
  c.run = [flags] { return serve(*flags); };
  return c;
}

}  // namespace coslice::cli

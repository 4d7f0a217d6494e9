// What a policy would start now: the present state of a real machine as a simulation that stops at this instant.
//
// The jobs that have nodes enter the simulation when they really started, and are given the nodes that they have; those
// that wait come all at the present instant, and the policy is asked once. Nothing is kept from one time to the next,
// so that a daemon that was killed and comes again decides the same.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/policy/find_policy.h"
#include "api/policy/policy.h"
#include "drive/live_machine.h"
#include "drive/queued_job.h"
#include "slurm/site.h"

namespace coslice::drive {

/// What decides: a policy with its parameters, and what it is to know of the site.
struct Decider {
  std::string name;  ///< as it is called in reasons
  FoundPolicy policy;
  Value params = Value::table();
  PolicyContext context;  ///< without roots: those of the policy
  LayoutSpec layout;      ///< the site's kinds and partitions; without kinds: as Slurm has them
  slurm::NumbersOfNames users, accounts, partitions;
};

struct Situation {
  const LiveMachine* machine = nullptr;
  std::vector<const QueuedJob*> running;  ///< all that have nodes
  std::vector<const QueuedJob*> waiting;  ///< those on which the policy decides
};

struct Decision {
  std::vector<const QueuedJob*> starts;                              ///< in the order in which the policy decided
  std::vector<std::pair<const QueuedJob*, std::string>> impossible;  ///< waiting jobs that can never run, and why
  std::vector<std::string> problems;                                 ///< what could not be taken into account, in words
};

/// Throws InputError if the policy cannot decide on real jobs: it has time slices, groups on shared nodes or
/// coscheduled processes, or is wrong.
void check_policy(const Decider& decider);

/// Asks it. Numbers of new names are added to `decider`. Throws SimulationError if the policy raises an error.
Decision decide(Decider& decider, const Situation& now);

/// Loads what decides: `policy` by name or path; without it, that of the site. `site` is a folder that `coslice import
/// slurm` wrote: its kinds of nodes, its numbers of users, accounts and partitions, and the parameters of its policy
/// hold. `overrides` are settings of the policy's parameters, "policy.params.depth=3". Throws InputError.
Decider make_decider(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides);

}  // namespace coslice::drive

// Small random heterogeneous machines, and jobs for them.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "jobs/engine_options.h"
#include "jobs/workload.h"
#include "machine/eligibility.h"
#include "machine/layout.h"

namespace coslice::cases {

struct Case {
  MachineSpec machine;
  Workload workload;
};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::int32_t from(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int32_t n) { return from(1, n) == 1; }

 private:
  std::mt19937_64 random_;
};

inline std::shared_ptr<MachineLayout> random_layout(Dice& dice) {
  auto layout = std::make_shared<MachineLayout>();
  layout->gpu_types = {"small", "large"};
  layout->features = {"fast", "wide"};
  const std::int32_t kinds = dice.from(1, 3);
  for (std::int32_t k = 0; k < kinds; ++k) {
    NodeKind kind;
    kind.name = std::string(1, static_cast<char>('a' + k));
    kind.count = dice.from(1, 3);
    kind.cores = dice.from(1, 4);
    kind.memory_mib = dice.one_in(3) ? 0 : dice.from(2, 8);
    kind.gpus = dice.one_in(2) ? 0 : dice.from(1, 3);
    if (kind.gpus != 0) kind.gpu_type = dice.from(0, 1);
    for (std::int32_t f = 0; f < 2; ++f)
      if (dice.one_in(2)) kind.features.push_back(f);
    kind.speed = dice.one_in(3) ? 2 : dice.one_in(3) ? 0.5 : 1;
    kind.first = layout->node_count();
    layout->kinds.push_back(kind);
  }
  const std::int32_t partitions = dice.one_in(2) ? 0 : dice.from(1, 3);
  for (std::int32_t p = 0; p < partitions; ++p) {
    Partition partition;
    partition.name = "p" + std::to_string(p);
    partition.nodes = NodeSet(layout->node_count());
    for (NodeId n = 0; n < layout->node_count(); ++n)
      if (!dice.one_in(3)) partition.nodes.insert(n);
    if (dice.one_in(4)) partition.max_time = whole_seconds(dice.from(3, 8));
    if (dice.one_in(4)) partition.max_nodes = dice.from(1, 3);
    if (dice.one_in(4)) partition.users = {1, 2};
    partition.by_default = dice.one_in(2);
    if (dice.one_in(3)) partition.tier = dice.from(0, 2);
    layout->partitions.push_back(partition);
  }
  if (dice.one_in(3)) layout->licences.push_back({"licence", dice.from(1, 4)});
  return layout;
}

inline Request random_request(Dice& dice, const MachineLayout& layout, bool whole) {
  Request r;
  r.nodes = dice.one_in(2) ? 1 : dice.from(1, std::min(4, layout.node_count()));
  r.exclusive = whole || dice.one_in(5);
  r.cores = dice.from(0, 2) * kWholeCore / (dice.one_in(4) ? 2 : 1);
  if (dice.one_in(2)) r.memory_mib = dice.from(1, 5);
  if (dice.one_in(3)) {
    r.gpus = dice.from(1, 2);
    const GpuShare shares[] = {1000, 500, 300, 700};
    if (!dice.one_in(3)) r.gpu_share = shares[dice.from(0, 3)];
    if (dice.one_in(3)) r.gpu_types = {dice.from(0, 1)};
  }
  if (dice.one_in(5)) r.features.push_back({{dice.from(0, 1)}, {}});
  if (dice.one_in(8)) r.features.push_back({{}, {dice.from(0, 1)}});
  const auto partitions = static_cast<std::int32_t>(layout.partitions.size());
  for (std::int32_t i = 0; partitions != 0 && i < 2; ++i) {
    const std::int32_t p = dice.from(0, partitions - 1);
    if (dice.one_in(2) && std::find(r.partitions.begin(), r.partitions.end(), p) == r.partitions.end())
      r.partitions.push_back(p);
  }
  if (!whole && !layout.licences.empty() && dice.one_in(3)) r.licences.push_back({0, dice.from(1, 2)});
  return r;
}

/// `whole`: every job has its nodes for itself, but for jobs of partitions that share cores.
inline Case random_case(std::uint64_t seed, bool whole) {
  Dice dice(seed), of_licences(seed + 1'000'000'007), of_rows(seed + 2'000'000'011);
  Case c;
  const std::shared_ptr<MachineLayout> layout = random_layout(dice);
  const bool shares = seed % 4 == 1;
  for (Partition& p : layout->partitions) {
    if (shares) p.oversubscribe = of_rows.from(1, 3);
    p.oversubscribe_all = p.oversubscribe > 1 && of_rows.one_in(2);
  }
  c.machine.nodes = layout->node_count();
  c.machine.layout = layout;
  const std::int32_t jobs = dice.from(3, 14);
  std::int32_t now = 0;
  for (std::int32_t i = 0; i < jobs; ++i) {
    now += dice.one_in(2) ? 0 : dice.from(0, 3);
    Job job;
    job.id = i + 1;
    job.submit = Time{whole_seconds(now)};
    job.limit = whole_seconds(dice.from(1, 9));
    job.runtime = dice.one_in(3) ? job.limit : whole_seconds(dice.from(1, 9));
    job.user = dice.from(1, 3);
    Request request = random_request(dice, *layout, whole);
    if (whole && !layout->licences.empty() && of_licences.one_in(2))
      request.licences.push_back({0, of_licences.from(1, 2)});
    if (shares) share_cores(request, *layout, of_rows.one_in(2));
    job.request = c.workload.requests.intern(request);
    job.size = c.workload.requests[job.request].nodes;
    c.workload.jobs.push_back(job);
  }
  return c;
}

}  // namespace coslice::cases

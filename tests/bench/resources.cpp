// Heterogeneous machines, at their sizes: three months of a real machine with partitions, a thousand nodes with
// GPUs of which jobs take fractions, and a hundred thousand nodes of five kinds beside as many equal ones.
//
// usage: coslice_resources [CURIE.swf.gz]: prints CPU seconds, and what they would be on the reference machine.
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "core/portable_math.h"
#include "core/random.h"
#include "formats/swf.h"
#include "machine/eligibility.h"
#include "measure.h"
#include "observe/recorder.h"
#include "run/simulation.h"
#include "schedule/queue_scheduler.h"

using namespace coslice;

namespace {

struct Scene {
  MachineSpec machine;
  Workload workload;
};

NodeKind kind(const char* name, std::int32_t count, std::int32_t cores) {
  NodeKind k;
  k.name = name;
  k.count = count;
  k.cores = cores;
  return k;
}

void set_kinds(Scene& scene, std::vector<NodeKind> kinds) {
  auto layout = std::make_shared<MachineLayout>();
  for (NodeKind& k : kinds) {
    k.first = layout->node_count();
    layout->kinds.push_back(k);
  }
  scene.machine.nodes = layout->node_count();
  for (const NodeKind& k : layout->kinds) {
    Partition p;
    p.name = k.name;
    p.nodes = NodeSet(scene.machine.nodes);
    NodeRanges nodes;
    nodes.append(k.first, k.first + k.count - 1);
    p.nodes.insert(nodes);
    layout->partitions.push_back(p);
  }
  scene.machine.layout = layout;
}

/// CEA Curie: thin, fat and hybrid nodes, each a partition; jobs have whole nodes.
Scene curie(const std::string& file) {
  Scene scene;
  set_kinds(scene, {kind("thin", 5040, 16), kind("fat", 360, 32), kind("hybrid", 144, 8)});
  SwfOptions options;
  scene.workload = read_swf(file, options);
  std::erase_if(scene.workload.jobs, [](const Job& j) { return j.size > 80640; });
  for (Job& job : scene.workload.jobs) {
    const std::int32_t partition = job.partition == 4 || job.partition == 9 ? 1 : job.partition == 8 ? 2 : 0;
    const NodeKind& k = scene.machine.layout->kinds[static_cast<std::size_t>(partition)];
    Request r = whole_nodes(nodes_for(job.size, k.cores), 1);
    r.partitions = {partition};
    job.request = scene.workload.requests.intern(r);
  }
  return scene;
}

/// 1,500 nodes with 6,200 GPUs, and jobs that ask for a share of one, for one, or for some.
Scene gpus() {
  Scene scene;
  set_kinds(scene, {kind("two", 300, 64), kind("four", 700, 96), kind("eight", 350, 128), kind("none", 150, 96)});
  auto layout = std::make_shared<MachineLayout>(*scene.machine.layout);
  layout->partitions.clear();
  layout->gpu_types = {"G"};
  const std::int32_t on_node[] = {2, 4, 8, 0};
  for (std::size_t k = 0; k < 4; ++k) {
    layout->kinds[k].gpus = on_node[k];
    layout->kinds[k].gpu_type = on_node[k] != 0 ? 0 : -1;
    layout->kinds[k].memory_mib = 512 * 1024;
  }
  scene.machine.layout = layout;
  RandomStream random(7, "gpus");
  double now = 0;
  for (std::int32_t i = 0; i < 100'000; ++i) {
    Request r;
    const double what = random.uniform();
    const GpuShare shares[] = {100, 200, 250, 500, 750};
    r.gpus = what < 0.1 ? 0 : what < 0.85 ? 1 : what < 0.92 ? 2 : what < 0.97 ? 4 : 8;
    if (what >= 0.1 && what < 0.5) r.gpu_share = shares[random.uniform_int(0, 4)];
    r.cores = static_cast<CoreShare>(1 + random.uniform_int(0, 15)) * kWholeCore;
    r.memory_mib = static_cast<std::int64_t>(1 + random.uniform_int(0, 15)) * 4096;
    if (what > 0.995) r.nodes = 4;
    Job job;
    job.id = i + 1;
    now += random.exponential(6.5);
    job.submit = at_seconds(now);
    job.runtime = from_seconds(1 + random.exponential(36'000));
    job.limit =
        Duration{static_cast<std::int64_t>(static_cast<double>(job.runtime.count()) * (1 + 3 * random.uniform()))};
    job.size = r.nodes;
    job.request = scene.workload.requests.intern(r);
    scene.workload.jobs.push_back(job);
  }
  return scene;
}

/// 100,000 nodes, a million jobs that have them whole. `differ`: of five kinds; some jobs need one of them, most take
/// any.
Scene many(bool differ) {
  Scene scene;
  scene.machine.nodes = 100'000;
  if (differ) {
    set_kinds(scene, {kind("a", 40'000, 1), kind("b", 30'000, 1), kind("c", 15'000, 1), kind("d", 10'000, 1),
                      kind("e", 5'000, 1)});
  }
  RandomStream random(7, "many");
  double now = 0;
  for (std::int32_t i = 0; i < 1'000'000; ++i) {
    Job job;
    job.id = i + 1;
    now += random.exponential(10);
    job.submit = at_seconds(now);
    job.size = static_cast<std::int32_t>(1 + portable_exp(random.uniform() * portable_log(2000.0)));
    job.runtime = from_seconds(1 + random.exponential(3'200));
    job.limit =
        Duration{static_cast<std::int64_t>(static_cast<double>(job.runtime.count()) * (1 + 3 * random.uniform()))};
    // Two of five jobs need a kind, each kind as often as it has nodes.
    const double which = random.uniform() * 2.5;
    const std::int32_t partition = which < 0.4    ? 0
                                   : which < 0.7  ? 1
                                   : which < 0.85 ? 2
                                   : which < 0.95 ? 3
                                   : which < 1    ? 4
                                                  : 5;
    if (differ) {
      Request r = whole_nodes(job.size, 1);
      if (partition < 5) r.partitions = {partition};
      job.request = scene.workload.requests.intern(r);
    }
    scene.workload.jobs.push_back(job);
  }
  return scene;
}

double cpu_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double simulate(const char* name, const Scene& scene, Backfill backfill) {
  QueueSchedulerOptions options;
  options.backfill = backfill;
  QueueScheduler scheduler(options);
  Recorder recorder(scene.workload, scene.machine);
  const double scale = bench::kReferenceCalibration / bench::calibrate();
  const double before = cpu_now();
  Simulation simulation(scene.machine, scene.workload.jobs, scheduler, {}, {&scene.workload.requests});
  simulation.add(recorder);
  simulation.run();
  const double cpu = cpu_now() - before;
  const RunResult result = recorder.take();
  double wait = 0;
  std::int32_t queue = 0;
  for (std::size_t j = 0; j < result.outcomes.size(); ++j)
    if (result.outcomes[j].start != kNever)
      wait += to_seconds(result.outcomes[j].start - scene.workload.jobs[j].submit);
  for (const TimelinePoint& p : result.timeline) queue = std::max(queue, p.queue);
  std::printf("%-28s %8.2f CPU s %8.2f on the reference machine   %zu jobs, mean wait %.0f s, queue up to %d\n", name,
              cpu, cpu * scale, scene.workload.jobs.size(), wait / static_cast<double>(result.outcomes.size()), queue);
  std::fflush(stdout);
  return cpu * scale;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const Scene scene = curie(argv[1]);
    simulate("Curie, EASY", scene, Backfill::kEasy);
    simulate("Curie, conservative", scene, Backfill::kConservative);
  }
  simulate("GPUs in fractions, EASY", gpus(), Backfill::kEasy);
  const double equal = simulate("100,000 equal nodes, EASY", many(false), Backfill::kEasy);
  const double kinds = simulate("100,000 of five kinds, EASY", many(true), Backfill::kEasy);
  std::printf("five kinds take %.2f times as long\n", kinds / equal);
}

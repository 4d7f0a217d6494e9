#include "lab/papers/reproduce.h"

#include <algorithm>
#include <memory>
#include <set>

#include "lab/papers/kept_runs.h"

namespace coslice {
namespace {

std::vector<std::string> remarks_of(const Simulations& simulations) {
  std::vector<std::string> remarks;
  const auto add = [&](const std::string& text) {
    if (std::ranges::find(remarks, text) == remarks.end()) remarks.push_back(text);
  };
  for (std::size_t i = 0; i < simulations.done(); ++i) {
    for (const std::string& w : simulations.outcome(i)->warnings) add(w);
    for (const std::string& line : simulations.outcome(i)->printed) add(line);
  }
  return remarks;
}

double cpu_seconds_of(const Simulations& simulations, const std::set<std::size_t>& runs) {
  double sum = 0;
  for (const std::size_t i : runs) sum += simulations.outcome(i)->cpu_seconds;
  return sum;
}

Reproduction everything(const Paper& paper, const Simulations& simulations, const PaperOptions& options) {
  Reproduction out;
  out.rows = paper.rows();
  out.runs = simulations.done();
  out.remarks = remarks_of(simulations);
  for (std::size_t i = 0; i < simulations.done(); ++i) out.cpu_seconds += simulations.outcome(i)->cpu_seconds;
  for (std::size_t n = 0; n < paper.chosen().size(); ++n) {
    const Experiment& e = paper.experiments()[paper.chosen()[n]];
    const std::string reduced = options.size == PaperSize::kFull ? "" : e.reduced;
    out.experiments.push_back({e.label, e.title, reduced, e.seeds_of(options), e.full_seeds, paper.runs_of(n).size(),
                               cpu_seconds_of(simulations, paper.runs_of(n))});
  }
  return out;
}

}  // namespace

Reproduction reproduce(const PaperFolder& where, const ReproduceOptions& options) {
  Paper paper(where, options.paper);
  std::unique_ptr<KeptRuns> kept;
  if (!options.results.empty())
    kept = std::make_unique<KeptRuns>(
        KeptRunsOptions{options.results, where.name, where.folder, options.resume, options.shard, "the paper"});
  Simulations simulations(kept.get());
  PoolOptions pool;
  pool.workers = options.workers;
  if (options.tick) pool.tick = [&](std::size_t done) { options.tick(done, simulations.size()); };
  while (paper.step(simulations)) {
    simulations.run(pool);
    if (options.shard.of > 1) return {{}, {}, simulations.done(), 0, remarks_of(simulations)};
  }
  return everything(paper, simulations, options.paper);
}

}  // namespace coslice

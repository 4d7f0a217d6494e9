#include "lab/reproduce.h"

#include <algorithm>
#include <memory>

#include "lab/kept_runs.h"

namespace coslice {
namespace {

std::vector<std::string> remarks_of(const Simulations& simulations) {
  std::vector<std::string> remarks;
  const auto add = [&](const std::string& text) {
    if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) remarks.push_back(text);
  };
  for (std::size_t i = 0; i < simulations.done(); ++i) {
    for (const std::string& w : simulations.outcome(i)->warnings) add(w);
    for (const std::string& line : simulations.outcome(i)->printed) add(line);
  }
  return remarks;
}

}  // namespace

Reproduction reproduce(const PaperFolder& where, const ReproduceOptions& options) {
  Paper paper(where, options.paper);
  std::unique_ptr<KeptRuns> kept;
  if (!options.results.empty())
    kept = std::make_unique<KeptRuns>(KeptRunsOptions{options.results, where.name, where.folder, options.resume, options.shard});
  Simulations simulations(kept.get());
  PoolOptions pool;
  pool.workers = options.workers;
  if (options.tick) pool.tick = [&](std::size_t done) { options.tick(done, simulations.size()); };
  while (paper.step(simulations)) {
    simulations.run(pool);
    if (options.shard.of > 1) return {{}, simulations.done(), remarks_of(simulations)};
  }
  return {paper.rows(), simulations.done(), remarks_of(simulations)};
}

}  // namespace coslice

#include "lab/reproduce.h"

#include <algorithm>

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
  Simulations simulations;
  PoolOptions pool;
  pool.workers = options.workers;
  if (options.tick) pool.tick = [&](std::size_t done) { options.tick(done, simulations.size()); };
  while (paper.step(simulations)) simulations.run(pool);
  return {paper.rows(), simulations.done(), remarks_of(simulations)};
}

}  // namespace coslice

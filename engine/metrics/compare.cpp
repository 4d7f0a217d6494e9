#include "metrics/compare.h"

#include <limits>

namespace coslice {
namespace {

double improvement(double reference, double run) {
  return reference > 0 ? 1 - run / reference : std::numeric_limits<double>::quiet_NaN();
}

Comparison::Group compare(const GroupSummary& reference, const GroupSummary& run) {
  return {reference.name, run.jobs == 0 ? std::numeric_limits<double>::quiet_NaN()
                                        : improvement(reference.mean_relative_response, run.mean_relative_response)};
}

}  // namespace

Comparison compare(const Summary& reference, const Summary& run) {
  Comparison c;
  const auto overhead = [](const Summary& s) { return s.slices ? s.slices->overhead : 0.0; };
  c.overhead_reduction = improvement(overhead(reference), overhead(run));
  for (const GroupSummary& r : reference.by_class)
    for (const GroupSummary& g : run.by_class)
      if (r.name == g.name) c.by_class.push_back(compare(r, g));
  c.all = compare(reference.all, run.all);
  return c;
}

}  // namespace coslice

#include "lab/compare/ranking.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lab/compare/compare_output.h"
#include "report/markup.h"

namespace coslice {
namespace {

constexpr std::size_t kMostRanked = 20;

/// Places of the variants, the best first; those without the figure last.
std::vector<std::size_t> order_of(const ComparedFigure& row) {
  std::vector<std::size_t> order(row.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double sign = row.figure.better == Better::kHigher ? -1 : 1;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const ComparedValue &x = row.values[a], &y = row.values[b];
    if (x.runs == 0 || y.runs == 0) return y.runs == 0 && x.runs != 0;
    return sign * x.value < sign * y.value;
  });
  return order;
}

std::string title_of(const VariantComparison& c) {
  const Figure& f = c.figures.front().figure;
  std::string title = fmt::format("{} ranked by {}", counted(std::ssize(c.variants), "point"), f.title());
  if (c.conditions.size() > 1)
    title += fmt::format(", means over {} conditions ({} to {})", c.conditions.size(), c.conditions.front(),
                         c.conditions.back());
  return title + "; differences are to the best";
}

}  // namespace

VariantComparison rank_points(std::vector<Variant> points, const CompareOptions& options) {
  const VariantComparison first = compare_variants(points, options);
  if (!first.refused.empty()) return first;
  std::vector<Variant> best_first;
  for (const std::size_t i : order_of(leading_figure(first)))
    best_first.push_back(std::move(*std::ranges::find(points, first.variants[i].name, &Variant::name)));
  CompareOptions to_the_best = options;
  to_the_best.to_the_best = true;
  VariantComparison out = compare_variants(std::move(best_first), to_the_best);
  out.figures = {leading_figure(out)};
  out.title = title_of(out);
  return out;
}

VariantComparison first_of_ranking(const VariantComparison& ranking) {
  VariantComparison c = ranking;
  const std::size_t most = std::min(c.variants.size(), kMostRanked);
  if (most < c.variants.size())
    c.notes.insert(c.notes.begin(),
                   fmt::format("The best {} of {} points; --ranked --format csv has all.", most, c.variants.size()));
  c.variants.resize(most);
  for (std::size_t i = 0; i != most; ++i)
    if (!c.variants[i].runs.empty()) c.variants[i].name = fmt::format("{}. {}", i + 1, c.variants[i].name);
  for (ComparedFigure& f : c.figures) f.values.resize(most);
  return c;
}

}  // namespace coslice

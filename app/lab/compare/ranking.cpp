#include "lab/compare/ranking.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/text.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

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

std::string title_of(const Ranking& r) {
  const Figure& f = leading_figure(r.comparison).figure;
  std::string title = fmt::format("{} ranked by {}", counted(std::ssize(r.comparison.variants), "point"), f.title());
  if (r.conditions.size() > 1)
    title += fmt::format(", means over {} conditions ({} to {})", r.conditions.size(), r.conditions.front(),
                         r.conditions.back());
  return title + "; differences are to the best";
}

/// What stands in the table: the first of them.
VariantComparison shown(const Ranking& r) {
  VariantComparison c = r.comparison;
  const std::size_t most = std::min(c.variants.size(), kMostRanked);
  if (most < c.variants.size())
    c.notes.insert(c.notes.begin(),
                   fmt::format("The best {} of {} points; --format csv --by AXIS has all.", most, c.variants.size()));
  c.variants.resize(most);
  for (std::size_t i = 0; i != most; ++i) c.variants[i].name = fmt::format("{}. {}", i + 1, c.variants[i].name);
  for (ComparedFigure& f : c.figures) f.values.resize(most);
  return c;
}

}  // namespace

Ranking rank_points(CampaignPoints points, const CompareOptions& options) {
  const VariantComparison first = compare_variants(points.variants, options);
  std::vector<Variant> best_first;
  for (const std::size_t i : order_of(leading_figure(first))) best_first.push_back(std::move(points.variants[i]));
  Ranking out{compare_variants(std::move(best_first), options), std::move(points.conditions)};
  out.comparison.figures = {leading_figure(out.comparison)};
  // Runs under several conditions are as those of other seeds.
  if (out.conditions.size() > 1)
    out.comparison.notes.front() =
        fmt::format("Means over {} of each point with intervals of {:.4g} %; differences are between runs of the same "
                    "seed and condition.",
                    counted(std::ssize(out.comparison.variants.front().runs), "run"), out.comparison.level * 100);
  return out;
}

std::string ranking_table(const Ranking& ranking, const CompareTableOptions& options) {
  return paint(printable(title_of(ranking)), Tone::kBold, options.colour) + "\n" +
         compare_table({shown(ranking)}, options);
}

std::string ranking_markdown(const Ranking& ranking) {
  return "**" + printable(title_of(ranking)) + "**\n\n" + compare_markdown({shown(ranking)});
}

}  // namespace coslice

#include "lab/compare/compare_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/markup.h"

namespace coslice {
namespace {

std::string unit_of(const Figure& f) {
  return f.unit == FigureUnit::kSeconds ? " s" : f.unit == FigureUnit::kShare ? " %" : "";
}

std::string signed_number(double x) { return (x > 0 ? "+" : "") + readable(x); }

/// Two digits: it is an estimate.
std::string about(std::int64_t runs) {
  std::int64_t step = 1;
  while (runs / step >= 100) step *= 10;
  return grouped((runs + step - 1) / step * step);
}

std::string chance_text(const ComparedValue& v) {
  std::string out = "which may be chance";
  if (v.method != CompareMethod::kPaired) return out;
  const auto runs = static_cast<std::int64_t>(v.runs);
  return out + (v.runs_needed ? fmt::format("; about {} runs of each would tell such a difference, {} were made",
                                            about(std::max(*v.runs_needed, runs + 1)), grouped(runs))
                              : fmt::format("; not even {} runs of each would tell so small a difference",
                                            grouped(kMostRunsNeeded)));
}

std::string verdict_text(const ComparedValue& v) {
  switch (v.verdict) {
    case CompareVerdict::kNoise: return chance_text(v);
    case CompareVerdict::kNone: return "one run each does not say whether that is chance";
    default: return verdict_word(v.verdict);
  }
}

std::string line_of(const VariantComparison& c, const ComparedFigure& row, std::size_t i) {
  const ComparedValue &v = row.values[i], &base = row.values.front();
  const Figure& f = row.figure;
  const std::string name = c.variants[i].name + ": ", unit = unit_of(f);
  if (v.runs == 0 || base.runs == 0 || !v.difference) return name + "there is no " + f.name + " to compare";
  const std::string of = f.name + (f.job_class.empty() || f.job_class == "all" ? "" : " of class " + f.job_class);
  if (v.verdict == CompareVerdict::kSame) return fmt::format("{}{} {}{}, the same", name, of, readable(v.value), unit);
  std::string change = v.relative && f.unit != FigureUnit::kShare
                           ? fmt::format("{:+.{}f} %", *v.relative * 100, std::abs(*v.relative) < 10 ? 1 : 0)
                           : signed_number(*v.difference) + unit;
  if (v.difference_interval)
    change += fmt::format(" ({:.4g} %: {} to {}{})", c.level * 100, signed_number(v.difference_interval->low),
                          signed_number(v.difference_interval->high), unit);
  return fmt::format("{}{} {}{} instead of {}{}, {}: {}", name, of, readable(v.value), unit, readable(base.value), unit,
                     change, verdict_text(v));
}

}  // namespace

const ComparedFigure& leading_figure(const VariantComparison& comparison) {
  const auto of_all_jobs = [&](const std::string& name) {
    return std::find_if(comparison.figures.begin(), comparison.figures.end(),
                        [&](const ComparedFigure& f) { return f.figure.job_class == "all" && f.figure.name == name; });
  };
  auto found = of_all_jobs("wait");
  if (found == comparison.figures.end()) found = of_all_jobs(comparison.figures.front().figure.name);
  return found != comparison.figures.end() ? *found : comparison.figures.front();
}

std::vector<std::string> compare_lines(const VariantComparison& comparison) {
  std::vector<std::string> out;
  const ComparedFigure& row = leading_figure(comparison);
  for (std::size_t i = 1; i < comparison.variants.size(); ++i) out.push_back(line_of(comparison, row, i));
  return out;
}

}  // namespace coslice

#include "drive/policy_choice.h"

#include <algorithm>

namespace coslice::drive {
namespace {

bool failed(const PolicyForecasts& f) { return !f.error.empty(); }
bool left_out(const PolicyForecasts& f) { return failed(f) || f.too_long; }

PolicyVerdict verdict_beside(const PolicyForecasts& of, const PolicyForecasts& reference, double level) {
  PolicyVerdict v;
  v.value = mean(of.figures);
  std::vector<double> differences;
  for (std::size_t d = 0; d != of.figures.size(); ++d) differences.push_back(of.figures[d] - reference.figures[d]);
  const Estimate e = difference_of(differences, Unit::kDraw, level);
  v.difference = e.mean;
  v.interval = e.interval;
  if (of.figures == reference.figures) v.verdict = CompareVerdict::kSame;
  else if (!e.interval || (e.interval->low <= 0 && e.interval->high >= 0)) v.verdict = CompareVerdict::kNoise;
  else v.verdict = e.interval->high < 0 ? CompareVerdict::kBetter : CompareVerdict::kWorse;
  return v;
}

}  // namespace

std::optional<PolicyChoice> choose_policy(const std::vector<PolicyForecasts>& forecasts, std::size_t before,
                                          double level) {
  if (std::ranges::all_of(forecasts, failed)) return {};
  const auto others = forecasts.size() - static_cast<std::size_t>(std::ranges::count_if(forecasts, left_out));
  PolicyChoice out;
  out.before = before;
  auto first = std::ranges::find_if_not(forecasts, left_out);
  if (first == forecasts.end()) first = std::ranges::find_if_not(forecasts, failed);
  out.reference = failed(forecasts[before]) ? static_cast<std::size_t>(first - forecasts.begin()) : before;
  out.chosen = out.reference;
  out.level = 1 - (1 - level) / static_cast<double>(std::max<std::size_t>(others, 2) - 1);
  const bool compares = !forecasts[out.reference].too_long;
  for (std::size_t i = 0; i != forecasts.size(); ++i) {
    PolicyVerdict& v = out.verdicts.emplace_back();
    if (failed(forecasts[i])) v.verdict = CompareVerdict::kFailed;
    else if (forecasts[i].too_long || !compares) continue;
    else if (i == out.reference) v.value = mean(forecasts[i].figures);
    else v = verdict_beside(forecasts[i], forecasts[out.reference], out.level);
  }
  for (std::size_t i = 0; i != forecasts.size(); ++i)
    if (out.verdicts[i].verdict == CompareVerdict::kBetter && out.verdicts[i].value < out.verdicts[out.chosen].value)
      out.chosen = i;
  return out;
}

}  // namespace coslice::drive

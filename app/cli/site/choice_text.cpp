#include "cli/site/choice_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "report/markup.h"

namespace coslice::cli {
namespace {

using drive::PolicyVerdict;
using drive::QueueChoice;
using drive::QueueFigure;

std::string amount(double x, const QueueFigure& figure) {
  return (x < 0 ? "-" : "") + readable(std::abs(x)) + (figure.is_time() ? " s" : "");
}

std::string takes_too_long(const std::string& policy) {
  return policy + " takes too long to be compared: --budget gives it more time";
}

/// "easy_sjbf 310 s less (280 to 340): better".
std::string beside_reference(const std::string& policy, const PolicyVerdict& v, const QueueFigure& figure) {
  if (v.verdict == CompareVerdict::kFailed) return policy + " failed";
  if (v.verdict == CompareVerdict::kNone) return takes_too_long(policy);
  if (v.verdict == CompareVerdict::kSame) return policy + " the same";
  const double sign = *v.difference < 0 ? -1 : 1;
  std::string out =
      fmt::format("{} {} {}", policy, amount(std::abs(*v.difference), figure), sign < 0 ? "less" : "more");
  if (v.interval) {
    const auto [low, high] = std::minmax({sign * v.interval->low, sign * v.interval->high});
    out += fmt::format(" ({} to {})", amount(low, figure), amount(high, figure));
  }
  return out + (v.verdict == CompareVerdict::kNoise ? ", may be chance" : fmt::format(", {}", verdict_word(v.verdict)));
}

}  // namespace

std::string choice_words(const QueueChoice& c) {
  const std::string name = printable(c.forecasts[c.choice.chosen].policy);
  return (c.choice.chosen == c.choice.before ? "stay with " : "change to ") + name;
}

std::string choice_reason(const QueueChoice& c, const QueueFigure& figure) {
  const std::size_t reference = c.choice.reference;
  if (c.waiting == 0) return "no job waits";
  if (c.draws == 0) return "no other policy is left";
  const std::string name = printable(c.forecasts[reference].policy);
  std::string out = figure.name();
  if (!figure.of_class()) out += fmt::format(" of {}", counted(static_cast<std::int64_t>(c.waiting), "job"));
  out += ": ";
  if (c.forecasts[reference].too_long) return out + takes_too_long(name);
  if (c.class_is_empty) return out + "no waiting job is of that class";
  out += fmt::format("{} under {}", amount(c.choice.verdicts[reference].value, figure), name);
  for (std::size_t i = 0; i != c.forecasts.size(); ++i)
    if (i != reference) out += "; " + beside_reference(printable(c.forecasts[i].policy), c.choice.verdicts[i], figure);
  out += fmt::format(" ({}", counted(static_cast<std::int64_t>(c.draws), "draw"));
  if (c.compared < c.draws) out += fmt::format(", {} with jobs of that class", c.compared);
  out += fmt::format(", intervals of {:.4g} %", 100 * c.choice.level);
  if (c.cut || c.unstarted) out += fmt::format(", {} ahead", human_duration(c.horizon));
  if (c.too_short) out += ", less far than --every: no change; --budget looks further";
  return out + ")";
}

Value choice_value(const QueueChoice& c, const QueueFigure& figure) {
  Value out = Value::table();
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  out.set("decision", c.forecasts[c.choice.chosen].policy);
  out.set("before", c.forecasts[c.choice.before].policy);
  out.set("reference", c.forecasts[c.choice.reference].policy);
  out.set("at", c.at);
  out.set("figure", figure.name());
  out.set("waiting", count(c.waiting));
  out.set("draws", count(c.draws));
  if (c.compared < c.draws) out.set("draws_with_class", count(c.compared));
  out.set("level", c.choice.level);
  out.set("seconds_ahead", to_seconds(c.horizon));
  out.set("too_short", c.too_short);
  if (c.class_is_empty) out.set("class_is_empty", true);
  out.set("counted_seconds", c.work / 1e6);  // of a processor, about
  Value::List policies;
  for (std::size_t i = 0; i != c.forecasts.size(); ++i) {
    const PolicyVerdict& v = c.choice.verdicts[i];
    Value policy = Value::table();
    policy.set("policy", c.forecasts[i].policy);
    if (!c.forecasts[i].error.empty()) policy.set("error", c.forecasts[i].error);
    else if (c.forecasts[i].too_long) policy.set("too_long", true);
    else if (c.draws > 0 && !c.class_is_empty && !c.forecasts[c.choice.reference].too_long)
      policy.set("value", v.value);
    const bool compared = c.draws > 0 && !c.class_is_empty;
    if (compared && v.difference) policy.set("difference", *v.difference);
    if (compared && v.interval) policy.set("interval", Value::List{Value(v.interval->low), Value(v.interval->high)});
    if (compared) policy.set("verdict", verdict_word(v.verdict));
    policies.push_back(std::move(policy));
  }
  out.set("policies", std::move(policies));
  return out;
}

}  // namespace coslice::cli

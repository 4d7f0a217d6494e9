#include "lab/tune/search_space.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/portable_math.h"
#include "core/text.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"

namespace coslice {
namespace {

constexpr double kWidestFactor = 1000, kWidestSpan = 100, kAround = 16;

constexpr double kLargest = 1e15;  // of a range: whole numbers are exact there

/// The number; NaN for what is none.
double number_in(const Value& v) {
  if (const auto* i = v.integer()) return static_cast<double>(*i);
  if (const auto* d = v.real()) return *d;
  return std::nan("");
}

/// With six digits: more of them say nothing, and are hard to read and to type.
double six_digits(double x) { return parse_number<double>(fmt::format("{:.6g}", x)).value_or(x); }

const Value& today_of(const ParamSpec& spec, const Value& set) {
  const Value* const given = set.find(spec.name);
  return given != nullptr ? *given : spec.fallback;
}

/// Nothing where no range would be sensible.
bool choose_range(const ParamSpec& spec, TunedParam& p) {
  const double today = number_in(p.today), size = std::abs(today);
  p.whole = spec.integer;
  if (spec.min && spec.max) {
    p.low = *spec.min, p.high = *spec.max;
    if (p.high <= p.low) return false;
    const bool factors = p.low > 0 && p.high / p.low <= kWidestFactor;
    if (factors || p.high - p.low <= kWidestSpan * std::max(size, 1.0)) {
      p.log = factors && p.high / p.low >= kWidestSpan;
      return true;
    }
  }
  if (size == 0) return false;
  p.low = today > 0 ? size / kAround : -size * kAround;
  p.high = today > 0 ? size * kAround : -size / kAround;
  p.log = today > 0;
  if (p.whole) p.low = std::floor(p.low), p.high = std::ceil(p.high);
  if (spec.min) p.low = std::max(p.low, *spec.min);
  if (spec.max) p.high = std::min(p.high, *spec.max);
  p.log = p.log && p.low > 0;
  p.low = six_digits(p.low), p.high = six_digits(p.high);
  return p.low < p.high;
}

[[noreturn]] void wrong_space(const std::string& text, const std::string& problem, const std::string& hint = "") {
  throw InputError({"--params " + text, 0, problem, "NAME=FROM:TO, NAME=FROM:TO:log or NAME=A|B|C", hint});
}

/// Not where the separator stands in quotes or brackets.
std::vector<std::string> split_outside_values(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  bool quoted = false;
  int depth = 0;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == separator && !quoted && depth <= 0) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

/// As TOML has it, else as it is.
Value value_in(const std::string& text) {
  Value tree = Value::table();
  apply_override(tree, "x=" + text, "--params");
  return *tree.find("x");
}

void read_range(const std::string& text, const std::vector<std::string>& parts, TunedParam& p) {
  const Value low = value_in(parts[0]), high = value_in(parts[1]);
  p.low = number_in(low), p.high = number_in(high);
  if (!(p.low < p.high) || !std::isfinite(p.high - p.low)) wrong_space(text, "is no range of two rising numbers");
  if (std::max(std::abs(p.low), std::abs(p.high)) > kLargest) wrong_space(text, "goes beyond 1e15");
  p.log = parts.size() == 3;
  if (p.log && parts[2] != "log") wrong_space(text, fmt::format("ends with '{}'", parts[2]));
  if (p.log && p.low <= 0) wrong_space(text, "goes by factors, from a number that is not above 0");
}

void check_values(const std::string& text, const ParamSpec& spec, TunedParam& p) {
  p.whole = spec.integer;
  p.doc = spec.doc;
  if (p.whole && p.values.empty() && (p.low != std::floor(p.low) || p.high != std::floor(p.high)))
    wrong_space(text, fmt::format("goes between parts of numbers; '{}' takes whole ones", p.name));
  std::vector<Value> all = p.values;
  if (all.empty()) all = {p.at(0), p.at(1)};
  for (const Value& v : all)
    if (!spec.accepts(v))
      wrong_space(text, fmt::format("gives '{}' the value {}; it takes {}", p.name, shown(v), spec.expected()));
}

TunedParam param_of(const std::string& text, const std::vector<ParamSpec>& specs, const Value& set, const Value& tree) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) wrong_space(text, "is no parameter with values");
  TunedParam p;
  p.name = name_in(text);
  const std::string said = text.substr(equals + 1);
  const std::vector<std::string> parts = split(said, ':');
  if (said.find('|') == std::string::npos && (parts.size() == 2 || parts.size() == 3)) {
    read_range(text, parts, p);
  } else {
    for (const std::string& value : split_outside_values(said, '|'))
      p.values.push_back(value_in(std::string(trimmed(value))));
    if (p.values.size() < 2) wrong_space(text, "has one value only: there is nothing to choose");
    for (auto v = p.values.begin(); v != p.values.end(); ++v)
      if (std::find(p.values.begin(), v, *v) != v) wrong_space(text, fmt::format("has the value {} twice", shown(*v)));
  }
  if (p.name == "policy" || p.name == "policy.name")
    wrong_space(text, "names policies", "several policies stand in --policy");
  if (p.name == "seed" || p.name == "workload.window")
    wrong_space(text, "names what the search sets: a workload is a seed, or a window of a log");
  if (p.name.find('.') != std::string::npos) {
    const Value* const there = find_path(tree, key_of_param(p.name));
    if (there != nullptr) p.today = *there;
    p.whole = p.values.empty() && p.low == std::floor(p.low) && p.high == std::floor(p.high);
    return p;
  }
  const auto spec = std::ranges::find(specs, p.name, &ParamSpec::name);
  if (spec == specs.end()) {
    std::vector<std::string> known;
    for (const ParamSpec& s : specs) known.push_back(s.name);
    wrong_space(text, fmt::format("the policy has no parameter '{}'", p.name), did_you_mean(p.name, known));
  }
  p.today = today_of(*spec, set);
  p.fallback = spec->fallback;
  check_values(text, *spec, p);
  return p;
}

}  // namespace

std::string whole_text(const Value& v) {
  return v.list() != nullptr || v.members() != nullptr ? toml_text(v) : shown(v);
}

Value TunedParam::at(double place) const {
  if (!values.empty())
    return values[std::min(static_cast<std::size_t>(place * static_cast<double>(values.size())), values.size() - 1)];
  if (place <= 0 || place >= 1) {
    const double end = place <= 0 ? low : high;
    return whole ? Value(static_cast<std::int64_t>(end)) : Value(end);
  }
  const double x = log ? low * portable_exp(place * portable_log(high / low)) : low + place * (high - low);
  if (whole) return Value(static_cast<std::int64_t>(std::clamp(std::round(x), low, high)));
  return Value(std::clamp(six_digits(x), low, high));
}

double TunedParam::place_of(const Value& value) const {
  if (!values.empty()) {
    const auto found = std::ranges::find(values, value);
    if (found == values.end()) return 0.5;
    return (static_cast<double>(found - values.begin()) + 0.5) / static_cast<double>(values.size());
  }
  const double x = number_in(value);
  if (!(x > low)) return 0;
  if (x >= high) return 1;
  return log ? portable_log(x / low) / portable_log(high / low) : (x - low) / (high - low);
}

bool TunedParam::ordered() const {
  if (values.empty()) return true;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(number_in(values[i - 1]) < number_in(values[i]))) return false;
  return !std::isnan(number_in(values.front()));
}

std::string TunedParam::text() const {
  if (values.empty()) return fmt::format("{} to {}{}", shown(at(0)), shown(at(1)), log ? ", by factors" : "");
  std::vector<std::string> all;
  for (const Value& v : values) all.push_back(whole_text(v));
  return fmt::format("{}", fmt::join(all, " | "));
}

std::string TunedParam::title() const {
  return policies.empty() ? name : fmt::format("{} ({})", name, fmt::join(policies, ", "));
}

bool has_meaning(const std::vector<TunedParam>& params, const Setting& setting, std::size_t p) {
  const std::vector<std::string>& policies = params[p].policies;
  return policies.empty() || std::ranges::find(policies, *setting.front().text()) != policies.end();
}

Setting without_meaningless(const std::vector<TunedParam>& params, Setting setting) {
  for (std::size_t p = 0; p != params.size(); ++p)
    if (!has_meaning(params, setting, p)) setting[p] = params[p].today;
  return setting;
}

std::string setting_text(const std::vector<TunedParam>& params, const Setting& setting) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i != params.size(); ++i) {
    if (!has_meaning(params, setting, i)) continue;
    all.push_back(fmt::format("{} = {}", params[i].name, setting[i].is_nil() ? "not set" : whole_text(setting[i])));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<TunedParam> declared_space(const std::vector<ParamSpec>& specs, const Value& set,
                                       std::vector<LeftOutParam>& left_out) {
  std::vector<TunedParam> out;
  for (const ParamSpec& spec : specs) {
    TunedParam p;
    p.name = spec.name;
    p.doc = spec.doc;
    p.today = today_of(spec, set);
    p.fallback = spec.fallback;
    if (spec.fallback.flag() != nullptr) p.values = {Value(false), Value(true)};
    for (const std::string& choice : spec.choices) p.values.emplace_back(choice);
    if (p.values.size() == 1) continue;
    if (!p.values.empty()) out.push_back(std::move(p));
    else if (std::isnan(number_in(p.today))) left_out.emplace_back(spec.name, kAnyText);
    else if (choose_range(spec, p)) out.push_back(std::move(p));
    else left_out.emplace_back(spec.name, fmt::format("{} today, and declared as {}", shown(p.today), spec.expected()));
  }
  return out;
}

void add_params_of(const std::string& policy, std::vector<TunedParam> its, std::vector<TunedParam>& all) {
  for (TunedParam& p : its) {
    const auto same = std::ranges::find_if(all, [&](const TunedParam& other) {
      return other.name == p.name && other.values == p.values && other.low == p.low && other.high == p.high &&
             other.log == p.log && other.whole == p.whole && other.today == p.today && other.fallback == p.fallback;
    });
    if (same != all.end()) same->policies.push_back(policy);
    else all.push_back(std::move(p)), all.back().policies = {policy};
  }
}

std::vector<std::string> items_of(const std::vector<std::string>& flags) {
  std::vector<std::string> out;
  for (const std::string& flag : flags)
    for (std::string& item : split_outside_values(flag, ',')) out.push_back(std::move(item));
  return out;
}

std::string name_in(const std::string& item) {
  constexpr std::string_view kParams = "policy.params.";
  const std::string name(trimmed(item.substr(0, item.find('='))));
  return name.starts_with(kParams) ? name.substr(kParams.size()) : name;
}

std::vector<TunedParam> space_of_flags(const std::vector<std::string>& flags, const std::vector<ParamSpec>& specs,
                                       const Value& set, const Value& tree) {
  std::vector<TunedParam> out;
  for (const std::string& text : items_of(flags)) {
    out.push_back(param_of(text, specs, set, tree));
    const auto same = [&](const TunedParam& p) { return p.name == out.back().name; };
    if (std::ranges::count_if(out, same) > 1) wrong_space(text, fmt::format("'{}' is given twice", out.back().name));
  }
  return out;
}

std::string key_of_param(const std::string& name) {
  if (name == "policy") return "policy.name";
  return name.find('.') != std::string::npos ? name : "policy.params." + name;
}

void apply_setting(Value& tree, const std::vector<TunedParam>& params, const Setting& setting) {
  for (std::size_t i = 0; i != params.size(); ++i)
    if (!setting[i].is_nil() && has_meaning(params, setting, i))
      lay_over(tree, split(key_of_param(params[i].name), '.'), setting[i]);
}

}  // namespace coslice

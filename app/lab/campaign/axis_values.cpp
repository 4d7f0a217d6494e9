#include "lab/campaign/axis_values.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/codec.h"
#include "core/error.h"
#include "scenario/toml.h"

namespace coslice {
namespace {

constexpr double kMostValues = 1e6;
constexpr double kRangeSlack = 1e-9;  // of a step: 0.1 + 2 * 0.1 is a little above 0.3

struct RangeSpec {
  double from = 0, to = 0;
  std::optional<double> step, factor;
};

const std::vector<Key<RangeSpec>>& range_keys() {
  static const Range any{-1e300, 1e300};
  static const Range above_0{0, 1e300, true};
  static const std::vector<Key<RangeSpec>> keys = {
      {"from", codec::real<RangeSpec>(COSLICE_FIELD(RangeSpec, from), any), "The first value.", true},
      {"to", codec::real<RangeSpec>(COSLICE_FIELD(RangeSpec, to), any), "The last one, if a step meets it.", true},
      {"step", codec::real<RangeSpec>(COSLICE_FIELD(RangeSpec, step), above_0), "What is added."},
      {"factor", codec::real<RangeSpec>(COSLICE_FIELD(RangeSpec, factor), {1, 1e300, true}),
       "What is multiplied with."},
  };
  return keys;
}

double twelve_digits(double x) { return std::strtod(fmt::format("{:.12g}", x).c_str(), nullptr); }

std::vector<double> range_numbers(const RangeSpec& r, const Value& v, const std::string& path) {
  if (r.to < r.from) fail_at(v.place, path + " ends below its beginning", "from <= to");
  if (r.step.has_value() == r.factor.has_value())
    fail_at(v.place, path + (r.step ? " has a step and a factor" : " has no step"),
            "{ from, to, step } or { from, to, factor }");
  if (r.factor && r.from <= 0)
    fail_at(v.place, path + " multiplies from " + fmt::format("{:g}", r.from), "from above 0");
  const double steps = r.step ? (r.to - r.from) / *r.step : std::log(r.to / r.from) / std::log(*r.factor);
  if (!(steps < kMostValues))
    fail_at(v.place, path + " has too many values", fmt::format("at most {:.0f}", kMostValues));
  std::vector<double> numbers;
  for (double i = 0; i <= steps + kRangeSlack; ++i)
    numbers.push_back(twelve_digits(r.step ? r.from + i * *r.step : r.from * std::pow(*r.factor, i)));
  return numbers;
}

/// A range of whole numbers has whole numbers.
bool is_whole_range(const Value& v) {
  for (const char* key : {"from", "to", "step", "factor"}) {
    const Value* part = v.find(key);
    if (part && !part->integer()) return false;
  }
  return true;
}

/// Exactly, also where a floating-point number has no room for all digits.
std::vector<std::int64_t> whole_numbers(const Value& v) {
  const auto part = [&](const char* key) { return *v.find(key)->integer(); };
  const std::int64_t to = part("to");
  std::vector<std::int64_t> numbers;
  bool beyond = false;
  for (std::int64_t i = part("from"); !beyond && i <= to;) {
    numbers.push_back(i);
    beyond = v.find("step") != nullptr ? __builtin_add_overflow(i, part("step"), &i)
                                       : __builtin_mul_overflow(i, part("factor"), &i);
  }
  return numbers;
}

std::vector<Value> range_values(const Value& v, const std::string& path) {
  RangeSpec r;
  read_record(range_keys(), r, v, path);
  std::vector<Value> values;
  for (const double x : range_numbers(r, v, path)) values.emplace_back(x);
  if (is_whole_range(v)) {
    values.clear();
    for (const std::int64_t i : whole_numbers(v)) values.emplace_back(i);
  }
  for (Value& value : values) value.place = v.place;
  return values;
}

}  // namespace

std::vector<Value> axis_values(const Value& v, const std::string& path) {
  if (v.list() && v.list()->empty()) fail_at(v.place, path + " is an empty list", "at least one value");
  if (!v.is_table() && !v.list()) codec::wrong(v, path, "a list, or a range { from, to, step }");
  return v.is_table() ? range_values(v, path) : *v.list();
}

void require_distinct(const std::vector<Value>& values, const std::string& path) {
  std::set<std::string> seen;
  for (const Value& v : values) {
    if (!seen.insert(toml_text(v)).second) fail_at(v.place, toml_text(v) + " appears twice in " + path);
  }
}

}  // namespace coslice

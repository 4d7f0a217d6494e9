// What is tuned: parameters of a policy or keys of a scenario, and the values that each may have.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/policy/params.h"
#include "core/random.h"
#include "core/value.h"

namespace coslice {

/// One parameter of which the best value is sought: a range of numbers, or a list.
struct TunedParam {
  std::string name;           ///< of a parameter of the policy; with a dot, of a key of the scenario; or "policy"
  std::vector<Value> values;  ///< the list; empty: a range
  double low = 0, high = 0;   ///< the range
  bool log = false;           ///< equal steps are equal factors; then both ends are above 0
  bool whole = false;         ///< whole numbers only
  Value fallback{};           ///< the policy's default; nil: a key of the scenario
  Value today;                ///< what the scenario has; nil: a key that is not set
  std::string doc;
  std::vector<std::string> policies{};  ///< that have it so; empty: all

  /// Returns the name, with those policies where not all have it.
  std::string title() const;

  /// Returns the value at a place from 0 to 1.
  Value at(double place) const;
  /// Returns where the value lies, from 0 to 1; of one beyond the range the end, of one that is not in the list its
  /// middle.
  double place_of(const Value& value) const;
  /// Returns whether the values of a list are numbers in rising order, so that neighbours are alike.
  bool ordered() const;
  /// Returns the range or the list in words: "1 to 64, by factors", "30 | 60 | 120".
  std::string text() const;
};

/// Returns the value as messages have it, lists whole.
std::string whole_text(const Value& v);

/// A value for each parameter, beside them.
using Setting = std::vector<Value>;

/// Returns whether the policy of the setting has its p-th parameter.
bool has_meaning(const std::vector<TunedParam>& params, const Setting& setting, std::size_t p);
/// Returns the setting with today's values where its policy does not have the parameter: what gives the same runs is
/// the same setting.
Setting without_meaningless(const std::vector<TunedParam>& params, Setting setting);
/// Returns the setting in words, as far as its policy has the parameters: "reservations = 4, depth = 0".
std::string setting_text(const std::vector<TunedParam>& params, const Setting& setting);

/// A parameter that is not tuned, and why.
using LeftOutParam = std::pair<std::string, std::string>;
/// Why: its values are no numbers, and there is no list of them.
inline constexpr const char* kAnyText = "any text";

/// Returns the parameters that a policy declares, with ranges: the declared one, where its ends lie within a factor of
/// 1,000 or 100 times what is set today; else from a 16th to 16 times what is set today, as far as it is declared.
/// Flags and choices are lists. Others have no range that would be sensible: they are in `left_out`. `set` is the table
/// of those that the scenario sets.
std::vector<TunedParam> declared_space(const std::vector<ParamSpec>& specs, const Value& set,
                                       std::vector<LeftOutParam>& left_out);

/// Adds the parameters of a policy to those of others: what is alike in all is one parameter.
void add_params_of(const std::string& policy, std::vector<TunedParam> its, std::vector<TunedParam>& all);

/// Returns what stands between the commas of such flags; quoted commas belong to values.
std::vector<std::string> items_of(const std::vector<std::string>& flags);
/// Returns the name in an item, without "policy.params." before it.
std::string name_in(const std::string& item);
/// Reads "NAME=FROM:TO", "NAME=FROM:TO:log" and "NAME=A|B|C", several with commas between them. `tree` is the scenario.
/// Throws InputError that names --params: no such form, an empty range, a parameter that the policy does not have, a
/// value that it does not take.
std::vector<TunedParam> space_of_flags(const std::vector<std::string>& flags, const std::vector<ParamSpec>& specs,
                                       const Value& set, const Value& tree);

/// Returns the key of a scenario that a parameter of that name is.
std::string key_of_param(const std::string& name);
/// Sets the values in the tree of a scenario.
void apply_setting(Value& tree, const std::vector<TunedParam>& params, const Setting& setting);

}  // namespace coslice

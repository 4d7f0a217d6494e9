// From file names and flags to numbers, times and the tree of a scenario. What sets a key goes through that one tree,
// so that one mechanism checks it all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "core/value.h"
#include "scenario/load.h"

namespace coslice::cli {

/// The text as a whole number from low to high. Throws InputError that names the flag.
std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high);

/// The text as a number from low to high, which is none of NaN. Throws InputError that names the flag.
double number_within(const std::string& flag, const std::string& text, double low, double high);

/// The text as a number of threads; without it, one for each processor. Throws InputError that names the flag.
int threads_of(const std::string& flag, const std::optional<std::string>& text);

/// The text, which must be one of the known words. Throws InputError that names the flag: "there is no such format".
const std::string& word_of(const std::string& flag, const std::string& text, const std::vector<std::string>& known,
                           const char* what = "format");

/// The text as a span of time: a number of seconds, or one with a unit, "90min", "1.5h", "3d". Throws InputError that
/// names the flag.
Duration span_of(const std::string& flag, const std::string& text);

/// Returns whether the name's ending says that it is a scenario.
bool is_scenario_name(const std::string& path);

/// Throws InputError, with the nearest name in its folder, if there is no such file.
void require_file(const std::string& path);

/// Returns whether the folder is one that `coslice import` wrote: a scenario that was not run yet.
bool is_site_folder(const std::string& path);

/// Returns the tree of a scenario file or of a site's, or of the scenario that a bare trace stands for. Throws
/// InputError.
Value scenario_tree_of(const std::string& path);

/// Returns what a flag lists that may be given several times, each time with several names and commas between them.
std::vector<std::string> listed_by(const std::vector<std::string>& lists);

/// Returns the names in --figure flags, each of which may have several with commas; none if there are no flags. Throws
/// InputError if one names none.
std::vector<std::string> figure_names(const std::vector<std::string>& lists);

/// Returns the names in --policy flags, each of which may have several with commas. Throws InputError if there are
/// none.
std::vector<std::string> policy_names(const std::vector<std::string>& lists);

/// Sets `key` in the tree to the text, read as TOML, else as it is. Complaints name `flag` and the text.
void set_from_flag(Value& tree, const std::string& key, const std::string& flag, const std::string& text);

/// Sets a key as set_from_flag() does, where 0 stands for "not given" in a scenario. Throws InputError if the flag is
/// 0.
void set_count_from_flag(Value& tree, const std::string& key, const std::string& flag, const std::string& text);
/// Sets `key` in the tree to v. Complaints name `label`.
void set_value(Value& tree, const std::string& key, Value v, const std::string& label);
/// Sets policy.name in the tree: "a,b" and "c" are three names.
void set_policies(Value& tree, const std::vector<std::string>& lists);

}  // namespace coslice::cli

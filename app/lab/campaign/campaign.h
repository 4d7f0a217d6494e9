// A campaign: scenarios, and what is varied over them. How it stands in a TOML file:
//
//   [campaign]
//   name = "depth"                    # without one, the file's name
//   scenario = "base.toml"            # or a list of files, which becomes the axis `scenario`
//   seeds = 10                        # 1 to 10, or a list; the axis `seed`
//   where = "policy ~= 'fcfs'"        # a Lua expression, or a function of the point: which points are run
//   jobs = false                      # whether the jobs of each run are kept
//   [scenario]                        # keys of scenarios, over all of the files, or instead of them
//   [axes]
//   policy = ["fcfs", "easy"]         # any key of a scenario; `policy` is short for policy.name
//   "policy.params.depth" = { from = 1, to = 9, step = 2 }
//   [[zipped]]                        # axes that vary together
//   "machine.nodes" = [64, 128]
//   "workload.lublin.jobs" = [1000, 2000]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace coslice {

/// Returns a list as it is; a range { from, to, step } or { from, to, factor } written out, its ends included. Numbers
/// of a range have at most 12 digits, so that 0.1 and 0.2 are followed by 0.3. `path` is how errors call it.
/// Throws InputError: an empty list, something else, a range that never ends.
std::vector<Value> axis_values(const Value& v, const std::string& path);

/// Throws InputError if a value appears twice in an axis that is not zipped.
void require_distinct(const std::vector<Value>& values, const std::string& path);

/// Axes that vary together: one, or several that are zipped.
struct Dimension {
  std::vector<std::size_t> axes;         ///< numbers in Campaign::axes
  std::vector<std::vector<Value>> rows;  ///< each with a value for each of them
};

struct Campaign {
  std::string name;
  std::string file;                   ///< where it was read, "" if nowhere
  std::string folder;                 ///< of that file; "" is the current one
  std::string text;                   ///< of that file
  std::vector<Value> bases;           ///< trees of the scenarios; one, or one for each value of the axis `scenario`
  std::vector<std::string> axes;      ///< names, in the file's order
  std::vector<Dimension> dimensions;  ///< the slowest first: seeds, then the file's order
  std::string where;                  ///< a filter, "" for none
  Place where_place;
  bool jobs = false;
};

/// Reads a campaign file and the scenarios that it names. Throws InputError.
Campaign read_campaign(const std::string& path);
/// Reads a campaign from text; relative paths in it start in `folder`.
Campaign parse_campaign(std::string_view text, const std::string& file, const std::string& folder = "");

/// Returns the key of a scenario that an axis sets: "policy.name" of "policy".
std::string key_of_axis(const std::string& axis);

/// How an axis is called for its base scenarios.
inline constexpr const char* kScenarioAxis = "scenario";

}  // namespace coslice

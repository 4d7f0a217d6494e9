// From files, flags and tables to a checked Scenario. Loading has two steps: a tree is put together (base files,
// overrides), then checked as a whole, so that one mechanism finds the mistakes of all of them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario/scenario.h"

namespace coslice {

/// Reads a scenario file and the files it extends into one tree. Throws InputError: unreadable, not TOML, a circle of
/// `extends`.
Value read_scenario_tree(const std::string& path);

/// Reads the tree of a scenario from text; relative paths in it start in `folder`.
Value parse_scenario_tree(std::string_view text, const std::string& name, const std::string& folder = "");

/// Merges `upper` into `lower`: tables merge key by key, everything else is replaced. Where `upper` names another
/// source of jobs, what `lower` says of its own is dropped; so are keys that `upper` puts out of effect.
void merge_scenario(Value& lower, const Value& upper);

/// Throws InputError where a table is empty that switches something on by its keys: it would be taken and mean nothing,
/// also over that of another file.
void refuse_empty_tables(const Value& tree);

/// Sets the key, given as its parts, in a tree to v, as a file would that stands where v was written.
void lay_over(Value& tree, const std::vector<std::string>& key, Value v);

/// Applies one `--set table.key=value`: a TOML value, else a bare text. Throws InputError if there is no '=' or no key.
/// Messages name it `label`; "": `--set` and the assignment.
void apply_override(Value& tree, const std::string& assignment, const std::string& label = "");

/// Checks every key and reads the tree. Throws InputError at the first mistake.
Scenario check_scenario(const Value& tree);

/// Loads a scenario: the file, then the overrides in their order.
Scenario load_scenario(const std::string& path, const std::vector<std::string>& overrides = {});

/// Throws InputError if the scenario has recorded another digest for this input: a path, or a label like
/// "policy:easy". check_scenario does so for the trace, the workload script and policies given as files.
void verify_input(const Scenario& scenario, const std::string& name, const std::string& sha256);

/// Returns the names of recorded inputs that are no file of the scenario; labels such as "policy:easy" among them.
std::vector<std::string> unused_inputs(const Scenario& scenario);

/// Returns the keys by which a scenario names files, and what stands there: a path, or "".
std::vector<std::pair<const char*, std::string>> named_files(const Scenario& scenario);

/// Returns the files that a scenario names and that are there: the trace, the workload script, policies given as paths.
std::vector<std::string> input_files(const Scenario& scenario);

}  // namespace coslice

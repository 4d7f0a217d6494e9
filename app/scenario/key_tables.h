// The one list of keys that a scenario may hold. Checking, `--set`, the resolved file and the reference page all come
// from it: a new key is one line in scenario_keys.cpp.
#pragma once

#include <string>
#include <vector>

#include "core/codec.h"
#include "scenario/scenario.h"

namespace coslice {

/// A table of the file: its heading in the reference, and when it means anything.
struct KeyTable {
  std::string path;  ///< "" for the keys before the first table
  std::string doc;
  std::function<bool(const Scenario&)> applies{};  ///< absent: always. One that does not apply must not be there
  std::string condition{};                         ///< when it applies, in words
};

/// Returns all tables of a scenario, in the order in which they are written.
const std::vector<KeyTable>& scenario_tables();
bool is_scenario_table(const std::string& path);
/// Returns all keys of a scenario, grouped by table, in the order in which they are written; names with their tables.
const std::vector<Key<Scenario>>& scenario_keys();

/// Puts more keys in front of the one of that full name.
void insert_before(std::vector<Key<Scenario>>& keys, const std::string& name, std::vector<Key<Scenario>> added);

/// Returns the key of that full name, or null.
const Key<Scenario>* find_key(const std::string& name);

/// Returns the table a key stands in: "machine" of "machine.nodes".
std::string table_of(const std::string& key);
/// Returns the key without its table.
std::string leaf_of(const std::string& key);

/// Returns the value at "machine.nodes" in a tree, or null.
const Value* find_path(const Value& tree, const std::string& path);

/// Returns whether an entry of [inputs] is a label, a word and a colon as in "policy:easy", and not a path.
bool is_input_label(const std::string& name);

/// Keys of a table of which only one may be set, each with the tables that go with it. A file or an override that sets
/// one drops the others from the lower layers.
struct Alternatives {
  struct Choice {
    std::string key;
    std::vector<std::string> companions{};
  };
  std::string table;
  std::vector<Choice> choices;
  bool needed = false;  ///< one must be set
};
const std::vector<Alternatives>& scenario_alternatives();

/// A key that means something only while another one has a certain value. Elsewhere it is a mistake; a file or an
/// override that gives the other key another value drops it from the lower layers.
struct Dependent {
  std::string key, owner, value;
};
const std::vector<Dependent>& scenario_dependents();
/// Returns what is missing for a key to be in effect; null if nothing is.
const Dependent* out_of_effect(const Scenario& scenario, const std::string& key);

/// Returns the reference page of all keys as Markdown: docs/scenarios.md is its output.
std::string scenario_reference_markdown();

}  // namespace coslice

// Where policies are looked for: as a path, in the scenario's folder, the current folder, $COSLICE_PATH, the installed
// share folder, and last among those built in.
#pragma once

#include <string>
#include <vector>

#include "host/script.h"

namespace coslice {

struct FoundPolicy {
  Script script;                  ///< its name is the path, or "built-in policies/NAME.lua"
  std::string path;               ///< "" if it is built in
  std::vector<ModuleRoot> roots;  ///< where its `require` looks: its own folder, then the built-in library
};

/// Finds a policy by name or path. `folder` is the scenario's ("" if there is none).
/// Throws InputError with the places that were searched and the nearest known name.
FoundPolicy find_policy(const std::string& name, const std::string& folder = "");

/// Returns where what comes with coslice or stands beside a user's files is looked for by name: the scenario's folder
/// ("": none), the current one, those of $COSLICE_PATH, the share folder of an installed program.
std::vector<std::string> search_path(const std::string& folder = "");

/// A policy that one could name, and where it is.
struct PolicyEntry {
  std::string name;
  std::string path;  ///< "" if it is built in
};

/// Returns all policies that are found by name, sorted; the first place wins.
std::vector<PolicyEntry> list_policies(const std::string& folder = "");

}  // namespace coslice

// What charts, their files and their lines are called.
#pragma once

#include <string>
#include <vector>

namespace coslice {

/// Returns a title as the name of a file, without an ending: "wait-all-jobs".
std::string file_name_of(const std::string& title);
/// Returns each name once: those that were there already get a number, "easy-2".
std::vector<std::string> distinct_names(const std::vector<std::string>& names);
/// Returns whether values on that axis of a campaign name policies, maybe by their files.
bool names_policies(const std::string& axis);
/// Returns the place on an axis: "policy patient" for a file patient.lua whatever its folder; of other axes the value
/// as it is.
std::string axis_place(const std::string& axis, const std::string& value);

}  // namespace coslice

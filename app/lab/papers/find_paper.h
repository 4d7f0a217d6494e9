// Where papers and the traces that they need are looked for.
#pragma once

#include <string>
#include <vector>

namespace coslice {

/// A folder with paper.lua, its scenarios and the published figures.
struct PaperFolder {
  std::string name, folder;
  std::string given = name;  ///< as it was asked for: its name, or a path
};

/// Finds a paper by the path of its folder, or by name in `scenarios/papers` of the current folder, of $COSLICE_PATH,
/// of the installed share folder, of the tree in which the program was built.
/// Throws InputError with the nearest known name.
PaperFolder find_paper(const std::string& name);

/// Returns all papers that are found by name, sorted; the first place wins.
std::vector<PaperFolder> list_papers();

/// Returns where traces are looked for: the given folders, those of $COSLICE_TRACES, `traces`.
std::vector<std::string> trace_folders(const std::vector<std::string>& given);

/// Returns where the data of a paper are looked for: the given folder alone; without one, the folder `name` in those of
/// $COSLICE_DATA; folders that do not exist are left out.
std::vector<std::string> data_folders(const std::string& name, const std::string& given);

/// Returns the first of the names, each looked for in all folders, that is there; "" if none is.
std::string find_trace(const std::vector<std::string>& names, const std::vector<std::string>& folders);

}  // namespace coslice

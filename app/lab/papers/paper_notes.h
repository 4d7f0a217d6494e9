// What people say of a paper's results: notes.md in its folder, and page.md above it. Figures stand in the tables,
// which are made again; notes say why they are what they are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/papers/paper.h"

namespace coslice {

struct PaperNotes {
  std::string paper;                                 ///< of all of it: what stands before the first experiment
  std::map<std::string, std::string> of_experiment;  ///< by label: what follows the line "### LABEL"
};

/// Returns the notes of a paper, empty if it has none. Throws InputError if a heading names no experiment of it.
PaperNotes read_paper_notes(const PaperFolder& paper, const std::vector<std::string>& labels);

/// Returns the text around the papers: page.md in the folder above a paper; "" if there is none.
std::string page_frame(const PaperFolder& paper);

}  // namespace coslice

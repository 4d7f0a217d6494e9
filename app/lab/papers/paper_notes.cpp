#include "lab/papers/paper_notes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeading = "### ";

std::string text_if_there(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Without empty lines around it.
std::string without_end_lines(const std::string& text) {
  const std::size_t first = text.find_first_not_of('\n'), last = text.find_last_not_of('\n');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1) + "\n";
}

}  // namespace

PaperNotes read_paper_notes(const PaperFolder& paper, const std::vector<std::string>& labels) {
  const std::string path = (fs::path(paper.folder) / "notes.md").string();
  const std::string text = text_if_there(path);
  PaperNotes notes;
  std::string* part = &notes.paper;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.compare(0, kHeading.size(), kHeading) != 0) {
      *part += line + "\n";
      continue;
    }
    const std::string label = line.substr(kHeading.size());
    if (std::ranges::find(labels, label) == labels.end()) {
      throw InputError({path, number, fmt::format("'{}' is not an experiment of the paper", label),
                        fmt::format("one of {}", fmt::join(labels, ", ")), did_you_mean(label, labels)});
    }
    part = &notes.of_experiment[label];
  }
  notes.paper = without_end_lines(notes.paper);
  for (auto& [label, of_it] : notes.of_experiment) of_it = without_end_lines(of_it);
  return notes;
}

std::string page_frame(const PaperFolder& paper) {
  return text_if_there((fs::path(paper.folder) / ".." / "page.md").lexically_normal());
}

}  // namespace coslice

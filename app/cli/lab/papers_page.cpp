#include "cli/lab/papers_page.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "cli/frame/console.h"
#include "cli/frame/output_file.h"
#include "core/error.h"
#include "lab/papers/paper.h"
#include "lab/papers/paper_notes.h"
#include "lab/papers/reproduction_page.h"
#include "report/charts/chart_svg.h"
#include "report/markup.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "record.json";
// Two beside each other where there is room; large letters enough where a telephone shrinks one to its width.
constexpr ChartSvgOptions kDrawing{.width = 460, .height = 340, .title = true, .dark = true};

PaperNotes notes_of(const PaperRecord& record) {
  const PaperFolder folder = find_paper(record.paper);
  return read_paper_notes(folder, Paper(folder, {}).labels());
}

void write_text(const fs::path& path, const std::string& text) { write_new_file(path.string(), text); }

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError({folder.string(), 0, "cannot be made: " + error.message(), "a folder for charts"});
}

/// Files of the pages that were there before, if they were such pages. Nothing else in that folder is touched.
std::set<std::string> files_before(const fs::path& folder) {
  std::set<std::string> files;
  if (!fs::is_regular_file(folder / kRecord)) return files;
  PageTexts texts;
  texts.notes = [](const PaperRecord&) { return PaperNotes{}; };
  const ReproductionPages before = reproduction_pages(read_record((folder / kRecord).string()), texts);
  for (const PageChart& c : before.charts) files.insert(c.file);
  for (const PaperPage& p : before.papers) files.insert(p.file);
  return files;
}

}  // namespace

void check_papers_page(const std::string& file, const std::vector<PaperFolder>& papers) {
  const fs::path path = fs::absolute(file), folder = path.parent_path();
  if (path.extension() != ".md") throw InputError({file, 0, "is not a name of a page", "FILE.md"});
  if (!fs::is_directory(folder))
    throw InputError({file, 0, "there is no folder " + folder.string(), "", "make it first"});
  if (access(folder.c_str(), W_OK) != 0) throw InputError({file, 0, "its folder cannot be written to"});
  for (const PaperFolder& paper : papers) read_paper_notes(paper, Paper(paper, {}).labels());
}

void write_papers_page(const std::string& file, const std::vector<PaperRecord>& papers) {
  const fs::path path(file), folder = path.parent_path() / path.stem();
  const std::string record = record_json(papers);
  const std::vector<PaperRecord> rounded = record_from_json(record, file);
  PageTexts texts;
  if (!papers.empty()) texts.frame = page_frame(find_paper(papers.front().paper));
  texts.folder = path.stem().string();
  texts.notes = notes_of;
  const ReproductionPages pages = reproduction_pages(rounded, texts);
  make_folder(folder);
  std::set<std::string> old = files_before(folder);
  for (const PageChart& chart : pages.charts) {
    old.erase(chart.file);
    std::string svg;
    write_chart_svg(chart.chart, kDrawing, sink_to(svg));
    write_text(folder / chart.file, svg);
  }
  for (const PaperPage& paper : pages.papers) {
    old.erase(paper.file);
    write_text(folder / paper.file, paper.markdown);
  }
  write_text(folder / kRecord, record);
  write_text(path, pages.markdown);
  std::error_code ignored;
  for (const std::string& gone : old) fs::remove(folder / gone, ignored);
  const auto number = [](std::size_t n, const char* what) { return counted(static_cast<std::int64_t>(n), what); };
  report_note(fmt::format("wrote {}, {} and {}", file, number(pages.papers.size(), "paper"),
                          number(pages.charts.size(), "chart")));
}

std::vector<PaperRecord> read_record(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError({file, 0, "cannot be read", "a record.json beside a page of papers"});
  return record_from_json({std::istreambuf_iterator<char>(in), {}}, file);
}

}  // namespace coslice::cli

#include "lab/papers/reproduction_page.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/papers/paper_chart.h"
#include "lab/papers/published_row.h"
#include "report/markup.h"

namespace coslice {
namespace {

std::string figure(double x) {
  if (!std::isfinite(x)) return "";
  return std::abs(x) < 1000 ? fmt::format("{:.4g}", x) : grouped(x, 0);
}

std::string cell_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "&lt;");
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// "50.1 ± 3.2": both with the decimals that half of the interval has in two digits, and one at least below 100;
/// "60.52" where the interval is not wider than what the four digits of a table leave open.
std::string with_interval(double x, double half) {
  constexpr double kNothing = 5e-4;
  if (!(half > kNothing * std::abs(x)) || !std::isfinite(half)) return figure(x);
  const int least_digits = std::abs(x) < 100 ? 1 : 0;
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), least_digits, 6);
  const double least = 0.5 * std::pow(10, -digits);
  return grouped(std::abs(x) < least ? 0 : x, digits) + " ± " + grouped(half, digits);  // no "-0"
}

std::string emphasis(Verdict v) {
  if (v == Verdict::kMissed) return "*";
  return v == Verdict::kRefuted ? "**" : "";
}

std::string grid_cell(const Row* r) {
  if (r == nullptr) return "";
  if (r->verdict == Verdict::kSkipped) return r->published ? figure(*r->published) + " / -" : "-";
  if (!r->obtained || !std::isfinite(*r->obtained)) return "";
  const double half = r->interval ? (r->interval->high - r->interval->low) / 2 : 0;
  const std::string mark = emphasis(r->verdict);
  std::string obtained = mark + with_interval(*r->obtained, half) + mark;
  if (r->verdict == Verdict::kMissed && r->is_number()) obtained += ", " + r->evidence;
  return r->published ? figure(*r->published) + " / " + obtained : obtained;
}

std::string header(const std::string& corner, const std::vector<std::string>& names, const std::string& unnamed) {
  std::string out = "| " + cell_text(corner) + " |", rule = "| --- |";
  for (const std::string& n : names) {
    out += " " + (n.empty() ? unnamed : cell_text(n)) + " |";
    rule += " --- |";
  }
  return out + "\n" + rule + "\n";
}

std::string band_cell(const std::optional<Band>& b) {
  if (!b) return "";
  if (b->low && b->high) return figure(*b->low) + " to " + figure(*b->high);
  return b->low ? "from " + figure(*b->low) : "up to " + figure(*b->high);
}

/// Returns the figures of a chart as a grid: "published / obtained ± half of the 95 % interval", in italics where the
/// band is missed, in bold where a finding is refuted. The longer of groups and series go down.
std::string grid_markdown(const PaperChart& chart) {
  const bool down = chart.groups().size() >= chart.series().size();  // groups are lines of the table
  const std::vector<std::string>& lines = down ? chart.groups() : chart.series();
  const std::vector<std::string>& columns = down ? chart.series() : chart.groups();
  std::string out = fmt::format("{}{}\n\n", chart.title(), chart.unit().empty() ? "" : ", " + chart.unit());
  const std::vector<Row>& rows = chart.rows();
  const bool published = std::ranges::any_of(rows, [](const Row& r) { return r.published.has_value(); });
  out += header(down ? chart.axis() : "", columns, published ? "published / obtained" : "obtained");
  for (const std::string& line : lines) {
    out += "| " + cell_text(line) + " |";
    for (const std::string& column : columns)
      out += " " + grid_cell(down ? chart.row(line, column) : chart.row(column, line)) + " |";
    out += "\n";
  }
  return out;
}

/// Returns a line for each row, with interval, band and verdict.
std::string rows_markdown(const std::vector<Row>& rows) {
  std::string out = "| quantity | unit | published | obtained | 95 % interval | band | verdict |\n"
                    "| --- | --- | ---: | ---: | --- | --- | --- |\n";
  for (const Row& r : rows) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", cell_text(r.quantity), cell_text(r.unit),
                       r.published ? figure(*r.published) : "", r.obtained ? figure(*r.obtained) : "",
                       r.interval ? figure(r.interval->low) + " to " + figure(r.interval->high) : "", band_cell(r.band),
                       verdict_words(r));
  }
  return out;
}

/// Returns what rows say beside their figures, each text once, with the rows that say it. Bands that are missed are
/// left out if `bands_shown`.
std::string remarks_markdown(const std::vector<Row>& rows, bool bands_shown) {
  constexpr std::size_t kMostNamed = 4;
  struct Remark {
    std::string text;
    std::vector<std::string> quantities;
  };
  std::vector<Remark> remarks;
  for (const Row& r : rows) {
    const std::string text = r.verdict == Verdict::kMissed && (bands_shown || r.is_number()) ? r.note : r.remark();
    if (text.empty()) continue;
    const auto same = std::ranges::find(remarks, text, &Remark::text);
    if (same == remarks.end()) remarks.push_back({text, {r.quantity}});
    else same->quantities.push_back(r.quantity);
  }
  std::string out;
  for (Remark& m : remarks) {
    const std::size_t more = m.quantities.size() > kMostNamed ? m.quantities.size() - kMostNamed + 1 : 0;
    m.quantities.resize(m.quantities.size() - more);
    out += fmt::format("- {}{}: {}\n", fmt::join(m.quantities, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
                       m.text);
  }
  return out;
}

constexpr std::string_view kPapersPlace = "<!-- papers -->\n", kTimePlace = "<!-- time -->";

std::string file_part(const std::string& text) {
  std::string out = text;
  for (char& c : out) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (!plain) c = '-';
  }
  return out;
}

std::string seeds_text(const ExperimentResult& e) {
  return e.full_seeds > e.seeds ? fmt::format("{} of {}", e.seeds, e.full_seeds) : std::to_string(e.seeds);
}

/// One paper's page, and its charts.
class PaperText {
 public:
  PaperText(const PaperRecord& paper, const PageTexts& texts, std::vector<PageChart>& charts)
      : paper_(paper), name_(std::filesystem::path(paper.paper).filename().string()), texts_(texts),
        notes_(texts.notes(paper)), charts_(charts) {}

  PaperPage page() { return {name_ + ".md", markdown()}; }

  /// Its line in the table of papers.
  std::string table_row() const {
    return fmt::format("| [{}]({}/{}.md) | {} | {} | {} | {} |\n", name_, texts_.folder, name_, paper_.title,
                       paper_.experiments.size(), processor_time(paper_.cpu_seconds), verdict_counts(all_rows()));
  }

 private:
  std::vector<Row> all_rows() const {
    std::vector<Row> all;
    for (const ExperimentRecord& e : paper_.experiments) all.insert(all.end(), e.rows.begin(), e.rows.end());
    return all;
  }

  std::string markdown() {
    std::string out = fmt::format("# {}: {}\n\n", name_, paper_.title);
    if (!notes_.paper.empty()) out += notes_.paper + "\n";
    out += summary();
    for (const ExperimentRecord& e : paper_.experiments) out += experiment(e);
    return out;
  }

  std::string summary() const {
    std::string out =
        "| experiment | | seeds | runs | CPU time | verdicts |\n| --- | --- | --- | ---: | ---: | --- |\n";
    for (const ExperimentRecord& e : paper_.experiments) {
      out += fmt::format("| [{0}](#{1}) | {2} | {3} | {4} | {5} | {6} |\n", e.result.label, anchor(e.result),
                         e.result.title, seeds_text(e.result), grouped(static_cast<std::int64_t>(e.result.runs)),
                         processor_time(e.result.cpu_seconds), verdict_counts(e.rows));
    }
    out += fmt::format("| together | | | {} | {} | {} |\n\n", grouped(static_cast<std::int64_t>(paper_.runs)),
                       processor_time(paper_.cpu_seconds), verdict_counts(all_rows()));
    out += fmt::format("```sh\n{}\n```\n", paper_.command);
    if (!paper_.full_command.empty())
      out += fmt::format("\nAll seeds and points:\n\n```sh\n{}\n```\n", paper_.full_command);
    return out;
  }

  static std::string heading(const ExperimentResult& e) { return e.label + (e.title.empty() ? "" : ": " + e.title); }
  /// As Markdown's readers make one of a heading.
  static std::string anchor(const ExperimentResult& e) {
    std::string out;
    for (const char c : heading(e)) {
      if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
      else if (c == ' ') out += '-';
      else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || (c & 0x80) != 0) out += c;
    }
    return out;
  }

  std::string experiment(const ExperimentRecord& e) {
    std::string out = fmt::format("\n## {}\n\n`{}`\n\n", heading(e.result), e.command);
    if (!e.result.reduced.empty()) out += fmt::format("Left out here: {} (`--full` runs all).\n\n", e.result.reduced);
    const auto notes = notes_.of_experiment.find(e.result.label);
    if (notes != notes_.of_experiment.end()) out += notes->second + "\n";
    const std::vector<PaperChart> charts = paper_charts(e.rows);
    out += pictures(e, charts);
    for (const PaperChart& c : charts) out += grid_markdown(c) + "\n";
    std::vector<Row> placed, others;
    for (const Row& r : e.rows) (r.place ? placed : others).push_back(r);
    if (!others.empty()) out += rows_markdown(others) + "\n";
    if (const std::string remarks = remarks_markdown(placed, false) + remarks_markdown(others, true); !remarks.empty())
      out += remarks + "\n";
    if (!placed.empty())
      out += "<details>\n<summary>Bands and verdicts</summary>\n\n" + rows_markdown(placed) + "\n</details>\n";
    while (out.size() > 1 && out[out.size() - 1] == '\n' && out[out.size() - 2] == '\n') out.pop_back();
    return out;
  }

  /// In one paragraph: beside each other where there is room.
  std::string pictures(const ExperimentRecord& e, const std::vector<PaperChart>& charts) {
    std::string out;
    int number = 0;
    for (const PaperChart& c : charts) {
      if (!c.is_drawn()) continue;
      const std::string place = ++number == 1 ? "" : fmt::format("-{}", number);
      PageChart page{file_part(name_) + "-" + file_part(e.result.label) + place + ".svg", c.chart()};
      page.chart.name = std::filesystem::path(page.file).stem().string();
      out += fmt::format("![{}: {}]({})\n", e.result.label, c.title(), page.file);
      charts_.push_back(std::move(page));
    }
    return out.empty() ? "" : out + "\n";
  }

  const PaperRecord& paper_;
  std::string name_;
  const PageTexts& texts_;
  PaperNotes notes_;
  std::vector<PageChart>& charts_;
};

}  // namespace

std::string processor_time(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 10) return "under 10 s";
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", std::round(seconds / 10) * 10);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.1f} h", seconds / kHour);
}

ReproductionPages reproduction_pages(const std::vector<PaperRecord>& papers, const PageTexts& texts) {
  ReproductionPages pages;
  std::string table = "| paper | | experiments | CPU time | verdicts |\n| --- | --- | ---: | ---: | --- |\n";
  double seconds = 0;
  for (const PaperRecord& paper : papers) {
    seconds += paper.cpu_seconds;
    PaperText text(paper, texts, pages.charts);
    pages.papers.push_back(text.page());
    table += text.table_row();
  }
  pages.markdown = texts.frame.empty() ? "# Repeating papers\n\n" + std::string(kPapersPlace) : texts.frame;
  if (const std::size_t at = pages.markdown.find(kTimePlace); at != std::string::npos)
    pages.markdown.replace(at, kTimePlace.size(), processor_time(seconds));
  const std::size_t at = pages.markdown.find(kPapersPlace);
  if (at == std::string::npos) pages.markdown += "\n" + table;
  else pages.markdown.replace(at, kPapersPlace.size(), table);
  return pages;
}

}  // namespace coslice

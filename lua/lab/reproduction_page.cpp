#include "lab/reproduction_page.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "core/time.h"
#include "report/number.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPapersPlace = "<!-- papers -->";
constexpr std::size_t kMostBars = 16;

std::string text_if_there(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Consecutive rows of the same experiment.
std::vector<std::vector<Row>> by_experiment(const std::vector<Row>& rows) {
  std::vector<std::vector<Row>> out;
  for (const Row& r : rows) {
    if (out.empty() || out.back().front().experiment != r.experiment) out.emplace_back();
    out.back().push_back(r);
  }
  return out;
}

bool is_drawn(const Row& r) { return r.obtained && std::isfinite(*r.obtained); }

std::string file_part(const std::string& text) {
  std::string out = text;
  for (char& c : out) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '-';
  }
  return out;
}

Chart bars_and_marks(const std::vector<Row>& rows, const std::string& title) {
  Chart chart;
  chart.title = title;
  chart.note = "bars: obtained, with 95 % intervals over the seeds; marks: published";
  chart.y.label = rows.front().unit;
  ChartSeries obtained{"obtained", ChartLook::kBars, {}}, published{"published", ChartLook::kMarks, {}};
  for (const Row& r : rows) {
    const auto x = static_cast<double>(chart.x.names.size());
    chart.x.names.push_back(r.quantity);
    ChartPoint point{x, *r.obtained};
    if (r.interval) {
      point.low = r.interval->low;
      point.high = r.interval->high;
    }
    obtained.points.push_back(point);
    if (r.published) published.points.push_back({x, *r.published});
  }
  chart.series = {obtained, published};
  return chart;
}

std::string figure(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : ""; }

std::string cell_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string band_cell(const std::optional<Band>& b) {
  if (!b) return "";
  if (b->low && b->high) return figure(*b->low) + " to " + figure(*b->high);
  return b->low ? "from " + figure(*b->low) : "up to " + figure(*b->high);
}

std::string rows_markdown(const std::vector<Row>& rows) {
  std::string out = "| quantity | unit | published | obtained | 95 % interval | band | verdict |\n"
                    "| --- | --- | ---: | ---: | --- | --- | --- |\n";
  for (const Row& r : rows) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", cell_text(r.quantity), cell_text(r.unit),
                       r.published ? figure(*r.published) : "", r.obtained ? figure(*r.obtained) : "",
                       r.interval ? figure(r.interval->low) + " to " + figure(r.interval->high) : "", band_cell(r.band),
                       verdict_name(r.verdict));
  }
  return out;
}

/// What rows say beside their figures, each text once.
std::string remarks_markdown(const std::vector<Row>& rows) {
  struct Remark {
    std::string text, quantities;
  };
  std::vector<Remark> remarks;
  for (const Row& r : rows) {
    const std::string text = r.remark();
    if (text.empty()) continue;
    const auto same = std::find_if(remarks.begin(), remarks.end(), [&](const Remark& m) { return m.text == text; });
    if (same == remarks.end()) remarks.push_back({text, r.quantity});
    else same->quantities += ", " + r.quantity;
  }
  std::string out;
  for (const Remark& m : remarks) out += fmt::format("- {}: {}\n", m.quantities, m.text);
  return out.empty() ? "" : "\n" + out;
}

std::string paper_markdown(const PaperPart& paper, const std::string& chart_folder, std::vector<PageChart>& charts) {
  std::string out = fmt::format("## {}: {}\n\n", paper.where.name, paper.title);
  const std::string notes = text_if_there(fs::path(paper.where.folder) / "notes.md");
  if (!notes.empty()) out += notes + (notes.back() == '\n' ? "\n" : "\n\n");
  out += fmt::format("```sh\n{}\n```\n\n{}: {}", paper.command, counted(static_cast<std::int64_t>(paper.runs), "run"),
                     verdict_counts(paper.rows));
  if (paper.seconds > 0)
    out +=
        fmt::format("; {} with {}", human_duration(whole_seconds(static_cast<std::int64_t>(std::ceil(paper.seconds)))),
                    counted(paper.workers, "worker"));
  out += ".\n";
  for (const std::vector<Row>& rows : by_experiment(paper.rows)) {
    const std::string& experiment = rows.front().experiment;
    out += fmt::format("\n### {}, {}\n\n", paper.where.name, experiment);
    for (PageChart& chart : experiment_charts(paper.where.name, experiment, rows)) {
      out += fmt::format("![{} {}: published and obtained]({}/{})\n\n", paper.where.name, experiment, chart_folder,
                         chart.file);
      charts.push_back(std::move(chart));
    }
    out += rows_markdown(rows) + remarks_markdown(rows);
  }
  return out;
}

}  // namespace

std::vector<PageChart> experiment_charts(const std::string& paper, const std::string& experiment,
                                         const std::vector<Row>& rows) {
  std::vector<std::string> units;
  for (const Row& r : rows) {
    const bool is_known = std::find(units.begin(), units.end(), r.unit) != units.end();
    if (is_drawn(r) && r.published && !is_known) units.push_back(r.unit);
  }
  std::vector<PageChart> charts;
  for (const std::string& unit : units) {
    std::vector<Row> drawn;
    for (const Row& r : rows)
      if (r.unit == unit && is_drawn(r) && drawn.size() < kMostBars) drawn.push_back(r);
    if (drawn.size() < 3) continue;
    const std::string number = charts.empty() ? "" : fmt::format("-{}", charts.size() + 1);
    PageChart chart{file_part(paper) + "-" + file_part(experiment) + number + ".svg",
                    bars_and_marks(drawn, paper + ", " + experiment)};
    chart.chart.name = fs::path(chart.file).stem().string();
    charts.push_back(std::move(chart));
  }
  return charts;
}

ReproductionPage reproduction_page(const std::vector<PaperPart>& papers, const std::string& frame,
                                   const std::string& chart_folder) {
  ReproductionPage page;
  std::string all;
  for (const PaperPart& paper : papers)
    all += (all.empty() ? "" : "\n") + paper_markdown(paper, chart_folder, page.charts);
  page.markdown = frame.empty() ? "# Repeating papers\n\n" + std::string(kPapersPlace) + "\n" : frame;
  const std::size_t at = page.markdown.find(kPapersPlace);
  if (at == std::string::npos) page.markdown += "\n" + all;
  else page.markdown.replace(at, std::string(kPapersPlace).size() + 1, all);
  return page;
}

std::string page_frame(const PaperFolder& paper) {
  return text_if_there((fs::path(paper.folder) / ".." / "page.md").lexically_normal());
}

}  // namespace coslice

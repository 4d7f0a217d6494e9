#include "lab/papers/paper_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  std::replace(text.begin(), text.end(), '\n', ' ');
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
  const std::string obtained = mark + with_interval(*r->obtained, half) + mark;
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

}  // namespace

std::string grid_markdown(const PaperChart& chart) {
  const bool down = chart.groups().size() >= chart.series().size();  // groups are lines of the table
  const std::vector<std::string>& lines = down ? chart.groups() : chart.series();
  const std::vector<std::string>& columns = down ? chart.series() : chart.groups();
  std::string out = fmt::format("{}{}\n\n", chart.title(), chart.unit().empty() ? "" : ", " + chart.unit());
  const std::vector<Row>& rows = chart.rows();
  const bool published = std::any_of(rows.begin(), rows.end(), [](const Row& r) { return r.published.has_value(); });
  out += header(down ? chart.axis() : "", columns, published ? "published / obtained" : "obtained");
  for (const std::string& line : lines) {
    out += "| " + cell_text(line) + " |";
    for (const std::string& column : columns)
      out += " " + grid_cell(down ? chart.row(line, column) : chart.row(column, line)) + " |";
    out += "\n";
  }
  return out;
}

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

std::string remarks_markdown(const std::vector<Row>& rows, bool bands_shown) {
  constexpr std::size_t kMostNamed = 4;
  struct Remark {
    std::string text;
    std::vector<std::string> quantities;
  };
  std::vector<Remark> remarks;
  for (const Row& r : rows) {
    const std::string text = bands_shown && r.verdict == Verdict::kMissed ? r.note : r.remark();
    if (text.empty()) continue;
    const auto same = std::find_if(remarks.begin(), remarks.end(), [&](const Remark& m) { return m.text == text; });
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

}  // namespace coslice

#include "lab/papers/row.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/tables/table.h"

namespace coslice {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string number(double x) { return fmt::format("{:.4g}", x); }

OrderedJson json_number(const std::optional<double>& x, bool computed) {
  if (!x || !std::isfinite(*x)) return nullptr;
  if (!computed) return *x;
  const std::string text = fmt::format("{:.6g}", *x);
  return std::stod(text);
}

Tone tone_of(const Row& r) {
  switch (r.verdict) {
    case Verdict::kMet: return r.agrees.value_or(true) ? Tone::kGood : Tone::kPlain;
    case Verdict::kMissed: return Tone::kBad;
    case Verdict::kRefuted: return Tone::kWarning;
    default: return Tone::kDim;
  }
}

std::string shown(const std::optional<double>& x) { return x && std::isfinite(*x) ? number(*x) : ""; }

std::string interval_text(const Row& r) {
  return r.interval ? fmt::format("{} to {}", number(r.interval->low), number(r.interval->high)) : "";
}

bool several_papers(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return r.paper != rows.front().paper; });
}

/// What is to be said of rows beside their figures; what several rows of an experiment have in common is said once.
std::string notes_text(const std::vector<Row>& rows) {
  struct Note {
    std::string experiment, quantity, text;
    int rows = 1;
  };
  std::vector<Note> notes;
  for (const Row& r : rows) {
    const std::string text = r.verdict == Verdict::kMissed ? r.note : r.remark();
    const auto same = [&](const Note& n) { return n.experiment == r.experiment && n.text == text; };
    const auto told = std::find_if(notes.begin(), notes.end(), same);
    if (text.empty()) continue;
    if (told != notes.end()) ++told->rows;
    else notes.push_back({r.experiment, r.quantity, text});
  }
  std::string out;
  for (const Note& n : notes) {
    out += fmt::format("{} {}{}: {}\n", n.experiment, n.quantity,
                       n.rows > 1 ? fmt::format(" and {} more", n.rows - 1) : "", n.text);
  }
  return out.empty() ? "" : "\n" + out;
}

enum class Detail { kAll, kNoBand, kFigures };

Table verdict_table(const std::vector<Row>& rows, Detail detail) {
  std::vector<Column> columns = {
      {"", false, "", true}, {"quantity", false}, {"unit", false}, {"published"}, {"obtained"}};
  if (detail != Detail::kFigures) columns.push_back({"95 % interval", false});
  if (detail == Detail::kAll) columns.push_back({"band", false});
  columns.push_back({"verdict", false});
  Table table(columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& r = rows[i];
    if (i > 0 && rows[i - 1].experiment != r.experiment) table.add_rule();
    std::vector<Cell> cells = {r.experiment, r.quantity, r.unit, shown(r.published), shown(r.obtained)};
    if (detail != Detail::kFigures) cells.push_back(interval_text(r));
    if (detail == Detail::kAll) cells.push_back(r.band ? r.band->text() : "");
    cells.push_back(Cell(verdict_words(r), tone_of(r)));
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace

std::string rows_json(const std::vector<Row>& rows) {
  OrderedJson out = OrderedJson::array();
  const bool name_papers = !rows.empty() && several_papers(rows);
  for (const Row& r : rows) {
    OrderedJson row = OrderedJson::object();
    if (name_papers) row["paper"] = r.paper;
    row["experiment"] = r.experiment;
    row["quantity"] = r.quantity;
    row["unit"] = r.unit;
    row["published"] = json_number(r.published, false);
    row["obtained"] = json_number(r.obtained, true);
    row["low"] = json_number(r.interval ? std::optional<double>(r.interval->low) : std::nullopt, true);
    row["high"] = json_number(r.interval ? std::optional<double>(r.interval->high) : std::nullopt, true);
    row["seeds"] = r.seeds;
    row["verdict"] = verdict_name(r.verdict);
    row["agrees"] = r.agrees ? OrderedJson(*r.agrees) : OrderedJson();
    row["basis"] = r.basis == Basis::kFree ? OrderedJson() : OrderedJson(basis_name(r.basis));
    row["note"] = r.remark();
    out.push_back(std::move(row));
  }
  return out.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string rows_table(const std::vector<Row>& rows, const RowTableOptions& options) {
  const auto fits = [&](const Table& t) { return t.width() <= static_cast<std::size_t>(options.width); };
  for (Detail detail : {Detail::kAll, Detail::kNoBand, Detail::kFigures}) {
    const Table table = verdict_table(rows, detail);
    if (options.width == 0 || fits(table)) {
      return table.render(options.width == 0 ? TableStyle::kPlain : TableStyle::kBox, options.colour) +
             notes_text(rows);
    }
  }
  return verdict_table(rows, Detail::kFigures).render(TableStyle::kPlain, options.colour) + notes_text(rows);
}

}  // namespace coslice

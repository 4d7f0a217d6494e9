#include "lab/papers/published_row.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/tables/table.h"

namespace coslice {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string four_digits(double x) { return fmt::format("{:.4g}", x); }

OrderedJson json_number(const std::optional<double>& x, bool computed) {
  if (!x || !std::isfinite(*x)) return nullptr;
  if (!computed) return *x;
  const std::string text = fmt::format("{:.6g}", *x);
  return std::stod(text);
}

Tone tone_of(const Row& r) {
  switch (r.verdict) {
    case Verdict::kMet: return Tone::kGood;
    case Verdict::kMissed: return Tone::kBad;
    case Verdict::kRefuted: return Tone::kWarning;
    default: return Tone::kDim;
  }
}

std::string shown(const std::optional<double>& x) { return x && std::isfinite(*x) ? four_digits(*x) : ""; }

std::string interval_text(const Row& r) {
  return r.interval ? fmt::format("{} to {}", four_digits(r.interval->low), four_digits(r.interval->high)) : "";
}

bool several_papers(const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, [&](const Row& r) { return r.paper != rows.front().paper; });
}

/// What is to be said of rows beside their figures; what several rows of an experiment have in common is said once.
std::string notes_text(const std::vector<Row>& rows) {
  struct Note {
    std::string experiment, quantity, text;
    int rows = 1;
  };
  std::vector<Note> notes;
  for (const Row& r : rows) {
    const std::string text =
        r.verdict == Verdict::kMissed ? r.note : r.remark();  // else the verdict or the band says it
    const auto same = [&](const Note& n) { return n.experiment == r.experiment && n.text == text; };
    const auto told = std::ranges::find_if(notes, same);
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

std::string range_text(const Interval& i) { return four_digits(i.low) + " to " + four_digits(i.high); }

std::string miss_text(const Band& b, double x) {
  if (b.low && x < *b.low) return fmt::format("below {}", four_digits(*b.low));
  return fmt::format("above {}", four_digits(*b.high));
}

bool is_outside(const Interval& i, const Band& b) { return (b.low && i.high < *b.low) || (b.high && i.low > *b.high); }

/// Six digits, as in rows_json: what differs by less is the same number.
double least_difference(double x) { return 1e-6 * std::abs(x); }

/// Why the band cannot judge a figure that is known no better than this; "" if it can. An interval that reaches into
/// the band decides nothing if it is wider than the band, or if the only end of the band lies within it.
std::string undecided(const Band& b, const Interval& i) {
  if (is_outside(i, b)) return "";
  if (b.low && b.high) {
    const bool wider = i.high - i.low > *b.high - *b.low + least_difference(*b.high);
    return wider ? "undecided: the 95 % interval, " + range_text(i) + ", is wider than the band" : "";
  }
  const double end = b.low ? *b.low : *b.high;
  if (end <= i.low || end >= i.high) return "";
  return fmt::format("undecided: the 95 % interval, {}, lies on both sides of {}", range_text(i), four_digits(end));
}

constexpr double kQuarter = 0.25, kHalf = 0.5;  // is_reproduced()

bool has_sign_of(double published, double x) { return published > 0 ? x > 0 : x < 0; }

bool is_near(double published, double x) {
  return std::abs(x - published) <= kQuarter * std::abs(published) + least_difference(published);
}

bool is_narrow(double published, const Interval& i) {
  return i.high - i.low <= kHalf * std::abs(published) + least_difference(published);
}

/// By how much a published number is missed.
std::string miss_text(double published, double x) {
  if (published == 0) return "published as 0";
  if (x != 0 && !has_sign_of(published, x)) return "of the other sign";
  if (is_near(published, x)) return "within a quarter, but the interval is wider than half";
  const double times = std::abs(x / published);
  if (times >= 10) return fmt::format("{:.0f} times as much", times);
  return fmt::format("{:.0f} % {}", 100 * std::abs(times - 1), times < 1 ? "below" : "above");
}

void compare_with_number(Row& row, const Measurement& m) {
  const double published = *row.published;
  if (is_reproduced(published, *row.obtained, row.interval)) {
    row.verdict = Verdict::kMet;
    return;
  }
  row.verdict = Verdict::kMissed;
  row.evidence = miss_text(published, *row.obtained);
  // A finding is refuted only by evidence: all of the interval has the other sign.
  const bool other = row.interval && published != 0 && has_sign_of(-published, row.interval->low) &&
                     has_sign_of(-published, row.interval->high);
  if (m.finding.empty() || !other) return;
  row.verdict = Verdict::kRefuted;
  row.evidence = fmt::format("published: {}; here the 95 % interval over {} seeds, {}, has the other sign", m.finding,
                             row.seeds, range_text(*row.interval));
}

void compare_with_band(Row& row, const Measurement& m) {
  const Band& band = *m.band;
  if (row.interval) row.evidence = undecided(band, *row.interval);
  if (!row.evidence.empty()) return;
  if (band.holds(*row.obtained)) {
    row.verdict = Verdict::kMet;
    return;
  }
  row.evidence = miss_text(band, *row.obtained);
  if (row.interval && row.agrees.value_or(false)) row.evidence += ", though the interval holds the published value";
  row.verdict = Verdict::kMissed;
  // A finding is refuted only by evidence: all of the interval contradicts it.
  if (m.finding.empty() || !row.interval || !is_outside(*row.interval, band)) return;
  row.verdict = Verdict::kRefuted;
  row.evidence = fmt::format("published: {}; here the 95 % interval over {} seeds, {}, lies outside of {}", m.finding,
                             row.seeds, range_text(*row.interval), band.text());
}

std::optional<Interval> interval_of(const Measurement& m) {
  std::optional<Interval> i = estimate_of(m.values, Unit::kSeed).interval;
  if (!i || !m.obtained) return i;
  const double shift = *m.obtained - mean(m.values);
  return Interval{i->low + shift, i->high + shift};
}

std::optional<bool> agreement(const Row& r) {
  if (!r.published || !r.obtained) return std::nullopt;
  const double x = *r.published, off = least_difference(x) + 1e-12;
  const Interval i = r.interval.value_or(Interval{*r.obtained, *r.obtained});
  return x >= i.low - off && x <= i.high + off;
}

/// What was said of a figure's origin stands before its other notes.
std::string note_with_basis(const Measurement& m) {
  std::string out;
  if (!m.fitted.empty()) out = "fitted: " + m.fitted;
  if (!m.given.empty()) out = "given: " + m.given;
  return out + (out.empty() || m.note.empty() ? "" : "; ") + m.note;
}

/// A kind of row as totals count it.
struct CountedKind {
  Verdict verdict;
  bool number;  ///< matters to what is met
  const char* one;
  const char* several;
};

constexpr CountedKind kCountedKinds[] = {
    {Verdict::kMet, true, "reproduced", "reproduced"},
    {Verdict::kMet, false, "holds", "hold"},
    {Verdict::kMissed, false, "missed", "missed"},
    {Verdict::kRefuted, false, "refuted", "refuted"},
    {Verdict::kIndicative, false, "indicative", "indicative"},
    {Verdict::kSkipped, false, "skipped", "skipped"},
    {Verdict::kUnpublished, false, "unpublished", "unpublished"},
};

bool is_of(const Row& r, const CountedKind& k) {
  return r.verdict == k.verdict && (k.verdict != Verdict::kMet || r.is_number() == k.number);
}

std::string counts_of(const std::vector<Row>& rows, Basis basis) {
  std::string out;
  for (const CountedKind& k : kCountedKinds) {
    const auto n = std::ranges::count_if(rows, [&](const Row& r) { return r.basis == basis && is_of(r, k); });
    if (n > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, n == 1 ? k.one : k.several);
  }
  return out;
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

bool is_reproduced(double published, double obtained, const std::optional<Interval>& interval) {
  if (published == 0) return std::abs(obtained) <= 1e-12;
  return has_sign_of(published, obtained) && is_near(published, obtained) &&
         (!interval || is_narrow(published, *interval));
}

std::string Band::text() const {
  if (low && high) return fmt::format("{} to {}", four_digits(*low), four_digits(*high));
  if (low) return "from " + four_digits(*low);
  return high ? "up to " + four_digits(*high) : "any";
}

const char* verdict_name(Verdict v) {
  switch (v) {
    case Verdict::kMet: return "met";
    case Verdict::kMissed: return "missed";
    case Verdict::kRefuted: return "refuted";
    case Verdict::kIndicative: return "indicative";
    case Verdict::kSkipped: return "skipped";
    case Verdict::kUnpublished: break;
  }
  return "unpublished";
}

const char* basis_name(Basis b) {
  switch (b) {
    case Basis::kFitted: return "fitted";
    case Basis::kGiven: return "given";
    case Basis::kFree: break;
  }
  return "";
}

std::string verdict_words(const Row& r) {
  std::string out = verdict_name(r.verdict);
  if (r.verdict == Verdict::kMet) out = r.is_number() ? "reproduced" : "holds";
  if (r.verdict == Verdict::kMissed && r.is_number()) out += ", " + r.evidence;
  return r.basis == Basis::kFree ? out : fmt::format("{} ({})", out, basis_name(r.basis));
}

Row judge(const std::string& paper, const std::string& experiment, const Measurement& m, bool quick) {
  Row row;
  row.paper = paper;
  row.experiment = experiment;
  row.quantity = m.quantity;
  row.unit = m.unit;
  row.published = m.published;
  row.note = note_with_basis(m);
  row.basis = !m.fitted.empty() ? Basis::kFitted : !m.given.empty() ? Basis::kGiven : Basis::kFree;
  row.band = m.band;
  row.place = m.place;
  if (!m.skipped.empty()) {
    row.verdict = Verdict::kSkipped;
    row.evidence = m.skipped;
    return row;
  }
  row.seeds = m.values.empty() ? m.seeds : static_cast<int>(m.values.size());
  row.obtained = m.obtained ? m.obtained : std::optional<double>(mean(m.values));
  row.interval = interval_of(m);
  row.agrees = agreement(row);
  if (!m.published && !m.band) return row;
  row.verdict = Verdict::kIndicative;
  if (!m.indicative.empty()) row.evidence = m.indicative;
  else if (!quick && m.band) compare_with_band(row, m);
  else if (!quick && row.obtained && std::isfinite(*row.obtained)) compare_with_number(row, m);
  return row;
}

std::string verdict_counts(const std::vector<Row>& rows) {
  std::string out = counts_of(rows, Basis::kFree);
  for (const Basis b : {Basis::kFitted, Basis::kGiven}) {
    const std::string apart = counts_of(rows, b);
    if (!apart.empty()) out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", basis_name(b), apart);
  }
  return out;
}

}  // namespace coslice

// One published figure beside the one that we obtained, and what is to be said of the two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/compare/statistics.h"

namespace coslice {

// Where a figure of a paper stands in a chart, and in the table beside it.

struct ChartPlace {
  std::string chart;          ///< its title; rows of an experiment with the same one are drawn together
  std::string axis;           ///< what `at` is: "workload", "slots of a block"; "" where that is plain
  std::string at;             ///< the group of bars, or the number along the axis as a text
  std::optional<double> x;    ///< `at`, if it is a number: then lines are drawn, not bars
  std::string series;         ///< which bar of the group, or which line: "GLTS"; "" if there is one alone
  std::optional<bool> drawn;  ///< false: a table alone, where names are too long or amounts too unlike for a chart
};

enum class Verdict : std::uint8_t {
  kMet,          ///< the published number is reproduced (is_reproduced), or the mean is inside the band of a claim
  kMissed,       ///< it is not
  kRefuted,      ///< a published finding does not hold: the whole interval is outside of its band
  kIndicative,   ///< too few or too small runs to judge, an interval that the band cannot decide, or no band is set
  kSkipped,      ///< an input is absent
  kUnpublished,  ///< there is nothing to compare with
};

/// Returns the name of a verdict: "met", "missed", ...
const char* verdict_name(Verdict v);

/// Where a figure comes from: what was fitted to it, or is put in, proves nothing by coming out again.
enum class Basis : std::uint8_t {
  kFree,    ///< the rest of the model gives it
  kFitted,  ///< something was set, or a reading chosen, by its published value
  kGiven,   ///< by construction: it is an input, or follows from inputs alone
};

/// Returns the name of a basis: "fitted", "given"; "" for neither.
const char* basis_name(Basis b);

/// What a published claim says of a figure, where it is not a number of its own; a missing end is open.
struct Band {
  std::optional<double> low, high;
  bool holds(double x) const { return !(low && x < *low) && !(high && x > *high); }
  /// Returns the band in words: "0 to 10", "from 3", "up to 5".
  std::string text() const;
};

/// The one rule for published numbers: the figure has the sign of the published one and is within a quarter of it, and
/// the 95 % interval, if there is one, is no wider than half of it. (An interval that holds the published number and is
/// as narrow is within a quarter of it, too.) Of a published 0 nothing is but 0.
bool is_reproduced(double published, double obtained, const std::optional<Interval>& interval);

/// What an experiment says of one quantity.
struct Measurement {
  std::string quantity, unit, note;
  std::optional<double> published;
  /// One per seed, whose mean is what was obtained; or, if that is given as well, values whose scatter gives the
  /// interval around it (pseudo-values of the jackknife).
  std::vector<double> values;
  std::optional<double> obtained;  ///< a single figure made from all seeds
  int seeds = 0;                   ///< that `obtained` was made from, where there are no values
  std::optional<Band> band;
  std::string fitted;      ///< what was set or chosen by the published value; "" if nothing
  std::string given;       ///< what makes it come out by construction; "" if nothing
  std::string finding;     ///< what the paper claims; the row may refute it
  std::string indicative;  ///< why it cannot be judged; "" if it can
  std::string skipped;     ///< what is absent; "" if nothing
  std::optional<ChartPlace> place;
};

struct Row {
  std::string paper, experiment, quantity, unit;
  std::optional<double> published, obtained;
  std::optional<Interval> interval;  ///< 95 %, over seeds
  std::optional<Band> band;
  int seeds = 0;
  Verdict verdict = Verdict::kUnpublished;
  /// Whether the interval holds the published value; without an interval, whether the figure is that value. Nothing if
  /// there are no two numbers.
  std::optional<bool> agrees;
  Basis basis = Basis::kFree;
  std::string note;
  std::string evidence;  ///< why a row is missed, refuted or cannot be judged; follows the note in rows_json
  std::optional<ChartPlace> place;

  /// Says whether it is judged by is_reproduced(): a published number, and no band.
  bool is_number() const { return published && !band; }
  /// Returns note and evidence in one text.
  std::string remark() const { return note + (note.empty() || evidence.empty() ? "" : "; ") + evidence; }
};

/// Returns the row of a measurement. `quick`: nothing is judged.
Row judge(const std::string& paper, const std::string& experiment, const Measurement& m, bool quick);

/// Returns the verdict in the words of tables: a published number is "reproduced", or "missed, 58 % below"; what a band
/// says "holds"; with "(fitted)" or "(given)" behind it.
std::string verdict_words(const Row& r);

/// Returns the rows as a JSON list of {"experiment", "quantity", "unit", "published", "obtained", "low", "high",
/// "seeds", "verdict", "agrees", "basis", "note"}, null where there is no number, or neither basis; with "paper" in
/// front if they are of several papers. Computed numbers are rounded to six digits, so that the last bits of the
/// mathematical library do not show.
std::string rows_json(const std::vector<Row>& rows);

struct RowTableOptions {
  bool colour = false;
  int width = 0;  ///< of the terminal: columns are left out until a box fits; 0: there is no terminal
};

/// Returns the rows as a table, the notes below it.
std::string rows_table(const std::vector<Row>& rows, const RowTableOptions& options);

/// Returns how many rows have which verdict: "17 reproduced, 24 hold, 3 missed, 2 skipped; fitted: 5 reproduced; given:
/// 1 holds": what was fitted or is given by construction counts apart.
std::string verdict_counts(const std::vector<Row>& rows);

}  // namespace coslice

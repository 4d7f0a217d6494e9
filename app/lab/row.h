// One published figure beside the one that we obtained, and what is to be said of the two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/chart_place.h"
#include "lab/statistics.h"

namespace coslice {

enum class Verdict : std::uint8_t {
  kMet,          ///< the mean is inside the band
  kMissed,       ///< it does not
  kRefuted,      ///< a published finding does not hold: the whole interval is outside of its band
  kIndicative,   ///< too few or too small runs to judge, or no band is set
  kSkipped,      ///< an input is absent
  kUnpublished,  ///< there is nothing to compare with
};

/// "met", "missed", ...
const char* verdict_name(Verdict v);

/// The values that count as reproduced; a missing end is open.
struct Band {
  std::optional<double> low, high;
  bool holds(double x) const { return !(low && x < *low) && !(high && x > *high); }
};

/// What an experiment says of one quantity.
struct Measurement {
  std::string quantity, unit, note;
  std::optional<double> published;
  std::vector<double> values;      ///< one per seed, or
  std::optional<double> obtained;  ///< a single figure made from all seeds
  int seeds = 0;                   ///< that `obtained` was made from
  std::optional<Band> band;
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
  std::string note;
  std::string evidence;  ///< what a missed or refuted row is measured against; follows the note in rows_json
  std::optional<ChartPlace> place;

  /// Both, in one text.
  std::string remark() const { return note + (note.empty() || evidence.empty() ? "" : "; ") + evidence; }
};

/// The row of a measurement. `quick`: nothing is judged.
Row judge(const std::string& paper, const std::string& experiment, const Measurement& m, bool quick);

/// The rows as a JSON list of {"experiment", "quantity", "unit", "published", "obtained", "low", "high", "seeds",
/// "verdict", "note"}, null where there is no number; with "paper" in front if they are of several papers. Computed
/// numbers are rounded to six digits, so that the last bits of the mathematical library do not show.
std::string rows_json(const std::vector<Row>& rows);

struct RowTableOptions {
  bool colour = false;
  int width = 0;  ///< of the terminal: columns are left out until a box fits; 0: there is no terminal
};

/// The rows as a table, the notes below it.
std::string rows_table(const std::vector<Row>& rows, const RowTableOptions& options);

/// "41 met, 3 missed, 2 skipped".
std::string verdict_counts(const std::vector<Row>& rows);

}  // namespace coslice

#include "lab/compare/compare_output.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "lab/compare/compared_runs.h"
#include "output/output.h"
#include "report/markup.h"
#include "report/tables/table.h"

namespace coslice {
namespace {

std::string unit_of(const Figure& f) {
  return f.unit == FigureUnit::kSeconds ? " s" : f.unit == FigureUnit::kShare ? " %" : "";
}

std::string signed_number(double x) { return (x > 0 ? "+" : "") + readable(x); }

/// A share of nearly all does not read as all.
std::string figure_text(const Figure& f, double x) {
  if (f.unit != FigureUnit::kShare || x < 99.5 || x > 100.5) return readable(x);
  const std::string text = percent(x / 100);
  return x == 100 ? readable(x) : text.substr(0, text.find(' '));
}

/// The change in per cent, with one decimal, none beyond 1000 %, and two digits where it is small.
std::string relative_text(double relative) {
  const double percents = relative * 100;
  if (std::abs(percents) >= 1000) return grouped(percents, 0) + " %";
  if (std::abs(percents) < 0.05 && percents != 0) return fmt::format("{:.1g} %", percents);
  return fmt::format("{:.1f} %", percents);
}

/// Two digits: it is an estimate.
std::string about(std::int64_t runs) {
  std::int64_t step = 1;
  while (runs / step >= 100) step *= 10;
  return grouped((runs + step - 1) / step * step);
}

std::string chance_text(const ComparedValue& v) {
  std::string out = "which may be chance";
  if (v.method != CompareMethod::kPaired) return out;
  const auto units = static_cast<std::int64_t>(v.units);
  const std::string name = unit_names(v.unit);
  return out + (v.runs_needed
                    ? fmt::format("; about {} {} would detect such a difference, {} were made",
                                  about(std::max(*v.runs_needed, units + 1)), name, grouped(units))
                    : fmt::format("; not even {} {} would tell so small a difference", grouped(kMostRunsNeeded), name));
}

std::string verdict_text(const ComparedValue& v) {
  switch (v.verdict) {
    case CompareVerdict::kNoise: return chance_text(v);
    case CompareVerdict::kSame: return "the same";
    case CompareVerdict::kNone:
      return v.units > 1 ? counted_units(v.units, v.unit) + " do not say whether that is chance"
                         : "one run each does not say whether that is chance";
    default: return verdict_word(v.verdict);
  }
}

std::string line_of(const VariantComparison& c, const ComparedFigure& row, std::size_t i) {
  const ComparedValue &v = row.values[i], &base = row.values.front();
  const Figure& f = row.figure;
  const std::string name = c.variants[i].name + ": ", unit = unit_of(f);
  if (v.runs == 0 || base.runs == 0 || !v.difference) return name + "there is no " + f.name + " to compare";
  const std::string of = f.name + (f.job_class.empty() || f.job_class == "all" ? "" : " of class " + f.job_class);
  const std::string value = figure_text(f, v.value), reference = figure_text(f, base.value);
  if (v.verdict == CompareVerdict::kSame && value == reference)
    return fmt::format("{}{} {}{}, the same", name, of, value, unit);
  std::string change = v.relative && f.unit != FigureUnit::kShare
                           ? (*v.relative > 0 ? "+" : "") + relative_text(*v.relative)
                           : signed_number(*v.difference) + unit;
  if (v.difference_interval)
    change +=
        fmt::format(" ({:.4g} %: {} to {}{}; {})", c.difference_level * 100, signed_number(v.difference_interval->low),
                    signed_number(v.difference_interval->high), unit, counted_units(v.units, v.unit));
  return fmt::format("{}{} {}{} instead of {}{}, {}: {}", name, of, value, unit, reference, unit, change,
                     verdict_text(v));
}

double half(const Interval& i) { return (i.high - i.low) / 2; }

std::string signed_text(double x, const std::string& text) { return x > 0 ? "+" + text : text; }

/// What a row of the table says of one variant.
struct RowTexts {
  std::string units, value, plus_minus, difference, difference_plus_minus, relative, verdict;
};

RowTexts texts_of(const Figure& f, const ComparedValue& v) {
  RowTexts t;
  t.verdict = verdict_word(v.verdict);
  if (v.runs == 0) return t;
  t.units = std::to_string(v.units);
  t.value = figure_text(f, v.value);
  if (v.interval) t.plus_minus = readable(half(*v.interval));
  if (v.difference) t.difference = signed_text(*v.difference, readable(*v.difference));
  if (v.difference_interval) t.difference_plus_minus = readable(half(*v.difference_interval));
  if (v.relative) t.relative = signed_text(*v.relative, relative_text(*v.relative));
  return t;
}

Tone tone_of(CompareVerdict v) {
  switch (v) {
    case CompareVerdict::kBetter: return Tone::kGood;
    case CompareVerdict::kWorse: return Tone::kBad;
    case CompareVerdict::kFailed: return Tone::kWarning;
    case CompareVerdict::kNoise:
    case CompareVerdict::kSame: return Tone::kDim;
    default: return Tone::kPlain;
  }
}

/// Which of the less important columns are there.
struct TableLayout {
  bool letters = false, plus_minus = true, relative = true;
};

std::string letter(std::size_t i) {
  std::string out;
  for (++i; i > 0; i = (i - 1) / 26) out.insert(out.begin(), static_cast<char>('A' + (i - 1) % 26));
  return out;
}

/// What is counted in the column of units.
const char* units_title(const VariantComparison& c) {
  for (const ComparedFigure& row : c.figures)
    for (const ComparedValue& v : row.values)
      if (v.units > 1) return unit_names(v.unit);
  return unit_names(c.unit);
}

Table table_of(const VariantComparison& c, const TableLayout& layout) {
  std::vector<Column> columns = {
      {"", false, "", true}, {"class", false, "", true}, {"", false}, {units_title(c)}, {"mean", true, " "}};
  if (layout.plus_minus) columns.push_back({"±", true, " "});
  columns.push_back({"difference", true, "  "});
  columns.push_back({"±", true, "  "});
  if (layout.relative) columns.push_back({"", true, "  "});
  columns.push_back({"", false, "  "});
  Table table(columns);
  for (std::size_t f = 0; f < c.figures.size(); ++f) {
    const ComparedFigure& row = c.figures[f];
    if (f > 0 && c.figures[f - 1].figure.title() != row.figure.title()) table.add_rule();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const RowTexts t = texts_of(row.figure, row.values[i]);
      const Tone tone = tone_of(row.values[i].verdict);
      std::vector<Cell> cells = {printable(row.figure.title()), printable(row.figure.job_class),
                                 layout.letters ? letter(i) : printable(c.variants[i].name), Cell(t.units, Tone::kDim),
                                 t.value};
      if (layout.plus_minus) cells.emplace_back(t.plus_minus, Tone::kDim);
      cells.emplace_back(t.difference, tone);
      cells.emplace_back(t.difference_plus_minus, Tone::kDim);
      if (layout.relative) cells.emplace_back(t.relative, tone);
      cells.emplace_back(t.verdict, tone);
      table.add_row(std::move(cells));
    }
  }
  return table;
}

std::string without_ticks(std::string text) {
  for (char& c : text)
    if (c == '`') c = '\'';
  return text;
}

nlohmann::ordered_json number(std::optional<double> x) {
  if (!x || !std::isfinite(*x)) return nullptr;
  return std::stod(fmt::format("{:.6g}", *x));
}

std::string csv_number(std::optional<double> x) { return x && std::isfinite(*x) ? fmt::format("{:.6g}", *x) : ""; }

std::optional<double> low(const std::optional<Interval>& i) {
  if (!i) return {};
  return i->low;
}
std::optional<double> high(const std::optional<Interval>& i) {
  if (!i) return {};
  return i->high;
}

const char* method_name(CompareMethod m) {
  switch (m) {
    case CompareMethod::kPaired: return "paired";
    case CompareMethod::kApart: return "independent";
    case CompareMethod::kJobs: return "batches";
    case CompareMethod::kNone: break;
  }
  return "";
}

std::string latex_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '%':
      case '&':
      case '_':
      case '#':
      case '$':
      case '{':
      case '}': out += std::string("\\") + c; break;
      case '\\': out += "\\textbackslash{}"; break;
      case '~': out += "\\textasciitilde{}"; break;
      case '^': out += "\\textasciicircum{}"; break;
      case '<': out += "\\textless{}"; break;
      case '>': out += "\\textgreater{}"; break;
      default: out += c;
    }
  }
  return out;
}

/// A comma in mathematics is followed by a space, but for one in braces.
std::string in_math(const std::string& number) {
  std::string out;
  for (const char c : number) out += c == ',' ? std::string("{,}") : c == '%' ? std::string("\\%") : std::string(1, c);
  return out;
}

std::string latex_number(const std::string& number, const std::string& plus_minus) {
  if (number.empty()) return "";
  std::string sign = number[0] == '+' || number[0] == '-' ? number.substr(0, 1) : "";
  return "$" + sign + in_math(number.substr(sign.size())) + (plus_minus.empty() ? "" : " \\pm " + in_math(plus_minus)) +
         "$";
}

/// Text in a comment of LaTeX, which ends with the line.
std::string one_line(const std::string& text) {
  std::string out = printable(text);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

bool fits(const std::vector<VariantComparison>& comparisons, const TableLayout& layout, int width) {
  return width <= 0 || std::ranges::all_of(comparisons, [&](const VariantComparison& c) {
           return !c.refused.empty() || table_of(c, layout).width() <= static_cast<std::size_t>(width);
         });
}

/// The most that fits: first the names become letters, then columns go.
TableLayout layout_for(const std::vector<VariantComparison>& comparisons, int width) {
  TableLayout layout;
  if (!fits(comparisons, layout, width)) layout.letters = true;
  if (!fits(comparisons, layout, width)) layout.plus_minus = false;
  if (!fits(comparisons, layout, width)) layout.relative = false;
  return layout;
}

std::string latex_table(const VariantComparison& c) {
  std::string out;
  if (!c.refused.empty()) return "% not compared: " + one_line(c.refused) + "\n";
  out += fmt::format("\\begin{{tabular}}{{lllrrrrl}}\n\\hline\n & class & & {} & mean & difference & & \\\\\n",
                     units_title(c));
  for (std::size_t f = 0; f < c.figures.size(); ++f) {
    const ComparedFigure& row = c.figures[f];
    const bool fresh = f == 0 || c.figures[f - 1].figure.title() != row.figure.title();
    if (fresh) out += "\\hline\n";
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const RowTexts t = texts_of(row.figure, row.values[i]);
      out += fmt::format("{} & {} & {} & {} & {} & {} & {} & {} \\\\\n",
                         fresh && i == 0 ? latex_text(row.figure.title()) : "",
                         i == 0 ? latex_text(row.figure.job_class) : "", latex_text(c.variants[i].name), t.units,
                         latex_number(t.value, t.plus_minus), latex_number(t.difference, t.difference_plus_minus),
                         latex_number(t.relative, ""), t.verdict);
    }
  }
  return out + "\\hline\n\\end{tabular}\n";
}

std::string csv_rows(const VariantComparison& c) {
  std::string out;
  for (const ComparedFigure& row : c.figures) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const ComparedValue& v = row.values[i];
      const std::optional<double> value = v.runs > 0 ? std::optional<double>(v.value) : std::nullopt;
      out += csv_field(c.at) + "," + csv_field(row.figure.title()) + "," + csv_field(row.figure.job_class) + "," +
             csv_field(c.variants[i].name) + "," + std::to_string(v.runs);
      for (const auto& x : {value, low(v.interval), high(v.interval), v.difference, low(v.difference_interval),
                            high(v.difference_interval), v.relative})
        out += "," + csv_number(x);
      const MadeRuns& made = c.made[i];
      out += fmt::format(",{},{},{},{},{},{}\n", method_name(v.method), verdict_word(v.verdict), unit_names(v.unit),
                         v.units, made.failed.size(), made.all.size());
    }
  }
  return out;
}

nlohmann::ordered_json json_of(const VariantComparison& c) {
  using OrderedJson = nlohmann::ordered_json;
  OrderedJson out = {{"at", c.at}};
  if (!c.title.empty()) out["title"] = c.title;
  for (const Variant& v : c.variants) {
    OrderedJson seeds = OrderedJson::array();
    for (const std::int64_t seed : seeds_of(v)) seeds.push_back(seed);
    out["variants"].push_back({{"name", v.name}, {"seeds", seeds}});
  }
  if (!c.refused.empty()) out["refused"] = c.refused;
  out["unit"] = unit_names(c.unit);
  out["level"] = c.level;
  out["difference_level"] = number(c.difference_level);
  if (c.conditions.size() > 1) out["conditions"] = c.conditions;
  for (const MadeRuns& m : c.made)
    if (!m.failed.empty())
      out["failed"].push_back({{"variant", m.variant},
                               {"failed", m.failed.size()},
                               {"made", m.all.size()},
                               {"seeds", m.failed_seeds},
                               {"error", m.error}});
  out["figures"] = OrderedJson::array();
  for (const ComparedFigure& row : c.figures) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const ComparedValue& v = row.values[i];
      out["figures"].push_back({{"figure", row.figure.title()},
                                {"class", row.figure.job_class},
                                {"variant", c.variants[i].name},
                                {"runs", v.runs},
                                {"unit", unit_names(v.unit)},
                                {"units", v.units},
                                {"mean", number(v.runs > 0 ? std::optional<double>(v.value) : std::nullopt)},
                                {"low", number(low(v.interval))},
                                {"high", number(high(v.interval))},
                                {"difference", number(v.difference)},
                                {"difference_low", number(low(v.difference_interval))},
                                {"difference_high", number(high(v.difference_interval))},
                                {"relative", number(v.relative)},
                                {"method", method_name(v.method)},
                                {"verdict", verdict_word(v.verdict)},
                                {"runs_needed", v.runs_needed ? OrderedJson(*v.runs_needed) : OrderedJson()}});
    }
  }
  out["notes"] = c.notes;
  out["warnings"] = c.warnings;
  return out;
}

const std::string& heading_of(const VariantComparison& c) { return c.title.empty() ? c.at : c.title; }

/// What a remark on it begins with: "load 0.7: ". A table of all places has a name only beside those of single ones.
std::string place_before(const VariantComparison& c, bool alone) {
  const std::string place = c.title.empty() ? c.at : alone ? "" : "over all places";
  return place.empty() ? "" : place + ": ";
}

/// Whether all single places say so: then it is said of none.
bool said_at_all(const std::vector<VariantComparison>& comparisons, const std::string& note) {
  return std::ranges::all_of(comparisons, [&](const VariantComparison& c) {
    return !c.title.empty() || !c.refused.empty() || std::ranges::find(c.notes, note) != c.notes.end();
  });
}

/// Differences that got a verdict which chance could have given.
std::size_t judged_differences(const VariantComparison& c) {
  std::size_t n = 0;
  for (const ComparedFigure& f : c.figures)
    for (const ComparedValue& v : f.values) n += v.difference_interval && v.verdict != CompareVerdict::kSame;
  return n;
}

}  // namespace

const ComparedFigure& leading_figure(const VariantComparison& comparison) {
  const auto of_all_jobs = [&](const std::string& name) {
    return std::ranges::find_if(comparison.figures, [&](const ComparedFigure& f) {
      return f.figure.job_class == "all" && f.figure.name == name;
    });
  };
  auto found = of_all_jobs("wait");
  if (found == comparison.figures.end()) found = of_all_jobs(comparison.figures.front().figure.name);
  return found != comparison.figures.end() ? *found : comparison.figures.front();
}

std::vector<std::string> compare_lines(const VariantComparison& comparison) {
  std::vector<std::string> out;
  const ComparedFigure& row = leading_figure(comparison);
  for (std::size_t i = 1; i < comparison.variants.size(); ++i) out.push_back(line_of(comparison, row, i));
  return out;
}

CompareRemarks remarks_of(const std::vector<VariantComparison>& comparisons) {
  CompareRemarks out;
  std::size_t judged = 0;
  double wrong = 0;
  const auto add = [](std::vector<std::string>& to, const std::string& text) {
    if (std::ranges::find(to, text) == to.end()) to.push_back(text);
  };
  for (const VariantComparison& c : comparisons) {
    const std::string place = place_before(c, comparisons.size() == 1);
    if (!c.refused.empty()) add(out.warnings, place + "not compared: " + c.refused + ".");
    for (const std::string& note : c.notes) add(out.notes, (said_at_all(comparisons, note) ? "" : place) + note);
    for (const std::string& w : c.warnings) add(out.warnings, place + w);
    judged += judged_differences(c);
    wrong += static_cast<double>(judged_differences(c)) * (1 - c.level);
  }
  if (judged > 0)
    out.notes.push_back(
        fmt::format("`noise`: the interval of the difference holds 0. Of {} without any true difference, "
                    "about {:.2g} would not be marked so.",
                    counted(static_cast<std::int64_t>(judged), "comparison"), wrong));
  return out;
}

std::string compare_table(const std::vector<VariantComparison>& comparisons, const CompareTableOptions& options) {
  const TableLayout layout = layout_for(comparisons, options.width);
  const TableStyle style = fits(comparisons, layout, options.width) ? TableStyle::kBox : TableStyle::kPlain;
  const std::size_t width = options.width > 0 ? static_cast<std::size_t>(std::min(options.width, 100)) : 100;
  std::string out;
  if (const std::string failed = failures_text(comparisons); !failed.empty())
    out += paint(wrapped("Beware: " + printable(without_ticks(failed)), width) + "\n", Tone::kWarning, options.colour);
  for (const VariantComparison& c : comparisons) {
    if (!out.empty()) out += "\n";
    if (!heading_of(c).empty()) out += paint(printable(heading_of(c)), Tone::kBold, options.colour) + "\n";
    if (!c.refused.empty()) {
      out += wrapped("not compared: " + printable(c.refused), width) + "\n";
      continue;
    }
    for (std::size_t i = 0; layout.letters && i < c.variants.size(); ++i)
      out += letter(i) + "  " + printable(c.variants[i].name) + "\n";
    out += table_of(c, layout).render(style, options.colour);
  }
  const CompareRemarks remarks = remarks_of(comparisons);
  for (const std::string& note : remarks.notes) out += "\n" + wrapped(printable(without_ticks(note)), width) + "\n";
  for (const std::string& warning : remarks.warnings)
    out += "\n" + paint(wrapped("Beware: " + printable(warning), width) + "\n", Tone::kWarning, options.colour);
  return out;
}

std::string compare_markdown(const std::vector<VariantComparison>& comparisons) {
  std::string out;
  if (const std::string failed = failures_text(comparisons); !failed.empty())
    out += "**Beware**: " + printable(failed) + "\n\n";
  for (const VariantComparison& c : comparisons) {
    if (!heading_of(c).empty()) out += "**" + printable(heading_of(c)) + "**\n\n";
    if (!c.refused.empty()) {
      out += "Not compared: " + printable(c.refused) + "\n\n";
      continue;
    }
    out += table_of(c, {}).render(TableStyle::kMarkdown) + "\n";
  }
  const CompareRemarks remarks = remarks_of(comparisons);
  for (const std::string& note : remarks.notes) out += "- " + printable(note) + "\n";
  for (const std::string& warning : remarks.warnings) out += "- **Beware**: " + printable(warning) + "\n";
  return out;
}

std::string compare_latex(const std::vector<VariantComparison>& comparisons) {
  std::string out;
  const CompareRemarks remarks = remarks_of(comparisons);
  if (const std::string failed = failures_text(comparisons); !failed.empty())
    out += "% Beware: " + one_line(failed) + "\n";
  for (const std::string& note : remarks.notes) out += "% " + one_line(note) + "\n";
  for (const std::string& warning : remarks.warnings) out += "% Beware: " + one_line(warning) + "\n";
  for (const VariantComparison& c : comparisons) {
    if (!heading_of(c).empty()) out += "% " + one_line(heading_of(c)) + "\n";
    out += latex_table(c);
  }
  return out;
}

std::string compare_csv(const std::vector<VariantComparison>& comparisons) {
  std::string out = "at,figure,class,variant,runs,mean,low,high,difference,difference_low,difference_high,relative,"
                    "method,verdict,unit,"
                    "units,failed,made\n";
  for (const VariantComparison& c : comparisons) out += csv_rows(c);
  return out;
}

std::string compare_json(const std::vector<VariantComparison>& comparisons) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const VariantComparison& c : comparisons) out.push_back(json_of(c));
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace coslice

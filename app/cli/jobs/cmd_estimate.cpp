// coslice estimate: how fast two programs run that share a GPU, where that pair was never measured.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "core/error.h"
#include "core/text.h"
#include "lab/compare/pair_answers.h"
#include "output/output.h"
#include "output/summary_json.h"
#include "report/markup.h"
#include "scenario/jobs/slowdowns.h"

namespace coslice::cli {
namespace {

struct EstimateFlags {
  std::vector<std::string> asked;
  std::optional<std::string> pairs, single, columns, speed, utilization, folds, seed, out;
  bool check = false, json = false;
};

struct Checked {
  std::string what, gpu;
  std::vector<RuleError> errors;
};

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts = split(text, ',');
  std::erase(parts, "");
  return parts;
}

bool ran_together(const GpuMeasurements& gpu) {
  return std::ranges::any_of(gpu.pairs, [](const PairSpeed& p) { return p.speed_a > 0 || p.speed_b > 0; });
}

/// What the flags say of measurements: CSV files, or a file of slowdowns that names them.
MeasuredSpec measurements(const EstimateFlags& f) {
  if (!f.pairs) throw InputError({"--pairs", 0, "is missing", "a CSV file with a row for each measured pair"});
  require_file(*f.pairs);
  MeasuredSpec spec;
  if (std::filesystem::path(*f.pairs).extension() == ".toml") {
    if (f.single || f.columns || f.speed)
      throw InputError(
          {"--pairs", 0, *f.pairs + " says what its measurements are", "no --single, --columns or --speed beside it"});
    const std::optional<MeasuredSpec> said = measured_of_table(*f.pairs);
    if (!said) throw InputError({*f.pairs, 0, "names no measurements", "a table [measured]"});
    return *said;
  }
  spec.pairs = *f.pairs;
  if (f.single) require_file(spec.single = *f.single);
  if (f.columns) spec.columns.configuration = split_at_commas(*f.columns);
  if (f.speed) spec.columns.speed = *f.speed;
  return spec;
}

std::vector<Checked> checked(const EstimateFlags& f, const PairAnswers& answers, const MeasuredPairs& measured) {
  const std::int64_t folds = f.folds ? whole_number("--folds", *f.folds, 2, 1000) : 10;
  const auto seed = static_cast<std::uint64_t>(f.seed ? whole_number("--seed", *f.seed, 0, INT64_MAX) : 1);
  std::vector<Checked> all;
  const auto add = [&](const std::string& what, std::vector<std::vector<RuleError>> by_gpu) {
    std::size_t i = 0;
    for (const GpuMeasurements& g : measured.gpus())
      if (!g.pairs.empty()) all.push_back({what, g.gpu, std::move(by_gpu[i++])});
  };
  add("left-out pairs", answers.left_out_pairs(folds, seed));
  add("left-out configurations", answers.left_out_configurations());
  std::erase_if(all, [](const Checked& c) { return c.errors.front().speeds == 0; });
  if (all.empty())
    throw InputError(
        {"--check", 0, "too few pairs were measured to leave any out", "pairs that the others can be estimated from"});
  return all;
}

std::string answers_table(const std::vector<AskedPair>& asked, const std::vector<PairAnswer>& answers, bool gpus) {
  std::vector<Column> columns = {{"a", false}, {"b", false}};
  if (gpus) columns.push_back({"GPU", false});
  columns.insert(columns.end(), {{"of a", true, "speed"}, {"of b", true, "speed"}, {"from", false}});
  Table table(columns);
  for (std::size_t i = 0; i != asked.size(); ++i) {
    std::vector<Cell> row = {asked[i].a, asked[i].b};
    if (gpus) row.emplace_back(asked[i].gpu);
    row.insert(row.end(), {ratio(answers[i].speed_a, 3), ratio(answers[i].speed_b, 3), origin_of(answers[i])});
    table.add_row(std::move(row));
  }
  return rendered(table);
}

std::string errors_table(const std::vector<Checked>& all) {
  const bool gpus = std::ranges::any_of(all, [](const Checked& c) { return !c.gpu.empty(); });
  std::vector<Column> columns = {{"", false, "", true}};
  if (gpus) columns.push_back({"GPU", false, "", true});
  columns.insert(columns.end(), {{"rule", false},
                                 {"speeds"},
                                 {"mean", true, "absolute error"},
                                 {"95 %", true, "absolute error"},
                                 {"most", true, "absolute error"}});
  Table table(columns);
  bool first = true;
  for (const Checked& c : all) {
    if (!first) table.add_rule();
    first = false;
    for (const RuleError& e : c.errors) {
      std::vector<Cell> row = {c.what};
      if (gpus) row.emplace_back(c.gpu);
      row.insert(row.end(), {e.rule, std::to_string(e.speeds), fmt::format("{:.4f}", e.mean),
                             fmt::format("{:.4f}", e.p95), fmt::format("{:.4f}", e.most)});
      table.add_row(std::move(row));
    }
  }
  return rendered(table);
}

std::string csv_of(const std::vector<AskedPair>& asked, const std::vector<PairAnswer>& answers,
                   const MeasuredPairs& measured, const PairColumns& columns) {
  const bool gpus = measured.gpus().size() > 1;
  std::string out;
  for (const char* side : {"_a", "_b"})
    for (const std::string& c : measured.configuration_columns()) out += csv_field(c + side) + ",";
  if (gpus) out += csv_field(columns.gpu) + ",";
  out += "speed_a,speed_b,from\n";
  for (std::size_t i = 0; i != asked.size(); ++i) {
    for (const std::string& cell : asked[i].cells) out += csv_field(cell) + ",";
    if (gpus) out += csv_field(asked[i].gpu) + ",";
    append_real(out, answers[i].speed_a);
    out += ",";
    append_real(out, answers[i].speed_b);
    out += fmt::format(",{}\n", origin_of(answers[i]));
  }
  return out;
}

Value json_of(const std::vector<AskedPair>& asked, const std::vector<PairAnswer>& answers,
              const std::vector<Checked>& errors) {
  Value::List pairs, rules;
  for (std::size_t i = 0; i != asked.size(); ++i) {
    Value v = Value::table({{"a", asked[i].a}, {"b", asked[i].b}});
    if (!asked[i].gpu.empty()) v.set("gpu", asked[i].gpu);
    v.set("speed_a", answers[i].speed_a);
    v.set("speed_b", answers[i].speed_b);
    v.set("from", origin_of(answers[i]));
    pairs.push_back(std::move(v));
  }
  for (const Checked& c : errors)
    for (const RuleError& e : c.errors) {
      Value v = Value::table();
      v.set("of", c.what);
      if (!c.gpu.empty()) v.set("gpu", c.gpu);
      v.set("rule", e.rule);
      v.set("speeds", static_cast<std::int64_t>(e.speeds));
      v.set("mean", e.mean);
      v.set("p95", e.p95);
      v.set("most", e.most);
      rules.push_back(std::move(v));
    }
  return Value::table({{"pairs", Value(std::move(pairs))}, {"errors", Value(std::move(rules))}});
}

int estimate(const EstimateFlags& f) {
  if (f.asked.empty() && !f.check)
    throw InputError({"estimate", 0, "has nothing to do: neither pairs to estimate nor --check were given",
                      "a CSV file of pairs, or --check"});
  const auto only = [&](const char* flag, bool given, bool used, const char* with) {
    if (given && !used) throw InputError({flag, 0, "has no effect here", with});
  };
  only("--folds", f.folds.has_value(), f.check, "--check");
  only("--seed", f.seed.has_value(), f.check, "--check");
  only("--out", f.out.has_value(), !f.asked.empty(), "a CSV file of pairs");
  const MeasuredSpec spec = measurements(f);
  const MeasuredPairs measured(spec.pairs, spec.single, spec.columns);
  if (std::ranges::none_of(measured.gpus(), ran_together))
    throw InputError({spec.pairs, 0, "has no pair that could run together", "speeds above 0"});
  const PairAnswers known(measured, f.utilization.value_or("gpu_util_pct"));
  if (f.utilization &&
      std::ranges::find(measured.profile_columns(), *f.utilization) == measured.profile_columns().end())
    throw InputError({"--utilization", 0,
                      "there is no column '" + *f.utilization + "' of numbers in the single configurations", "",
                      did_you_mean(*f.utilization, measured.profile_columns())});
  std::vector<AskedPair> asked;
  std::vector<PairAnswer> answers;
  if (!f.asked.empty()) {
    require_file(f.asked.front());
    asked = read_asked_pairs(f.asked.front(), measured, spec.columns);
  }
  for (const AskedPair& p : asked) answers.push_back(known.answer(p));
  std::vector<Checked> errors;
  const std::vector<RuleError> of_asked = known.errors(asked);
  if (of_asked.front().speeds != 0) errors.push_back({"pairs asked about", "", of_asked});
  if (f.check)
    for (Checked& c : checked(f, known, measured)) errors.push_back(std::move(c));
  if (f.out) {
    write_new_file(*f.out, csv_of(asked, answers, measured, spec.columns));
    report_note(fmt::format("wrote {}", *f.out));
  }
  if (f.json) {
    print(json_from_value(json_of(asked, answers, errors)) + "\n");
    return kDone;
  }
  if (!asked.empty() && !f.out) print(answers_table(asked, answers, measured.gpus().size() > 1));
  if (!errors.empty()) print(errors_table(errors));
  return kDone;
}

}  // namespace

Command estimate_command() {
  auto flags = std::make_shared<EstimateFlags>();
  EstimateFlags& f = *flags;
  Command c;
  c.summary = "estimate how fast two programs run that share a GPU, from pairs that were measured";
  c.examples = {
      {"coslice estimate ask.csv --pairs pairs.csv", "the speeds of these pairs: measured, or estimated"},
      {"coslice estimate ask.csv --pairs pairs.csv --single single.csv -o speeds.csv",
       "programs that no pair has, from what they are alone"},
      {"coslice estimate --pairs pairs.csv --check", "how good are the estimates?"},
  };
  c.text =
      "A file of pairs has a line of names and a row for each measured pair: columns that appear twice, with _a and _b "
      "behind their names, say what the two programs are (model, dataset, batch, ...), and speed_a and speed_b what "
      "each keeps of the speed that it has alone. The pairs asked about have the same columns; speeds may be left out, "
      "and are compared with the estimate if they are there.\n\n"
      "A pair that was measured, in either order, is looked up. Otherwise the speed of a program is the mean, its own "
      "effect, that of its partner and products of these (least squares with ridge). Effects of programs that no pair "
      "has come from their numbers in the file of single configurations, or are 0: the column `from` says `measured`, "
      "`pairs`, `profile` or `mean`.\n\n"
      "--check leaves out some of the pairs and estimates them from the others; then all pairs of one program. Beside "
      "the estimate, the table has the errors of three rules: no slowdown, the mean, and 1 / (the utilization of "
      "both), at most 1, where the file of single configurations has a column of that.";
  c.arguments = {{"ASK.csv", "Pairs to estimate.", &f.asked, 0, 1, {Completion::kFiles, {"csv", "csv.gz"}}}};
  c.options = {
      value("-p,--pairs", "FILE", f.pairs, "Measured pairs: a CSV file, or a file of slowdowns (.toml) that names one.",
            {Completion::kFiles, {"csv", "csv.gz", "toml"}}),
      value("--single", "FILE.csv", f.single, "Programs alone: the same columns without _a and _b, and numbers.",
            {Completion::kFiles, {"csv", "csv.gz"}}),
      value("--columns", "NAMES", f.columns,
            "The columns that say what programs are, with commas between; else all that appear twice."),
      value("--speed", "NAME", f.speed, "The columns of speeds, without _a and _b. Default: speed."),
      value("--utilization", "NAME", f.utilization,
            "The column of single programs with the part of the GPU in use, in per cent. Default: gpu_util_pct."),
      flag("--check", f.check, "Leaves pairs out and says how far the estimates are off."),
      value("--folds", "N", f.folds, "With --check: into how many parts pairs are dealt. Default: 10."),
      value("--seed", "N", f.seed, "With --check: which pair is in which part. Default: 1."),
      value("-o,--out", "FILE.csv", f.out, "Writes the speeds instead of a table.", {Completion::kFiles, {"csv"}}),
      flag("--json", f.json, "For programs."),
  };
  c.run = [flags] { return estimate(*flags); };
  return c;
}

}  // namespace coslice::cli

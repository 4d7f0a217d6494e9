// Comparisons at the C interface.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "door/failures.h"
#include "door/handles.h"
#include "lab/compare/compare.h"
#include "lab/compare/compare_output.h"
#include "output/jobs_csv.h"
#include "runner/write_run.h"

struct coslice_comparison {
  std::vector<coslice::Variant> variants;
  std::string text;
};

using namespace coslice;
using namespace coslice::door;

namespace coslice::door {
namespace {

constexpr int kTableWidth = 100;  // columns

/// The run as the laboratory has it. Its jobs count where each variant has one run.
RunRecord record_of(const coslice_result& result, const std::string& variant) {
  const Runner& runner = result.prepared->runner;
  RunRecord record;
  record.seed = runner.scenario().seed;
  record.where = fmt::format("{}, seed {}", variant, record.seed);
  record.summary = run_summary_value(runner, result.policy, result.run);
  record.settings = Value::table();
  std::string csv;
  write_jobs_csv(result.run.result, runner.scenario().metrics, sink_to(csv));
  record.jobs = read_jobs(csv, record.where);
  return record;
}

std::string text_of(const std::vector<VariantComparison>& all, const std::string& format) {
  if (format == "table") return compare_table(all, {false, kTableWidth});
  if (format == "markdown") return compare_markdown(all);
  if (format == "csv") return compare_csv(all);
  if (format == "latex") return compare_latex(all);
  if (format == "json") return compare_json(all);
  throw InputError({"", 0, fmt::format("there is no format '{}'", format), "table, markdown, csv, latex or json"});
}

}  // namespace
}  // namespace coslice::door

coslice_comparison* coslice_comparison_new(void) {
  coslice_comparison* made = nullptr;
  guarded([&] { made = new coslice_comparison; });
  return made;
}

void coslice_comparison_free(coslice_comparison* comparison) { delete comparison; }

coslice_status coslice_comparison_add(coslice_comparison* comparison, const char* variant, coslice_result* result) {
  return guarded([&] {
    if (comparison == nullptr || result == nullptr)
      throw InputError({"", 0, "coslice_comparison_add() got NULL", "a comparison and a result"});
    const std::string name(required(variant, "variant"));
    auto at = std::ranges::find(comparison->variants, name, &Variant::name);
    if (at == comparison->variants.end()) at = comparison->variants.insert(at, Variant{name, {}});
    RunRecord record = record_of(*result, name);
    // The jobs count where each variant has one run: of more, they are only memory.
    if (!at->runs.empty()) record.jobs.clear();
    if (at->runs.size() == 1) at->runs.front().jobs.clear();
    at->runs.push_back(std::move(record));
  });
}

coslice_status coslice_comparison_text(coslice_comparison* comparison, const char* format, const char* figures,
                                       const char** text) {
  return guarded([&] {
    if (comparison == nullptr || text == nullptr)
      throw InputError({"", 0, "coslice_comparison_text() got NULL", "a comparison, and where its text goes"});
    CompareOptions options;
    if (figures != nullptr)
      for (const std::string& figure : split(figures, ','))
        if (!figure.empty()) options.figures.push_back(figure);
    const VariantComparison compared = compare_variants(comparison->variants, options);
    if (!compared.refused.empty())
      throw InputError({"", 0, compared.refused, "two variants with runs of the same seed"});
    comparison->text = text_of({compared}, required(format, "format").data());
    *text = comparison->text.c_str();
  });
}

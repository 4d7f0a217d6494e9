// The answer of a tuning, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "lab/tune/tune.h"
#include "report/charts/chart.h"
#include "report/pages/report_page.h"

namespace coslice {

/// Returns whether the best setting is to be used: it is better beyond chance, or there is one workload only and it is
/// better on that; and it keeps the guards.
bool is_recommended(const TuneAnswer& answer);

/// Returns the answer in a sentence or two.
std::string tune_sentence(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& answer,
                          const TuneOptions& options);
/// Returns a table of the parameters: what they are, what they become, and what each of them does.
std::string param_table(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& answer,
                        bool colour);
/// Returns what the best one is beside the policy's defaults, and what the guards cost, a line each.
std::vector<std::string> beside_lines(const std::vector<TunedParam>& params, const Trials& trials,
                                      const TuneAnswer& answer, const TuneOptions& options);
/// Returns a table of the guards; "" without any.
std::string guard_table(const TuneAnswer& answer, bool colour);
/// Returns the answer as a page without a title: the same tables, and a picture of each parameter.
ReportPage tune_page(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& answer,
                     const TuneOptions& options);
/// Returns a table of the settings that no other is better than in all goals; "" without any.
std::string front_table(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& answer,
                        const TuneOptions& options, bool colour);
/// Returns {"verdict", "recommended", "params", "change", "interval", "guards", "comparison", "tried", "runs", ...}.
std::string tune_json(const std::vector<TunedParam>& params, const Trials& trials, const TuneAnswer& answer,
                      const TuneOptions& options);
/// Returns a scenario with the best setting; `base_line` says of what else it is made: `extends = "base.toml"`.
std::string tuned_scenario(const std::string& base_line, const std::vector<TunedParam>& params, const Setting& best);
/// Returns for each parameter a chart of what was tried: its values, and the change of the goal with each setting.
std::vector<Chart> response_charts(const std::vector<TunedParam>& params, const Trials& trials,
                                   const TuneAnswer& answer);

}  // namespace coslice

// The commands of the program.
#include "cli/frame/command.h"

namespace coslice::cli {

std::span<const CommandEntry> command_table() {
  static constexpr CommandEntry kTable[] = {{"run", run_command},
                                            {"compare", compare_command},
                                            {"validate", validate_command},
                                            {"gantt", gantt_command},
                                            {"report", report_command},
                                            {"export", export_command},
                                            {"explain", explain_command},
                                            {"diff", diff_command},
                                            {"generate", generate_command},
                                            {"convert", convert_command},
                                            {"import", import_command},
                                            {"fidelity", fidelity_command},
                                            {"forecast", forecast_command},
                                            {"whatif", whatif_command},
                                            {"estimate", estimate_command},
                                            {"drive", drive_command},
                                            {"info", info_command},
                                            {"policies", policies_command},
                                            {"new", new_command},
                                            {"test", test_command},
                                            {"check", check_command},
                                            {"sweep", sweep_command},
                                            {"tune", tune_command},
                                            {"merge", merge_command},
                                            {"reproduce", reproduce_command},
                                            {"completion", completion_command},
                                            {"manual", manual_command},
                                            {"help", help_command},
                                            {"complete", complete_command, true}};
  return kTable;
}

}  // namespace coslice::cli

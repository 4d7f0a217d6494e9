// The commands of the program.
#include "cli/frame/command.h"

namespace coslice::cli {

#if defined(COSLICE_STATIC)
Command unpack_command();  // in single/, which only the program as one file has
#endif

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
                                            {"batsim", batsim_command},
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
#if defined(COSLICE_STATIC)
  static const std::vector<CommandEntry> all = [] {
    std::vector<CommandEntry> entries(std::begin(kTable), std::end(kTable));
    entries.insert(entries.end() - 4, {"unpack", unpack_command});  // before the completions
    return entries;
  }();
  return all;
#else
  return kTable;
#endif
}

}  // namespace coslice::cli

// The command of the first program, coslice_run: what `./dev run` needs before the whole program was asked for.
#include "cli/frame/command.h"

namespace coslice::cli {

std::span<const CommandEntry> command_table() {
  static constexpr CommandEntry kTable[] = {{"run", run_command}};
  return kTable;
}

}  // namespace coslice::cli

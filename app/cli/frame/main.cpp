// The program: a thin client of the library. Start reading here; each command has a file of its own, cmd_*.cpp.
#include <cstdio>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/heap.h"
#include "cli/frame/help.h"
#include "cli/frame/parse.h"
#include "cli/frame/stop_signals.h"
#include "core/error.h"

namespace coslice::cli {
namespace {

int dispatch(const std::vector<std::string>& arguments) {
  const Invocation call = parse_arguments(arguments);
  if (call.version) {
    print(version_text());
  } else if (call.command == nullptr) {
    print(help_text(text_width(stdout)));
  } else if (call.help) {
    print(help_text(*call.command, text_width(stdout)));
  } else {
    return call.command->run();
  }
  return kDone;
}

}  // namespace
}  // namespace coslice::cli

int main(int argc, char** argv) { return coslice::cli::run_program(std::vector<std::string>(argv + 1, argv + argc)); }

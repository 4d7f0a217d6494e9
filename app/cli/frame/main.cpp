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
#include "core/refusals.h"
#include "scenario/versions_of_lua.h"

namespace coslice::cli {
namespace {

int dispatch(const std::vector<std::string>& arguments) {
  const Invocation call = parse_arguments(arguments);
  if (call.version) {
    print(version_text());
    if (const std::string faults = lua_faults(); !faults.empty()) report_warning(faults);
  } else if (call.command == nullptr) {
    print(help_text(text_width(stdout)));
  } else if (call.help) {
    print(help_text(*call.command, text_width(stdout)));
  } else {
    return call.command->run();
  }
  return kDone;
}

/// Parses, runs the command, and turns whatever is thrown into a message on stderr and an exit status (ExitStatus).
int run_program(const std::vector<std::string>& arguments) {
  keep_freed_memory();
  try {
    const int status = dispatch(arguments);
    finish_output();
    return status;
  } catch (const InputError& e) {
    report_error(e.what());
    return kBadInput;
  } catch (const RefusedError& e) {
    report_error(e.what());
    return kBadInput;
  } catch (const SimulationError& e) {
    if (is_interrupted()) return kInterrupted;  // what a script says to that
    report_error(e.what());
    return kFailed;
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const std::filesystem::filesystem_error& e) {
    report_error(fmt::format("{}: cannot be read: {}", e.path1().string(), e.code().message()));
    return kBadInput;
  } catch (const std::bad_alloc&) {
    std::fputs("coslice: error: out of memory\n", stderr);  // what takes no memory
    return kFailed;
  } catch (const std::exception& e) {
    report_error(std::string("internal error: ") + e.what());
    return kInternalError;
  }
}

}  // namespace
}  // namespace coslice::cli

int main(int argc, char** argv) { return coslice::cli::run_program(std::vector<std::string>(argv + 1, argv + argc)); }

// coslice validate: is this file good?
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "core/error.h"
#include "core/text.h"
#include "report/tables/terminal.h"
#include "runner/check_file.h"

namespace coslice::cli {
namespace {

/// The message, with the file's name in front unless it begins with it.
std::string about(const std::string& file, const std::string& message) {
  return message.compare(0, file.size(), file) == 0 ? message : file + ": " + message;
}

bool check(const std::string& given) {
  const bool colour = wants_colour(stdout);
  const std::string file = is_site_folder(given) ? (std::filesystem::path(given) / "scenario.toml").string() : given;
  try {
    require_file(file);
    const CheckedFile checked = check_file(file);
    print(fmt::format("{}: {} ({}: {})\n", file, paint("ok", Tone::kGood, colour), kind_name(checked.kind),
                      checked.summary));
    for (const std::string& w : checked.warnings) report_warning(about(file, w));
    return true;
  } catch (const InputError& e) {
    print(printable(about(file, e.what())) + "\n");
  } catch (const SimulationError& e) {
    print(printable(about(file, e.what())) + "\n");
  }
  return false;
}

}  // namespace

Command validate_command() {
  auto files = std::make_shared<std::vector<std::string>>();
  Command c;
  c.summary = "check scenarios, traces, policies, workload scripts and test suites, and simulate nothing";
  c.examples = {
      {"coslice validate scenarios/*.toml", "every key, and all that they refer to"},
      {"coslice validate trace.swf.gz mine.lua", "a trace, a policy"},
  };
  c.text = "One line a file on standard output: ok, or the first thing that is wrong. Scenarios are loaded with their "
           "trace, workload script and policies; traces are read to their end; policies are loaded; suites "
           "(*_test.lua) are compiled. The exit status is 2 if any file is bad.";
  c.arguments = {{"FILE",
                  "Scenarios (.toml) and folders that hold one, such as sites; scripts (.lua); everything else is a "
                  "trace.",
                  files.get(),
                  1,
                  std::size_t(-1),
                  {Completion::kFiles, {"toml", "swf", "swf.gz", "lua"}}}};
  c.run = [files] {
    bool good = true;
    for (const std::string& file : *files) good = check(file) && good;
    return good ? kDone : kBadInput;
  };
  return c;
}

}  // namespace coslice::cli

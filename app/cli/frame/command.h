// A command of the program: how it is called, what its help teaches, what it does. Parsing, help texts, the manual page
// and shell completion are all made from this one description.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace coslice::cli {

/// What the program ends with.
enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,         ///< the simulation or a test failed
  kBadInput = 2,       ///< a trace, scenario, script or flag is wrong
  kInternalError = 3,  ///< a fault of the program
  kInterrupted = 130,  ///< by the user (128 + SIGINT)
};

/// What a shell offers where a value is to be typed.
struct Completion {
  enum Kind { kNothing, kFiles, kFolders, kWords, kPolicies, kScenarioKeys } kind = kNothing;
  std::vector<std::string> words{};    ///< for kWords; for kFiles the endings ("swf", "swf.gz"), none: all files
  std::vector<std::string> besides{};  ///< for kFiles: words that may stand there as well
};

/// A flag, with or without a value.
struct Option {
  std::string names;                            ///< "-o,--out"
  std::string value;                            ///< what stands for its value in help texts; "" for a flag without
  std::string doc;                              ///< a sentence or two
  std::function<void(const std::string&)> set;  ///< called each time it is given; "" for a flag without value
  Completion completion{};
};

/// Arguments without a flag.
struct Argument {
  std::string name;  ///< as help texts show it
  std::string doc;
  std::vector<std::string>* into = nullptr;
  std::size_t least = 1, most = 1;
  Completion completion{};
};

struct Example {
  std::string command, comment;
};

struct Command {
  std::string name;
  std::string summary;  ///< one line, a verb first
  std::vector<Example> examples;
  std::string text;                 ///< what else should be known; paragraphs are separated by blank lines
  std::vector<Argument> arguments;  ///< only the last one may take several
  std::vector<Option> options;
  std::function<int()> run;
};

/// What a command is called, and what makes it.
struct CommandEntry {
  const char* name;
  Command (*make)();
  bool hidden = false;  ///< not in lists: for other programs to call
};

/// Makes a flag without a value, which sets `into`.
Option flag(std::string names, bool& into, std::string doc);
/// Makes an option with a value; if it is given several times, the last one holds.
Option value(std::string names, std::string placeholder, std::optional<std::string>& into, std::string doc,
             Completion completion = {});
/// Makes an option that may be given several times; all values are kept.
Option values(std::string names, std::string placeholder, std::vector<std::string>& into, std::string doc,
              Completion completion = {});

/// Returns the parts of "-o,--out".
std::vector<std::string> names_of(const Option& option);
/// Returns the long name of an option, else the short one.
std::string main_name(const Option& option);
/// Returns the usage of a command: "coslice run SCENARIO.toml [options]".
std::string usage_of(const Command& command);

/// Returns all commands, in the order in which help lists them. None is made: a run needs one of them, and the code
/// that makes the others is not loaded.
std::span<const CommandEntry> command_table();
/// Makes all commands that are not hidden.
std::vector<Command> all_commands();
/// Returns the command of that name, made once; null if there is none.
const Command* find_command(const std::string& name);
/// Returns the names of those that are not hidden.
std::vector<std::string> command_names();

// One file each, cmd_*.cpp.

Command run_command();
Command compare_command();
Command gantt_command();
Command explain_command();
Command diff_command();
Command report_command();
Command export_command();
Command validate_command();
Command generate_command();
Command convert_command();
Command import_command();
Command fidelity_command();
Command estimate_command();
Command drive_command();
Command batsim_command();
Command forecast_command();
Command whatif_command();
Command info_command();
Command policies_command();
Command new_command();
Command test_command();
Command check_command();
Command sweep_command();
Command tune_command();
Command merge_command();
Command reproduce_command();
Command completion_command();
Command manual_command();
Command complete_command();
Command help_command();

}  // namespace coslice::cli

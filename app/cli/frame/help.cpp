#include "cli/frame/help.h"

#include <algorithm>

#include "cli/frame/console.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

struct Entry {
  std::string left, right;
};

/// Two columns; a left part that is too long gets a line of its own.
std::string in_columns(const std::vector<Entry>& entries, std::size_t width, std::size_t most_left) {
  std::size_t left = 0;
  for (const Entry& e : entries) {
    if (e.left.size() <= most_left) left = std::max(left, e.left.size());
  }
  std::string out;
  for (const Entry& e : entries) {
    const std::size_t indent = left + 4;
    if (e.right.empty()) out += "  " + e.left + "\n";
    else if (e.left.size() > left)
      out += "  " + e.left + "\n" + std::string(indent, ' ') + wrapped(e.right, width, indent) + "\n";
    else out += "  " + pad_right(e.left, left) + "  " + wrapped(e.right, width, indent) + "\n";
  }
  return out;
}

std::string examples_text(const std::vector<Example>& examples, std::size_t width) {
  std::vector<Entry> entries;
  for (const Example& e : examples) entries.push_back({e.command, e.comment});
  return "Examples:\n" + in_columns(entries, width, width * 5 / 8);
}

std::vector<Entry> option_entries(const Command& command) {
  std::vector<Entry> entries;
  for (const Option& o : command.options) {
    const std::vector<std::string> names = names_of(o);
    std::string left = names.size() > 1 ? names[0] + ", " + names[1] : names[0];
    if (names[0].size() > 2) left = "    " + left;  // in line with those that have a short name
    entries.push_back({left + (o.value.empty() ? "" : " " + o.value), o.doc});
  }
  entries.push_back({"-h, --help", "This text."});
  return entries;
}

}  // namespace

const ProgramTexts& program_texts() {
  static const ProgramTexts texts = {
      "simulates how a cluster's jobs are scheduled, under policies written in Lua",
      {{"coslice run scenarios/quickstart.toml", "simulate a scenario"},
       {"coslice run trace.swf.gz --policy easy,conservative", "two policies on a trace, side by side"},
       {"coslice policies wfp3", "what a policy does and its parameters"},
       {"coslice new policy mine", "write mine.lua, a template that works"},
       {"coslice run trace.swf --policy mine.lua --out results", "your own policy; keep job list, summary, schedule"},
       {"coslice info trace.swf.gz", "what is in a trace"},
       {"coslice generate lublin --jobs 5000 --nodes 128 -o w.swf", "a synthetic workload"}},
      "Results go to standard output, messages to standard error. NO_COLOR=1 turns colours off, COSLICE_PROGRESS=off "
      "progress lines. Policies are looked for by path, in the scenario's folder, the current "
      "folder, the folders in COSLICE_PATH, the installed ones, and among those built in; each of these folders may "
      "hold a folder `policies`."};
  return texts;
}

std::string exit_status_text() {
  return "0 done, 1 the simulation or a test failed, 2 bad input, 3 internal error, 130 interrupted";
}

std::string help_text(std::size_t width) {
  std::vector<Entry> commands;
  for (const Command& c : all_commands()) commands.push_back({c.name, c.summary});
  const ProgramTexts& texts = program_texts();
  return wrapped("coslice " + texts.summary + ".", width) + "\n\n" + examples_text(texts.examples, width) +
         "\nCommands:\n" + in_columns(commands, width, width / 3) + "\nFlags:\n" +
         in_columns({{"-h, --help", "This text; after a command, its own."},
                     {"    --version", "Versions of the program and its libraries."}},
                    width, width / 3) +
         "\n" + wrapped(texts.text, width) + "\n\n" + wrapped("Exit status: " + exit_status_text() + ".", width) + "\n";
}

std::string help_text(const Command& command, std::size_t width) {
  std::string out = examples_text(command.examples, width) + "\nUsage:\n  " + usage_of(command) + "\n\n";
  std::string summary = command.summary;
  summary[0] = static_cast<char>(summary[0] - 'a' + 'A');
  out += wrapped(summary + ".", width) + "\n";
  if (!command.text.empty()) out += "\n" + wrapped(command.text, width) + "\n";
  std::vector<Entry> arguments;
  for (const Argument& a : command.arguments) arguments.push_back({a.name, a.doc});
  if (!arguments.empty()) out += "\nArguments:\n" + in_columns(arguments, width, width / 3);
  return out + "\nOptions:\n" + in_columns(option_entries(command), width, width / 3);
}

}  // namespace coslice::cli

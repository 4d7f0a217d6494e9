// coslice completion, manual, help, and complete, which completion scripts call.
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/completion.h"
#include "cli/frame/console.h"
#include "cli/frame/help.h"
#include "cli/frame/references.h"
#include "core/error.h"
#include "core/refusals.h"
#include "scenario/keys.h"

namespace coslice::cli {
namespace {

int print_completion(const std::string& shell) {
  if (shell == "bash") print(bash_completion());
  else if (shell == "zsh") print(zsh_completion());
  else if (shell == "fish") print(fish_completion());
  else {
    throw InputError({"", 0, fmt::format("there is no completion for '{}'", shell), "bash, zsh or fish",
                      did_you_mean(shell, {"bash", "zsh", "fish"})});
  }
  return kDone;
}

int print_help(const std::vector<std::string>& names) {
  if (names.empty()) {
    print(help_text(text_width(stdout)));
    return kDone;
  }
  const Command* command = find_command(names.front());
  if (command == nullptr) {
    throw InputError({"", 0, fmt::format("there is no command '{}'", names.front()), "",
                      did_you_mean(names.front(), command_names())});
  }
  print(help_text(*command, text_width(stdout)));
  return kDone;
}

}  // namespace

Command completion_command() {
  auto shell = std::make_shared<std::vector<std::string>>();
  Command c;
  c.summary = "print a completion script for a shell";
  c.examples = {
      {"eval \"$(coslice completion bash)\"", "in ~/.bashrc"},
      {"coslice completion zsh > ~/.zfunc/_coslice", "a folder in $fpath, before compinit"},
      {"coslice completion fish > ~/.config/fish/completions/coslice.fish", ""},
  };
  c.arguments = {{"bash|zsh|fish", "The shell.", shell.get(), 1, 1, {Completion::kWords, {"bash", "zsh", "fish"}}}};
  c.run = [shell] { return print_completion(shell->front()); };
  return c;
}

Command manual_command() {
  auto markdown = std::make_shared<bool>(false);
  Command c;
  c.summary = "print the manual page";
  c.examples = {
      {"coslice manual | man -l -", "read it"},
      {"coslice manual --markdown > docs/commands.md", "as a page of the documentation"},
  };
  c.options = {flag("--markdown", *markdown, "Prints it as Markdown instead of roff.")};
  c.run = [markdown] {
    print(*markdown ? manual_markdown() : manual_roff());
    return kDone;
  };
  return c;
}

Command help_command() {
  auto names = std::make_shared<std::vector<std::string>>();
  Command c;
  c.summary = "explain the program or a command";
  c.examples = {{"coslice help run", "the same as coslice run --help"}};
  c.arguments = {{"COMMAND", "The command to explain.", names.get(), 0, 1, {Completion::kWords, {}}}};
  c.run = [names] { return print_help(*names); };
  return c;
}

Command complete_command() {
  auto topic = std::make_shared<std::vector<std::string>>();
  Command c;
  c.summary = "print words for completion scripts and generated pages";
  c.examples = {{"coslice complete policies", ""}};
  c.arguments = {{"TOPIC",
                  "policies, keys [POLICIES], values POLICIES KEY, scenario-reference, refusals, figure-reference, "
                  "figure-definitions or job-definitions.",
                  topic.get(), 1, 3}};
  c.run = [topic] {
    const std::string& t = topic->front();
    print(t == "scenario-reference"   ? scenario_reference_markdown()
          : t == "refusals"           ? refusals_markdown()
          : t == "figure-reference"   ? figure_reference_markdown()
          : t == "figure-definitions" ? figure_definitions()
          : t == "job-definitions"    ? job_definitions()
                                      : completion_words(*topic));
    return kDone;
  };
  return c;
}

}  // namespace coslice::cli

// coslice completion, manual, help, and complete, which completion scripts call.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/policy/find_policy.h"
#include "api/policy/policy.h"
#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/help.h"
#include "cli/frame/references.h"
#include "core/error.h"
#include "core/refusals.h"
#include "core/text.h"
#include "scenario/key_tables.h"

namespace coslice::cli {
namespace {

/// Single quotes around, for a POSIX shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// What an argument of the command may be; `help` takes the commands' names.
Completion completion_of(const Argument& a) {
  Completion out = a.completion;
  if (out.kind == Completion::kWords && out.words.empty()) out.words = command_names();
  return out;
}

/// Prints Markdown with its paragraphs and items in lines of at most 120 columns; tables and code stay.
void print_markdown(std::string_view text) {
  bool code = false;
  while (!text.empty()) {
    const std::string_view line = take_before(text, '\n');
    if (line.starts_with("```")) code = !code;
    const bool stays = code || line.starts_with("|");
    print((stays ? std::string(line) : wrapped(line, 120, line.starts_with("- ") ? 2 : 0)) + "\n");
  }
}

// --- bash

/// The line that fills COMPREPLY.
std::string bash_action(const Completion& c) {
  switch (c.kind) {
    case Completion::kFiles: {
      const std::string files = fmt::format("_coslice_files {}", joined(c.words));
      if (c.besides.empty()) return files;
      return files + fmt::format("; COMPREPLY+=($(compgen -W '{}' -- \"$cur\"))", joined(c.besides));
    }
    case Completion::kFolders: return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Completion::kWords: return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", joined(c.words));
    case Completion::kPolicies: return "_coslice_policies";
    case Completion::kScenarioKeys: return "_coslice_keys";
    case Completion::kNothing: break;
  }
  return "COMPREPLY=()";
}

std::string bash_command(const Command& c) {
  std::string values, flags = "--help";
  for (const Option& o : c.options) {
    for (const std::string& n : names_of(o)) flags += " " + n;
    if (o.value.empty()) continue;
    values += fmt::format("        {}) {}; return ;;\n", fmt::join(names_of(o), "|"), bash_action(o.completion));
  }
  std::string out = fmt::format("    {})\n", c.name);
  if (!values.empty()) out += "      case $prev in\n" + values + "      esac\n";
  out += fmt::format("      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return; fi\n", flags);
  if (!c.arguments.empty()) out += "      " + bash_action(completion_of(c.arguments.front())) + "\n";
  return out + "      ;;\n";
}

// --- zsh

/// Colons and brackets mean something in _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Completion& c) {
  switch (c.kind) {
    case Completion::kFiles: {
      const std::string files =
          c.words.empty() ? "_files" : fmt::format("_files -g \"*.({})\"", fmt::join(c.words, "|"));
      return c.besides.empty() ? files : fmt::format("{{compadd - {}; {}}}", joined(c.besides), files);
    }
    case Completion::kFolders: return "_files -/";
    case Completion::kWords: return fmt::format("({})", joined(c.words));
    case Completion::kPolicies:
      return "{_sequence compadd - ${(f)\"$(coslice complete policies 2>/dev/null)\"}; _files -g \"*.lua\"}";
    case Completion::kScenarioKeys: return "{compadd -S \"=\" - ${(f)\"$(coslice complete keys 2>/dev/null)\"}}";
    case Completion::kNothing: break;
  }
  return " ";
}

std::string zsh_command(const Command& c) {
  std::string out = fmt::format(
      "        {})\n          _arguments \\\n            '(-h --help)'{{-h,--help}}'[explain]' \\\n", c.name);
  const auto add = [&](const std::string& spec) { out += "            " + quoted(spec) + " \\\n"; };
  for (const Option& o : c.options) {
    const std::string tail =
        fmt::format("[{}]", zsh_text(o.doc)) +
        (o.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(o.value), zsh_action(o.completion)));
    for (const std::string& n : names_of(o)) add("*" + n + (n.size() > 2 && !o.value.empty() ? "=" : "") + tail);
  }
  for (const Argument& a : c.arguments) {
    add(fmt::format("{}:{}:{}", a.most > 1 ? "*" : "", zsh_text(a.name), zsh_action(completion_of(a))));
  }
  return out + "            && return ;;\n";
}

// --- fish

std::string fish_words(const Completion& c) {
  switch (c.kind) {
    case Completion::kWords: return quoted(joined(c.words));
    case Completion::kPolicies: return "'(coslice complete policies 2>/dev/null; __fish_complete_suffix .lua)'";
    case Completion::kScenarioKeys: return "'(coslice complete keys 2>/dev/null)='";
    case Completion::kFolders: return "'(__fish_complete_directories)'";
    case Completion::kFiles: {
      std::string calls;
      for (const std::string& w : c.besides) calls += "echo " + w + "; ";
      for (const std::string& w : c.words) calls += fmt::format("__fish_complete_suffix .{}; ", w);
      return quoted("(" + (calls.empty() ? "__fish_complete_path" : calls) + ")");
    }
    case Completion::kNothing: break;
  }
  return "";
}

std::string fish_command(const Command& c) {
  std::string out =
      fmt::format("complete -c coslice -n __fish_use_subcommand -a {} -d {}\n", c.name, quoted(c.summary));
  const std::string when = fmt::format("complete -c coslice -n '__fish_seen_subcommand_from {}'", c.name);
  for (const Option& o : c.options) {
    out += when;
    for (const std::string& n : names_of(o)) out += n.size() > 2 ? " -l " + n.substr(2) : " -s " + n.substr(1);
    if (!o.value.empty()) out += " -x";
    const std::string words = fish_words(o.completion);
    if (!words.empty()) out += " -a " + words;
    out += " -d " + quoted(o.doc) + "\n";
  }
  for (const Argument& a : c.arguments) {
    const std::string words = fish_words(completion_of(a));
    if (!words.empty()) out += when + " -a " + words + "\n";
  }
  return out;
}

// --- words

const std::string kParams = "policy.params.";

/// Parameters of the policies "a,b", of easy if it is "". A policy that cannot be loaded has none.
std::vector<ParamSpec> params_of(const std::string& policies) {
  std::vector<ParamSpec> out;
  for (const std::string& name : split(policies.empty() ? "easy" : policies, ',')) {
    try {
      const FoundPolicy found = find_policy(name);
      PolicyContext context;
      context.roots = found.roots;
      context.print = [](std::string_view) {};
      const Policy policy(found.script, Value::table(), context);
      for (const ParamSpec& p : policy.description().params) out.push_back(p);
    } catch (const std::runtime_error&) {}
  }
  return out;
}

/// What stands in quotes in a type's words: `"kill" or "extend"`.
std::vector<std::string> words_in(const std::string& type) {
  if (type == "true or false") return {"true", "false"};
  std::vector<std::string> out;
  for (std::size_t from = type.find('"'); from != std::string::npos; from = type.find('"', from)) {
    const std::size_t to = type.find('"', from + 1);
    if (to == std::string::npos) break;
    out.push_back(type.substr(from + 1, to - from - 1));
    from = to + 1;
  }
  return out;
}

/// What the key may be set to, as far as that can be listed.
std::vector<std::string> values_of(const std::string& policies, const std::string& key) {
  std::vector<std::string> out;
  if (key == "policy.name") {
    for (const PolicyEntry& e : list_policies()) out.push_back(e.name);
  } else if (const Key<Scenario>* k = find_key(key)) {
    return words_in(k->codec.type);
  }
  for (const ParamSpec& p : params_of(policies)) {
    if (key == kParams + p.name) return words_in(p.expected());
  }
  return out;
}

std::string bash_completion() {
  std::string out = R"bash(# Completion of coslice for bash.
_coslice_files() {  # endings; folders always
  compopt -o filenames
  local ending
  COMPREPLY=($(compgen -d -- "$cur"))
  for ending in "$@"; do COMPREPLY+=($(compgen -f -X "!*.$ending" -- "$cur")); done
  (($#)) || COMPREPLY=($(compgen -f -- "$cur"))
}
_coslice_policies() {  # the last one of a list; or a file
  local before=""
  [[ $cur == *,* ]] && before="${cur%,*},"
  COMPREPLY=($(compgen -P "$before" -W "$(coslice complete policies 2>/dev/null)" -- "${cur##*,}"))
  ((${#COMPREPLY[@]})) || _coslice_files lua
}
_coslice_keys() {
  compopt -o nospace
  COMPREPLY=($(compgen -S = -W "$(coslice complete keys "$(_coslice_policy)" 2>/dev/null)" -- "$cur"))
}
_coslice_policy() {  # what --policy says so far
  local i
  for ((i = 2; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      -p | --policy) [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((++i)); echo "${COMP_WORDS[i + 1]}" ;;
      --policy=*) echo "${COMP_WORDS[i]#--policy=}" ;;
    esac
  done
}
_coslice_values() {  # of a key
  COMPREPLY=($(compgen -W "$(coslice complete values "$(_coslice_policy)" "$1" 2>/dev/null)" -- "$cur"))
}
_coslice() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  # bash takes key=value apart: the key, "=", the value.
  local at=$((COMP_CWORD - 1))
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then ((--at)); else at=0; fi
  if ((at > 1)); then
    case ${COMP_WORDS[at - 1]} in
      -s | --set) _coslice_values "${COMP_WORDS[at]}"; return ;;
    esac
    prev=${COMP_WORDS[at]}
  fi
  if [[ $prev == -s || $prev == --set ]] && [[ $cur == *=* ]]; then
    local key=${cur%%=*}
    cur=${cur#*=}
    _coslice_values "$key"
    COMPREPLY=("${COMPREPLY[@]/#/$key=}")
    return
  fi
  if ((COMP_CWORD == 1)); then
)bash";
  out += fmt::format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$cur\"))\n    return\n  fi\n",
                     joined(command_names()));
  out += "  case ${COMP_WORDS[1]} in\n";
  for (const Command& c : all_commands()) out += bash_command(c);
  return out + "  esac\n}\ncomplete -F _coslice coslice\n";
}

std::string zsh_completion() {
  std::string out =
      "#compdef coslice\n_coslice() {\n  local curcontext=$curcontext state line\n  local -a commands=(\n";
  for (const Command& c : all_commands()) out += fmt::format("    {}\n", quoted(c.name + ":" + zsh_text(c.summary)));
  out += "  )\n  _arguments -C '(-h --help)'{-h,--help}'[explain]' '--version[versions]' '1: :->command' '*:: :->rest' "
         "&& return\n"
         "  case $state in\n    command) _describe command commands ;;\n    rest)\n      case $words[1] in\n";
  for (const Command& c : all_commands()) out += zsh_command(c);
  return out + "      esac ;;\n  esac\n}\n_coslice \"$@\"\n";
}

std::string fish_completion() {
  std::string out = "# Completion of coslice for fish.\ncomplete -c coslice -f\n"
                    "complete -c coslice -s h -l help -d 'Explain'\n"
                    "complete -c coslice -n __fish_use_subcommand -l version -d 'Versions'\n";
  for (const Command& c : all_commands()) out += fish_command(c);
  return out;
}

/// Returns what can stand where a completion script asks, one word a line: {"policies"}; {"keys", POLICIES}, with their
/// parameters; {"values", POLICIES, KEY}. POLICIES is a list as of --policy, "" for the default. Nothing for other
/// topics.
std::string completion_words(const std::vector<std::string>& request) {
  const auto word = [&](std::size_t i) { return i < request.size() ? request[i] : std::string(); };
  const std::string topic = word(0), policies = word(1), key = word(2);
  std::string out;
  if (topic == "policies") {
    for (const PolicyEntry& e : list_policies()) out += e.name + "\n";
  }
  if (topic == "keys") {
    for (const Key<Scenario>& k : scenario_keys()) out += k.name + "\n";
    for (const ParamSpec& p : params_of(policies)) out += kParams + p.name + "\n";
  }
  if (topic == "values") {
    for (const std::string& value : values_of(policies, key)) out += value + "\n";
  }
  return out;
}

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
    if (*markdown) print_markdown(manual_markdown());
    else print(manual_roff());
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
    if (t == "scenario-reference") print_markdown(scenario_reference_markdown());
    else if (t == "refusals") print_markdown(refusals_markdown());
    else if (t == "figure-reference") print_markdown(figure_reference_markdown());
    else if (t == "figure-definitions") print(figure_definitions());
    else print(t == "job-definitions" ? job_definitions() : completion_words(*topic));
    return kDone;
  };
  return c;
}

}  // namespace coslice::cli

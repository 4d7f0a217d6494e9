#include "cli/frame/parse.h"

#include <algorithm>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace coslice::cli {
namespace {

// CLI11 takes the arguments apart. What does not fit is looked at here: its own messages name no alternatives, and its
// exit statuses are not ours. So every level takes extras, nothing is required, and all values are texts.

[[noreturn]] void fail(std::string file, std::string problem, std::string expected = "", std::string suggestion = "") {
  throw InputError({std::move(file), 0, std::move(problem), std::move(expected), std::move(suggestion)});
}

bool looks_like_flag(const std::string& s) { return s.size() > 1 && s[0] == '-' && !(s[1] >= '0' && s[1] <= '9'); }

bool is_input_name(const std::string& s) { return s.ends_with(".toml") || s.ends_with(".swf") || s.ends_with(".gz"); }

std::vector<std::string> flags_of(const Command* command) {
  std::vector<std::string> flags = {"--help", "-h"};
  if (command == nullptr) {
    flags.push_back("--version");
    return flags;
  }
  for (const Option& o : command->options) {
    for (const std::string& n : names_of(o)) flags.push_back(n);
  }
  return flags;
}

[[noreturn]] void unknown_flag(const Command* command, const std::string& typed) {
  const std::string name = typed.substr(0, typed.find('='));
  const std::string owner = command == nullptr ? "coslice" : "coslice " + command->name;
  std::string suggestion = did_you_mean(name, flags_of(command));
  if (suggestion.empty()) suggestion = fmt::format("`{} --help` lists them", owner);
  fail("", fmt::format("`{}` has no flag '{}'", owner, name), "", suggestion);
}

[[noreturn]] void unknown_command(const std::string& typed) {
  std::string suggestion = did_you_mean(typed, command_names());
  if (is_input_name(typed)) suggestion = fmt::format("did you mean `coslice run {}`?", typed);
  fail("", fmt::format("there is no command '{}'", typed), fmt::format("one of {}", fmt::join(command_names(), ", ")),
       suggestion);
}

void check_flags(const Command* command, const std::vector<std::string>& extras) {
  for (const std::string& e : extras) {
    if (looks_like_flag(e)) unknown_flag(command, e);
  }
}

/// Deals what is no flag out to the command's arguments, in their order.
void fill_arguments(const Command& command, const std::vector<std::string>& given) {
  auto next = given.begin();
  for (const Argument& a : command.arguments) {
    for (; next != given.end() && a.into->size() < a.most; ++next) a.into->push_back(*next);
    if (a.into->size() >= a.least) continue;
    fail("", fmt::format("`coslice {}` needs {}", command.name, a.name), usage_of(command),
         fmt::format("`coslice {} --help` has examples", command.name));
  }
  if (next != given.end()) fail("", fmt::format("'{}' is one argument too many", *next), usage_of(command));
}

/// "--policy --json": the next flag is no value.
void check_value(const Command& command, const Option& option, const std::string& text) {
  const std::vector<std::string> flags = flags_of(&command);
  const bool is_flag = text.size() > 2 && std::ranges::find(flags, text) != flags.end();
  if (is_flag) fail(main_name(option), "no value", option.value);
}

void declare(CLI::App& app, const Option& option, const Command& command) {
  if (option.value.empty()) {
    app.add_flag_callback(option.names, [&option] { option.set(""); });
    return;
  }
  const auto each = [&option, &command](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      check_value(command, option, text);
      option.set(text);
    }
    return true;
  };
  CLI::Option* o = app.add_option(option.names, CLI::callback_t(each));
  o->type_size(1)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// CLI11 names the option in front of a colon: "--policy: 1 required missing".
[[noreturn]] void explain(const CLI::ParseError& error, const Command* command) {
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find(':'));
  if (command != nullptr) {
    for (const Option& o : command->options) {
      const std::vector<std::string> names = names_of(o);
      if (std::ranges::find(names, name) == names.end()) continue;
      if (o.value.empty()) fail(name, "takes no value");
      fail(name, "no value", o.value);
    }
  }
  fail("", text);
}

/// Where CLI11 does not say which flag got a value that it does not take: the first flag with one.
void explain_flag_value(const Command* command, const std::vector<std::string>& arguments) {
  if (command == nullptr) return;
  for (const std::string& a : arguments) {
    const std::size_t equals = a.find('=');
    if (equals == std::string::npos) continue;
    for (const Option& o : command->options) {
      if (o.value.empty() && main_name(o) == a.substr(0, equals)) fail(main_name(o), "takes no value");
    }
  }
}

class Parser {
 public:
  /// The options of a command are declared only where its name is among the arguments.
  explicit Parser(const std::vector<std::string>& arguments) {
    app_.set_help_flag();
    app_.allow_extras();
    app_.require_subcommand(0, 1);
    app_.add_flag("-h,--help", help_);
    app_.add_flag("--version", version_);
    for (const CommandEntry& e : command_table()) add(e.name, std::ranges::find(arguments, e.name) != arguments.end());
  }

  Invocation parse(std::vector<std::string> arguments) {
    explain_flag_value(command_in(arguments), arguments);
    const auto marker = std::ranges::find(arguments, "--");
    const std::vector<std::string> after(marker == arguments.end() ? marker : marker + 1, arguments.end());
    std::vector<std::string> reversed(std::make_reverse_iterator(marker), arguments.rend());
    try {
      app_.parse(reversed);
    } catch (const CLI::ParseError& e) {
      explain(e, command_in(arguments));
    }
    return checked(after);
  }

 private:
  void add(const std::string& name, bool with_options) {
    CLI::App* sub = app_.add_subcommand(name);
    sub->set_help_flag();
    sub->allow_extras();
    sub->add_flag("-h,--help", help_);
    if (!with_options) return;
    const Command& c = *find_command(name);
    for (const Option& o : c.options) declare(*sub, o, c);
  }

  static const Command* command_in(const std::vector<std::string>& arguments) {
    for (const std::string& a : arguments) {
      if (const Command* c = find_command(a)) return c;
    }
    return nullptr;
  }

  /// `after` follows a "--": arguments, whatever they look like.
  Invocation checked(const std::vector<std::string>& after) {
    Invocation out{nullptr, help_, version_};
    std::vector<std::string> extras = app_.remaining();
    check_flags(nullptr, extras);
    extras.insert(extras.end(), after.begin(), after.end());
    const std::vector<CLI::App*> subs = app_.get_subcommands();
    if (subs.empty()) {
      if (!extras.empty()) unknown_command(extras.front());
      return out;
    }
    out.command = find_command(subs.front()->get_name());
    std::vector<std::string> given = subs.front()->remaining();
    check_flags(out.command, given);
    given.insert(given.end(), extras.begin(), extras.end());
    if (!out.help) fill_arguments(*out.command, given);
    return out;
  }

  CLI::App app_{"", "coslice"};
  bool help_ = false, version_ = false;
};

}  // namespace

Invocation parse_arguments(const std::vector<std::string>& arguments) { return Parser(arguments).parse(arguments); }

}  // namespace coslice::cli

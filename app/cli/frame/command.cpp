#include "cli/frame/command.h"

#include <map>
#include <utility>

#include "core/text.h"

namespace coslice::cli {

Option flag(std::string names, bool& into, std::string doc) {
  return {std::move(names), "", std::move(doc), [&into](const std::string&) { into = true; }};
}

Option value(std::string names, std::string placeholder, std::optional<std::string>& into, std::string doc,
             Completion completion) {
  return {std::move(names), std::move(placeholder), std::move(doc), [&into](const std::string& v) { into = v; },
          std::move(completion)};
}

Option values(std::string names, std::string placeholder, std::vector<std::string>& into, std::string doc,
              Completion completion) {
  return {std::move(names), std::move(placeholder), std::move(doc),
          [&into](const std::string& v) { into.push_back(v); }, std::move(completion)};
}

std::vector<std::string> names_of(const Option& option) { return split(option.names, ','); }

std::string main_name(const Option& option) { return names_of(option).back(); }

std::string usage_of(const Command& command) {
  std::string out = "coslice " + command.name;
  for (const Argument& a : command.arguments) {
    const std::string shown = a.name + (a.most > 1 ? "..." : "");
    out += a.least == 0 ? " [" + shown + "]" : " " + shown;
  }
  return command.options.empty() ? out : out + " [options]";
}

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const std::string& name : command_names()) commands.push_back(*find_command(name));
  return commands;
}

const Command* find_command(const std::string& name) {
  // Never destroyed: that would take a short run longer than it is worth.
  static std::map<std::string, Command>& made = *new std::map<std::string, Command>;
  if (const auto at = made.find(name); at != made.end()) return &at->second;
  for (const CommandEntry& e : command_table()) {
    if (e.name != name) continue;
    Command c = e.make();
    c.name = name;
    return &made.emplace(name, std::move(c)).first->second;
  }
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandEntry& e : command_table())
    if (!e.hidden) names.emplace_back(e.name);
  return names;
}

}  // namespace coslice::cli

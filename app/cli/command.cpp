#include "cli/command.h"

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

std::vector<std::string> names_of(const Option& option) {
  std::vector<std::string> names;
  for (std::size_t from = 0; from <= option.names.size();) {
    const std::size_t to = std::min(option.names.find(',', from), option.names.size());
    names.push_back(option.names.substr(from, to - from));
    from = to + 1;
  }
  return names;
}

std::string main_name(const Option& option) { return names_of(option).back(); }

std::string usage_of(const Command& command) {
  std::string out = "coslice " + command.name;
  for (const Argument& a : command.arguments) {
    const std::string shown = a.name + (a.most > 1 ? "..." : "");
    out += a.least == 0 ? " [" + shown + "]" : " " + shown;
  }
  return command.options.empty() ? out : out + " [options]";
}

const std::vector<Command>& all_commands() {
  static const std::vector<Command>& commands = *new std::vector<Command>{
      // never destroyed: they live as long as the program
      run_command(),    compare_command(),  validate_command(), gantt_command(),     report_command(),
      export_command(), explain_command(),  diff_command(),     generate_command(),  convert_command(),
      import_command(), fidelity_command(), forecast_command(), whatif_command(),    estimate_command(),
      drive_command(),  info_command(),     policies_command(), new_command(),       test_command(),
      check_command(),  sweep_command(),    merge_command(),    reproduce_command(), completion_command(),
      manual_command(), help_command(),     complete_command()};
  return commands;
}

const Command* find_command(const std::string& name) {
  for (const Command& c : all_commands()) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& c : all_commands()) {
    if (!c.hidden) names.push_back(c.name);
  }
  return names;
}

}  // namespace coslice::cli

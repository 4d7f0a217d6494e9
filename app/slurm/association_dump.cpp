// The dump of sacctmgr: `sacctmgr dump CLUSTER file=FILE`.
#include <fmt/format.h>

#include "core/text.h"
#include "slurm/associations.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// "User - 'u1':Fairshare=1:QOS='a,b'" taken apart: what it is, its name, its settings.
struct DumpLine {
  std::string what, name;
  std::vector<Setting> settings;
};

/// The parts between colons; what stands in quotes holds together and loses them.
std::vector<std::string> colon_parts(std::string_view text, const Place& place) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'') quoted = !quoted;
    else if (c == ':' && !quoted) parts.emplace_back();
    else parts.back() += c;
  }
  if (quoted) fail_at(place, "unterminated quote", "a closing ' on the line");
  return parts;
}

DumpLine dump_line(const PlainLine& line) {
  const std::size_t dash = line.text.find(" - ");
  if (dash == line.text.npos)
    fail_at(line.place, fmt::format("'{}' is not a line of a dump of sacctmgr", printable(shortened(line.text, 40))),
            "Cluster, Parent, Account or User, e.g. Account - 'physics':Fairshare=10");
  DumpLine out;
  out.what = lower_case(std::string_view(line.text).substr(line.text.find_first_not_of(" \t"), dash));
  out.what = out.what.substr(0, out.what.find(' '));
  const std::vector<std::string> parts = colon_parts(std::string_view(line.text).substr(dash + 3), line.place);
  out.name = lower_case(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == parts[i].npos)
      fail_at(line.place, fmt::format("'{}' is not a setting", printable(shortened(parts[i], 40))), "KEY=VALUE");
    out.settings.push_back({parts[i].substr(0, equals), parts[i].substr(equals + 1), line.place});
  }
  return out;
}

}  // namespace

bool is_association_dump(const std::vector<PlainLine>& lines) {
  if (lines.empty()) return false;
  const std::string& first = lines.front().text;
  return first.find(" - '") != first.npos;
}

Associations read_association_dump(const std::vector<PlainLine>& lines, ImportPage& page,
                                   const std::vector<std::string>& gres) {
  Associations found;
  std::string parent = "root";
  const auto set = [&](Limits& limits, const DumpLine& line) {
    for (const Setting& s : line.settings)
      if (!same_word(s.key, "DefaultAccount")) set_limit(limits, s, {false, gres}, page);
  };
  for (const PlainLine& text : lines) {
    const DumpLine line = dump_line(text);
    if (line.what == "cluster") {
      set(found.root, line);
    } else if (line.what == "parent") {
      if (line.name != "root" && found.find_account(line.name) == nullptr)
        fail_at(text.place, fmt::format("there is no account '{}'", line.name), "an account of a line above");
      parent = line.name;
    } else if (line.what == "account") {
      if (found.is_below(parent, line.name)) {
        page.contradiction(
            {"account", line.name, text.place},
            fmt::format("account '{}' would be its own ancestor, which Slurm refuses: the line is left out",
                        line.name));
        continue;
      }
      found.accounts.push_back({line.name, parent, {}});
      set(found.accounts.back().limits, line);
    } else if (line.what == "user") {
      found.users.push_back({line.name, parent, {}});
      set(found.users.back().limits, line);
      found.default_account.try_emplace(line.name, parent);
      for (const Setting& s : line.settings)
        if (same_word(s.key, "DefaultAccount")) found.default_account[line.name] = lower_case(s.value);
    } else {
      fail_at(text.place,
              fmt::format("'{}' is not an entry of a dump of sacctmgr", printable(shortened(line.what, 40))),
              "Cluster, Parent, Account or User");
    }
    page.understood(fmt::format("{} {}", line.what, line.name), place_text(text.place), "policy.lua");
  }
  page.costs("qualities of service are not in a dump of sacctmgr", "they have no priorities and no limits here");
  return found;
}

}  // namespace coslice::slurm

#include "slurm/shown_tables.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "formats/trace_file.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

constexpr const char* kRead =
    "what `sacctmgr dump CLUSTER file=FILE` writes, or commands of sacctmgr, a line each (add account name=...)";

/// The names of columns: between bars, or over the dashes of a table, where a name may have a blank.
std::set<std::string> columns_of(std::string_view head, std::string_view dashes) {
  std::set<std::string> out;
  const auto add = [&](std::string_view name) {
    std::string small = lower_case(trimmed(name));
    std::erase(small, ' ');
    if (!small.empty()) out.insert(small);
  };
  if (dashes.empty()) {
    while (!head.empty()) add(take_before(head, '|'));
    return out;
  }
  for (std::size_t at = dashes.find('-'); at < dashes.size() && at < head.size(); at = dashes.find('-', at)) {
    const std::size_t end = std::min(dashes.find(' ', at), dashes.size());
    add(head.substr(at, end - at));
    at = end;
  }
  return out;
}

bool is_dashes(std::string_view line) {
  return line.find("---") != line.npos && line.find_first_not_of("- \t\r") == line.npos;
}

/// The command that prints a table of these columns; "" for none.
std::string shown_by(const std::set<std::string>& columns) {
  const auto has = [&](const char* name) {  // names are cut off where columns are narrow
    const std::string_view whole = name;
    return std::ranges::any_of(columns, [&](const std::string& c) {
      return c == whole ||
             (c.size() >= 5 && (c.back() == '+' ? whole.starts_with(c.substr(0, c.size() - 1)) : whole.starts_with(c)));
    });
  };
  if (has("rawshares") || has("normshares")) return "sshare";
  if (has("account") && has("user")) return "sacctmgr show associations";
  if (has("user") && (has("defacct") || has("admin"))) return "sacctmgr show user";
  if (has("account") && (has("descr") || has("org"))) return "sacctmgr show account";
  if (has("cluster") && (has("controlhost") || has("controlport"))) return "sacctmgr show cluster";
  if (has("name") &&
      (has("gracetime") || has("preempt") || has("preemptmode") || has("usagefactor") || has("priority")))
    return "sacctmgr show qos";
  for (const char* some : {"account", "user", "qos", "share", "grptres", "maxjobs", "cluster", "name"})
    if (has(some)) return "sacctmgr show";
  return "";
}

/// What the file is; "" where it may be what is read.
std::string kind_of(const std::vector<std::string>& lines) {
  const std::string_view first = lines.front();
  if (first.starts_with('{')) return "is JSON, as `sacctmgr show --json` prints it";
  if (first.starts_with("---") && lines.size() > 1 && lines[1].find(':') != std::string::npos)
    return "is YAML, as `sacctmgr show --yaml` prints it";
  if (first.starts_with("Current Association Manager state") || first.starts_with("ClusterName="))
    return "is what `scontrol show assoc_mgr` prints";
  const bool table = lines.size() > 1 && is_dashes(lines[1]);
  const auto bars = std::ranges::count(first, '|');
  if (!table && bars == 0) return "";
  const std::string command = shown_by(columns_of(first, table ? lines[1] : ""));
  if (!command.empty()) return fmt::format("is a table, as `{}{}` prints it", command, table ? "" : " -P");
  if (table) return "is a table, as `sacctmgr show` prints it";
  return bars >= 2 && first.find('=') == first.npos ? "is a table without its head, as `sacctmgr show -nP` prints it"
                                                    : "";
}

}  // namespace

void refuse_shown_tables(const std::string& path) {
  const std::string text = read_packed(path);
  std::string_view rest = without_byte_order_mark(text);
  std::vector<std::string> lines;
  int number = 0, first = 0;
  while (!rest.empty() && lines.size() < 2) {
    std::string_view line = take_before(rest, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    const std::string_view said = trimmed(line);
    if (said.empty() || said.starts_with('#')) continue;
    if (lines.empty()) first = number;
    lines.emplace_back(line);
  }
  if (lines.empty()) return;
  const std::string kind = kind_of(lines);
  if (kind.empty()) return;
  const bool qualities = kind.find("show qos") != kind.npos;
  throw InputError({path, first, kind, kRead,
                    qualities
                        ? "qualities of service are in a dump from Slurm 25.05 on; else write lines such as QOS - "
                          "'rush':Priority=1000 into it"
                        : "make it by: sacctmgr dump CLUSTER file=assoc.cfg",
                    ""});
}

}  // namespace coslice::slurm

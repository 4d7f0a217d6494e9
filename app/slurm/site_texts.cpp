// scenario.toml and policy.lua.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "core/value.h"
#include "machine/node_names.h"
#include "slurm/site.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// Between the start of slurmctld and the first submission, s. Its cycles are counted from there, and no record says
/// when that was. No whole number, as nothing happens just at the full seconds of a daemon.
constexpr double kStartBefore = 14.7, kLimitCheck = 30;
/// What starting and ending a job took in recorded runs of Slurm, beyond its whole seconds, s.
constexpr double kTimeAdded = 0.3;

/// The keys of a record that say other than `usual`, a line each.
template <class S>
std::string toml_lines(const std::vector<Key<S>>& keys, const S& record, const S& usual = {}) {
  std::string out;
  for (const Key<S>& key : keys) {
    const auto value = key.codec.write(record), otherwise = key.codec.write(usual);
    if (value && (!otherwise || *value != *otherwise)) out += fmt::format("{} = {}\n", key.name, toml_text(*value));
  }
  return out;
}

bool is_lua_name(const std::string& key) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto good = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !key.empty() && letter(key[0]) && std::all_of(key.begin(), key.end(), good);
}

std::string lua_text(const Value& v) {
  if (const std::string* text = v.text()) {
    std::string out = "\"";
    for (const char c : *text) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) < 32) out += fmt::format("\\{:03}", static_cast<int>(c));
      else out += c;
    }
    return out + "\"";
  }
  return toml_text(v);
}

using Fields = std::vector<std::pair<std::string, Value>>;

std::string lua_record(const Fields& fields) {
  std::string out;
  for (const auto& [key, value] : fields)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", is_lua_name(key) ? key : "[" + lua_text(key) + "]",
                       lua_text(value));
  return "{ " + out + " }";
}

void append_limits(const Limits& limits, Fields& fields) {
  for (const auto& [key, value] : limits) fields.emplace_back(key, value);
}

std::string lua_list(const char* name, const std::vector<Fields>& records) {
  std::string out = fmt::format("  {} = {{\n", name);
  for (const Fields& r : records) out += "    " + lua_record(r) + ",\n";
  return out + "  },\n";
}

/// Whether the cluster itself has limits: shares and qualities of service mean nothing there.
bool limits_more_than_shares(const Limits& root) {
  return std::any_of(root.begin(), root.end(), [](const auto& limit) {
    return limit.first != "Fairshare" && limit.first != "QOS" && limit.first != "DefaultQOS";
  });
}

std::vector<Fields> account_records(Site& site) {
  std::vector<Fields> out;
  if (limits_more_than_shares(site.associations.root)) {
    out.push_back({{"name", "root"}, {"number", site.accounts.number("root")}});
    append_limits(site.associations.root, out.back());
  }
  for (const SiteAccount& a : site.associations.accounts) {
    out.push_back({{"name", a.name}, {"number", site.accounts.number(a.name)}, {"parent", a.parent}});
    append_limits(a.limits, out.back());
  }
  return out;
}

std::vector<Fields> user_records(Site& site) {
  std::vector<Fields> out;
  for (const SiteUser& u : site.associations.users) {
    out.push_back({{"name", u.name}, {"number", site.users.number(u.name)}, {"account", u.account}});
    append_limits(u.limits, out.back());
  }
  return out;
}

std::vector<Fields> qos_records(const Site& site) {
  std::vector<Fields> out;
  for (const SiteQos& q : site.associations.qos) {
    out.push_back({{"name", q.name}});
    append_limits(q.limits, out.back());
  }
  return out;
}

/// What the nodes of a partition have together: weights of resources count parts of it.
void append_totals(const MachineLayout& layout, const std::string& partition, Fields& fields) {
  std::int64_t nodes = 0, cpus = 0, memory = 0, gpus = 0;
  for (const Partition& p : layout.partitions) {
    if (p.name != partition) continue;
    p.nodes.for_each([&](NodeId n) {
      for (const NodeKind& kind : layout.kinds) {
        if (n < kind.first || n >= kind.first + kind.count) continue;
        ++nodes;
        cpus += std::int64_t{kind.processors} * kind.cores;
        memory += kind.memory_mib;
        gpus += kind.gpus;
      }
    });
  }
  fields.insert(fields.end(), {{"nodes", nodes}, {"cpus", cpus}, {"memory", memory}, {"gpus", gpus}});
}

/// The nodes of a partition.
const NodeSet* nodes_of(const MachineLayout& layout, const std::string& partition) {
  for (const Partition& p : layout.partitions)
    if (p.name == partition) return &p.nodes;
  return nullptr;
}

/// Other partitions that have nodes of this one: where this one is stopped, their jobs get none of these, and
/// CompleteWait keeps them waiting, too.
void append_overlaps(const Site& site, const std::string& partition, Fields& fields) {
  const MachineLayout& layout = *site.machine.layout;
  const NodeSet* own = nodes_of(layout, partition);
  std::string others;
  for (const Partition& p : layout.partitions) {
    const bool common = own != nullptr && p.name != partition && p.nodes.intersects(own->ranges());
    if (common) others += (others.empty() ? "" : ",") + p.name;
  }
  if (!others.empty()) fields.emplace_back("Overlaps", others);
}

/// Jobs that name several partitions, "a,b", have a number of their own for these; priorities are those of each.
void append_lists_of_partitions(const Site& site, std::vector<Fields>& out) {
  for (const auto& [names, number] : site.partitions.all()) {
    const std::vector<std::string> each = list_items(names);
    if (each.size() < 2) continue;
    std::int64_t tier = 1, factor = 1;
    for (const std::string& name : each) {
      const SitePartition* p = site.machine.find_partition(name);
      if (p == nullptr) continue;
      tier = std::max<std::int64_t>(tier, p->spec.tier);
      factor = std::max(factor, p->job_factor);
    }
    out.push_back({{"name", names}, {"number", number}, {"PriorityTier", tier}, {"PriorityJobFactor", factor}});
  }
}

std::vector<Fields> partition_records(Site& site) {
  std::vector<Fields> out;
  for (const SitePartition& p : site.machine.partitions) {
    out.push_back({{"name", p.spec.name},
                   {"number", site.partitions.number(p.spec.name)},
                   {"PriorityTier", std::int64_t{p.spec.tier}},
                   {"PriorityJobFactor", p.job_factor}});
    append_totals(*site.machine.layout, p.spec.name, out.back());
    for (const auto& [key, value] : p.others) out.back().emplace_back(key, value);
    if (p.grace != 0) out.back().emplace_back("GraceTime", p.grace);
    append_overlaps(site, p.spec.name, out.back());
  }
  append_lists_of_partitions(site, out);
  return out;
}

std::vector<Fields> node_records(const Site& site) {
  std::vector<Fields> out;
  for (const NodeGroup& g : site.machine.groups) {
    out.push_back({{"kind", g.spec.name}, {"names", g.spec.names}, {"Weight", g.weight}});
    // With switches the nodes of all lines are put together.
    if (site.settings.whole_nodes && site.switches.size() < 2) out.back().emplace_back("line", g.line);
  }
  return out;
}

std::vector<Fields> array_records(const Site& site) {
  std::vector<Fields> out;
  for (const auto& [number, elements] : site.arrays) out.push_back({{"number", number}, {"elements", elements}});
  return out;
}

/// Nodes that are powered down: those that neither SuspendExcNodes nor SuspendExcParts has.
std::string power_text(const Site& site) {
  const SiteSettings& s = site.settings;
  if (s.suspend_time < 0) return "";
  Value::List except;
  const auto add = [&](const std::string& nodes) {  // each once
    if (std::find(except.begin(), except.end(), Value(nodes)) == except.end()) except.push_back(nodes);
  };
  for (const std::string& nodes : s.stays_on) add(nodes);
  for (const std::string& name : s.partitions_stay_on)
    if (const SitePartition* p = site.machine.find_partition(name)) {
      for (const std::string& nodes : p->spec.nodes) add(nodes);
      if (!p->spec.nodes.empty()) continue;
      for (const NodeGroup& all : site.machine.groups) add(all.spec.name);
    }
  std::string out = fmt::format("\n# ResumeTimeout and SuspendTimeout are the longest that nodes may take: real ones "
                                "are up sooner.\n[power]\nidle = {}\n"
                                "boot = {}\nshutdown = {}\n",
                                s.suspend_time, s.resume_timeout, s.suspend_timeout);
  if (!except.empty()) out += fmt::format("except = {}\n", toml_text(Value(except)));
  if (const std::vector<std::string>& cloud = site.machine.aside.cloud; !cloud.empty())
    out += fmt::format("off_at_first = {}\n", toml_text(Value(Value::List{compress_node_names(cloud)})));
  return out;
}

}  // namespace

NumbersOfNames::NumbersOfNames(const std::vector<RecordedWorkload::Name>& names, const std::string& kind,
                               bool any_case) {
  for (const RecordedWorkload::Name& n : names) {
    if (n.kind != kind) continue;
    numbers_.try_emplace(any_case ? lower_case(n.name) : n.name, n.number);
    last_ = std::max<std::int64_t>(last_, n.number);
  }
}

std::int64_t NumbersOfNames::number(const std::string& name) {
  const auto [at, is_new] = numbers_.try_emplace(name, last_ + 1);
  if (is_new) ++last_;
  return at->second;
}

std::string scenario_text(const Site& site, const std::string& trace) {
  std::string out = "# What slurm.conf and the records of the site came to; import.md says what was left out.\n";
  out += fmt::format("name = {}\n", toml_text(site.settings.cluster.empty() ? "site" : site.settings.cluster));
  for (const NodeGroup& g : site.machine.groups) out += "\n[[machine.nodes]]\n" + toml_lines(node_kind_keys(), g.spec);
  for (const SitePartition& p : site.machine.partitions)
    out += "\n[[machine.partitions]]\n" + toml_lines(partition_keys(), p.spec);
  for (const LicenceSpec& l : site.machine.licences) out += "\n[[machine.licences]]\n" + toml_lines(licence_keys(), l);
  for (const SwitchSpec& one : site.switches) out += "\n[[machine.switches]]\n" + toml_lines(switch_keys(), one);
  out += fmt::format("\n[workload]\ntrace = {}\n", toml_text(trace));
  if (site.cut_off)
    out +=
        fmt::format("# What whole seconds cut off: or jobs that a cycle starts would end at the very instants of later "
                    "cycles.\ntime_added = {}\n",
                    kTimeAdded);
  out += site.settings.whole_nodes ? "exclusive = \"always\"\n" : "exclusive = false\n";
  if (site.whole_processors) out += "whole_processors = true\n";
  if (site.spreads_tasks) out += "spread_tasks = true\n";
  if (site.recorded_until) out += fmt::format("recorded_until = {}\n", format_seconds(*site.recorded_until));
  else if (site.could_begin > Duration{0})
    out += fmt::format(
        "# recorded_until = {}  # jobs start as on record until then: the run begins with what ran and waited\n",
        format_seconds(site.could_begin));
  out += fmt::format(
      "\n# Limits are looked at every 30 s; the daemon is taken to have come up {} s before the first job.\n"
      "[engine]\nlimit_check = {}\nfirst_limit_check = {}\n",
      kStartBefore, kLimitCheck, kLimitCheck - kStartBefore);
  if (site.node_ranges) out += "molding = \"asked\"\n";
  if (site.settings.over_limit > 0) out += fmt::format("over_limit = {}\n", site.settings.over_limit);
  out += power_text(site);
  out += fmt::format("\n[policy]\nname = \"policy.lua\"\n\n[policy.params]\nslurmctld_start = -{}\n", kStartBefore);
  for (const auto& [name, value] : site.settings.params)
    out += fmt::format("{} = {}\n", toml_key(name), toml_text(value));
  return out;
}

std::string policy_text(Site& site) {
  std::string out = "-- Associations, qualities of service, partitions and nodes of the site, as Slurm has them.\n"
                    "return require(\"slurm_site\").policy {\n";
  std::int64_t cpus = 0;
  for (const NodeKind& kind : site.machine.layout->kinds)
    cpus += std::int64_t{kind.count} * kind.processors * kind.cores;
  out += fmt::format("  cpus = {},\n", cpus);
  if (site.settings.whole_nodes) out += "  select_linear = true,\n";
  if (!site.machine.licences.empty()) out += "  licences = true,\n";
  if (site.settings.least_loaded) out += "  CR_LLN = true,\n";
  if (site.settings.serial_at_end) out += "  pack_serial_at_end = true,\n";
  if (!site.block_sizes.empty()) out += fmt::format("  block_sizes = {{ {} }},\n", fmt::join(site.block_sizes, ", "));
  out += lua_list("accounts", account_records(site));
  out += lua_list("users", user_records(site));
  out += lua_list("qos", qos_records(site));
  out += lua_list("partitions", partition_records(site));
  out += lua_list("nodes", node_records(site));
  if (!site.arrays.empty()) out += lua_list("arrays", array_records(site));
  return out + "}\n";
}

}  // namespace coslice::slurm

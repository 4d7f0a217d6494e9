#include "cli/jobs/workload_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/frame/console.h"
#include "machine/machine_spec.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string section_heading(const std::string& text, bool colour) {
  return "\n" + paint(text, Tone::kBold, colour) + "\n";
}

std::string load_text(double load, bool there) { return there ? fmt::format("{:.3f}", load) : ""; }

/// What a set of kinds has at all: loads of anything else are not shown.
struct Has {
  bool memory = false, gpus = false;
};

Has has_of(const MachineLayout& layout, const std::vector<std::int32_t>& kinds) {
  Has has;
  for (const std::int32_t k : kinds) {
    has.memory = has.memory || layout.kinds[static_cast<std::size_t>(k)].memory_mib > 0;
    has.gpus = has.gpus || layout.kinds[static_cast<std::size_t>(k)].gpus > 0;
  }
  return has;
}

/// The kinds that have some of these nodes.
std::vector<std::int32_t> kinds_in(const MachineLayout& layout, const NodeSet* nodes) {
  std::vector<std::int32_t> kinds;
  for (std::size_t k = 0; k != layout.kinds.size(); ++k) {
    const NodeKind& kind = layout.kinds[k];
    bool any = nodes == nullptr;
    for (NodeId n = kind.first; !any && n < kind.first + kind.count; ++n) any = nodes->contains(n);
    if (any) kinds.push_back(static_cast<std::int32_t>(k));
  }
  return kinds;
}

std::vector<std::string> names_of(const MachineLayout& layout, const std::vector<std::int32_t>& kinds) {
  std::vector<std::string> names;
  for (const std::int32_t k : kinds) names.push_back(layout.kinds[static_cast<std::size_t>(k)].name);
  return names;
}

std::string kinds_table(const MachineLayout& layout) {
  Table table({{"kind", false}, {"nodes"}, {"cores"}, {"memory"}, {"GPUs"}, {"", false}, {"speed"}});
  for (const NodeKind& k : layout.kinds)
    table.add_row({k.name, grouped(std::int64_t{k.count}), grouped(std::int64_t{k.processors} * k.cores),
                   k.memory_mib > 0 ? kilobytes_text(k.memory_mib * 1024) : "",
                   k.gpus > 0 ? std::to_string(k.gpus) : "",
                   k.gpu_type >= 0 ? layout.gpu_types[static_cast<std::size_t>(k.gpu_type)] : "", readable(k.speed)});
  return rendered(table);
}

std::vector<Cell> load_cells(const ResourceLoad& load, const Has& has) {
  return {load_text(load.cores, true), load_text(load.memory, has.memory), load_text(load.gpus, has.gpus)};
}

void add_row(Table& table, std::vector<Cell> first, const ResourceLoad& load, const Has& has) {
  for (Cell& cell : load_cells(load, has)) first.push_back(std::move(cell));
  table.add_row(std::move(first));
}

std::string partitions_table(const MachineDemand& d, const MachineLayout& layout) {
  Table table({{"partition", false},
               {"nodes"},
               {"longest"},
               {"most nodes"},
               {"tier"},
               {"jobs"},
               {"cores"},
               {"memory"},
               {"GPUs"}});
  for (std::size_t p = 0; p != layout.partitions.size(); ++p) {
    const Partition& partition = layout.partitions[p];
    add_row(table,
            {partition.name + (partition.by_default ? " (default)" : ""),
             grouped(std::int64_t{partition.nodes.count()}),
             partition.max_time ? human_duration(*partition.max_time) : "",
             partition.max_nodes ? grouped(std::int64_t{*partition.max_nodes}) : "", std::to_string(partition.tier),
             grouped(d.by_partition[p].jobs)},
            d.by_partition[p].load, has_of(layout, kinds_in(layout, &partition.nodes)));
  }
  return rendered(table);
}

std::string by_kinds_table(const MachineDemand& d, const MachineLayout& layout) {
  Table table({{"jobs that may run on", false}, {"jobs"}, {"of jobs"}, {"cores"}, {"memory"}, {"GPUs"}});
  for (const KindsDemand& k : d.by_kinds)
    add_row(table,
            {fmt::format("{}", fmt::join(names_of(layout, k.kinds), ", ")), grouped(k.jobs),
             percent(static_cast<double>(k.jobs) / static_cast<double>(d.jobs))},
            k.load, has_of(layout, k.kinds));
  add_row(table, {"in all", grouped(d.jobs), d.jobs > 0 ? percent(1) : ""}, d.load,
          has_of(layout, kinds_in(layout, nullptr)));
  return rendered(table);
}

struct Count {
  const char* key;
  const char* words;
  std::int64_t RequestCounts::*jobs;
};

constexpr Count kCounts[] = {
    {"whole_nodes", "nodes for themselves", &RequestCounts::whole_nodes},
    {"several_nodes", "several nodes", &RequestCounts::several_nodes},
    {"memory", "memory", &RequestCounts::memory},
    {"gpus", "GPUs or parts of them", &RequestCounts::gpus},
    {"gpu_parts", "a part of each GPU", &RequestCounts::gpu_parts},
    {"gpu_types", "a type of GPU", &RequestCounts::gpu_types},
    {"features", "features", &RequestCounts::features},
    {"licences", "licences", &RequestCounts::licences},
};

std::string requests_table(const MachineDemand& d) {
  Table table({{"jobs that ask for", false}, {"jobs"}, {"of jobs"}});
  for (const Count& c : kCounts)
    if (d.requests.*c.jobs > 0)
      table.add_row({c.words, grouped(d.requests.*c.jobs),
                     percent(static_cast<double>(d.requests.*c.jobs) / static_cast<double>(d.jobs))});
  return rendered(table);
}

std::string never_table(const MachineDemand& d) {
  Table table({{"jobs"}, {"why, of the first of them", false}, {"first"}});
  for (const NeverRuns& n : d.never) table.add_row({grouped(n.jobs), n.reason, fmt::format("job {}", n.first)});
  return rendered(table);
}

Json of(const ResourceLoad& load) { return {{"cores", load.cores}, {"memory", load.memory}, {"gpus", load.gpus}}; }

}  // namespace

std::string demand_text(const MachineDemand& d, const MachineLayout& layout, bool colour) {
  std::string out = section_heading("Kinds of nodes", colour) + kinds_table(layout);
  if (!layout.partitions.empty())
    out += section_heading("Partitions: who waits there, and the offered load on their nodes", colour) +
           partitions_table(d, layout);
  if (d.jobs > 0) {
    out +=
        section_heading("Where jobs may run, and the offered load on these nodes", colour) + by_kinds_table(d, layout);
    out += section_heading("Requests", colour) + requests_table(d);
  }
  if (!d.never.empty()) out += section_heading("Jobs that can never run", colour) + never_table(d);
  return out;
}

Json demand_json(const MachineDemand& d, const MachineLayout& layout) {
  Json out;
  out["jobs"] = d.jobs;
  out["offered_load"] = of(d.load);
  out["kinds"] = Json::array();
  for (const NodeKind& k : layout.kinds)
    out["kinds"].push_back({{"name", k.name},
                            {"nodes", k.count},
                            {"cores", k.processors * k.cores},
                            {"memory", k.memory_mib},
                            {"gpus", k.gpus},
                            {"speed", k.speed}});
  out["partitions"] = Json::array();
  for (std::size_t p = 0; p != layout.partitions.size(); ++p)
    out["partitions"].push_back({{"name", layout.partitions[p].name},
                                 {"nodes", layout.partitions[p].nodes.count()},
                                 {"jobs", d.by_partition[p].jobs},
                                 {"offered_load", of(d.by_partition[p].load)}});
  out["by_kinds"] = Json::array();
  for (const KindsDemand& k : d.by_kinds)
    out["by_kinds"].push_back({{"kinds", names_of(layout, k.kinds)}, {"jobs", k.jobs}, {"offered_load", of(k.load)}});
  Json requests = Json::object();
  for (const Count& c : kCounts) requests[c.key] = d.requests.*c.jobs;
  out["requests"] = requests;
  out["never"] = Json::array();
  for (const NeverRuns& n : d.never)
    out["never"].push_back({{"reason", n.reason}, {"jobs", n.jobs}, {"first_job", n.first}});
  return out;
}

}  // namespace coslice::cli

#include "cli/jobs/workload_output.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/frame/console.h"
#include "machine/machine_spec.h"
#include "machine/memory_amount.h"
#include "report/markup.h"
#include "report/tables/summary_table.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

std::string heading(const std::string& text, bool colour) { return "\n" + paint(text, Tone::kBold, colour) + "\n"; }

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string line(const std::string& label, const std::string& text) { return pad_right(label, 14) + text + "\n"; }

/// A bar of that share of 20 columns.
std::string bar(double part) {
  const int eighths = static_cast<int>(part * 20 * 8 + 0.5);
  static const char* const kEnds[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  return repeated("█", static_cast<std::size_t>(eighths / 8)) + kEnds[eighths % 8];
}

/// "5 users, 2 accounts, 1 QOS": what the trace tells apart, in the site's words.
std::string who(const WorkloadDescription& d, const SiteNames& names) {
  std::string out;
  const auto add = [&](std::int64_t n, const std::string& word) {
    if (n == 0) return;
    out += (out.empty() ? "" : ", ") + (word == "QOS" ? grouped(n) + " QOS" : counted(n, word));
  };
  add(d.users, "user");
  add(d.groups, names.word("group"));
  add(d.executables, "application");
  add(d.queues, names.word("queue"));
  add(d.partitions, "partition");
  return out.empty() ? "not known" : out;
}

std::string overview(const WorkloadDescription& d, const std::string& origin, const SiteNames& names) {
  std::string out = line("jobs", fmt::format("{} of {}", grouped(d.jobs), counted(d.records, "record")));
  if (d.never_ran > 0)
    out += line("", fmt::format("{} cancelled while waiting: in no figure of run times and limits' accuracy",
                                grouped(d.never_ran)));
  out += line("machine", fmt::format("{} processors, from {}", grouped(d.nodes), origin));
  out += line("span", fmt::format("{} from the first to the last submission", human_duration(d.span)));
  if (!d.dates.empty()) out += line("submitted", d.dates);
  out += line("offered load",
              d.span > Duration::zero()
                  ? fmt::format("{}: sizes x run times of all jobs / (processors x span)", ratio(d.offered_load, 3))
                  : "none: all jobs come at once");
  out += line("who", who(d, names));
  if (d.users > 0) out += line("", fmt::format("the busiest user submits {}", percent(d.busiest_user_share)));
  return out;
}

void add_distribution(Table& table, const std::string& name, const Distribution& x) {
  std::vector<Cell> cells = {name};
  for (const double v : {x.mean, x.smallest, x.q05, x.q25, x.median, x.q75, x.q95, x.largest})
    cells.push_back(readable(v));
  table.add_row(std::move(cells));
}

std::string distributions(const WorkloadDescription& d) {
  Table table({{"", false}, {"mean"}, {"least"}, {"5 %"}, {"25 %"}, {"median"}, {"75 %"}, {"95 %"}, {"most"}});
  add_distribution(table, "size", d.size);
  add_distribution(table, "run time, s", d.runtime);
  add_distribution(table, "limit, s", d.limit);
  add_distribution(table, "gap, s", d.gap);
  return rendered(table);
}

std::string sizes(const WorkloadDescription& d) {
  Table table({{"size"}, {"jobs"}, {"of jobs"}, {"of work"}, {"", false}});
  for (const SizeBin& b : d.sizes) {
    if (b.jobs == 0) continue;
    const double part = share(b.jobs, d.jobs);
    table.add_row({b.from == b.to ? grouped(std::int64_t{b.from}) : fmt::format("{} to {}", b.from, b.to),
                   grouped(b.jobs), percent(part), percent(b.share_of_work), Cell(bar(part), Tone::kAccent)});
  }
  return rendered(table) + fmt::format("{} of the jobs are serial; of the others, {} have a power of two\n",
                                       percent(d.serial_share), percent(d.pow2_share));
}

std::string runtimes(const WorkloadDescription& d) {
  static const char* const kNames[] = {"up to 10 min", "up to 3 h", "longer"};
  Table table({{"run time", false}, {"jobs"}, {"of jobs"}, {"of work"}, {"", false}});
  for (std::size_t i = 0; i < d.classes.size(); ++i) {
    const RuntimeClass& c = d.classes[i];
    table.add_row({kNames[i], grouped(c.jobs), percent(c.share_of_jobs), percent(c.share_of_work),
                   Cell(bar(c.share_of_jobs), Tone::kAccent)});
  }
  return rendered(table);
}

/// Upright bars of three columns each, four lines high.
std::string bar_chart(const std::vector<double>& values, bool colour) {
  constexpr int kLines = 4;
  const double top = *std::max_element(values.begin(), values.end());
  std::string out;
  for (int row = kLines - 1; row >= 0; --row) {
    std::string text;
    for (const double v : values) {
      const double height = top > 0 ? kLines * v / top - row : 0;
      const std::string block = sparkline({std::clamp(height, 0.0, 1.0)}, 1);
      text += block + block + " ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += "  " + paint(text, Tone::kAccent, colour) + "\n";
  }
  return out;
}

std::string arrivals(const WorkloadDescription& d, bool colour) {
  std::vector<double> values(d.arrivals_by_hour.begin(), d.arrivals_by_hour.end());
  std::string hours;
  for (int h = 0; h < 24; ++h) hours += pad_right(h % 3 == 0 ? std::to_string(h) : "", 3);
  const auto most = std::max_element(d.arrivals_by_hour.begin(), d.arrivals_by_hour.end());
  hours.erase(hours.find_last_not_of(' ') + 1);
  return bar_chart(values, colour) + "  " + hours + "\n" +
         fmt::format("  at most {} ({}) in the hour from {}:00\n", counted(*most, "job"), percent(share(*most, d.jobs)),
                     most - d.arrivals_by_hour.begin());
}

const char* clock_words(HourSource source) {
  switch (source) {
    case HourSource::kLocal: return "Arrivals by hour of the day, local time";
    case HourSource::kUtc: return "Arrivals by hour of the day, UTC";
    case HourSource::kTrace: break;
  }
  return "Arrivals by hour of the day, if the trace begins at midnight";
}

std::string estimates(const WorkloadDescription& d) {
  std::string out =
      fmt::format("mean accuracy {}; {} of the limits are the run time itself, {} of the jobs run longer\n",
                  ratio(d.mean_accuracy, 3), percent(d.exact_share), percent(d.killed_share));
  if (d.without_limit > 0)
    out += fmt::format("{} no limit: the run time stands in; workload.missing_limit of a scenario says what else\n",
                       d.without_limit == 1 ? "1 job has" : grouped(d.without_limit) + " jobs have");
  Table table({{"accuracy", false}, {"jobs"}, {"of jobs"}, {"", false}});
  for (std::size_t i = 0; i < d.accuracy_tenths.size(); ++i) {
    const double part = share(d.accuracy_tenths[i], d.jobs);
    table.add_row({fmt::format("{:.1f} to {:.1f}", 0.1 * static_cast<double>(i), 0.1 * static_cast<double>(i + 1)),
                   grouped(d.accuracy_tenths[i]), percent(part), Cell(bar(part), Tone::kAccent)});
  }
  return out + rendered(table);
}

std::string known_fields(const WorkloadDescription& d) {
  std::string out;
  const auto add = [&](const char* what, std::int64_t n) {
    if (n > 0) out += line(grouped(n), what);
  };
  add("jobs with the memory that they used", d.with_used_memory);
  add("jobs with the memory that they asked for", d.with_requested_memory);
  add("jobs that wait for another one (engine.dependencies)", d.with_dependency);
  return out;
}

std::string notes(const WorkloadDescription& d) {
  Table table({{"records"}, {"", false}, {"why", false}, {"first in line"}});
  for (const TraceNote& n : d.notes) {
    table.add_row({grouped(n.count), n.dropped ? Cell("dropped", Tone::kWarning) : Cell("kept"), n.reason,
                   n.first_line > 0 ? std::to_string(n.first_line) : ""});
  }
  return rendered(table);
}

using Json = nlohmann::ordered_json;

Json of(const Distribution& x) {
  return {{"mean", x.mean},     {"min", x.smallest}, {"p05", x.q05}, {"p25", x.q25},
          {"median", x.median}, {"p75", x.q75},      {"p95", x.q95}, {"max", x.largest}};
}

Json sizes_of(const WorkloadDescription& d) {
  Json out = Json::array();
  for (const SizeBin& b : d.sizes) {
    out.push_back({{"from", b.from}, {"to", b.to}, {"jobs", b.jobs}, {"share_of_work", b.share_of_work}});
  }
  return out;
}

Json classes_of(const WorkloadDescription& d) {
  Json out = Json::array();
  for (const RuntimeClass& c : d.classes) {
    out.push_back({{"jobs", c.jobs}, {"share_of_jobs", c.share_of_jobs}, {"share_of_work", c.share_of_work}});
  }
  return out;
}

Json notes_json(const WorkloadDescription& d) {
  Json out = Json::array();
  for (const TraceNote& n : d.notes) {
    out.push_back({{"reason", n.reason}, {"count", n.count}, {"first_line", n.first_line}, {"dropped", n.dropped}});
  }
  return out;
}

Json estimates_of(const WorkloadDescription& d) {
  return {{"mean_accuracy", d.mean_accuracy},
          {"without_limit", d.without_limit},
          {"exact_share", d.exact_share},
          {"killed_share", d.killed_share},
          {"accuracy_tenths", d.accuracy_tenths}};
}

Json statuses_of(const WorkloadDescription& d) {
  Json out = Json::object();
  for (const auto& [status, jobs] : d.jobs_by_status) out[std::to_string(status)] = jobs;
  return out;
}

const char* clock_of(HourSource source) {
  return source == HourSource::kLocal ? "local" : source == HourSource::kUtc ? "utc" : "trace";
}

using Json = nlohmann::ordered_json;

std::string section_heading(const std::string& text, bool colour) {
  return "\n" + paint(text, Tone::kBold, colour) + "\n";
}

std::string load_text(double load, bool there) { return there ? ratio(load, 3) : ""; }

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
                   k.memory_mib > 0 ? kilobytes_text(k.memory_mib * kKbOfMib) : "",
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

std::string workload_text(const WorkloadDescription& d, const std::string& origin, const SiteNames& names,
                          bool colour) {
  std::string out = paint(d.name, Tone::kBold, colour) + "\n" + overview(d, origin, names);
  if (d.jobs > 0) {
    out += "\n" + distributions(d);
    out += heading("Sizes", colour) + sizes(d);
    out += heading("Run times", colour) + runtimes(d);
    out += heading(clock_words(d.hours), colour) + arrivals(d, colour);
    out += heading("Estimates", colour) + estimates(d);
    const std::string fields = known_fields(d);
    if (!fields.empty()) out += heading("Also in the trace", colour) + fields;
  }
  out += heading("Dropped and altered", colour);
  return out + (d.notes.empty() ? "nothing\n" : notes(d));
}

Json workload_json(const WorkloadDescription& d) {
  Json out;
  out["name"] = d.name;
  out["jobs"] = d.jobs;
  out["records"] = d.records;
  out["never_ran"] = d.never_ran;
  out["nodes"] = d.nodes;
  out["first_submit"] = to_seconds(d.first_submit);
  out["last_submit"] = to_seconds(d.last_submit);
  out["span"] = to_seconds(d.span);
  out["work"] = d.work;
  out["offered_load"] = d.offered_load;
  out["size"] = of(d.size);
  out["run_time"] = of(d.runtime);
  out["limit"] = of(d.limit);
  out["gap"] = of(d.gap);
  out["serial_share"] = d.serial_share;
  out["power_of_two_share"] = d.pow2_share;
  out["sizes"] = sizes_of(d);
  out["run_time_classes"] = classes_of(d);
  out["arrivals_by_hour"] = d.arrivals_by_hour;
  out["hours"] = clock_of(d.hours);
  out["estimates"] = estimates_of(d);
  out["users"] = d.users;
  out["groups"] = d.groups;
  out["executables"] = d.executables;
  out["queues"] = d.queues;
  out["partitions"] = d.partitions;
  out["busiest_user_share"] = d.busiest_user_share;
  out["with_used_memory"] = d.with_used_memory;
  out["with_requested_memory"] = d.with_requested_memory;
  out["with_dependency"] = d.with_dependency;
  out["jobs_by_status"] = statuses_of(d);
  out["notes"] = notes_json(d);
  return out;
}

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

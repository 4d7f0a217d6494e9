#include "cli/jobs/workload_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/frame/console.h"
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
                  ? fmt::format("{:.3f}: sizes x run times of all jobs / (processors x span)", d.offered_load)
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
      fmt::format("mean accuracy {:.3f}; {} of the limits are the run time itself, {} of the jobs run longer\n",
                  d.mean_accuracy, percent(d.exact_share), percent(d.killed_share));
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

}  // namespace coslice::cli

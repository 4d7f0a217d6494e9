#include "report/tables/group_waits.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "report/number.h"

namespace coslice {
namespace {

constexpr std::size_t kMostRows = 20;  // a site may have hundreds of accounts

const GroupSummary* find_group(const std::vector<GroupSummary>& groups, const std::string& name) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const GroupSummary& g) { return g.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

/// The groups of the first run and of the others, those with the most jobs.
GroupWaits waits_of(const std::vector<NamedSummary>& runs, const char* by, std::vector<GroupSummary> Summary::*groups) {
  GroupWaits out{by, {}, 0};
  std::vector<std::int64_t> jobs;
  for (const NamedSummary& run : runs)
    for (const GroupSummary& g : run.summary.*groups) {
      if (g.jobs == 0) continue;
      const auto known = std::find_if(out.rows.begin(), out.rows.end(), [&](const GroupWaits::Row& r) { return r.name == g.name; });
      if (known != out.rows.end()) continue;
      GroupWaits::Row row{g.name, {}};
      for (const NamedSummary& other : runs) row.of_runs.push_back(find_group(other.summary.*groups, g.name));
      out.rows.push_back(std::move(row));
      jobs.push_back(g.jobs);
    }
  if (out.rows.size() <= kMostRows) return out;
  std::vector<std::size_t> places(out.rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return jobs[a] > jobs[b]; });
  places.resize(kMostRows);
  std::sort(places.begin(), places.end());
  std::vector<GroupWaits::Row> most;
  for (const std::size_t place : places) most.push_back(std::move(out.rows[place]));
  out.left_out = out.rows.size() - kMostRows;
  out.rows = std::move(most);
  return out;
}

std::string wait_text(const GroupSummary* g, double Stats::*of) {
  return g == nullptr || g->jobs == 0 ? "-" : grouped(g->wait.*of, 0);
}

std::int64_t jobs_of(const GroupWaits::Row& row) {
  std::int64_t most = 0;
  for (const GroupSummary* g : row.of_runs) most = std::max(most, g != nullptr ? g->jobs : 0);
  return most;
}

}  // namespace

std::string GroupWaits::note() const {
  return fmt::format("By {}: the {} with the most jobs of {}; by_{} in summary.json has all.", by, rows.size(),
                     rows.size() + left_out, by == "account" ? "group" : by);
}

std::vector<GroupWaits> group_waits(const std::vector<NamedSummary>& runs) {
  std::vector<GroupWaits> out = {waits_of(runs, "partition", &Summary::by_partition)};
  if (std::any_of(runs.begin(), runs.end(), [](const NamedSummary& r) { return r.accounts; }))
    out.push_back(waits_of(runs, "account", &Summary::by_group));
  out.erase(std::remove_if(out.begin(), out.end(), [](const GroupWaits& w) { return w.rows.size() < 2; }), out.end());
  return out;
}

std::string group_waits_table(const std::vector<NamedSummary>& runs, const SummaryTableOptions& options) {
  const std::vector<GroupWaits> all = group_waits(runs);
  if (all.empty()) return "";
  std::vector<Column> columns = {{"jobs of", false, "", true}, {"", false}, {"jobs", true}};
  const bool several = runs.size() > 1;
  if (several)
    for (const NamedSummary& run : runs) columns.push_back({run.name, true, "mean wait, s"});
  else
    for (const char* statistic : {"mean", "median", "p95", "max"}) columns.push_back({statistic, true, "wait, s"});
  Table table(std::move(columns));
  std::string notes;
  for (const GroupWaits& by : all) {
    if (&by != &all.front()) table.add_rule();
    for (const GroupWaits::Row& row : by.rows) {
      std::vector<Cell> cells = {by.by, row.name, grouped(jobs_of(row))};
      if (several)
        for (const GroupSummary* g : row.of_runs) cells.emplace_back(wait_text(g, &Stats::mean));
      else
        for (double Stats::*of : {&Stats::mean, &Stats::median, &Stats::p95, &Stats::max})
          cells.emplace_back(wait_text(row.of_runs.front(), of));
      table.add_row(std::move(cells));
    }
    if (by.left_out > 0) notes += by.note() + "\n";
  }
  return table.render(options.style, options.colour) + notes;
}

}  // namespace coslice

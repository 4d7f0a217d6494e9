#include "lab/compare/run_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/file.h"
#include "core/portable_math.h"
#include "core/text.h"
#include "lab/compare/statistics.h"
#include "metrics/summary.h"
#include "output/jobs_csv.h"
#include "output/summary_json.h"
#include "scenario/csv_columns.h"
#include "scenario/load.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, std::string problem, std::string expected = "") {
  throw InputError({path, 0, std::move(problem), std::move(expected)});
}

double number_in(const std::string& field, const std::string& file) {
  const std::optional<double> x = parse_number<double>(field);
  if (!x) refuse(file, fmt::format("'{}' is where a number should be", field));
  return *x;
}

std::int64_t id_in(const std::string& field, const std::string& file) {
  const std::optional<std::int64_t> id = exact_whole<std::int64_t>(number_in(field, file));
  if (!id) refuse(file, fmt::format("'{}' is where the number of a job should be", field));
  return *id;
}

Value summary_in(const fs::path& folder) {
  const fs::path file = folder / "summary.json";
  std::error_code ignored;
  if (fs::status(file, ignored).type() == fs::file_type::not_found)
    refuse(folder.string(), "holds no run", "a folder that `coslice run --out` wrote");
  const std::string text = read_whole_file(file.string());
  Value summary;
  try {
    summary = value_from_json(text);
  } catch (const InputError&) {  // refused below
  }
  if (summary.find("coslice") == nullptr) refuse(file.string(), "was not written by coslice", "the summary of a run");
  return summary;
}

/// Where the run stands in the list of a folder's runs, which is in the order of the scenario's policies; behind all of
/// them if it is not there.
std::size_t place_among(const Value* runs, const Value& run) {
  const Value::List* list = runs != nullptr ? runs->list() : nullptr;
  if (list == nullptr) return 0;
  return static_cast<std::size_t>(std::ranges::find(*list, run) - list->begin());
}

/// What the run was made from, but for what may differ between runs of one kind.
Value settings_in(const fs::path& folder) {
  const fs::path file = folder / "scenario.toml";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return Value::table();
  Value tree = read_scenario_tree(file.string());
  for (const char* key : {"seed", "policy", "inputs", "output", "description"}) tree.erase(key);
  return tree;
}

Value stats_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto quantile = [&](int percent) {
    const std::size_t scaled = (values.size() - 1) * static_cast<std::size_t>(percent), rank = scaled / 100;
    const double next = values[std::min(rank + 1, values.size() - 1)];
    return values[rank] + (next - values[rank]) * static_cast<double>(scaled % 100) / 100;
  };
  Value out = Value::table();
  for (const Statistic& s : kStatistics)
    out.set(s.name, s.of == &Stats::mean ? mean(values) : s.percent > 0 ? quantile(s.percent) : values.back());
  return out;
}

Value group_of(const std::vector<const JobRecord*>& jobs) {
  Value out = Value::table({{"jobs", std::ssize(jobs)}});
  const auto add = [&](const char* name, double JobRecord::*field) {
    std::vector<double> values;
    for (const JobRecord* j : jobs) values.push_back(j->*field);
    out.set(name, stats_of(std::move(values)));
  };
  add("wait", &JobRecord::wait);
  add("response", &JobRecord::response);
  add("bounded_slowdown", &JobRecord::slowdown);
  return out;
}

}  // namespace

std::vector<JobRecord> read_jobs(std::string_view csv, const std::string& file) {
  if (csv.empty() || csv.back() != '\n') refuse(file, "is cut off", "a job list that coslice wrote");
  constexpr std::array<const char*, 8> kNames = {"job_id",          "submission_time",  "waiting_time",
                                                 "turnaround_time", "bounded_slowdown", "job_class",
                                                 "finish_time",     "final_state"};
  const CsvColumns table(csv);
  std::vector<std::size_t> columns;
  for (const char* name : kNames) {
    const std::optional<std::size_t> c = table.column(name);
    if (!c) refuse(file, fmt::format("has no column {}", name), "a job list that coslice wrote");
    columns.push_back(*c);
  }
  std::vector<JobRecord> jobs;
  std::vector<std::string> f(columns.size());
  table.each_row([&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < columns.size(); ++i) f[i] = columns[i] < row.size() ? row[columns[i]] : "";
    if (f[6].empty() || f[4].empty() || f[7] == batsim_state(FinalState::kWithdrawn))
      return;  // it ran to no end that counts
    jobs.push_back({id_in(f[0], file), number_in(f[1], file), number_in(f[2], file), number_in(f[3], file),
                    number_in(f[4], file), f[5]});
  });
  std::ranges::stable_sort(jobs, {}, &JobRecord::submitted);
  return jobs;
}

std::vector<JobRecord> all_jobs_of(const RunRecord& run) {
  return run.jobs.empty() && run.fetch_jobs ? run.fetch_jobs() : run.jobs;
}

std::vector<std::string> run_folders(const std::string& path) {
  const Value summary = summary_in(path);
  if (summary.find("runs") == nullptr) return {path};
  std::vector<std::string> inside;
  for (const auto& entry : fs::directory_iterator(path)) {
    std::error_code ignored;
    if (fs::exists(entry.path() / "summary.json", ignored)) inside.push_back(entry.path().string());
  }
  std::ranges::sort(inside);
  if (inside.empty()) refuse(path, "holds no run", "folders with the runs of policies");
  std::vector<std::pair<std::size_t, std::string>> placed;
  for (std::string& folder : inside) {
    const std::size_t place = place_among(summary.find("runs"), summary_in(folder));
    placed.emplace_back(place, std::move(folder));
  }
  std::ranges::stable_sort(placed, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> folders;
  for (auto& [place, folder] : placed) folders.push_back(std::move(folder));
  return folders;
}

RunRecord read_run(const std::string& folder) {
  RunRecord run;
  run.where = folder;
  run.summary = summary_in(folder);
  run.settings = settings_in(folder);
  run.seed = truncated<std::int64_t>(number_at(run.summary, {"seed"}).value_or(0));
  const fs::path jobs = fs::path(folder) / "jobs.csv";
  if (!fs::exists(jobs)) return run;
  run.jobs = read_jobs(read_whole_file(jobs.string()), jobs.string());
  const double ended = number_at(run.summary, {"nb_jobs_finished"}).value_or(0);
  if (ended != static_cast<double>(run.jobs.size()))
    refuse(jobs.string(), fmt::format("holds {} jobs that ended, summary.json counts {}", run.jobs.size(), ended));
  return run;
}

std::vector<JobRecord> without_ends(const std::vector<JobRecord>& jobs, double share) {
  const double cut = std::floor(static_cast<double>(jobs.size()) * std::clamp(share, 0.0, 0.5) + 1e-9);
  const auto n = static_cast<std::ptrdiff_t>(std::min(static_cast<std::size_t>(cut), jobs.size() / 2));
  return {jobs.begin() + n, jobs.end() - n};
}

Value trimmed_figures(const std::vector<JobRecord>& jobs, double share) {
  const std::vector<JobRecord> kept = without_ends(jobs, share);
  std::map<std::string, std::vector<const JobRecord*>> classes;
  std::vector<const JobRecord*> all;
  for (const JobRecord& j : kept) {
    classes[j.job_class].push_back(&j);
    all.push_back(&j);
  }
  Value out = Value::table({{"share", share}}), by_class = Value::table();
  if (!all.empty()) out.set("all", group_of(all));
  for (const auto& [name, members] : classes) by_class.set(name, group_of(members));
  out.set("by_class", by_class);
  return out;
}

}  // namespace coslice

#include "lab/campaign/merge.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/campaign/database.h"
#include "lab/campaign/results.h"
#include "lab/campaign/results_format.h"
#include "lab/campaign/sweep.h"
#include "report/markup.h"

namespace coslice {
namespace {

/// A part as it is given, and what has to be the same in all of them.
struct PartOfCampaign {
  std::string path, shard, name, plan;
  std::int64_t planned = 0;
  std::vector<std::string> axes;
  bool jobs = false;
  std::vector<std::int64_t> runs;
};

PartOfCampaign read_part(const std::string& path) {
  const CampaignResults results(path);
  PartOfCampaign part{path,
                      results.meta("shard"),
                      results.name(),
                      results.meta("plan"),
                      results.planned(),
                      results.axes(),
                      results.has_jobs(),
                      {}};
  const Database database(path, Database::Mode::kRead);
  Statement runs(database, "SELECT run FROM runs ORDER BY run");
  while (runs.step()) part.runs.push_back(runs.integer(0));
  return part;
}

void require_same_plan(const PartOfCampaign& first, const PartOfCampaign& part) {
  if (part.name != first.name)
    throw InputError({part.path, 0, fmt::format("is of the campaign '{}'", part.name),
                      fmt::format("'{}' as {}", first.name, first.path)});
  if (part.plan != first.plan || part.axes != first.axes)
    throw InputError(
        {part.path, 0,
         fmt::format("was made from another plan than {}: the campaign or its inputs have changed in between",
                     first.path),
         "", "bring both to the same state with `coslice sweep --resume`"});
  if (part.jobs != first.jobs)
    throw InputError(
        {part.path, 0,
         fmt::format("{} jobs of its runs, unlike {}", part.jobs ? "holds the" : "lacks the", first.path)});
}

void require_once(const std::vector<PartOfCampaign>& parts) {
  std::map<std::int64_t, const PartOfCampaign*> places;
  for (const PartOfCampaign& part : parts) {
    for (const std::int64_t run : part.runs) {
      const auto [at, is_new] = places.emplace(run, &part);
      if (!is_new)
        throw InputError({part.path, 0, fmt::format("run {} is in {}, too", run, at->second->path), "each run once"});
    }
  }
}

/// "runs 3, 7, 11 and 20 more".
std::string some_runs(const std::vector<std::int64_t>& runs) {
  constexpr std::size_t kShown = 5;
  std::string out;
  for (std::size_t i = 0; i < runs.size() && i < kShown; ++i) out += fmt::format("{}{}", i == 0 ? "" : ", ", runs[i]);
  return (runs.size() == 1 ? "run " : "runs ") + out +
         (runs.size() > kShown ? fmt::format(" and {} more", runs.size() - kShown) : "");
}

/// The missing runs by the part that should have them; also of parts that were not given.
std::string who_lacks(const std::vector<PartOfCampaign>& parts, const std::vector<std::int64_t>& missing) {
  const std::string& shard = parts.front().shard;
  const std::size_t slash = shard.find('/');
  if (slash == std::string::npos) return "\n  " + some_runs(missing);
  const std::int64_t of = std::stoll(shard.substr(slash + 1));
  std::map<std::int64_t, std::vector<std::int64_t>> by_shard;
  for (const std::int64_t run : missing) by_shard[Shard::part_of(run, of)].push_back(run);
  std::string out;
  for (const auto& [number, runs] : by_shard) {
    const std::string name = fmt::format("{}/{}", number, of);
    const auto part = std::ranges::find(parts, name, &PartOfCampaign::shard);
    out += part == parts.end() ? fmt::format("\n  shard {} is not given: {}", name, some_runs(runs))
                               : fmt::format("\n  shard {}, {}, lacks {}", name, part->path, some_runs(runs));
  }
  return out;
}

void require_each_run(const std::vector<PartOfCampaign>& parts) {
  std::vector<bool> there(static_cast<std::size_t>(parts.front().planned) + 1, false);
  for (const PartOfCampaign& part : parts) {
    for (const std::int64_t run : part.runs)
      if (run >= 1 && run <= parts.front().planned) there[static_cast<std::size_t>(run)] = true;
  }
  std::vector<std::int64_t> missing;
  for (std::int64_t run = 1; run <= parts.front().planned; ++run)
    if (!there[static_cast<std::size_t>(run)]) missing.push_back(run);
  if (missing.empty()) return;
  throw InputError(
      {"", 0, fmt::format("{} of {} are missing", missing.size(), counted(parts.front().planned, "run")), "",
       "`coslice sweep CAMPAIGN --shard I/N --resume` makes the missing runs of a part; --partial merges without them",
       who_lacks(parts, missing).substr(1)});
}

void copy_parts(Database& out, const std::vector<PartOfCampaign>& parts) {
  const bool jobs = parts.front().jobs;
  for (const PartOfCampaign& part : parts) {
    out.run("ATTACH " + sql_text(part.path) + " AS part");
    {
      Transaction all(out);
      if (&part == &parts.front()) {
        out.run("INSERT OR REPLACE INTO meta SELECT key, value FROM part.meta");
        out.run("UPDATE meta SET value = '' WHERE key = 'shard'");
        out.run("INSERT INTO axes SELECT position, name FROM part.axes");
      }
      out.run(fmt::format("INSERT INTO runs SELECT {} FROM part.runs", kRunColumns));
      if (jobs) copy_jobs(out, "part");
      all.commit();
    }
    out.run("DETACH part");
  }
}

}  // namespace

MergeOutcome merge_results(const std::vector<std::string>& paths, const std::string& out, bool partial) {
  std::vector<PartOfCampaign> parts;
  for (const std::string& path : paths) parts.push_back(read_part(path));
  for (const PartOfCampaign& part : parts) require_same_plan(parts.front(), part);
  require_once(parts);
  if (!partial) require_each_run(parts);
  Database database(out, Database::Mode::kCreate);
  // The file is new and moved to its place when it is whole. A journal on the disk would bring, with parts attached,
  // one more file above all journals, which an error leaves behind.
  database.run("PRAGMA journal_mode = MEMORY");
  create_results_tables(database, parts.front().jobs);
  copy_parts(database, parts);
  write_results_view(database);
  return {parts.front().planned, database.integer("SELECT count(*) FROM runs"),
          database.integer("SELECT count(*) FROM runs WHERE status = 'failed'")};
}

}  // namespace coslice

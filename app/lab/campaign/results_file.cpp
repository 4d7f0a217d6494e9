#include "lab/campaign/results_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "output/summary_json.h"
#include "scenario/build_info.h"

namespace coslice {
namespace {

// Beyond what SQLite locks (from 1 GB on). An "open file description" lock, because closing any descriptor of the file
// would give back SQLite's own, ordinary locks: so this descriptor must also be closed last.
constexpr off_t kLockPlace = 0x7fff0000;

namespace fs = std::filesystem;

void require_no_results(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  throw InputError({path, 0, "already exists", "", "add --resume to go on with it, or choose another file with -o"});
}

bool has_any_table(const Database& database) { return database.integer("SELECT count(*) FROM sqlite_master") != 0; }

bool has_jobs_table(const Database& database) {
  return database.integer("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'jobs'") != 0;
}

std::string meta_of(const Database& database, const std::string& key) {
  return database.text("SELECT value FROM meta WHERE key = " + sql_text(key)).value_or("");
}

}  // namespace

FileLock::FileLock(const std::string& path) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw InputError({path, 0, std::string("cannot be written: ") + std::strerror(errno)});
#ifdef F_OFD_SETLK
  struct flock place {};
  place.l_type = F_WRLCK;
  place.l_whence = SEEK_SET;
  place.l_start = kLockPlace;
  place.l_len = 1;
  if (fcntl(file_, F_OFD_SETLK, &place) == 0) return;
  if (errno != EAGAIN && errno != EACCES) return;
  close(file_);
  throw InputError(
      {path, 0, "another process is writing to it", "", "wait until that has ended, or choose another file"});
#endif
}

FileLock::~FileLock() {
  if (file_ >= 0) close(file_);
}

std::string results_folder(const std::string& folder) {
  const fs::path whole = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();
}

ResultsFile::ResultsFile(const std::string& path, const ResultsHead& head, Open how) : path_(path), jobs_(head.jobs) {
  if (how == Open::kNew) require_no_results(path);
  std::error_code ignored;
  const bool is_new = !fs::exists(path, ignored);
  lock_ = std::make_unique<FileLock>(path);
  try {
    database_ = std::make_unique<Database>(path, Database::Mode::kWrite);
    database_->run("PRAGMA temp_store = MEMORY");
    // A sweep that was killed while it made the file leaves an empty one.
    if (has_any_table(*database_)) resume(head);
    else create(head);
  } catch (...) {
    database_.reset();
    if (is_new) fs::remove(path, ignored);
    throw;
  }
}

ResultsFile::~ResultsFile() = default;

void ResultsFile::create(const ResultsHead& head) {
  Transaction all(*database_);
  create_results_tables(*database_, head.jobs);
  write_head(head);
  write_results_view(*database_);
  all.commit();
}

void ResultsFile::resume(const ResultsHead& head) {
  check_results_format(*database_);
  if (const std::string name = meta_of(*database_, "name"); name != head.name)
    throw InputError({path_, 0, fmt::format("holds the results of the campaign '{}'", name),
                      "those of '" + head.name + "'", "choose another file with -o"});
  if (const std::string shard = meta_of(*database_, "shard"); shard != head.shard) {
    const auto words = [](const std::string& s) {
      return s.empty() ? std::string("the whole campaign") : "shard " + s;
    };
    throw InputError({path_, 0, "is the file of " + words(shard), words(head.shard), "choose another file with -o"});
  }
  if (has_jobs_table(*database_) != head.jobs)
    throw InputError(
        {path_, 0, head.jobs ? "was made without the jobs of its runs" : "was made with the jobs of its runs",
         head.jobs ? "jobs = false in the campaign" : "jobs = true in the campaign", "choose another file with -o"});
  Statement rows(*database_, "SELECT key, run, status = 'done' FROM runs");
  while (rows.step()) known_[rows.text(0)] = {rows.integer(1), rows.integer(2) != 0};
}

void ResultsFile::write_head(const ResultsHead& head) {
  Statement entry(*database_, "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)");
  const auto set = [&](const char* key, const std::string& value) { entry.bind(1, key).bind(2, value).finish(); };
  set("name", head.name);
  set("campaign", head.campaign);
  set("folder", head.folder);
  set("version", program_version());
  set("plan", head.plan);
  set("runs", std::to_string(head.runs));
  set("shard", head.shard);
  database_->run("DELETE FROM axes");
  Statement axis(*database_, "INSERT INTO axes(position, name) VALUES(?, ?)");
  for (std::size_t i = 0; i < head.axes.size(); ++i)
    axis.bind(1, static_cast<std::int64_t>(i) + 1).bind(2, head.axes[i]).finish();
}

/// Keys in the order of their places.
std::vector<std::string> ResultsFile::strangers_to(const std::map<std::string, PlannedPlace>& plan) const {
  std::map<std::int64_t, std::string> by_place;
  for (const auto& [key, known] : known_)
    if (plan.count(key) == 0) by_place[known.run] = key;
  std::vector<std::string> keys;
  for (const auto& [run, key] : by_place) keys.push_back(key);
  return keys;
}

void ResultsFile::drop(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const std::int64_t run = known_.at(key).run;
    if (jobs_) database_->run(fmt::format("DELETE FROM jobs WHERE run = {}", run));
    database_->run(fmt::format("DELETE FROM runs WHERE run = {}", run));
    known_.erase(key);
  }
}

void ResultsFile::renumber(std::int64_t from, std::int64_t to) {
  database_->run(fmt::format("UPDATE runs SET run = {} WHERE run = {}", to, from));
  if (jobs_) database_->run(fmt::format("UPDATE jobs SET run = {} WHERE run = {}", to, from));
}

/// By way of negative numbers, so that none is taken twice on the way.
void ResultsFile::move(const std::map<std::string, std::int64_t>& places) {
  std::vector<std::int64_t> moved;
  for (const auto& [key, run] : places) {
    Known& known = known_.at(key);
    if (known.run == run) continue;
    renumber(known.run, -run);
    moved.push_back(run);
    known.run = run;
  }
  for (const std::int64_t run : moved) renumber(-run, run);
}

void ResultsFile::place(const ResultsHead& given, const std::map<std::string, PlannedPlace>& plan,
                        UnplannedRuns unplanned) {
  ResultsHead head = given;
  std::vector<std::string> others = strangers_to(plan);
  if (unplanned == UnplannedRuns::kRefuse && !others.empty()) {
    throw InputError({path_, 0,
                      fmt::format("{} of its {} runs are not in the campaign: a scenario, a policy or an input has "
                                  "changed since, or the campaign has fewer points",
                                  others.size(), known_.size()),
                      "", "choose another file with -o, or add --prune to take them out"});
  }
  Transaction all(*database_);
  if (unplanned == UnplannedRuns::kDrop) {
    drop(others);
    others.clear();
  }
  std::map<std::string, std::int64_t> places;
  Statement point(*database_, "UPDATE runs SET point = ? WHERE key = ?");
  for (const auto& [key, known] : known_) {
    const auto planned = plan.find(key);
    if (planned == plan.end()) continue;
    point.bind(1, json_from_value(planned->second.point)).bind(2, key).finish();
    places[key] = planned->second.run;
  }
  for (const std::string& key : others) places[key] = ++head.runs;
  move(places);
  write_head(head);
  all.commit();
}

std::optional<FinishedRun> ResultsFile::find(const std::string& key) const {
  const auto known = known_.find(key);
  if (known == known_.end()) return {};
  Statement row(*database_,
                "SELECT run, policy, workload, scenario, summary, fingerprint, cpu_seconds, error FROM runs "
                "WHERE key = ?");
  if (!row.bind(1, key).step()) return {};
  FinishedRun out;
  out.row.run = row.integer(0);
  out.row.key = key;
  out.row.done = known->second.done;
  out.row.error = row.text(7);
  out.row.policy = row.text(1);
  out.row.workload = row.text(2);
  out.row.scenario = row.text(3);
  out.summary_json = row.text(4);
  out.row.fingerprint = row.text(5);
  out.row.cpu_seconds = row.real(6);
  if (jobs_) out.jobs_csv = read_jobs(*database_, out.row.run);
  return out;
}

void ResultsFile::forget_failed() {
  Transaction all(*database_);
  database_->run("DELETE FROM runs WHERE status = 'failed'");
  all.commit();
  for (auto at = known_.begin(); at != known_.end();) at = at->second.done ? std::next(at) : known_.erase(at);
}

void ResultsFile::insert(const FinishedRun& run) {
  Statement s(*database_,
              fmt::format("INSERT INTO runs({}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", kRunColumns));
  const CampaignRun& r = run.row;
  s.bind(1, r.run).bind(2, r.key).bind(3, r.done ? "done" : "failed").bind(5, r.policy).bind(6, r.workload);
  if (r.seed) s.bind(7, *r.seed);
  s.bind(8, json_from_value(r.point)).bind(9, r.scenario);
  if (r.done) s.bind(10, run.summary_json).bind(11, r.fingerprint);
  else s.bind(4, r.error);
  s.bind(12, r.version).bind(13, r.host).bind(14, r.wall_seconds).bind(15, r.cpu_seconds);
  s.finish();
  if (jobs_ && r.done && !run.jobs_csv.empty()) write_jobs(*database_, r.run, run.jobs_csv);
}

/// A sweep that is killed leaves a view with all that is there.
void ResultsFile::show(const std::vector<FinishedRun>& runs) {
  bool grown = !view_;
  if (view_) {
    for (const FinishedRun& r : runs) grown = (r.row.done && view_->add(r.summary_json)) || grown;
  } else {
    view_.emplace().add_all(*database_);
  }
  if (grown) view_->write(*database_);
}

void ResultsFile::add(const std::vector<FinishedRun>& runs) {
  Transaction all(*database_);
  for (const FinishedRun& r : runs) insert(r);
  show(runs);
  all.commit();
  for (const FinishedRun& r : runs) known_[r.row.key] = {r.row.run, r.row.done};
}

std::vector<CampaignRun> ResultsFile::failures(int most) const {
  std::vector<CampaignRun> out;
  Statement rows(*database_,
                 fmt::format("SELECT run, point, error FROM runs WHERE status = 'failed' ORDER BY run LIMIT {}", most));
  while (rows.step()) {
    CampaignRun r;
    r.run = rows.integer(0);
    r.point = value_from_json(rows.text(1));
    r.error = rows.text(2);
    out.push_back(std::move(r));
  }
  return out;
}

void ResultsFile::finish() {
  Transaction all(*database_);
  write_results_view(*database_);
  all.commit();
}

}  // namespace coslice

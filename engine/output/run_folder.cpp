#include "output/run_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/file.h"
#include "formats/swf.h"
#include "output/jobs_csv.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& given, std::string problem, std::string expected = "",
                         std::string suggestion = "") {
  throw InputError({given, 0, std::move(problem), std::move(expected), std::move(suggestion), ""});
}

/// Something in the folder that no run wrote, "" if there is nothing: replacing the folder would lose it. A folder of
/// several policies' runs has run folders inside.
std::string foreign_entry(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  for (const fs::path& p : entries) {
    const std::string name = p.filename().string();
    if (fs::is_directory(fs::symlink_status(p, error))) {
      if (!is_run_folder(p)) return name;
      const std::string inside = foreign_entry(p);
      if (!inside.empty()) return name + "/" + inside;
    } else if (std::ranges::find(run_file_names(), name) == run_file_names().end()) {
      return name;
    }
  }
  return "";
}

bool is_current_folder(const fs::path& target) {
  std::error_code ignored;
  return fs::equivalent(target, fs::current_path(ignored), ignored);
}

void check_target(const std::string& given, const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (!fs::exists(status)) {
    const bool link = fs::is_symlink(fs::symlink_status(target, error));
    if (link) refuse(given, "is a link to something that is not there", "a folder for the results");
    return;
  }
  if (!fs::is_directory(status)) refuse(given, "is a file", "a folder for the results");
  if (is_current_folder(target)) refuse(given, "is the current folder", "a folder of its own for the results");
  const bool empty = fs::is_empty(target, error);
  if (error) refuse(given, "cannot be read: " + error.message());
  if (!empty && !is_run_folder(target))
    refuse(given, "is not empty and holds no results of coslice", "a new or empty folder, or one of an earlier run",
           "choose another folder or clear this one");
  const std::string foreign = empty ? "" : foreign_entry(target);
  if (!foreign.empty())
    refuse(given, "holds an earlier run, but also '" + foreign + "', which would be lost",
           "a new or empty folder, or one with nothing but an earlier run", "move it away or choose another folder");
}

/// Has all files in the folder reach the disk.
void sync_files(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const int file = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw SimulationError(entry.path().string() + ": cannot be written: " + std::strerror(errno));
    try {
      sync_to_disk(file, entry.path().string());
    } catch (...) {
      close(file);
      throw;
    }
    close(file);
  }
}

enum class Swap { kDone, kFailed, kUnknown };  // unknown to the kernel or the file system

/// Lets two folders change their names in one step.
Swap swap_names(const fs::path& one, const fs::path& other) {
#ifdef RENAME_EXCHANGE
  if (renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return Swap::kDone;
  return errno == ENOSYS || errno == EINVAL || errno == ENOTSUP ? Swap::kUnknown : Swap::kFailed;
#else
  return Swap::kUnknown;
#endif
}

/// Makes the folder and its missing parents; returns those parents.
std::vector<fs::path> make_parents(const std::string& given, const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path p = folder; !p.empty() && !fs::exists(p, error) && p != p.parent_path(); p = p.parent_path())
    missing.insert(missing.begin(), p);
  fs::create_directories(folder, error);
  if (error) refuse(given, "cannot be created: " + error.message());
  return missing;
}

/// Tries twice: what one interrupted call leaves would stay beside the results. What stays after that goes with the
/// next run that is written there (clear_leftovers).
void remove_hidden(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) fs::remove_all(folder, error);
}

/// Jobs by their starts, those of one instant in order of the trace.
std::vector<JobIndex> by_start(const RunResult& result) {
  std::vector<JobIndex> jobs;
  for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
    const Outcome& o = result.outcomes[i];
    if (o.start != kNever && o.state != FinalState::kRejected) jobs.push_back(static_cast<JobIndex>(i));
  }
  std::ranges::stable_sort(jobs, {}, [&](JobIndex a) { return result.outcomes[a].start; });
  return jobs;
}

SwfOutcome swf_outcome(const Outcome& o, Time submitted) {
  SwfOutcome out;
  out.status = -1;
  if (o.state == FinalState::kRejected || o.state == FinalState::kWithdrawn) out.status = 5;
  if (o.state == FinalState::kRejected || o.start == kNever) return out;
  out.wait = o.start - submitted;
  if (o.end == kNever) return out;
  out.runtime = o.end - o.start;
  out.status = o.state == FinalState::kCompleted ? 1 : 0;
  return out;
}

}  // namespace

RunFolder::RunFolder(const std::string& target) : given_(target) {
  std::error_code error;
  if (target.empty()) refuse("--out", "names no folder", "a folder for the results");
  target_ = fs::weakly_canonical(fs::absolute(target), error);  // through links, so that a link stays one
  if (error) refuse(target, "cannot be used: " + error.message());
  if (!target_.has_filename()) target_ = target_.parent_path();
  clear_leftovers(target_.parent_path());
  check_target(given_, target_);
  parents_made_ = make_parents(given_, target_.parent_path());
  temporary_ = hidden_sibling(target_, "new");
  fs::remove_all(temporary_, error);
  if (!fs::create_directory(temporary_, error)) {
    remove_parents();
    refuse(given_, "cannot be created: " + error.message());
  }
  lock_.take(temporary_);
}

RunFolder::~RunFolder() {
  if (committed_) return;
  remove_hidden(temporary_);
  remove_parents();
}

void RunFolder::remove_parents() const {
  std::error_code ignored;
  for (auto p = parents_made_.rbegin(); p != parents_made_.rend(); ++p) fs::remove(*p, ignored);
}

std::string RunFolder::path_of(const std::string& name) const { return (temporary_ / name).string(); }

void RunFolder::commit() {
  try {
    sync_files(temporary_);
  } catch (const SimulationError& e) {
    throw SimulationError(in_users_words(e.what()));
  }
  check_target(given_, target_);
  std::error_code error, ignored;
  // rename() replaces an empty folder by itself, but not a full one.
  const bool replaces = fs::exists(target_, ignored) && !fs::is_empty(target_, ignored);
  const Swap swap = replaces ? swap_names(temporary_, target_) : Swap::kUnknown;
  if (swap == Swap::kFailed) error.assign(errno, std::generic_category());
  else if (swap == Swap::kUnknown) error = rename_in_two_steps(replaces);
  if (error) refuse(given_, "cannot be replaced: " + error.message(), "", "name a new folder inside it");
  committed_ = true;
  if (swap == Swap::kDone) remove_hidden(temporary_);  // what was there before has its name now
}

/// Should the process be killed between the two, the next one that writes beside it brings the old folder back.
std::error_code RunFolder::rename_in_two_steps(bool replaces) {
  const fs::path old = hidden_sibling(target_, "old");
  std::error_code error, ignored;
  if (replaces) fs::rename(target_, old, error);
  if (error) return error;
  fs::rename(temporary_, target_, error);
  if (replaces && error) fs::rename(old, target_, ignored);
  else if (replaces) remove_hidden(old);
  return error;
}

std::string RunFolder::in_users_words(std::string text) const {
  const std::string from = temporary_.string();
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), given_);
}

void write_run_files(const std::string& folder, const RunResult& result, const Summary& summary,
                     const MetricsOptions& options, const RunInfo& info, const RunFiles& files) {
  const auto path_of = [&](const char* name) { return (fs::path(folder) / name).string(); };
  const auto wanted = [&](const char* name) { return std::ranges::find(files.names, name) != files.names.end(); };
  const auto stream = [&](const char* name, auto write) {
    OutputFile file(path_of(name));
    write(sink_into(file));
    file.close();
  };
  if (wanted("jobs.csv")) stream("jobs.csv", [&](const Sink& sink) { write_jobs_csv(result, options, sink); });
  if (wanted("timeline.csv")) stream("timeline.csv", [&](const Sink& sink) { write_timeline_csv(result, sink); });
  if (wanted("schedule.swf"))
    write_schedule_swf(path_of("schedule.swf"), result, "schedule simulated by coslice, policy " + info.policy);
  if (wanted("classes.csv")) stream("classes.csv", [&](const Sink& sink) { write_classes_csv(result, sink); });
  if (!files.scenario.empty()) write_text_file(path_of("scenario.toml"), files.scenario);
  write_text_file(path_of("summary.json"), summary_json(result, summary, options, info));
}

void write_timeline_csv(const RunResult& result, const Sink& sink) {
  BlockWriter out(sink);
  out.text() += "time,queue_length,used_nodes,used_cores";
  out.text() += result.outages ? ",available_nodes\n" : "\n";
  for (std::size_t i = 0; i != result.timeline.size(); ++i) {
    const TimelinePoint& p = result.timeline[i];
    append_seconds(out.text(), p.time.time_since_epoch());
    append_next_integer(out.text(), p.queue);
    append_next_integer(out.text(), p.used_nodes);
    append_next_integer(out.text(), p.used_cores);
    if (result.outages) append_next_integer(out.text(), result.machine.nodes - result.extras_at(i).down_nodes);
    out.text() += '\n';
    out.row_done();
  }
  out.flush();
}

void write_classes_csv(const RunResult& result, const Sink& sink) {
  BlockWriter out(sink);
  out.text() += "time,job_id,rank,class\n";
  if (!result.processes) return out.flush();
  const ProcessRecord& record = *result.processes;
  const auto row = [&](Time time, JobIndex job, std::int32_t rank, ClassId cls) {
    append_seconds(out.text(), time - Time{});
    append_next_integer(out.text(), result.workload->jobs[job].id);
    append_next_integer(out.text(), rank);
    out.text() += "," + csv_field(record.classes[cls]) + "\n";
    out.row_done();
  };
  auto change = record.changes.begin();
  const auto changes_before = [&](Time time) {
    for (; change != record.changes.end() && change->time < time; ++change)
      row(change->time, change->job, change->rank, change->cls);
  };
  for (const JobIndex job : by_start(result)) {
    const Time start = result.outcomes[job].start;
    changes_before(start);
    for (std::int32_t rank = 0; rank < result.workload->jobs[job].size; ++rank) row(start, job, rank, 0);
  }
  changes_before(kNever);
  out.flush();
}

void write_schedule_swf(const std::string& path, const RunResult& result, const std::string& note) {
  const Workload& workload = *result.workload;
  SwfWriter writer(path);
  writer.header(workload);
  writer.comment("Note: " + note);
  for (JobIndex i = 0; i < result.outcomes.size(); ++i) {
    Job job = workload.jobs[i];
    job.submit = result.submitted_at(i);
    writer.record(job, swf_outcome(result.outcomes[i], job.submit));
  }
  writer.close();
}

}  // namespace coslice

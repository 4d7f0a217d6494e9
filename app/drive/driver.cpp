#include "drive/driver.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/printable.h"

namespace coslice::drive {
namespace {

/// Of the job that the policy starts first; the next ones have one less each. Above what sites give to jobs.
constexpr std::int64_t kTopPriority = 2'000'000'000;

/// Whether Slurm would start the job if it were its turn: it waits for nothing but nodes and others.
bool waits_for_its_turn(const QueuedJob& job) {
  const auto begins = [&](const char* word) { return job.reason.rfind(word, 0) == 0; };
  return begins("None") || begins("Priority") || begins("Resources") || begins("JobHeld") || begins("ReqNodeNotAvail") ||
         begins("Nodes required") || begins("Nodes_required") || begins("Cleaning") || job.reason.empty();
}

}  // namespace

Driver::Driver(SlurmCommands& slurm, Ledger& ledger, const DriveOptions& options, Log log)
    : slurm_(slurm), ledger_(ledger), options_(options), log_(std::move(log)) {}

void Driver::warn_once(const std::string& text) {
  if (warned_.insert(text).second) log_.warn(text);
}

bool Driver::ask(const std::vector<std::string>& command, std::string& out) {
  CommandResult result = slurm_.run(command);
  if (result.ok()) {
    out = std::move(result.out);
    return true;
  }
  log_.warn(fmt::format("{} {}: {}", command[0], command[1], failure_of(result)));
  return false;
}

/// The clock last: no job has come or started later than that.
bool Driver::read() {
  std::string nodes, partitions, queue, config;
  if (!ask({"scontrol", "show", "node", "--oneliner"}, nodes) || !ask({"scontrol", "show", "partition", "--oneliner"}, partitions) ||
      !ask(squeue_command(), queue) || !ask({"scontrol", "show", "config"}, config))
    return false;
  machine_ = read_machine(config, nodes, partitions);
  Queue read = read_queue(queue);
  if (read.jobs.empty() && !read.problems.empty())
    throw InputError({"squeue", 0, "has no job that can be read", "a line for each job", read.problems.front(), ""});
  for (const auto* problems : {&machine_.problems, &read.problems})
    for (const std::string& p : *problems) warn_once(p);
  jobs_.clear();
  for (QueuedJob& job : read.jobs) {
    const std::string id = job.id;
    jobs_.emplace(id, std::move(job));
  }
  return true;
}

const QueuedJob* Driver::waiting_job(const Entry& entry) const {
  const auto found = jobs_.find(entry.id);
  const bool same = found != jobs_.end() && found->second.submitted == entry.submitted;
  return same && found->second.waits() ? &found->second : nullptr;
}

bool Driver::order(const std::vector<std::string>& command, const std::string& why) {
  log_.order(text_of(command), why);
  if (options_.dry_run) return true;
  const CommandResult result = slurm_.run(command);
  if (!result.ok()) log_.warn(fmt::format("{}: {}", text_of(command), failure_of(result)));
  return result.ok();
}

bool Driver::hold(Entry& entry, const std::string& why) {
  // A hold of its user's own stays one that the user can take back.
  return order({"scontrol", entry.priority == 0 ? "uhold" : "hold", entry.id}, why);
}

bool Driver::give_back(const Entry& entry, const std::string& why) {
  if (entry.priority == 0) return !entry.released || order({"scontrol", "uhold", entry.id}, why);
  const bool ages = machine_.controller.ages;
  if ((ages || !entry.released) && !order({"scontrol", "release", entry.id}, why)) return false;
  return ages || order({"scontrol", "update", "JobId=" + entry.id, fmt::format("Priority={}", entry.priority)}, why);
}

void Driver::give_back_for_good(const QueuedJob& job, const std::string& why) {
  Entry* entry = ledger_.find(job.id, job.submitted);
  if (entry == nullptr || !give_back(*entry, why)) return;
  left_.emplace(job.id, job.submitted);
  std::erase_if(ledger_.entries(), [&](const Entry& e) { return &e == entry; });
}

/// Whether the entry's job is still in its hands.
bool Driver::keep(const Entry& entry) {
  const QueuedJob* job = waiting_job(entry);
  if (job == nullptr) return false;
  if (!options_.dry_run && entry.released == job->held()) {
    log_.warn(fmt::format("job {} was {} by another hand, and is left to it", job->id, job->held() ? "held" : "released"));
    left_.emplace(job->id, job->submitted);
    return false;
  }
  if (!options_.filter.takes(*job)) return !give_back(entry, "it is no longer one of " + options_.filter.text());
  if (!job->dependency.empty()) return !give_back(entry, "it waits for other jobs now");
  return true;
}

bool Driver::may_take(const QueuedJob& job) const {
  if (!job.waits() || !options_.filter.takes(job) || left_.count({job.id, job.submitted}) != 0) return false;
  if (!job.dependency.empty() || !job.reservation.empty()) return false;
  if (job.held()) return options_.take_held && job.reason == "JobHeldUser";
  return waits_for_its_turn(job);
}

void Driver::take_new(const std::string& policy) {
  std::vector<const QueuedJob*> found;
  for (const auto& [id, job] : jobs_)
    if (may_take(job) && ledger_.find(id, job.submitted) == nullptr) found.push_back(&job);
  std::sort(found.begin(), found.end(), [](const QueuedJob* a, const QueuedJob* b) {
    return std::pair(a->submitted, a->number) < std::pair(b->submitted, b->number);
  });
  for (const QueuedJob* job : found) ledger_.entries().push_back({job->id, job->submitted, job->priority, false});
  if (!found.empty()) ledger_.save();
  for (const QueuedJob* job : found) {
    if (job->held()) continue;
    Entry& entry = *ledger_.find(job->id, job->submitted);
    if (hold(entry, fmt::format("of {}: waits until {} starts it", options_.filter.text(), policy))) continue;
    std::erase_if(ledger_.entries(), [&](const Entry& e) { return &e == &entry; });
  }
}

Situation Driver::situation() const {
  Situation now;
  now.machine = &machine_;
  for (const auto& [id, job] : jobs_)
    if (!job.waits()) now.running.push_back(&job);
  for (const Entry& entry : ledger_.entries()) {
    const QueuedJob* job = waiting_job(entry);
    // What Slurm keeps back by limits of its own would stand in the way of others.
    if (job != nullptr && (!entry.released || waits_for_its_turn(*job))) now.waiting.push_back(job);
  }
  return now;
}

void Driver::carry_out(const Decision& decision, const Situation& now, const std::string& policy) {
  for (const std::string& p : decision.problems) warn_once(p);
  for (const auto& [job, why] : decision.impossible)
    give_back_for_good(*job, fmt::format("{} cannot decide on it: {}", policy, why));
  const auto starts = [&](const QueuedJob* j) {
    return std::find(decision.starts.begin(), decision.starts.end(), j) != decision.starts.end();
  };
  for (const QueuedJob* job : now.waiting) {
    Entry* entry = ledger_.find(job->id, job->submitted);
    if (entry == nullptr || !entry->released || starts(job)) continue;
    if (hold(*entry, fmt::format("it has not started, and {} starts others now", policy))) entry->released = false;
  }
  std::vector<Entry*> released;
  for (const QueuedJob* job : decision.starts)
    if (Entry* entry = ledger_.find(job->id, job->submitted); entry != nullptr && !entry->released) released.push_back(entry);
  for (Entry* entry : released) entry->released = true;
  if (!released.empty()) ledger_.save();
  std::int64_t priority = kTopPriority;
  for (Entry* entry : released) {
    const QueuedJob& job = jobs_.at(entry->id);
    const std::string why = fmt::format("{} starts it now: {} node{}", policy, job.tres.nodes, job.tres.nodes == 1 ? "" : "s");
    // Slurm refuses to give a held job a priority. If the second order fails, it waits as others do, and is still to start.
    if (order({"scontrol", "release", entry->id}, why))
      order({"scontrol", "update", "JobId=" + entry->id, fmt::format("Priority={}", priority--)}, "before all others");
    else
      entry->released = false;
  }
}

bool Driver::tick(Decider& decider) {
  if (!read()) return false;
  std::erase_if(ledger_.entries(), [&](const Entry& e) { return !keep(e); });
  take_new(decider.name);
  const Situation now = situation();
  carry_out(decide(decider, now), now, decider.name);
  ledger_.save();
  return true;
}

std::size_t Driver::give_back() {
  if (ledger_.entries().empty()) return 0;
  bool known = false;
  try {
    known = read();
  } catch (const InputError& e) {
    log_.warn(e.what());
  }
  std::size_t failed = 0;
  std::erase_if(ledger_.entries(), [&](const Entry& entry) {
    const QueuedJob* job = waiting_job(entry);
    if (known && job == nullptr) return true;                                            // it runs, or is gone
    if (known && !options_.dry_run && entry.released == job->held()) return true;  // another hand was faster
    if (give_back(entry, "given back")) return true;
    ++failed;
    return false;
  });
  ledger_.save();
  return failed;
}

}  // namespace coslice::drive

#include "drive/driver.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace coslice::drive {
namespace {

/// Of the job that the policy starts first; the next ones have one less each. Above what sites give to jobs.
constexpr std::int64_t kTopPriority = 2'000'000'000;
constexpr std::int64_t kLowestTopPriority = 1'900'000'000;
/// After so long, s, an order that was not answered no longer takes effect. slurmctld refuses messages that it reads
/// later than five minutes after they were sent (so long are munge's credentials good); then it may wait for its locks.
constexpr std::int64_t kLatestEffect = 600;
/// Number of orders in a row without an answer after which none is given before Slurm has been read.
constexpr int kMostSilence = 3;
/// How often giving back is tried.
constexpr int kMostRounds = 2;

bool is_top(std::int64_t priority) { return priority > kLowestTopPriority; }

/// Whether Slurm would start the job if it were its turn: it waits for nothing but nodes and others.
bool waits_for_its_turn(const QueuedJob& job) {
  const auto begins = [&](const char* word) { return job.reason.rfind(word, 0) == 0; };
  return begins("None") || begins("Priority") || begins("Resources") || begins("JobHeld") ||
         begins("ReqNodeNotAvail") || begins("Nodes required") || begins("Nodes_required") || begins("Cleaning") ||
         job.reason.empty();
}

}  // namespace

bool Filter::takes(const QueuedJob& job) const {
  const auto holds = [](const std::optional<std::string>& wanted, const std::string& has) {
    return !wanted || *wanted == has;
  };
  // A job that names several partitions may start in one that was not given.
  const bool in_partition = !partition || (job.partitions.size() == 1 && job.partitions.front() == *partition);
  return !empty() && holds(comment, job.comment) && holds(wckey, job.wckey) && holds(user, job.user) &&
         holds(account, job.account) && in_partition;
}

std::string Filter::text() const {
  std::string out;
  const auto add = [&](const char* what, const std::optional<std::string>& value) {
    if (value) out += (out.empty() ? "" : " ") + std::string(what) + "=" + printable(*value);
  };
  add("comment", comment);
  add("wckey", wckey);
  add("partition", partition);
  add("user", user);
  add("account", account);
  return out;
}

Driver::Driver(SlurmCommands& slurm, Ledger& ledger, const DriveOptions& options, Log log)
    : slurm_(slurm), ledger_(ledger), options_(options), log_(std::move(log)) {}

void Driver::warn_once(const std::string& text) {
  if (warned_.insert(text).second) log_.warn(text);
}

// --- What Slurm says

bool Driver::ask(const std::vector<std::string>& command, std::string& out) {
  CommandResult result = slurm_.run(command);
  const bool whole = result.out.empty() || result.out.back() == '\n';
  if (result.ok() && whole) {
    out = std::move(result.out);
    return true;
  }
  log_.warn(
      fmt::format("{} {}: {}", command[0], command[1], result.ok() ? "the answer is cut off" : failure_of(result)));
  return false;
}

/// The clock last: no job has come or started later than that.
bool Driver::read() {
  std::string nodes, partitions, queue, config;
  if (!ask({"scontrol", "show", "node", "--oneliner"}, nodes) ||
      !ask({"scontrol", "show", "partition", "--oneliner"}, partitions) || !ask(squeue_command(), queue) ||
      !ask({"scontrol", "show", "config"}, config))
    return false;
  machine_ = read_machine(config, nodes, partitions);
  lines_ = read_queue(queue);
  if (lines_.jobs.empty() && !lines_.problems.empty())
    throw InputError(
        {"squeue", 0, "lists no job that can be read", "a readable line for each job", lines_.problems.front()});
  for (const auto* problems : {&machine_.problems, &lines_.problems})
    for (const std::string& p : *problems) warn_once(p);
  jobs_.clear();
  for (QueuedJob& job : lines_.jobs) {
    const std::string id = job.id;
    jobs_.emplace(id, std::move(job));
  }
  silence_ = 0;
  return true;
}

bool Driver::try_to_read() {
  try {
    return read();
  } catch (const InputError& e) {
    log_.warn(e.what());
    return false;
  }
}

const QueuedJob* Driver::find_job(const Entry& entry) const {
  const auto found = jobs_.find(entry.id);
  if (found == jobs_.end()) return nullptr;
  const QueuedJob& job = found->second;
  // A job that was requeued has a new submission, and a hold of before is still on it.
  const bool same = job.submitted == entry.submitted || (job.restarts > 0 && job.submitted > entry.submitted);
  return same ? &job : nullptr;
}

// --- What that proves of earlier orders

/// Whether the entry stays.
bool Driver::settle(Entry& entry) {
  const QueuedJob* job = find_job(entry);
  if (options_.dry_run) return job != nullptr && job->waits();
  const std::int64_t now = machine_.controller.now;
  if (entry.orders == Orders::kUnanswered && entry.since == 0) entry.since = now;
  if (job == nullptr) return !lines_.lacks(entry.id);
  if (job->has_ended()) return false;
  entry.submitted = job->submitted;
  const bool proven = entry.orders == Orders::kSeen;
  if (entry.orders == Orders::kAnswered || now >= entry.since + kLatestEffect) {
    entry.orders = Orders::kSeen;
    entry.since = 0;
  }
  // A hold may have come when it had started: it would hold the job if that is requeued.
  if (!job->waits() && !job->held()) return entry.orders != Orders::kSeen;
  // With the priority that it was started with, it cannot have been released since: the hold was answered and did
  // nothing.
  const bool not_held_yet = !job->held() && is_top(job->priority);
  // Where its user held it, we hold it as its user.
  const bool not_ours = job->waits() && job->held() && entry.priority == 0 && job->reason == "JobHeldAdmin";
  if (not_ours || (proven && entry.held != job->held() && !not_held_yet)) {
    log_.warn(
        fmt::format("job {} was {} by someone else and is left alone", job->id, job->held() ? "held" : "released"));
    left_.emplace(job->id, job->submitted);
    return false;
  }
  entry.held = job->held();
  return true;
}

/// Whether nothing of ours is on the job.
bool Driver::at_rest(const Entry& entry, const QueuedJob& job) const {
  if (!job.waits()) return !job.held();
  if (entry.priority == 0) return job.held();
  if (job.held()) return false;
  if (!machine_.controller.ages) return job.priority == entry.priority;
  return !is_top(job.priority) || is_top(entry.priority);
}

void Driver::settle_all() {
  std::erase_if(ledger_.entries(), [&](Entry& e) { return !settle(e); });
}

// --- Orders

bool Driver::out_of_reach() const { return silence_ >= kMostSilence || (!finishing_ && options_.stopping()); }

Answer Driver::order(const std::vector<std::string>& command, const std::string& why) {
  log_.order(text_of(command), why);
  if (options_.dry_run) return Answer::kDone;
  const CommandResult result = slurm_.run(command);
  const Answer answer = answer_of(result);
  silence_ = answer == Answer::kUnanswered ? silence_ + 1 : 0;
  if (answer != Answer::kDone) log_.warn(fmt::format("{}: {}", text_of(command), failure_of(result)));
  return answer;
}

void Driver::forget(const Entry& entry) {
  std::erase_if(ledger_.entries(), [&](const Entry& e) { return e.id == entry.id && e.submitted == entry.submitted; });
}

/// Notes in the entry what will be ordered. `risky`: what takes effect later than is known would leave the job worse
/// than it was.
Driver::Plan Driver::plan(Entry& entry, bool held, bool risky, const std::string& why) {
  Plan p{entry, why};
  entry.held = held;
  if (risky) entry.orders = Orders::kUnanswered, entry.since = 0;
  else if (entry.orders == Orders::kSeen) entry.orders = Orders::kAnswered;
  return p;
}

/// Notes that nothing was left open by the last orders, whatever was before.
void Driver::conclude(Entry& entry, const Plan& plan, Orders orders) {
  entry.orders = std::max(orders, plan.before.orders);
  entry.since = plan.before.since;
}

/// Throws SimulationError where the ledger cannot be written; then it is as before.
void Driver::write_ahead(std::vector<Entry> before) {
  try {
    ledger_.save();
  } catch (...) {
    ledger_.entries() = std::move(before);
    throw;
  }
}

/// False if it was refused, or nothing was ordered.
bool Driver::hold(const Plan& plan) {
  Entry& entry = *ledger_.find(plan.before.id, plan.before.submitted);
  const bool own = entry.priority == 0;  // a hold of its user's own stays one that the user can take back
  switch (out_of_reach() ? Answer::kRefused : order({"scontrol", own ? "uhold" : "hold", entry.id}, plan.why)) {
    case Answer::kDone: conclude(entry, plan, own ? Orders::kAnswered : Orders::kSeen); return true;
    case Answer::kUnanswered: return true;
    case Answer::kRefused: entry = plan.before; return false;
    case Answer::kGone: break;
  }
  forget(plan.before);
  return false;
}

void Driver::start(const Plan& plan, std::int64_t priority) {
  Entry& entry = *ledger_.find(plan.before.id, plan.before.submitted);
  const Answer released = out_of_reach() ? Answer::kRefused : order({"scontrol", "release", entry.id}, plan.why);
  if (released == Answer::kRefused) entry = plan.before;
  if (released == Answer::kGone) forget(plan.before);
  if (released == Answer::kUnanswered && harmless_release(entry)) conclude(entry, plan, Orders::kAnswered);
  if (released != Answer::kDone) return;
  // Slurm refuses to give a held job a priority. If this order fails, it waits as others do, and is still to start.
  const std::string top = fmt::format("Priority={}", priority);
  if (order({"scontrol", "update", "JobId=" + entry.id, top}, "before all others") != Answer::kUnanswered)
    conclude(entry, plan, Orders::kAnswered);
}

/// Whether a release does no harm that comes late: it was ours to hold, and Slurm computes its priority again.
bool Driver::harmless_release(const Entry& entry) const { return entry.priority != 0 && machine_.controller.ages; }

/// What is ordered so that the job is as it was before. The next reading tells whether it is.
Driver::Plan Driver::plan_home(Entry& entry, const QueuedJob* job, const std::string& why) const {
  const bool waits = job == nullptr || job->waits();
  return plan(entry, entry.priority == 0 && waits, entry.priority != 0 && !harmless_release(entry), why);
}

void Driver::send_home(const Plan& plan) {
  const Entry entry = plan.before;
  const QueuedJob* job = find_job(entry);
  const bool runs = job != nullptr && !job->waits(), ages = machine_.controller.ages;
  const bool held = job == nullptr || options_.dry_run ? entry.held : job->held();
  std::vector<std::vector<std::string>> commands;
  if (entry.priority == 0 && !runs) commands.push_back({"scontrol", "uhold", entry.id});
  else if (ages || held) commands.push_back({"scontrol", "release", entry.id});
  if (entry.priority != 0 && !runs && !ages)
    commands.push_back({"scontrol", "update", "JobId=" + entry.id, fmt::format("Priority={}", entry.priority)});
  Answer answer = Answer::kDone;
  for (auto c = commands.begin(); c != commands.end() && answer == Answer::kDone && !out_of_reach(); ++c)
    answer = order(*c, plan.why);
  if (answer == Answer::kGone) return forget(entry);
  Entry* noted = ledger_.find(entry.id, entry.submitted);
  if (noted != nullptr && answer != Answer::kUnanswered) conclude(*noted, plan, Orders::kAnswered);
}

// --- A pass

/// Why the job of an entry is to be given back; "": it is not.
std::string Driver::why_unwanted(const QueuedJob& job) const {
  if (!job.waits()) return "it started before it was held";
  if (left_.count({job.id, job.submitted}) != 0) return "given back";
  if (!options_.filter.takes(job)) return "it is no longer one of " + options_.filter.text();
  return job.dependency.empty() ? "" : "it waits for other jobs now";
}

void Driver::return_unwanted() {
  std::vector<Entry> before = ledger_.entries();
  std::vector<Plan> plans;
  std::erase_if(ledger_.entries(), [&](Entry& entry) {
    const QueuedJob* job = find_job(entry);
    const std::string why = job == nullptr ? "" : why_unwanted(*job);
    if (why.empty()) return false;
    if (!options_.dry_run && at_rest(entry, *job)) return entry.orders == Orders::kSeen;
    plans.push_back(plan_home(entry, job, why));
    return options_.dry_run;
  });
  if (!plans.empty()) write_ahead(std::move(before));
  for (const Plan& p : plans) send_home(p);
}

bool Driver::may_take(const QueuedJob& job) const {
  if (!job.waits() || !options_.filter.takes(job) || left_.count({job.id, job.submitted}) != 0) return false;
  if (!job.dependency.empty() || !job.reservation.empty()) return false;
  if (job.held()) return options_.take_held && job.reason == "JobHeldUser";
  return waits_for_its_turn(job);
}

/// A partition that is misspelt would have no jobs for ever.
void Driver::warn_of_partition() {
  const std::optional<std::string>& wanted = options_.filter.partition;
  if (!wanted) return;
  std::vector<std::string> names;
  for (const LivePartition& p : machine_.partitions) names.push_back(p.name);
  if (std::ranges::find(names, *wanted) != names.end()) return;
  const std::string near = did_you_mean(*wanted, names);
  warn_once(fmt::format("--partition {}: Slurm has no such partition with nodes{}{}", printable(*wanted),
                        near.empty() ? "" : "; ", near));
}

void Driver::take_new(const std::string& policy) {
  std::vector<const QueuedJob*> found;
  for (const auto& [id, job] : jobs_)
    if (may_take(job) && ledger_.find(id, job.submitted) == nullptr) found.push_back(&job);
  if (found.empty()) return;
  std::ranges::sort(found, [](const QueuedJob* a, const QueuedJob* b) {
    return std::pair(a->submitted, a->number) < std::pair(b->submitted, b->number);
  });
  std::vector<Entry> before = ledger_.entries();
  std::vector<Plan> plans;
  for (const QueuedJob* job : found) {
    Entry& entry = ledger_.entries().emplace_back(Entry{job->id, job->submitted, job->priority, job->held()});
    if (job->held()) continue;
    plans.push_back(
        plan(entry, true, true, fmt::format("of {}: waits until {} starts it", options_.filter.text(), policy)));
  }
  write_ahead(std::move(before));
  for (const Plan& p : plans)
    if (!hold(p)) forget(p.before);
}

Situation Driver::situation() const {
  Situation now;
  now.machine = &machine_;
  for (const auto& [id, job] : jobs_)
    if (!job.waits()) now.running.push_back(&job);
  for (const Entry& entry : ledger_.entries()) {
    const QueuedJob* job = find_job(entry);
    if (job == nullptr || !why_unwanted(*job).empty()) continue;
    // What Slurm keeps back by limits of its own would stand in the way of others.
    if (entry.held || waits_for_its_turn(*job)) now.waiting.push_back(job);
  }
  return now;
}

void Driver::carry_out(const Decision& decision, const Situation& now, const std::string& policy) {
  for (const std::string& p : decision.problems) warn_once(p);
  const auto starts = [&](const QueuedJob* j) {
    return std::ranges::find(decision.starts, j) != decision.starts.end();
  };
  std::vector<Entry> before = ledger_.entries();
  std::vector<Plan> returned, held, started;
  for (const auto& [job, why] : decision.impossible) {
    left_.emplace(job->id, job->submitted);
    if (Entry* entry = ledger_.find(job->id, job->submitted); entry != nullptr)
      returned.push_back(plan_home(*entry, job, fmt::format("{} cannot decide on it: {}", policy, why)));
  }
  for (const QueuedJob* job : now.waiting) {
    Entry* entry = ledger_.find(job->id, job->submitted);
    if (entry == nullptr || entry->held || starts(job) || left_.count({job->id, job->submitted}) != 0) continue;
    const std::string why = fmt::format("it has not started, and {} starts others now", policy);
    held.push_back(plan(*entry, true, entry->priority != 0, why));
  }
  for (const QueuedJob* job : decision.starts) {
    Entry* entry = ledger_.find(job->id, job->submitted);
    if (entry == nullptr || !entry->held) continue;
    const std::string why =
        fmt::format("{} starts it now: {} node{}", policy, job->tres.nodes, job->tres.nodes == 1 ? "" : "s");
    started.push_back(plan(*entry, false, true, why));
  }
  if (!returned.empty() || !held.empty() || !started.empty()) write_ahead(std::move(before));
  for (const Plan& p : returned) send_home(p);
  for (const Plan& p : held) hold(p);
  std::int64_t priority = kTopPriority;
  for (const Plan& p : started) start(p, priority--);
}

bool Driver::tick(const Judge& judge) {
  if (!read()) return false;
  settle_all();
  warn_of_partition();
  return_unwanted();
  take_new(judge.name);
  const Situation now = situation();
  carry_out(judge.decide(now), now, judge.name);
  ledger_.save();
  return true;
}

// --- The end

bool Driver::try_to_save() {
  try {
    ledger_.save();
    return true;
  } catch (const SimulationError& e) {
    log_.warn(e.what());
    return false;
  }
}

/// What has to be ordered so that all are given back. What holds their users had is left open where it is not known
/// whether they run.
std::vector<Driver::Plan> Driver::plans_home(bool known) {
  std::vector<Plan> plans;
  for (Entry& entry : ledger_.entries()) {
    const QueuedJob* job = known ? find_job(entry) : nullptr;
    if (job == nullptr ? entry.priority == 0 : at_rest(entry, *job)) continue;
    plans.push_back(plan_home(entry, job, "given back"));
  }
  return plans;
}

NotGivenBack Driver::give_back() {
  finishing_ = true;
  NotGivenBack left;
  bool known = false;
  for (int round = 0; !ledger_.entries().empty(); ++round) {
    known = try_to_read();
    if (known) {
      settle_all();
      std::erase_if(ledger_.entries(), [&](const Entry& e) {
        const QueuedJob* job = find_job(e);
        return job != nullptr && e.orders == Orders::kSeen && at_rest(e, *job);
      });
    }
    if (round == kMostRounds || out_of_reach()) break;
    const std::vector<Plan> plans = plans_home(known);
    if (plans.empty()) break;
    try_to_save();  // on a full disk jobs are given back all the same: the ledger has what it had
    for (const Plan& p : plans) send_home(p);
  }
  for (const Entry& entry : ledger_.entries()) {
    const QueuedJob* job = known ? find_job(entry) : nullptr;
    ++(job != nullptr && at_rest(entry, *job) ? left.unanswered : left.failed);
  }
  left.unsaved = !try_to_save();
  return left;
}

}  // namespace coslice::drive

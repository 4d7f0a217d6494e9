#include "slurm_model.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice::test {
namespace {

using drive::CommandResult;

constexpr std::int64_t kTop = 1'900'000'000;
/// The latest effect of an order that was not answered, s, and what the drive may take for it.
constexpr int kLatest = 500, kDoubt = 600;

std::string instant(std::int64_t t) {
  const std::time_t seconds = static_cast<std::time_t>(t);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts)};
}

CommandResult done() { return {}; }
CommandResult failed(const std::string& words) { return {1, false, "", "slurm_update error: " + words + "\n"}; }

}  // namespace

SlurmModel::SlurmModel(std::uint64_t seed, double rate, std::optional<int> only_at)
    : random_(seed), rate_(rate), only_at_(only_at) {
  take_held = chance(0.4);
  ages = chance(0.7);
  const int count = 2 + below(5);
  for (int i = 0; i != count; ++i) {
    ModelJob job;
    job.id = i == 1 ? fmt::format("{}_{}", next_id_++, 3) : std::to_string(next_id_++);
    job.submitted = now_ - 3600 + i;
    job.base = job.priority = 1000 - i;
    if (chance(0.15)) job.partition = "night";
    if (chance(0.25)) job.priority = 0, job.by_user = chance(0.7);
    jobs_.push_back(job);
  }
}

void SlurmModel::complain(const std::string& what) {
  if (wrong.empty()) wrong = fmt::format("at {}, call {}: {}", instant(now_), calls, what);
}

void SlurmModel::tell(const std::string& what) {
  if (telling) story += fmt::format("{} {}\n", instant(now_), what);
}

ModelJob* SlurmModel::find(const std::string& id) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const ModelJob& j) { return j.id == id; });
  return found == jobs_.end() ? nullptr : &*found;
}

Fault SlurmModel::draw_fault() {
  ++calls;
  const bool strikes = !faults_over_ && (only_at_ ? calls == *only_at_ : chance(rate_));
  if (!strikes) return Fault::kNone;
  ++faults;
  const int fault = 1 + below(kFaults - 1);
  tell(fmt::format("fault {} at call {}", fault, calls));
  return static_cast<Fault>(fault);
}

// --- What happens beside the drive

void SlurmModel::move_clock(std::int64_t seconds) {
  now_ += seconds;
  for (std::size_t i = 0; i != late_.size();) {
    if (late_[i].due > now_) {
      ++i;
      continue;
    }
    const Late due = late_[i];
    tell("late: " + drive::text_of(due.command));
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
    apply(due.command);
  }
}

void SlurmModel::pass(std::int64_t seconds) {
  move_clock(seconds);
  const int events = below(3);
  for (int i = 0; i != events; ++i) let_others_act();
  check();
}

void SlurmModel::let_others_act() {
  if (jobs_.empty()) return;
  ModelJob& job = jobs_[static_cast<std::size_t>(below(static_cast<int>(jobs_.size())))];
  const int event = below(8);
  tell(fmt::format("event {} on job {}", event, job.id));
  switch (event) {
    case 0:
    case 1:
    case 2:
      if (job.runs || job.held() || !job.dependency.empty()) break;
      job.runs = true, job.started = now_, job.was_held = false;
      break;
    case 3:
      if (job.runs && chance(0.5)) jobs_.erase(jobs_.begin() + (&job - jobs_.data()));
      break;
    case 4:
      if (!job.runs) break;
      job.runs = false, job.submitted = now_ + 1, ++job.restarts;
      if (job.priority > kTop) job.priority = job.base;  // what a job that ran has of that is not looked at here
      break;
    case 5:
      if (chance(0.5))
        job.partition = job.given && job.partition == "batch" ? "night" : job.given ? "batch" : job.partition;
      else job.dependency = job.dependency.empty() && !job.runs ? "afterok:7(unfulfilled)" : "";
      break;
    case 6: other_hand(job); break;
    default:
      ModelJob fresh;
      fresh.id = std::to_string(next_id_++);
      fresh.submitted = now_;
      fresh.base = fresh.priority = 500;
      if (jobs_.size() < 9) jobs_.push_back(fresh);
  }
}

/// An operator holds, releases, or sets a priority.
void SlurmModel::other_hand(ModelJob& job) {
  job.foreign = true;
  if (!job.held() && chance(0.6)) {
    job.priority = 0, job.by_drive = false, job.by_user = chance(0.5), job.was_held = false;
    job.releasable = job.in_doubt() || (job.runs && is_named(job.id));  // where it has released it before
    job.unseen = true, job.shown = false;
  } else if (job.held()) {
    job.priority = ages ? job.base : 40;
    job.by_drive = job.was_held = false;
  } else {
    job.priority = 777;
    job.was_held = false;
  }
}

void SlurmModel::was_killed() {
  for (ModelJob& job : jobs_)
    if (is_named(job.id))
      job.unanswered = true, job.unanswered_since = 0, job.releasable = job.releasable || job.unseen;
}

// --- What the drive asks and orders

CommandResult SlurmModel::run(const std::vector<std::string>& command) {
  if (!faults_over_ && chance(0.05)) let_others_act();
  const bool asks = command[0] == "squeue" || command[1] == "show";
  orders += asks ? 0 : 1;
  if (!asks) {
    ModelJob* job = find(command[1] == "update" ? command[2].substr(6) : command[2]);
    tell(drive::text_of(command));
    if (job != nullptr) job->ordered = true, job->releasable = job->releasable || job->unseen;
    if (job != nullptr && !job->given) complain("an order names job " + job->id + ", which was not given");
  }
  const Fault fault = draw_fault();
  const auto unanswered = [&] {
    ModelJob* job = asks ? nullptr : find(command[1] == "update" ? command[2].substr(6) : command[2]);
    if (job != nullptr) job->unanswered = true, job->unanswered_since = 0;
    move_clock(1 + below(60));
    return CommandResult{1, chance(0.3), "", "slurm_update error: Socket timed out on send/recv operation\n"};
  };
  const auto come_late = [&] {
    if (!asks) late_.push_back({now_ + 1 + below(kLatest), command});
  };
  if (fault == Fault::kKilledBefore) throw Killed{};
  if (fault == Fault::kKilledInFlight) come_late();
  if (fault == Fault::kKilledInFlight) throw Killed{};
  if (fault == Fault::kLost) return unanswered();
  if (fault == Fault::kRefused) return failed("Access/permission denied");
  if (fault == Fault::kLate) {
    come_late();
    return unanswered();
  }
  if (fault == Fault::kNothing && !asks) return done();
  if (asks && fault == Fault::kNothing && command[0] == "squeue") return {0, false, "1|cut", ""};
  move_clock(below(2));
  CommandResult result = apply(command);
  check();
  if (fault == Fault::kKilledAfter) throw Killed{};
  return fault == Fault::kNoAnswer ? unanswered() : result;
}

CommandResult SlurmModel::apply(const std::vector<std::string>& command) {
  if (command[0] == "squeue") {
    CommandResult result;
    result.out = queue(command.back());
    return result;
  }
  if (command[1] == "show") {
    if (command[2] == "node")
      return {0, false, "NodeName=n1 CPUTot=8 CPUAlloc=0 RealMemory=1000 State=IDLE Gres=(null)\n", ""};
    if (command[2] == "partition") return {0, false, "PartitionName=batch Nodes=n1 State=UP\n", ""};
    was_read();
    return {0, false,
            fmt::format("Configuration data as of {}\nPriorityType = priority/{}\nSelectType = select/cons_tres\n",
                        instant(now_), ages ? "multifactor" : "basic"),
            ""};
  }
  ModelJob* job = find(command[1] == "update" ? command[2].substr(6) : command[2]);
  return job == nullptr ? failed("Invalid job id specified") : apply_to(*job, command);
}

CommandResult SlurmModel::apply_to(ModelJob& job, const std::vector<std::string>& command) {
  const std::string& verb = command[1];
  if (verb == "release") {
    release(job);
  } else if (verb == "update") {
    if (job.held()) return failed("Job is in held state, pending scheduler release");
    job.priority = std::stoll(command[3].substr(9));
  } else {
    // A job that runs would be held if it were requeued. A hold that is there changes its kind alone.
    if (!job.held()) job.by_drive = !(verb == "uhold" && job.found_held);
    job.by_user = verb == "uhold";
    job.priority = 0;
  }
  return done();
}

void SlurmModel::release(ModelJob& job) {
  const bool own = job.by_drive || (job.by_user && take_held);
  if (job.held() && !own && !job.releasable && !job.unseen)
    complain("job " + job.id + " is released, which another hand holds");
  job.by_drive = job.releasable = false;
  job.priority = ages ? job.base : 40;
}

/// What squeue says is what the drive knows from now on.
void SlurmModel::was_read() {
  if (telling)
    for (const ModelJob& job : jobs_)
      tell(fmt::format("  read: {} {} {} priority {}{}", job.id, job.partition, job.runs ? "runs" : "waits",
                       job.priority, job.by_drive ? " by drive" : ""));
  for (ModelJob& job : jobs_) {
    if (job.unanswered && job.unanswered_since == 0) job.unanswered_since = now_;
    if (!job.shown) continue;
    job.ordered = job.unseen = false;
    if (now_ >= job.unanswered_since + kDoubt) job.unanswered = false;
  }
}

std::string SlurmModel::queue(const std::string& format) {
  std::string out;
  const bool spoilt = !faults_over_ && chance(rate_ / 2);
  for (ModelJob& job : jobs_) {
    const bool unreadable = spoilt && chance(0.3);
    out += line_of(job, format, unreadable);
    job.shown = !unreadable;
    const bool free = job.partition == "batch" && job.dependency.empty() && !job.runs && !unreadable;
    if (!free || (job.held() && !(take_held && job.by_user))) continue;
    if (job.held() && !job.by_drive && !is_named(job.id)) job.was_held = job.found_held = true;
    job.given = true;
  }
  return out;
}

std::string SlurmModel::line_of(const ModelJob& job, const std::string& format, bool unreadable) const {
  std::string out;
  for (std::size_t at = format.find('=') + 1; at < format.size();) {
    const std::string name = format.substr(at, format.find(':', at) - at);
    at = std::min(format.find(',', at), format.size() - 1) + 1;
    const std::string value = name == "jobarrayid"     ? job.id
                              : name == "state"        ? job.runs ? "RUNNING" : "PENDING"
                              : name == "reason"       ? !job.held()   ? "Priority"
                                                         : job.by_user ? "JobHeldUser"
                                                                       : "JobHeldAdmin"
                              : name == "dependency"   ? job.dependency
                              : name == "username"     ? "ann"
                              : name == "partition"    ? job.partition
                              : name == "submittime"   ? unreadable ? "yesterday" : instant(job.submitted)
                                : name == "starttime" ? job.runs ? instant(job.started) : "N/A"
                              : name == "restartcnt"   ? std::to_string(job.restarts)
                              : name == "timelimit"    ? "1:00:00"
                              : name == "prioritylong" ? std::to_string(job.priority)
                              : name == "tres-alloc"   ? "cpu=1,mem=10M,node=1"
                              : name == "nodelist"     ? job.runs ? "n1" : ""
                                                       : "";
    out += value + " \x1f";
  }
  return out + "\n";
}

// --- What must never be

bool SlurmModel::is_named(const std::string& id) const {
  return disk && disk->find("id = \"" + id + "\"\n") != std::string::npos;
}

void SlurmModel::check() {
  for (const ModelJob& job : jobs_) {
    if (is_named(job.id)) continue;
    if (job.held() && job.by_drive) complain("job " + job.id + " is held, and the ledger does not name it");
    if (!job.runs && job.priority > kTop)
      complain("job " + job.id + " comes before all others, and the ledger does not name it");
    if (!job.runs && job.was_held && !job.held())
      complain("job " + job.id + " is no longer held by its user, and the ledger does not name it");
  }
  for (const Late& late : late_)
    if ((late.command[1] == "hold") && find(late.command[2]) != nullptr && !is_named(late.command[2]))
      complain("job " + late.command[2] + " will be held, and the ledger does not name it");
}

void SlurmModel::check_at_the_end() {
  if (disk) complain("the ledger is not empty at the end:\n" + *disk);
  if (!late_.empty()) complain("orders are under way at the end");
  for (const ModelJob& job : jobs_) {
    if (job.held() && job.by_drive) complain("job " + job.id + " is held at the end");
    if (job.priority > kTop && !job.runs) complain("job " + job.id + " comes before all others at the end");
    if (!ages && !job.runs && !job.held() && !job.foreign && job.restarts == 0 && job.priority != job.base)
      complain(fmt::format("job {} has priority {} at the end instead of {}", job.id, job.priority, job.base));
  }
}

// --- The disk

std::optional<std::string> ModelFile::read() {
  const Fault fault = model_.draw_fault();
  if (fault == Fault::kNone || !model_.disk) return model_.disk;
  throw InputError({name_, 0, "cannot be read: Input/output error", "", "", ""});
}

void ModelFile::write(const std::optional<std::string>& content) {
  const Fault fault = model_.draw_fault();
  const auto fail = [] { throw SimulationError("state.toml: cannot be written: No space left on device"); };
  if (fault == Fault::kKilledBefore) throw Killed{};
  if (fault == Fault::kLost || fault == Fault::kRefused || fault == Fault::kNothing) fail();
  model_.disk = content;
  model_.tell(content ? *content : "no ledger");
  model_.check();
  if (fault == Fault::kKilledAfter || fault == Fault::kKilledInFlight) throw Killed{};
  if (fault == Fault::kNoAnswer || fault == Fault::kLate) fail();
}

}  // namespace coslice::test

#include "cli/site/queue_jobs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "formats/het_jobs.h"
#include "formats/sacct.h"
#include "formats/sacct_columns.h"
#include "formats/slurm_fields.h"
#include "machine/node_names.h"
#include "report/markup.h"
#include "scenario/toml.h"
#include "slurm/queue_words.h"
#include "slurm/values.h"

namespace coslice::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kYear = 365 * 86400 * kSecond;

/// The instant at which the queue was looked at.
std::int64_t instant_of_queue(const slurm::QueueSnapshot& queue, std::optional<std::int64_t> given) {
  if (given) return *given * kSecond;
  if (queue.now) return *queue.now;
  for (const slurm::QueuedJob& job : queue.jobs)
    if (job.runs() && job.start && job.elapsed) return *job.start + *job.elapsed;
  throw InputError({queue.jobs.empty() ? "" : queue.jobs.front().file, 0, "does not say when the queue was looked at",
                    "START_TIME and TIME of jobs that run, or --now TIME"});
}

/// What a job may run that says no limit: its partition's default, else as long as that lets it.
std::int64_t limit_of(const slurm::QueuedJob& job, const Scenario& scenario) {
  if (job.limit && *job.limit > 0) return *job.limit;
  const std::string first = job.partition.substr(0, job.partition.find(','));
  for (const PartitionSpec& p : scenario.layout.partitions) {
    if (p.name != first) continue;
    if (p.default_time) return p.default_time->count();
    if (p.max_time) return p.max_time->count();
  }
  return kYear;
}

/// For how long it may go on: one whose nodes are being cleared for a minute from now on, whatever its limit.
std::int64_t limit_at(const slurm::QueuedJob& job, const Scenario& scenario, std::int64_t now) {
  const std::int64_t limit = limit_of(job, scenario);
  if (!job.completes() || (!job.start && !job.elapsed)) return limit;
  const std::int64_t elapsed = std::max<std::int64_t>(job.start ? now - *job.start : *job.elapsed, 0);
  return std::min(limit, elapsed + 60 * kSecond);
}

/// What it asks for in all, as sacct writes it: by its TRES, else put together.
std::string tres_of(const slurm::QueuedJob& job, std::int64_t nodes, std::int64_t cpus) {
  if (!job.tres.empty()) return job.tres;
  std::string out = fmt::format("cpu={},node={}", cpus, nodes);
  if (const auto memory = slurm_memory(job.memory)) {
    const bool each_cpu = memory->per == SlurmMemoryPer::kCpu;
    out += fmt::format(",mem={}K", memory->kilobytes * (each_cpu ? cpus : nodes));
  }
  if (const auto at = job.gres.find("gpu"); at != std::string::npos) {
    std::string gpu = job.gres.substr(at, job.gres.find(',', at) - at);
    const auto colon = gpu.find_last_of(":=");
    const auto count = colon == std::string::npos ? std::nullopt : slurm::whole_number(gpu.substr(colon + 1));
    if (count) gpu.resize(colon);
    out += fmt::format(",gres/{}={}", gpu, count.value_or(1) * nodes);
  }
  return out;
}

/// "afterok:17(unfulfilled),afterany:18(failed)" without what is in brackets.
std::string dependency_of(const slurm::QueuedJob& job) {
  std::string out;
  int depth = 0;
  for (const char c : job.dependency) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && c != ')') out += c;
  }
  return out;
}

/// The tasks of "17_[1-3%2]", which wait as one line; else the id itself.
std::vector<std::string> ids_of(const slurm::QueuedJob& job) {
  const auto open = job.id.find("_[");
  if (open == std::string::npos) return {job.id};
  const auto tasks = slurm_tasks(std::string_view(job.id).substr(open + 1));
  if (!tasks)
    throw InputError({job.file, job.line, fmt::format("job '{}' is not an array", job.id), "e.g. 17_[1-3,7%2]"});
  std::vector<std::string> ids;
  for (const std::int64_t index : tasks->indices) ids.push_back(fmt::format("{}_{}", job.id.substr(0, open), index));
  return ids;
}

/// Of an array whose list is cut off the elements behind are not known.
void warn_of_cut_lists(const slurm::QueueSnapshot& queue, std::vector<std::string>& warnings) {
  for (const slurm::QueuedJob& job : queue.jobs) {
    const auto open = job.id.find("_[");
    const auto tasks =
        open == std::string::npos ? std::nullopt : slurm_tasks(std::string_view(job.id).substr(open + 1));
    if (!tasks || !tasks->cut) continue;
    warnings.push_back(fmt::format(
        "{}: the list of elements of job {} is cut off: {} {} read; SLURM_BITSTR_LEN=0 has squeue and scontrol print "
        "all of them, in a column that is wide enough (-o '%i|...')",
        job.line == 0 ? job.file : fmt::format("{}:{}", job.file, job.line), job.id,
        counted(std::ssize(tasks->indices), "element"), tasks->indices.size() == 1 ? "is" : "are"));
  }
}

/// A queue in which a job runs and waits, or two of one id, is none.
void refuse_twice(const slurm::QueueSnapshot& queue) {
  std::unordered_map<std::string, const slurm::QueuedJob*> seen;
  for (const slurm::QueuedJob& job : queue.jobs)
    for (const std::string& id : ids_of(job))
      if (const auto [first, is_new] = seen.emplace(id, &job); !is_new)
        throw InputError({job.file, job.line, fmt::format("job {} appears twice", id),
                          fmt::format("each job once; it is in {}:{}, too", first->second->file, first->second->line)});
}

/// How many elements may run of each array of which a line says so: "17_[1-3%2]".
std::map<std::string, std::int64_t> limits_of_arrays(const slurm::QueueSnapshot& queue) {
  std::map<std::string, std::int64_t> limits;
  for (const slurm::QueuedJob& job : queue.jobs) {
    const auto most = job.id.find('%');
    if (most == std::string::npos) continue;
    const auto limit = slurm::whole_number(job.id.substr(most + 1, job.id.find(']', most) - most - 1));
    if (limit && *limit > 0) limits[job.id.substr(0, job.id.find('_'))] = *limit;
  }
  return limits;
}

/// In the words that the reader of dumps knows: squeue prints lower ones, too.
const char* sharing_of(const slurm::QueuedJob& job) {
  const std::string word = lower_case(job.oversubscribe);
  return word.empty() ? "" : word == "no" ? "NO" : word == "yes" ? "YES" : "OK";
}

/// What of the command that submitted it the queue says: how many elements of its array may run, and a range of nodes,
/// over which a job has as many CPUs as it says in all, but one that has them for itself.
std::string command_of(const slurm::QueuedJob& job, std::int64_t nodes, std::int64_t cpus, std::int64_t elements) {
  std::string out;
  if (elements > 0) out += fmt::format(" --array=0%{}", elements);
  if (job.waits() && job.most_nodes > nodes) {
    out += fmt::format(" -N {}-{}", nodes, job.most_nodes);
    if (cpus > nodes && lower_case(job.oversubscribe) != "no") out += fmt::format(" -n {}", cpus);
  }
  if (job.waits() && job.segment > 0) out += fmt::format(" --segment={}", job.segment);
  return out.empty() ? out : "sbatch" + out;
}

/// The queue as a dump of sacct, so that one reader knows what Slurm's words mean.
std::string as_sacct(const slurm::QueueSnapshot& queue, const Scenario& scenario, std::int64_t now) {
  std::string out =
      "JobID|User|Account|Partition|QOS|Submit|Elapsed|NNodes|NCPUS|Timelimit|ReqTRES|Constraints|OverSubscribe|"
      "Reservation|Dependency|Begin|SubmitLine\n";
  const std::map<std::string, std::int64_t> limits = limits_of_arrays(queue);
  for (const slurm::QueuedJob& job : queue.jobs) {
    const std::int64_t nodes = std::max<std::int64_t>(job.node_count, 1);
    const auto tres = slurm_tres(job.tres);
    const std::int64_t cpus = job.cpus > 0 ? job.cpus : tres && tres->cpus > 0 ? tres->cpus : nodes;
    const std::int64_t submit = job.submit    ? *job.submit
                                : !job.runs() ? now
                                : job.start   ? *job.start
                                : job.elapsed ? now - *job.elapsed
                                              : now;
    const std::string begin = job.begins() ? iso_text(*job.begins() / kSecond) : "";
    const auto limit = limits.find(job.id.substr(0, job.id.find('_')));
    const std::string command = command_of(job, nodes, cpus, limit == limits.end() ? 0 : limit->second);
    const auto field = [](const std::string& text) { return escaped_sacct_field(text, "|"); };
    for (const std::string& id : ids_of(job))
      out += fmt::format("{}|{}|{}|{}|{}|{}|00:00:01|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}\n", field(id), field(job.user),
                         field(job.account), field(job.partition), field(job.qos), iso_text(submit / kSecond), nodes,
                         cpus, slurm_duration_text(limit_at(job, scenario, now)), field(tres_of(job, nodes, cpus)),
                         field(job.features), sharing_of(job), field(job.reservation), field(dependency_of(job)), begin,
                         command);
  }
  return out;
}

/// One that waits for jobs which nobody names waits for a hand, as far as can be known.
bool is_held(const slurm::QueuedJob& job) {
  return job.is_held() || (slurm::waits_for(job.reason) == slurm::WaitsFor::kDependency && dependency_of(job).empty());
}

KnownJob known_of(const slurm::QueuedJob& job, std::int64_t now, std::int64_t origin) {
  KnownJob known;
  known.reason = job.reason;
  if (job.waits()) {
    known.as = is_held(job) ? KnownAs::kHeld : KnownAs::kWaiting;
    return known;
  }
  if (!job.start && !job.elapsed)
    throw InputError({job.file, job.line, fmt::format("nothing says since when job {} runs", job.id),
                      "START_TIME or TIME: %S or %M of squeue -o"});
  known.as = KnownAs::kRunning;
  known.start = Time{Duration{std::min(job.start ? *job.start : now - *job.elapsed, now - 1) - origin}};
  known.nodes = job.nodes;
  return known;
}

struct NumberedName {
  const char* kind;
  std::int32_t Job::*member;
};
constexpr std::array<NumberedName, 5> kNumberedNames = {{{"user", &Job::user},
                                                         {"group", &Job::group},
                                                         {"queue", &Job::queue},
                                                         {"partition", &Job::partition},
                                                         {"executable", &Job::executable}}};

/// Puts the jobs of one record beside those of another.
class Merge {
 public:
  Merge(RecordedWorkload& into, std::map<std::pair<std::string, std::string>, std::int32_t> numbers)
      : into_(into), numbers_(std::move(numbers)) {
    for (const RecordedWorkload::Name& n : into.names) {
      numbers_[{n.kind, lower_case(n.name)}] = n.number;
    }
    for (const auto& [name, number] : numbers_) last_[name.first] = std::max(last_[name.first], number);
  }

  void add(RecordedWorkload more) {
    for (const RecordedWorkload::Name& n : more.names) names_[{n.kind, n.number}] = n.name;
    drop_same(more);
    tell_numbers_apart(more);
    const Duration shift = whole_seconds(more.workload.header.unix_start_time - into_.workload.header.unix_start_time);
    const auto offset = static_cast<RequestId>(into_.requests.size());
    for (std::size_t i = 0; i != more.workload.jobs.size(); ++i) {
      const Job& from = more.workload.jobs[i];
      Job job = from;
      job.submit += shift;
      for (const NumberedName& n : kNumberedNames)
        job.*n.member = job.*n.member < 0 ? -1 : number(n.kind, names_[{n.kind, job.*n.member}]);
      into_.workload.extras.set(job, *from.extras);
      into_.workload.extras.move_instants(job, shift);
      if (job.request != kNoRequest) job.request += offset;
      into_.workload.jobs.push_back(job);
      into_.waits.emplace_back(-1);
      into_.nodes.emplace_back();
      into_.site_ids.push_back(more.site_id(i));
    }
    into_.requests.insert(into_.requests.end(), more.requests.begin(), more.requests.end());
    sort();
  }

 private:
  std::int32_t number(const std::string& kind, const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace({kind, lower_case(name)}, last_[kind] + 1);
    if (is_new) ++last_[kind];
    if (named_.insert({kind, at->second}).second) into_.names.push_back({kind, at->second, name, 1});
    return at->second;
  }

  /// All lists are as long as there are jobs.
  void pad() {
    for (const RecordedWorkload::Name& n : into_.names) named_.insert({n.kind, n.number});
    const std::size_t jobs = into_.workload.jobs.size();
    into_.waits.resize(jobs, Duration{-1});
    into_.nodes.resize(jobs);
    for (std::size_t i = into_.site_ids.size(); i < jobs; ++i)
      into_.site_ids.push_back(std::to_string(into_.workload.jobs[i].id));
  }

  /// What the queue has is not over, whatever the history says of a job of that id, as the site writes it: of elements
  /// of arrays the numbers here are others in each record.
  void drop_same(const RecordedWorkload& more) {
    const auto whole_of = [](const std::string& id) {
      const std::string_view whole = het_job_of(id);
      return whole.empty() ? id : std::string(whole);
    };
    std::set<std::string> ids;
    for (std::size_t i = 0; i != more.workload.jobs.size(); ++i) ids.insert(whole_of(more.site_id(i)));
    std::set<std::int64_t> same;
    for (std::size_t i = 0; i != into_.workload.jobs.size(); ++i)
      if (ids.count(whole_of(into_.site_id(i))) != 0) same.insert(into_.workload.jobs[i].id);
    if (same.empty()) return;
    change_recorded(
        into_, [&](Workload& w) { std::erase_if(w.jobs, [&](const Job& job) { return same.count(job.id) != 0; }); });
  }

  /// Jobs of the queue keep numbers that are their ids, by which others may wait for them. All others of it, and jobs
  /// of the history that have such a number without it being their id, get numbers that no job has.
  void tell_numbers_apart(RecordedWorkload& more) {
    std::vector<Job>&known = into_.workload.jobs, &jobs = more.workload.jobs;
    std::int64_t largest = 0;
    for (const Job& job : known) largest = std::max(largest, job.id);
    for (const Job& job : jobs) largest = std::max(largest, job.id);
    std::set<std::int64_t> kept;
    for (std::size_t i = 0; i != jobs.size(); ++i)
      if (more.site_id(i) == std::to_string(jobs[i].id)) kept.insert(jobs[i].id);
      else jobs[i].id = ++largest;
    pad();
    for (Job& job : known)
      if (kept.count(job.id) != 0) job.id = ++largest;
  }

  /// By submission. Jobs from before the history's first one move its clock.
  void sort() {
    auto& jobs = into_.workload.jobs;
    std::vector<std::size_t> order(jobs.size());
    for (std::size_t i = 0; i != order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return jobs[a].submit < jobs[b].submit; });
    RecordedWorkload old = into_;
    for (std::size_t i = 0; i != order.size(); ++i) {
      jobs[i] = old.workload.jobs[order[i]];
      into_.waits[i] = old.waits[order[i]];
      into_.nodes[i] = std::move(old.nodes[order[i]]);
      into_.site_ids[i] = std::move(old.site_ids[order[i]]);
    }
    if (jobs.empty() || jobs.front().submit >= Time{}) return;
    const auto seconds = -(jobs.front().submit.time_since_epoch() / whole_seconds(1)) + 1;
    for (Job& job : jobs) {
      job.submit += whole_seconds(seconds);
      into_.workload.extras.move_instants(job, whole_seconds(seconds));
    }
    into_.workload.header.unix_start_time -= seconds;
  }

  RecordedWorkload& into_;
  std::map<std::pair<std::string, std::string>, std::int32_t> numbers_;
  std::map<std::string, std::int32_t> last_;
  std::map<std::pair<std::string, std::int32_t>, std::string> names_;
  std::set<std::pair<std::string, std::int32_t>> named_;
};

std::string policy_file_of(const Scenario& scenario) {
  namespace fs = std::filesystem;
  const fs::path name = scenario.policy.names.front();
  const fs::path path = name.is_absolute() ? name : fs::path(scenario.folder) / name;
  std::error_code error;
  return fs::is_regular_file(path, error) ? read_text_file(path.string(), "policy") : "";
}

}  // namespace

std::map<std::pair<std::string, std::string>, std::int32_t> numbers_in_policy(const std::string& text) {
  std::map<std::pair<std::string, std::string>, std::int32_t> out;
  const std::map<std::string, std::string> kinds = {
      {"accounts", "group"}, {"users", "user"}, {"partitions", "partition"}};
  std::string kind;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const auto word = line.find_first_not_of(' ');
    const auto table = line.find(" = {");
    if (word != std::string::npos && table != std::string::npos && line[word] != '{') {
      const auto found = kinds.find(line.substr(word, table - word));
      kind = found == kinds.end() ? "" : found->second;
    }
    const auto name = line.find("name = \""), number = line.find("number = ");
    if (kind.empty() || name == std::string::npos || number == std::string::npos) continue;
    const std::size_t from = name + 8, to = line.find('"', from);
    const auto value = slurm::whole_number(line.substr(number + 9, line.find_first_of(",} ", number + 9) - number - 9));
    if (to != std::string::npos && value)
      out[{kind, lower_case(line.substr(from, to - from))}] = static_cast<std::int32_t>(*value);
  }
  return out;
}

AddedQueue add_queue(const slurm::QueueSnapshot& queue, const Scenario& scenario, std::optional<std::int64_t> now,
                     RecordedWorkload& trace) {
  AddedQueue out;
  out.warnings = queue.warnings;
  if (queue.jobs.empty()) throw InputError({"--queue", 0, "no job runs or waits", "what squeue says of jobs that do"});
  refuse_twice(queue);
  warn_of_cut_lists(queue, out.warnings);
  out.now = instant_of_queue(queue, now);
  const std::string& file = queue.jobs.front().file;
  RecordedWorkload jobs = parse_sacct(as_sacct(queue, scenario, out.now), file, SlurmSize::kCpus);
  Merge(trace, numbers_in_policy(policy_file_of(scenario))).add(std::move(jobs));
  const std::int64_t origin = trace.workload.header.unix_start_time * kSecond;
  std::map<std::string, std::int64_t> numbers;
  for (std::size_t i = 0; i != trace.workload.jobs.size(); ++i) numbers[trace.site_id(i)] = trace.workload.jobs[i].id;
  std::size_t without_limit = 0, without_submission = 0;
  for (std::size_t i = 0; i != queue.jobs.size(); ++i) {
    const slurm::QueuedJob& job = queue.jobs[i];
    without_limit += job.limit ? 0 : 1;
    without_submission += job.submit ? 0 : 1;
    for (const std::string& id : ids_of(job)) {
      auto at = numbers.find(id);
      if (at == numbers.end()) at = numbers.find(std::string(het_job_of(id)));
      if (at == numbers.end()) continue;
      const KnownJob known = known_of(job, out.now, origin);
      out.places.emplace(at->second, i);
      // Components of a heterogeneous job may be one here.
      const auto [there, is_new] = out.jobs.emplace(at->second, known);
      if (!is_new && !known.nodes.empty())
        there->second.nodes += (there->second.nodes.empty() ? "" : ",") + known.nodes;
    }
  }
  if (without_limit != 0)
    out.warnings.push_back(fmt::format("{}: {} of {} jobs say no limit (%l): they have their partition's", file,
                                       without_limit, queue.jobs.size()));
  if (without_submission != 0)
    out.warnings.push_back(
        fmt::format("{}: {} of {} jobs do not say when they were submitted (%V): as if just now, or when they started",
                    file, without_submission, queue.jobs.size()));
  return out;
}

void admit_running_jobs(const slurm::QueueSnapshot& queue, Scenario& scenario) {
  if (!names_kinds(scenario.machine)) return;
  auto layout = std::make_shared<MachineLayout>(*scenario.machine.layout);
  for (Partition& p : layout->partitions) {
    for (const slurm::QueuedJob& job : queue.jobs) {
      if (!job.runs() || job.partition != p.name) continue;
      if (p.max_time) p.max_time = std::max(*p.max_time, Duration{job.limit.value_or(0)});
      if (p.max_nodes) p.max_nodes = std::max(*p.max_nodes, static_cast<std::int32_t>(job.node_count));
    }
  }
  scenario.machine.layout = std::move(layout);
}

std::vector<std::string> take_nodes_down(const slurm::QueueSnapshot& queue, Time now, Scenario& scenario) {
  std::vector<std::string> warnings, away = queue.down;
  if (scenario.reservations.empty() && !queue.reserved.empty()) {
    away.insert(away.end(), queue.reserved.begin(), queue.reserved.end());
    warnings.push_back(fmt::format(
        "{} of a reservation, and the site has none (`coslice import slurm --reservations`): as if {} took no jobs",
        compress_node_names(queue.reserved) + (queue.reserved.size() == 1 ? " is" : " are"),
        queue.reserved.size() == 1 ? "it" : "they"));
  }
  if (names_kinds(scenario.machine)) {
    const NodeLookup lookup(*scenario.machine.layout);
    std::erase_if(away, [&](const std::string& node) {
      NodeSet known(scenario.machine.layout->node_count());
      return lookup.insert(known, node, {}).has_value();  // the site has left it out
    });
  }
  if (away.empty()) return warnings;
  PlannedOutage down;
  down.nodes = away;
  down.from = now;
  down.length = from_seconds(kMaxSeconds / 2);
  down.kind = OutageKind::kDrain;
  scenario.outages.planned.push_back(std::move(down));
  return warnings;
}

MachineState state_of_queue(const AddedQueue& added, const Workload& workload, const RecordedWorkload& trace) {
  MachineState state;
  state.now = Time{Duration{added.now - trace.workload.header.unix_start_time * kSecond}};
  state.jobs.resize(workload.jobs.size());
  const auto record = schedule_on_record(workload, trace);
  for (std::size_t j = 0; j != state.jobs.size(); ++j) {
    const Job& job = workload.jobs[j];
    KnownJob& known = state.jobs[j];
    if (const auto found = added.jobs.find(job.id); found != added.jobs.end()) {
      known = found->second;
      continue;
    }
    if (job.submit > state.now) continue;
    known.as = KnownAs::kEnded;
    known.end = record && (*record)[j].start != kNever
                    ? std::min((*record)[j].end, state.now)
                    : state.now - Duration{10 * kYear};  // long ago, so that it counts in run times only
    known.start = known.end - job.runtime;
    if (record) known.nodes = (*record)[j].nodes;
  }
  return state;
}

}  // namespace coslice::cli

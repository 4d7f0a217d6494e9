// coslice explain: why a job started when it did.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/run/one_run.h"
#include "cli/site/site_folder.h"
#include "core/error.h"
#include "core/text.h"
#include "observe/story_recorder.h"
#include "report/explain/story_text.h"
#include "report/markup.h"
#include "report/tables/table.h"
#include "report/tables/terminal.h"
#include "runner/story_layout.h"

namespace coslice::cli {
namespace {

struct ExplainFlags {
  std::vector<std::string> run, job;
  std::optional<std::string> policy, at;
  bool json = false, seconds = false, priorities = false;
};

[[noreturn]] void no_such_job(const std::vector<Job>& jobs, std::int64_t id, const std::string& run) {
  const auto [least, most] =
      std::minmax_element(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.id < b.id; });
  const auto nearest = std::min_element(
      jobs.begin(), jobs.end(), [id](const Job& a, const Job& b) { return std::abs(a.id - id) < std::abs(b.id - id); });
  throw InputError(
      {fmt::format("job {}", id), 0, fmt::format("there is none in {}", run),
       fmt::format("the number of one of its {}, from {} to {}", counted(std::ssize(jobs), "job"), least->id, most->id),
       fmt::format("the nearest is {}; a job that was left out of the workload has none", nearest->id)});
}

JobIndex job_of(const Workload& workload, const std::string& text, const std::string& run) {
  const auto id = parse_number<std::int64_t>(text);
  if (!id)
    throw InputError(
        {"JOB", 0, fmt::format("'{}' is not a job", text), "its number in the trace; jobs in a scenario count from 1"});
  const auto it = std::find_if(workload.jobs.begin(), workload.jobs.end(), [&](const Job& j) { return j.id == *id; });
  if (it == workload.jobs.end()) no_such_job(workload.jobs, *id, run);
  return static_cast<JobIndex>(it - workload.jobs.begin());
}

/// Which jobs wait at a time, and when the last pass was by then.
class WaitingAt : public Observer {
 public:
  WaitingAt(Time at, std::size_t jobs) : at_(at), waits_(jobs) {}
  Time last_pass() const { return last_; }
  std::vector<JobIndex> jobs() const {
    std::vector<JobIndex> out;
    for (JobIndex j = 0; j != waits_.size(); ++j)
      if (waits_[j]) out.push_back(j);
    return out;
  }
  void submitted(Time t, JobIndex j) override { set(t, j, true); }
  void started(Time t, JobIndex j, const NodeRanges&) override { set(t, j, false); }
  void withdrawn(Time t, JobIndex j) override { set(t, j, false); }
  void rejected(Time t, JobIndex j, Rejection) override { set(t, j, false); }
  void passed(Time t) override {
    if (t <= at_) last_ = t;
  }

 private:
  void set(Time t, JobIndex j, bool waits) {
    if (t <= at_) waits_[j] = waits;
  }
  Time at_, last_ = kNever;
  std::vector<bool> waits_;
};

/// A job that waits, and what is said of it.
struct WaitingJob {
  JobIndex job;
  std::size_t place;
  std::string reason;
  PriorityFactors factors;
  double priority() const {
    double sum = 0;
    for (const auto& [name, value] : factors) sum += value;
    return sum;
  }
};

/// The factors of all jobs by name, in the order in which the policy gives them.
std::vector<std::string> factor_names(const std::vector<WaitingJob>& jobs) {
  std::vector<std::string> names;
  for (const WaitingJob& w : jobs)
    for (const auto& factor : w.factors)
      if (std::ranges::find(names, factor.first) == names.end()) names.push_back(factor.first);
  return names;
}

std::string priorities_table(const std::vector<WaitingJob>& jobs, const Workload& workload) {
  const std::vector<std::string> names = factor_names(jobs);
  std::vector<Column> columns = {{"place"}, {"job"}};
  if (!names.empty()) columns.push_back({"priority"});
  for (const std::string& name : names) columns.push_back({name});
  Table table(std::move(columns));
  for (const WaitingJob& w : jobs) {
    std::vector<Cell> cells = {std::to_string(w.place), std::to_string(workload.jobs[w.job].id)};
    if (!names.empty()) cells.emplace_back(readable(w.priority()));
    for (const std::string& name : names) {
      const auto at = std::ranges::find(w.factors, name, &PriorityFactors::value_type::first);
      cells.emplace_back(at == w.factors.end() ? "" : readable(at->second));
    }
    table.add_row(std::move(cells));
  }
  return table.render(TableStyle::kPlain);
}

std::string priorities_json(const std::vector<WaitingJob>& jobs, const Workload& workload, Time pass) {
  nlohmann::ordered_json out{{"pass", to_seconds(pass - Time{})}, {"jobs", nlohmann::ordered_json::array()}};
  for (const WaitingJob& w : jobs) {
    nlohmann::ordered_json one{{"job", workload.jobs[w.job].id}, {"place", w.place}};
    if (!w.factors.empty()) one["priority"] = w.priority();
    for (const auto& [name, value] : w.factors) one["factors"][name] = value;
    one["text"] = w.reason;
    out["jobs"].push_back(std::move(one));
  }
  return out.dump(2) + "\n";
}

/// The run is made twice: only then is it known which pass is the last one by that time, and which jobs wait.
int explain_moment(const ExplainFlags& flags) {
  if (!flags.priorities || !flags.at || !flags.job.empty())
    throw InputError({flags.priorities ? "--priorities" : "--at", 0, "goes with a time and without a job",
                      "coslice explain RUN --at TIME --priorities"});
  const OneRun one(flags.run.front(), flags.policy, "and an explanation is of one run");
  const Workload& workload = one.runner().workload();
  const Time at = instant_of("--at", *flags.at, workload.header);
  WaitingAt moment(at, workload.jobs.size());
  const PolicyRun run = one.simulate({&moment});
  const std::vector<JobIndex> jobs = moment.jobs();
  StoryRecorder recorder = story_recorder(one.runner(), jobs);
  recorder.look_only_at(moment.last_pass());
  if (!jobs.empty()) one.watch(recorder, [&] { return recorder.is_past(moment.last_pass()); });
  std::vector<WaitingJob> waiting;
  for (const JobStory& story : recorder.take()) {
    StoryContext context = story_context(run, one.name(), story.job);
    if (!flags.json && !flags.seconds) context.clock = trace_clock(run.result.workload->header);
    waiting.push_back(
        {story.job, story.best_place,
         story.phases.empty() ? "came after the last pass" : wait_reason_text(story.phases.back(), context),
         recorder.factors_of(story.job)});
  }
  std::ranges::stable_sort(waiting, {}, &WaitingJob::place);
  if (flags.json) {
    print(priorities_json(waiting, workload, moment.last_pass()));
    return kDone;
  }
  const auto clock = flags.seconds ? std::nullopt : trace_clock(workload.header);
  StoryText text{
      {fmt::format("{} {} at {} in {}, {}", counted(std::ssize(waiting), "job"), waiting.size() == 1 ? "waits" : "wait",
                   words::instant(clock, at), one.name(), run.policy.name)},
      {}};
  if (moment.last_pass() != kNever)
    text.head.push_back("The last pass by then is at " + words::instant(clock, moment.last_pass()) + ".");
  print(laid_out(text, text_width(stdout), wants_colour(stdout)));
  if (waiting.empty()) return kDone;
  print("\n" + priorities_table(waiting, workload));
  StoryText::Part why{"why not now", {}};
  for (const WaitingJob& w : waiting) why.lines.push_back({words::job(run.result, w.job), w.reason});
  print(laid_out({{}, {std::move(why)}}, text_width(stdout), wants_colour(stdout)));
  return kDone;
}

int explain(const ExplainFlags& flags) {
  if (flags.priorities || flags.at) return explain_moment(flags);
  if (flags.job.empty())
    throw InputError(
        {"", 0, "no job is named", "its number in the trace", "or --at TIME --priorities, for all that wait"});
  const OneRun one(flags.run.front(), flags.policy, "and an explanation is of one run");
  const JobIndex job = job_of(one.runner().workload(), flags.job.front(), flags.run.front());
  StoryRecorder recorder = story_recorder(one.runner(), {job});
  const PolicyRun run = one.simulate({&recorder});
  const JobStory story = recorder.take().front();
  StoryContext context = story_context(run, one.name(), job);
  if (!flags.json && !flags.seconds) context.clock = trace_clock(run.result.workload->header);
  if (flags.json) print(story_json(story, context));
  else print(laid_out(story_text(story, context), text_width(stdout), wants_colour(stdout)));
  return kDone;
}

}  // namespace

Command explain_command() {
  auto flags = std::make_shared<ExplainFlags>();
  ExplainFlags& f = *flags;
  Command c;
  c.summary = "say why a job started when it did";
  c.examples = {
      {"coslice explain results/7 42", "job 42 of a run folder"},
      {"coslice explain results/7 42 --policy easy", "where the folder holds several policies' runs"},
      {"coslice explain trace.swf.gz 42 --policy conservative", "of a trace under a policy"},
      {"coslice explain results/7 42 --json | jq .phases", "for machines"},
      {"coslice explain results/7 --at 3600 --priorities", "all that waits then, with its priority"},
  };
  c.text =
      "What the job waited for and for how long, which jobs stood before it, which start it would have delayed, which "
      "reservation it got; which jobs passed it and why that did no harm; on which nodes and with which jobs sharing "
      "was tried and why it was refused; why it started; and how it was stopped, loaded and brought back.\n\n"
      "Nothing of this is kept in a run folder: its scenario.toml is simulated again and watched, and the result must "
      "have the fingerprint that the folder's summary.json says; an input that has changed since is an error. A "
      "scenario or a trace is simulated as `coslice run` does.\n\n"
      "--priorities lists all jobs that wait at a time, in order of the queue, as of the last scheduling pass by then: "
      "what "
      "their priorities are made of, where the policy says that (slurm and multifactor do), and why none of them has "
      "started.";
  c.arguments = {{"RUN",
                  "A run folder, a scenario, a trace, or a run of a campaign: loads.sqlite:7.",
                  &f.run,
                  1,
                  1,
                  {Completion::kFiles, {"toml", "swf", "swf.gz", "sqlite"}}},
                 {"JOB", "The job's number in the trace; jobs in a scenario count from 1.", &f.job, 0, 1, {}}};
  c.options = {
      value("-p,--policy", "NAME", f.policy, "Which run of a folder; of a scenario or a trace, the policy.",
            {Completion::kPolicies}),
      flag("--priorities", f.priorities, "In place of JOB: all that wait at the time --at."),
      value("--at", "TIME", f.at, "For --priorities: seconds of the trace, or a date by its calendar."),
      flag("--json", f.json, "Prints everything as JSON."),
      flag("--seconds", f.seconds, "Instants in seconds of the trace, also where it has a date. JSON always has them."),
  };
  c.run = [flags] { return explain(*flags); };
  return c;
}

}  // namespace coslice::cli

// coslice explain: why a job started when it did.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/run/one_run.h"
#include "cli/run/story_layout.h"
#include "core/error.h"
#include "core/text.h"
#include "observe/story_recorder.h"
#include "report/explain/story_text.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

struct ExplainFlags {
  std::vector<std::string> run, job;
  std::optional<std::string> policy;
  bool json = false, seconds = false;
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

int explain(const ExplainFlags& flags) {
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
  };
  c.text =
      "What the job waited for and for how long, which jobs stood before it, which start it would have delayed, which "
      "reservation it got; which jobs passed it and why that did no harm; on which nodes and with which jobs sharing "
      "was tried and why it was refused; why it started; and how it was stopped, loaded and brought back.\n\n"
      "Nothing of this is kept in a run folder: its scenario.toml is simulated again and watched, and the result must "
      "have the fingerprint that the folder's summary.json says; an input that has changed since is an error. A "
      "scenario or a trace is simulated as `coslice run` does.";
  c.arguments = {{"RUN",
                  "A run folder, a scenario, a trace, or a run of a campaign: loads.sqlite:7.",
                  &f.run,
                  1,
                  1,
                  {Completion::kFiles, {"toml", "swf", "swf.gz", "sqlite"}}},
                 {"JOB", "The job's number in the trace; jobs in a scenario count from 1.", &f.job, 1, 1, {}}};
  c.options = {
      value("-p,--policy", "NAME", f.policy, "Which run of a folder; of a scenario or a trace, the policy.",
            {Completion::kPolicies}),
      flag("--json", f.json, "Prints everything as JSON."),
      flag("--seconds", f.seconds, "Instants in seconds of the trace, also where it has a date. JSON always has them."),
  };
  c.run = [flags] { return explain(*flags); };
  return c;
}

}  // namespace coslice::cli

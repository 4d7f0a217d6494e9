// coslice forecast: when the jobs that wait now will start, and how right such forecasts are.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/frame/stop_signals.h"
#include "cli/jobs/trace_flags.h"
#include "cli/site/queue_checks.h"
#include "cli/site/queue_jobs.h"
#include "cli/site/site_folder.h"
#include "core/error.h"
#include "core/time.h"
#include "formats/openb.h"
#include "jobs/workload.h"
#include "lab/forecast/forecast_text.h"
#include "lab/forecast/kept_forecast.h"
#include "report/markup.h"
#include "report/tables/terminal.h"
#include "runner/runner.h"
#include "scenario/input_cache.h"
#include "scenario/toml.h"
#include "slurm/queue.h"

namespace coslice::cli {
namespace {

/// What is asked, and how the answer is to look.
struct KeptQuestion {
  std::string file;
  std::vector<std::string> jobs, users;
  std::optional<std::int64_t> now;  ///< seconds since 1970; nothing: by the clock
  std::optional<Duration> max_age;  ///< an older forecast is an error
  bool json = false;
  std::size_t lines = 0;  ///< of a table at most; 0: all
};

/// Clocks of two machines may differ by so much.
constexpr std::int64_t kClocksDiffer = 60;

std::string span(std::int64_t seconds) { return human_duration(whole_seconds(seconds)); }

/// An answer of long ago looks like any other one.
void check_age(const KeptQuestion& question, const KeptForecast& state, std::int64_t asked) {
  const std::int64_t age = asked - state.queue;
  const std::string looked_at =
      fmt::format("the queue was looked at at {}", date_text(TraceClock{}, Time{whole_seconds(state.queue)}));
  if (question.max_age && age > *question.max_age / whole_seconds(1))
    throw InputError({question.file, 0, fmt::format("is {} old: {}", span(age), looked_at),
                      fmt::format("{} at most (--max-age)", human_duration(*question.max_age)),
                      "check that the task that renews it still runs"});
  if (age > state.valid)
    report_warning(fmt::format("{} is {} old, and was good for {}: {}; jobs have started and come since", question.file,
                               span(age), span(state.valid), looked_at));
  if (age < -kClocksDiffer)
    report_warning(fmt::format("{}: {}, which is {} from now; expected UTC: TZ=UTC for squeue, sacct and --now",
                               question.file, looked_at, span(-age)));
}

/// Returns the seconds since 1970 by the clock of this machine: only ages and what is kept know it, no result of a
/// simulation.
std::int64_t seconds_by_the_clock() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Prints the answer; what makes it doubtful, its age or its clock, is a warning. Throws InputError: the file is not
/// there, is no kept forecast or too old, or has no such job.
void answer(const KeptQuestion& question) {
  require_file(question.file);
  const KeptForecast state = kept_forecast_from_json(read_text_file(question.file, "kept forecast"), question.file);
  const std::int64_t asked = question.now.value_or(seconds_by_the_clock());
  check_age(question, state, asked);
  const std::vector<KeptJob> jobs = jobs_asked_for(state, {question.jobs, question.users}, question.file);
  print(question.json ? forecast_answer_json(state, jobs, asked)
                      : forecast_answer_table(state, jobs, asked, question.lines, wants_colour(stdout)));
}

constexpr std::int64_t kUsualInstants = 20, kUsualLines = 40;
/// A minute of a processor: what is not said is chosen so that a forecast takes no longer.
constexpr double kUsualWork = 60e6;
/// A forecast that takes longer says what it does, and how sure that makes it, s.
constexpr double kLong = 10;
/// A queue of that age has changed: so long a kept forecast is good for, where nothing else is said.
const Duration kUsualValid = whole_seconds(900);
const std::vector<std::string> kArrivals = {"days", "none"};

struct ForecastFlags {
  std::vector<std::string> site, queue, sets, ids, users;
  std::optional<std::string> at, now, recorded, runs, seed, interval, arrivals, past, horizon, instants, policy, lines,
      threads, out, valid, from, max_age;
  bool calibrate = false, json = false, csv = false, skip_bad = false;
};

/// "80" or "0.8".
double level_of(const std::string& text) {
  char* end = nullptr;
  double level = std::strtod(text.c_str(), &end);
  if (level >= 2) level /= 100;
  if (end != text.c_str() && *end == '\0' && level >= 0.1 && level <= 0.99) return level;
  throw InputError({"--interval " + text, 0, "out of range", "a share of the starts from 10 to 99 %, e.g. 80"});
}

void refuse(bool wrong, const char* flag, const char* expected, const char* suggestion = "") {
  if (wrong) throw InputError({flag, 0, "has no effect here", expected, suggestion});
}

/// What says how a forecast is made says nothing of one that is kept.
void check_flags_of_question(const ForecastFlags& f) {
  const char* const none = "nothing of how a forecast is made beside --from";
  refuse(!f.site.empty(), "SITE", none);
  refuse(!f.queue.empty(), "--queue", none);
  refuse(f.at.has_value(), "--at", none);
  refuse(f.calibrate, "--calibrate", none);
  refuse(f.recorded.has_value(), "--recorded", none);
  refuse(f.instants.has_value(), "--instants", none);
  refuse(f.runs.has_value(), "--runs", none);
  refuse(f.seed.has_value(), "--seed", none);
  refuse(f.interval.has_value(), "--interval", none);
  refuse(f.past.has_value(), "--past", none);
  refuse(f.horizon.has_value(), "--horizon", none);
  refuse(f.arrivals.has_value(), "--arrivals", none);
  refuse(f.policy.has_value(), "--policy", none);
  refuse(!f.sets.empty(), "--set", none);
  refuse(f.threads.has_value(), "--jobs", none, "did you mean '--job'?");
  refuse(f.out.has_value(), "--out", none);
  refuse(f.valid.has_value(), "--valid", none);
  refuse(f.csv, "--csv", "a table or --json beside --from");
  refuse(f.lines && f.json, "--lines", "a table of a forecast");
}

/// No flag is taken that would have no effect.
void check_flags(const ForecastFlags& f) {
  const bool queue = !f.queue.empty();
  if (int{queue} + int{f.at.has_value()} + int{f.calibrate} > 1)
    throw InputError({"", 0, "several snapshots were named", "one of --queue, --at and --calibrate"});
  if (f.json && f.csv) throw InputError({"--csv", 0, "is given beside --json", "one of them"});
  refuse(f.now && !queue, "--now", "it beside --queue");
  refuse(f.recorded && queue, "--recorded", "it beside --at or --calibrate");
  refuse(f.instants && !f.calibrate, "--instants", "it beside --calibrate");
  refuse(f.csv && f.calibrate, "--csv", "a forecast, not --calibrate");
  refuse(f.out && !queue && !f.calibrate, "--out", "it beside --queue or --calibrate");
  refuse(f.valid && !f.out, "--valid", "it beside --out");
  refuse(f.valid && f.calibrate, "--valid", "a forecast that is kept, not --calibrate");
  refuse(f.json && f.out && queue, "--json", "a forecast that is printed, not --out");
  refuse(f.csv && f.out, "--csv", "a forecast that is printed, not --out");
  refuse(f.lines && (f.calibrate || f.json || f.csv || f.out), "--lines", "a table of a forecast");
  refuse(!f.ids.empty(), "--job", "it beside --from");
  refuse(!f.users.empty(), "--user", "it beside --from");
  refuse(f.max_age.has_value(), "--max-age", "it beside --from");
}

ForecastOptions options_of(const ForecastFlags& f) {
  ForecastOptions o;
  if (!f.calibrate) {
    o.budget = kUsualWork;
    if (!f.horizon) o.most_work = kUsualWork / static_cast<double>(o.least_runs + o.least_past * o.least_past_runs);
  }
  if (f.calibrate) o.runs = 40;
  if (f.runs) o.runs = o.least_runs = whole_number("--runs", *f.runs, 2, 100'000);
  if (f.horizon) o.horizon = whole_seconds(86400 * whole_number("--horizon", *f.horizon, 1, 3650));
  if (f.seed) o.seed = whole_number("--seed", *f.seed, 0, 1'000'000'000);
  if (f.interval) o.level = level_of(*f.interval);
  if (f.past) o.past = o.least_past = whole_number("--past", *f.past, 0, 1000);
  const bool none = word_of("--arrivals", f.arrivals.value_or("days"), kArrivals, "word") == "none";
  o.arrivals = none ? Arrivals::kNone : Arrivals::kDays;
  o.vary = vary_phases;
  return o;
}

/// How sure an interval from that number of simulations is: how many starts it holds is a draw of a beta distribution.
std::string sureness_text(double level, std::int64_t runs) {
  const double off = 2 * std::sqrt(level * (1 - level) / static_cast<double>(runs + 2));
  return fmt::format("{:.0f} to {:.0f} %", 100 * (level - off), 100 * std::min(level + off, 1.0));
}

/// What a forecast that takes `seconds` does.
std::string plan_text(const ForecastOptions& plan, double seconds) {
  const std::int64_t runs = plan.runs + plan.past * plan.past_runs, more = 4 * plan.runs;
  const auto span = [](double s) { return human_duration(whole_seconds(static_cast<std::int64_t>(s + 0.5))); };
  const std::string past =
      plan.past == 0 ? "" : fmt::format(", and {} at each of {} earlier instants", plan.past_runs, plan.past);
  return fmt::format(
      "{} simulations{}, take about {}. Intervals for {:.0f} % hold {} then; with --runs {} (about {} longer) {}",
      plan.runs, past, span(seconds), 100 * plan.level, sureness_text(plan.level, plan.runs), more,
      span(seconds / static_cast<double>(runs) * static_cast<double>(more - plan.runs)),
      sureness_text(plan.level, more));
}

/// Seconds since 1970, by the site's clocks.
std::optional<std::int64_t> instant_of_now(const ForecastFlags& f) {
  if (!f.now) return {};
  if (const auto said = calendar_seconds(*f.now)) return said;
  throw InputError({"--now " + *f.now, 0, "is not a date", "e.g. 2026-03-01T08:30"});
}

std::size_t lines_of(const ForecastFlags& f) {
  return static_cast<std::size_t>(f.lines ? whole_number("--lines", *f.lines, 0, 1'000'000) : kUsualLines);
}

/// For how long a kept forecast is good.
std::int64_t valid_seconds(const ForecastFlags& f) {
  return (f.valid ? span_of("--valid", *f.valid) : kUsualValid) / whole_seconds(1);
}

void keep(const ForecastFlags& f, KeptForecast state) {
  state.made = seconds_by_the_clock();
  state.valid = valid_seconds(f);
  write_new_file(*f.out, kept_forecast_json(state));
  const auto count = [&](KnownAs as) { return std::ranges::count(state.jobs, as, &KeptJob::as); };
  report_note(fmt::format("wrote {}: {}, {} held, {} running, queue of {}", *f.out,
                          counted(count(KnownAs::kWaiting), "waiting job"), grouped(count(KnownAs::kHeld)),
                          grouped(count(KnownAs::kRunning)),
                          date_text(TraceClock{}, Time{whole_seconds(state.queue)})));
}

/// Keeps the forecast of a queue in which nothing runs or waits: a quiet night is an answer, too, where it is said when
/// that was.
bool keep_of_no_jobs(const ForecastFlags& f, const ForecastOptions& options) {
  if (!f.out || !f.now) return false;
  for (const std::string& file : f.queue) require_file(file);
  if (!slurm::read_queue(f.queue).jobs.empty()) return false;
  KeptForecast state;
  state.queue = *instant_of_now(f);
  state.horizon = options.horizon / whole_seconds(1);
  state.interval = options.level;
  keep(f, std::move(state));
  return true;
}

/// The site as it is known, and the jobs of its trace.
class Site {
 public:
  explicit Site(const ForecastFlags& f) {
    Value tree = scenario_tree_of(site_scenario(f.site.front()));
    for (const std::string& assignment : f.sets)
      for (const std::string& said : apply_site_override(tree, assignment)) report_note(assignment + ": " + said);
    if (f.policy) set_policies(tree, {*f.policy});
    set_skip_bad(tree, f.skip_bad);
    Scenario scenario = check_scenario(tree);
    if (scenario.policy.names.size() != 1)
      throw InputError(
          {scenario.file, 0, "names several policies", "one, by which the site schedules", "--policy NAME"});
    const std::string path = scenario.workload.trace;
    const bool has_trace = !path.empty() && !is_pod_list(path);
    SkippedLines skipped;  // of which the runner warns
    if (has_trace) trace_ = *cache_.recorded(path, scenario.workload.skip_bad ? &skipped : nullptr);
    if (!f.queue.empty()) {
      if (!has_trace)
        throw InputError({scenario.file, 0, "has no trace, from which run times and names could be known",
                          "a site with a dump of sacct"});
      for (const std::string& file : f.queue) require_file(file);
      queue_ = slurm::read_queue(f.queue);
      added_ = add_queue(*queue_, scenario, instant_of_now(f), trace_);
      check_instants(*queue_, added_->now);
      for (const std::string& w : added_->warnings) report_warning(w);
      admit_running_jobs(*queue_, scenario);
      for (const std::string& w : fit_to_machine(*queue_, *added_, scenario, trace_)) report_warning(w);
      cache_.keep(path, std::make_shared<const RecordedWorkload>(trace_));
    }
    scenario.workload.recorded_until.reset();
    runner_ = std::make_unique<Runner>(std::move(scenario), std::vector<GivenPolicy>{}, &cache_);
    for (const std::string& w : runner_->warnings()) report_warning(w);
    scenario_ = runner_->scenario();
    if (queue_ && names_kinds(scenario_.machine)) check_nodes(*queue_, *scenario_.machine.layout);
    if (queue_)
      for (const std::string& w : take_nodes_down(*queue_, state_of_queue().now, scenario_)) report_warning(w);
    if (!queue_) return;
    if (const std::string over = over_their_limits(*queue_, *added_, base(), state_of_queue()); !over.empty())
      report_warning(over);
  }

  ForecastBase base() const { return {scenario_, runner_->workload()}; }
  bool has_queue() const { return queue_.has_value(); }

  std::vector<NeverJob> left_out() const { return added_ ? added_->never : std::vector<NeverJob>{}; }
  MachineState state_of_queue() const { return cli::state_of_queue(*added_, runner_->workload(), trace_); }
  /// That of --at. Throws where the record is over by then: nobody waits, and nothing runs.
  MachineState state_on_record(const ForecastFlags& f) const {
    const Workload& workload = runner_->workload();
    const Time at = instant_of("--at", *f.at, workload.header);
    const std::vector<JobOnRecord> all = record(f);
    Time last{};
    for (const Job& job : workload.jobs) last = std::max(last, job.submit);
    for (const JobOnRecord& job : all)
      if (job.end != kNever) last = std::max(last, job.end);
    if (at > last)
      throw InputError({"--at " + *f.at, 0, "is behind the end of the record",
                        fmt::format("an instant of the record, until {}",
                                    trace_clock(workload.header) ? date_text(*trace_clock(workload.header), last)
                                                                 : grouped(to_seconds(last), 0) + " s")});
    return state_at(at, workload, all);
  }
  /// Throws where nothing could be said of that state.
  void check(const MachineState& state) const {
    const std::string& trace = scenario_.workload.trace;
    check_history(state, runner_->workload(), trace_, trace.empty() ? scenario_.file : trace);
  }

  std::vector<JobOnRecord> record(const ForecastFlags& f) const {
    const Workload& workload = runner_->workload();
    if (f.recorded) {
      const bool run = std::filesystem::is_directory(*f.recorded);
      if (!run) require_file(*f.recorded);
      SkippedLines skipped;
      SkippedLines* const skips = scenario_.workload.skip_bad ? &skipped : nullptr;
      const ScheduleRecord said = run ? schedule_of_run(*f.recorded) : recorded_schedule(*f.recorded, skips);
      report_skipped(skipped);
      return schedule_on_record(workload, trace_, said);
    }
    if (auto known = schedule_on_record(workload, trace_)) return *known;
    throw InputError({runner_->scenario().file, 0, "nothing says when jobs of the site started",
                      "a trace with starts, or --recorded with a run folder or a list of starts"});
  }

  ForecastNames names() const { return names_of_jobs(runner_->workload(), trace_); }

 private:
  InputCache cache_;
  RecordedWorkload trace_;
  std::optional<slurm::QueueSnapshot> queue_;
  std::optional<AddedQueue> added_;
  std::unique_ptr<Runner> runner_;
  Scenario scenario_;  ///< with the nodes that are down now
};

int forecast(const ForecastFlags& f) {
  if (f.from) {
    check_flags_of_question(f);
    const std::optional<Duration> most = f.max_age ? std::optional(span_of("--max-age", *f.max_age)) : std::nullopt;
    answer({*f.from, f.ids, f.users, instant_of_now(f), most, f.json, lines_of(f)});
    return kDone;
  }
  if (f.site.empty())
    throw InputError({"", 0, "`coslice forecast` needs SITE, or a kept forecast",
                      "coslice forecast SITE [options], or --from FILE", "`coslice forecast --help` has examples"});
  if (f.queue.empty() && !f.at && !f.calibrate)
    throw InputError({"", 0, "no snapshot was named",
                      "--queue FILE with what squeue says, --at TIME of the record, or --calibrate",
                      "see `coslice forecast --help`"});
  check_flags(f);
  const ForecastOptions options = options_of(f);
  if (f.out) valid_seconds(f);  // what is wrong there is not to be learned after the simulations
  if (keep_of_no_jobs(f, options)) return kDone;
  const Site site(f);
  const ForecastBase base = site.base();
  notice_interrupts();
  Progress bar("forecast", "runs", progress_on_stderr());
  ForecastPool pool;
  pool.workers = threads_of("--jobs", f.threads);
  pool.tick = [&](const ForecastProgress& now) {
    stop_if_interrupted();
    if (now.total != 0)
      bar.update(static_cast<std::int64_t>(now.done), static_cast<std::int64_t>(now.total), now.share);
  };
  const auto begin = std::chrono::steady_clock::now();
  pool.planned = [&](const ForecastOptions& plan, double share) {
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (share > 0 && share < 1 && elapsed / share > kLong) report_note(plan_text(plan, elapsed / share));
  };
  if (f.calibrate) {
    const auto count = f.instants ? whole_number("--instants", *f.instants, 1, 10'000) : kUsualInstants;
    const Calibration c =
        calibrate(base, site.record(f), instants_over(base.workload, static_cast<std::size_t>(count)), options, pool);
    bar.clear();
    if (f.out && c.all.jobs == 0)
      throw InputError({"--out " + *f.out, 0, "there is nothing to draw: no job waited at any of the instants", "",
                        "more of them: --instants N"});
    if (f.out) write_chart(*f.out, calibration_chart(c));
    print(f.json ? calibration_json(c) : calibration_text(c, wants_colour(stdout)));
    return kDone;
  }
  MachineState state = site.has_queue() ? site.state_of_queue() : site.state_on_record(f);
  site.check(state);
  Forecast made = make_forecast(base, std::move(state), options, pool);
  made.never = site.left_out();
  bar.clear();
  if (f.out) keep(f, state_of_forecast(base, made, site.names()));
  else if (f.json) print(forecast_json(base, made, site.names()));
  else if (f.csv) print(forecast_csv(base, made, site.names()));
  else print(forecast_table(base, made, site.names(), lines_of(f), wants_colour(stdout)));
  return kDone;
}

}  // namespace

Command forecast_command() {
  auto flags = std::make_shared<ForecastFlags>();
  ForecastFlags& f = *flags;
  Command c;
  c.summary = "say when the jobs that wait will start";
  c.examples = {
      {"coslice forecast site --queue squeue.txt --now 2026-03-01T08:30", "the queue as squeue shows it"},
      {"coslice forecast site --queue squeue.json --queue nodes.txt --now 2026-03-01T08:30 --csv",
       "for programs, without nodes that are down"},
      {"coslice forecast site --at 2026-02-12T02:00", "an instant of the site's own record"},
      {"coslice forecast site --queue squeue.txt --now 2026-03-01T08:30 --out forecast.json", "kept, for questions"},
      {"coslice forecast --from forecast.json --job 2002", "at once, without the site"},
      {"coslice forecast site --calibrate --instants 5", "how often such intervals were right"},
      {"coslice forecast site --calibrate --instants 5 --recorded results", "the same where a run is what happened"},
      {"coslice forecast site --calibrate --out calibration.svg", "drawn"},
  };
  c.text =
      "Simulates many times what may happen from now on: running jobs go on where they are, waiting ones are scheduled "
      "by the site's policy. Run times are drawn from the site's history, as parts of the limits and by user; jobs to "
      "come repeat those of earlier days; the cycles of the scheduler have other phases. Each waiting job gets a "
      "distribution of starts: the table has its median and the interval in which 80 % of them lie. Where the history "
      "says when jobs started, forecasts at earlier instants are made, too, and starts are corrected by as much as "
      "those were wrong.\n\n"
      "The snapshot is what `squeue` says, by default or with -o or -O, or `squeue --json`, or `scontrol show job`; a "
      "file of `scontrol show node` says which nodes are down. Better than the default columns is\n"
      "squeue -o '%i|%u|%a|%P|%q|%T|%V|%S|%l|%M|%D|%C|%m|%b|%f|%E|%h|%N|%r' --states=R,PD. Or it is an instant of the "
      "record: a trace with starts, or --recorded.\n\n"
      "What it takes: a simulation replays two weeks and goes on until the waiting jobs have started, at most "
      "--horizon; of a machine of 300 nodes it takes one or two seconds. One that takes a second, or three where "
      "nothing of the past is simulated, seven where the history alone takes more, ends there, and the others look no "
      "further, unless --horizon says how far. Where 100 simulations and 20 of each of 20 earlier instants would be "
      "more than about a minute of a processor, it makes fewer, at least 20 and 5 times 8, and says so; where even "
      "that is too much, because the history alone takes long, none of earlier instants, and of now 8 at least. "
      "Earlier instants are not simulated either where jobs have waited for as long as the history is, which corrects "
      "nothing; and where none of the jobs can start as far ahead as four simulations came, these are all. More are "
      "surer: an interval for 80 % holds 67 to 93 % with 40 simulations, 72 to 88 % with 100, 76 to 84 % with 400 (95 "
      "of 100 times). As many as --runs says are always made.\n\n"
      "--calibrate makes forecasts at instants of the record with what was known then, and counts how many of the "
      "starts fell in the intervals; with --out it draws what intervals of 5 to 95 % held.\n\n"
      "--out keeps the forecast in a file (JSON), which is replaced as a whole; --from answers from it at once, for a "
      "job, a user or all that wait, without the site. A forecast that is older than it is valid for is marked as old, "
      "an age beyond --max-age is an error. Ages count from the instant of the queue to the clock of the machine, so "
      "that must be UTC: TZ=UTC for squeue and sacct.";
  c.arguments = {{"SITE",
                  "A folder that `coslice import` wrote, or a scenario; none beside --from.",
                  &f.site,
                  0,
                  1,
                  {Completion::kFolders}}};
  c.options = {
      values("-q,--queue", "FILE", f.queue,
             "The queue, or nodes that are down, as Slurm prints them; may be given several times.",
             {Completion::kFiles, {}}),
      value("--now", "TIME", f.now,
            "When the queue was looked at, where the files do not say it; beside --from, when the question is asked."),
      value("--at", "TIME", f.at, "An instant of the record instead: seconds of the trace, or a date."),
      value("-r,--recorded", "RUN|FILE", f.recorded,
            "What happened, where the trace does not say it: a run folder, or a record as `coslice fidelity` takes it.",
            {Completion::kFiles, {}}),
      flag("--calibrate", f.calibrate, "Counts how often intervals held what happened."),
      value("--instants", "N", f.instants, "Number of instants for --calibrate (default 20)."),
      value("--runs", "N", f.runs,
            "Simulations (default: up to 100, as time allows; to calibrate, 40 of each instant)."),
      value("--seed", "N", f.seed, "Seed of the draws (default 1)."),
      value("--interval", "P", f.interval, "Share of the starts that the interval is to hold (default 80)."),
      value("--past", "N", f.past,
            "Forecasts at so many earlier instants correct this one (default: up to 20, as time allows); 0: intervals "
            "as simulated. To calibrate, all earlier instants correct one, or none (0)."),
      value("--horizon", "DAYS", f.horizon, "Later starts are shown as later only (default 7)."),
      value("--arrivals", "days|none", f.arrivals, "Jobs to come: those of earlier days anew (default), or none.",
            {Completion::kWords, kArrivals}),
      value("-p,--policy", "NAME", f.policy, "The policy of the site, instead of the scenario's.",
            {Completion::kPolicies}),
      values("-s,--set", "KEY=VALUE", f.sets, "Sets a key of the scenario, or a parameter of its policy by its name.",
             {Completion::kScenarioKeys}),
      value("--lines", "N", f.lines, "Lines of the table, at most (default 40; 0: all)."),
      skip_bad_flag(f.skip_bad),
      flag("--json", f.json, "For programs."),
      flag("--csv", f.csv, "For programs and spreadsheets."),
      value("-o,--out", "FILE", f.out,
            "Keeps the forecast of a --queue in a file (.json), instead of printing it; draws what --calibrate counts "
            "(.svg).",
            {Completion::kFiles, {"json", "svg"}}),
      value("--valid", "SPAN", f.valid,
            "How long the kept forecast is valid after the queue was looked at (default 15min)."),
      value("--from", "FILE", f.from, "Answers from such a file.", {Completion::kFiles, {"json"}}),
      values("--job", "ID", f.ids,
             "This job alone, as Slurm writes it: 1234, 1234_7, 1234_[1-3]; may be given several times."),
      values("--user", "NAME", f.users, "Jobs of this user alone; may be given several times."),
      value("--max-age", "SPAN", f.max_age, "An older kept forecast is an error: seconds, or 20min."),
      value("-j,--jobs", "N", f.threads, "Runs that are made at once (default: one for each processor)."),
  };
  c.run = [flags] { return forecast(*flags); };
  return c;
}

}  // namespace coslice::cli

// coslice tune: the best parameters of a policy, judged on workloads that the search has not seen.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/frame/stop_signals.h"
#include "cli/jobs/trace_flags.h"
#include "cli/lab/job_array.h"
#include "cli/lab/tuned_scenario.h"
#include "core/error.h"
#include "core/text.h"
#include "lab/compare/compare_output.h"
#include "lab/papers/kept_runs.h"
#include "lab/simulations.h"
#include "lab/tune/tune.h"
#include "lab/tune/tune_text.h"
#include "lab/tune/tune_workloads.h"
#include "report/markup.h"
#include "report/pages/report_page.h"
#include "report/tables/terminal.h"
#include "slurm/written_conf.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUsualBudget = 200, kFewestRuns = 10, kMostTuneRuns = 1'000'000;

struct TuneFlags : TunedScenarioFlags {
  std::vector<std::string> whats;  ///< as the command line has it: one
  std::vector<std::string> minimize, maximize, guards, sbatch;
  std::optional<std::string> runs, time, seed, out, toml, page, threads, level;
  bool json = false, front = false, resume = false, slurm = false;
};

constexpr double kMostWeight = 1e9;

/// "NAME=NUMBER" or "NAME".
Goal goal_of(const std::string& flag, const std::string& text, bool larger) {
  Goal goal{text, 1, larger};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return goal;
  goal.figure = text.substr(0, equals);
  const auto weight = parse_number<double>(text.substr(equals + 1));
  if (!weight || !(*weight > 0 && *weight <= kMostWeight))
    throw InputError({flag + " " + text, 0, "has no weight above 0, at most 1e9", "FIGURE=WEIGHT"});
  goal.weight = *weight;
  return goal;
}

/// "NAME=+5%" or "NAME=5%".
Guard guard_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  std::string share = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (share.starts_with('+')) share.erase(0, 1);
  const bool percent = share.ends_with('%');
  if (percent) share.pop_back();
  const auto most = parse_number<double>(share);
  if (!percent || !most || !(*most >= 0) || std::isinf(*most) || equals == 0)
    throw InputError({"--guard " + text, 0, "is no guard", "FIGURE=+5%: by how much it may become worse"});
  return {text.substr(0, equals), *most / 100};
}

TuneGoals goals_of(const TuneFlags& f) {
  TuneGoals out;
  for (const std::string& list : f.minimize)
    for (const std::string& text : split(list, ',')) out.goals.push_back(goal_of("--minimize", text, false));
  for (const std::string& list : f.maximize)
    for (const std::string& text : split(list, ',')) out.goals.push_back(goal_of("--maximize", text, true));
  for (auto goal = out.goals.begin(); goal != out.goals.end(); ++goal)
    if (std::ranges::find(out.goals.begin(), goal, goal->figure, &Goal::figure) != goal)
      throw InputError({"--" + std::string(goal->larger ? "maximize " : "minimize ") + goal->figure, 0,
                        "is a goal already", "each figure once"});
  if (out.goals.empty()) out.goals.push_back({"wait"});
  for (const std::string& list : f.guards)
    for (const std::string& text : split(list, ',')) out.guards.push_back(guard_of(text));
  return out;
}

/// The call again, as a job makes it: it goes on with what was kept.
std::vector<std::string> command_of_job(const TuneFlags& f) {
  std::vector<std::string> out = {"tune", f.what};
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"--policy", &f.policies},   {"--params", &f.params}, {"--minimize", &f.minimize},
      {"--maximize", &f.maximize}, {"--guard", &f.guards},  {"--set", &f.sets}};
  for (const auto& [name, values] : lists)
    for (const std::string& value : *values) out.insert(out.end(), {name, value});
  const std::pair<const char*, const std::optional<std::string>*> single[] = {
      {"--runs", &f.runs}, {"--time", &f.time}, {"--seed", &f.seed},  {"--level", &f.level},
      {"--out", &f.out},   {"--toml", &f.toml}, {"--report", &f.page}};
  for (const auto& [name, given] : single)
    if (*given) out.insert(out.end(), {name, **given});
  const std::pair<const char*, bool> switches[] = {
      {"--front", f.front}, {"--json", f.json}, {"--skip-bad", f.skip_bad}};
  for (const auto& [name, given] : switches)
    if (given) out.emplace_back(name);
  out.emplace_back("--resume");
  return out;
}

/// The rounds follow from one another, so the search is one job; its runs are made on all processors that it has.
int tune_on_slurm(const TuneFlags& f) {
  if (!f.out) throw InputError({"--slurm", 0, "there is no file of results", "", "name one with -o"});
  if (f.threads) throw InputError({"--jobs", 0, "--slurm takes the processors of the job", "-- --cpus-per-task=N"});
  if (!f.resume) require_absent(*f.out);
  const std::string log = fs::absolute(*f.out + ".log").lexically_normal().string();
  const std::string job = submit_one("tune", command_of_job(f), "--jobs", log, f.sbatch);
  print(fmt::format("job {}: its runs go into {}, the answer into {}\n", job, *f.out, log));
  return kDone;
}

constexpr std::string_view kTunedHead = "# What `coslice tune` found.\n";

/// Whether an earlier search wrote it: it may be written again, as the job of Slurm may be made once more.
bool is_tuned(const std::string& path) {
  std::string begin(kTunedHead.size(), ' ');
  std::ifstream(path).read(begin.data(), std::ssize(begin));
  return begin == kTunedHead;
}

/// What cannot be written is said before the search, not after hours of it.
void check_outputs(const TuneFlags& f) {
  const std::pair<const char*, const std::optional<std::string>*> files[] = {
      {"--out", &f.out}, {"--toml", &f.toml}, {"--report", &f.page}};
  std::map<fs::path, std::string> of;
  for (const auto& [flag, name] : files) {
    if (!*name) continue;
    const fs::path path = fs::absolute(**name).lexically_normal();
    const std::string said = fmt::format("{} {}", flag, **name);
    if (const auto [other, is_new] = of.emplace(path, flag); !is_new)
      throw InputError({said, 0, fmt::format("is the file of {}, too", other->second), "a file of its own"});
    if (!fs::is_directory(path.parent_path())) throw InputError({said, 0, "lies in a folder that there is not"});
    if (fs::is_directory(path)) throw InputError({said, 0, "is a folder", "a file"});
  }
  if (f.toml && !(f.resume && is_tuned(*f.toml))) require_absent(*f.toml);
  if (f.page) require_page_name("--report", *f.page);
}

class TuneCommand {
 public:
  explicit TuneCommand(const TuneFlags& f) : flags_(f), scenario_(f), goals_(scenario_.with_numbers(goals_of(f))) {
    seed_ = f.seed ? whole_number("--seed", *f.seed, 1, 1'000'000) : 1;
    budget_ = f.runs ? whole_number("--runs", *f.runs, kFewestRuns, kMostTuneRuns) : kUsualBudget;
    if (f.resume && !f.out) throw InputError({"--resume", 0, "there are no results to go on with", "--out FILE"});
    check_outputs(f);
    find_workloads();
  }

  int run() {
    notice_interrupts();
    try {
      search();
      return kDone;
    } catch (const Interrupted&) {
      report_note(flags_.out ? fmt::format("interrupted; the runs so far are kept in {}, --resume goes on with them",
                                           *flags_.out)
                             : "interrupted; --out FILE keeps the runs, so that --resume can go on with them");
      throw;
    }
  }

 private:
  void search() {
    const std::unique_ptr<KeptRuns> kept = kept_runs();
    if (flags_.time && !flags_.runs) fit_to_time();
    Simulations runs(kept.get());
    runs.keep_failures(Simulations::Kept::kAll, is_interrupted);
    Progress bar("tune", "runs", progress_on_stderr());
    PoolOptions pool;
    pool.workers = threads_of("--jobs", flags_.threads);
    std::int64_t total = budget_;
    pool.tick = [&](std::size_t done) {
      stop_if_interrupted();
      bar.update(static_cast<std::int64_t>(done), std::max<std::int64_t>(total, static_cast<std::int64_t>(done)));
    };
    Trials trials(
        goals_, scenario_.todays(), [&](const Setting& s, std::size_t w) { return request(s, w); }, runs, pool);
    TuneOptions options = this->options(trials);
    if (is_one_workload(trials)) judge_by_search(options);
    options.race.told = [&](std::size_t best, std::size_t left) {
      bar.clear();
      if (progress_on_stderr().colour && best != said_)
        report_note(fmt::format("best so far: {} (of {} left)",
                                best == 0 ? "as it is" : setting_text(params_, trials.setting(best)), left));
      said_ = best;
    };
    options.judges = [&](std::int64_t n) { total = n; };
    const TuneAnswer answer = tune(params_, trials, options);
    bar.clear();
    for (const std::string& w : trials.warnings()) report_warning(w);
    warn_of_absent(trials);
    show(trials, answer, options);
  }

  Duration since_begin() const { return std::chrono::steady_clock::now() - begin_; }

  /// As many runs as there is time for, by some of today's setting.
  void fit_to_time() {
    constexpr std::size_t kMeasured = 3;
    constexpr double kOfTime = 0.9, kMostInTime = 5000;  // more runs find what is hardly better
    const Setting today = scenario_.todays();
    const Duration before = since_begin();
    const std::size_t measured = std::min(kMeasured, workloads_.search);
    for (std::size_t w = 0; w != measured; ++w) simulate(request(today, w), stop_if_interrupted);
    const double each = to_seconds(since_begin() - before) / static_cast<double>(measured);
    const double time = kOfTime * to_seconds(span_of("--time", *flags_.time)) * threads_of("--jobs", flags_.threads);
    budget_ = static_cast<std::int64_t>(std::clamp(time / each, static_cast<double>(kFewestRuns), kMostInTime));
    find_workloads();
  }

  /// The one workload that there is. There single parameters are put back, and the defaults tried, with a run each.
  void judge_by_search(TuneOptions& options) const {
    options.race.workloads = 1, options.held_out = 0;
    options.race.budget = std::max<std::int64_t>(budget_ - std::ssize(params_) - 1, budget_ / 2);
  }

  /// A group that has jobs in no workload may be misspelt.
  void warn_of_absent(const Trials& trials) const {
    for (std::size_t g = 0; g != trials.guards().size(); ++g) {
      const Figure& figure = trials.guards()[g].figure;
      if (!trials.has_guard(g, workloads_between(0, workloads_.size())))
        report_warning(
            fmt::format("--guard: no workload has jobs of {}, so {} guards nothing", figure.job_class, figure.name));
    }
  }

  /// Workloads that judge. Today's and the best setting take half of the runs at most.
  std::size_t judging() const {
    const std::int64_t most = std::max<std::int64_t>(budget_ / 4, 2);
    return static_cast<std::size_t>(std::min<std::int64_t>(std::clamp<std::int64_t>(budget_ / 12, 8, 40), most));
  }

  void find_workloads() {
    workloads_ = scenario_.is_log() ? windows_to_tune(scenario_.jobs(), judging(), static_cast<std::uint64_t>(seed_))
                                    : seeds_to_tune(scenario_.seed(), static_cast<std::size_t>(budget_), judging());
  }

  /// There is one window, or two seeds give the same run: under today's setting, and with other values of everything,
  /// as a policy may draw under some settings only.
  bool is_one_workload(Trials& trials) const {
    if (workloads_.search < 2) return true;
    if (workloads_.unit != Unit::kSeed) return false;
    const auto alike = [&](std::size_t s) {
      trials.run({{s, 0}, {s, 1}});
      const RunOutcome &one = *trials.outcome(s, 0), &other = *trials.outcome(s, 1);
      return one.fingerprint == other.fingerprint || !one.error.empty() || !other.error.empty();
    };
    if (!alike(0)) return false;
    for (const double place : {0.3, 0.8}) {
      Setting setting;
      for (const TunedParam& p : params_) setting.push_back(p.at(place));
      if (!alike(trials.add(without_meaningless(params_, setting)))) return false;
    }
    return true;
  }

  TuneOptions options(const Trials& trials) const {
    TuneOptions o;
    o.race.workloads = workloads_.search;
    o.most_runs = budget_;
    o.held_out = workloads_.size() - workloads_.search;
    o.unit = workloads_.unit;
    if (o.unit == Unit::kSeed) o.numbers = workloads_.seeds;
    // What judges counts, too: today's and the best setting, the policy's defaults, what would be best without guards,
    // and on a third of the workloads one for each parameter that is put back, as far as there is half of the runs for
    // it all. A single parameter that is put back is today's setting.
    o.defaults = scenario_.defaults();
    if (o.defaults == scenario_.todays()) o.defaults.clear();
    const auto held_out = static_cast<std::int64_t>(o.held_out), params = std::ssize(params_);
    const std::int64_t others = params == 1 ? 0 : params;
    std::int64_t judged = 2 * held_out;
    for (const bool asked : {!goals_.guards.empty(), !o.defaults.empty()})
      if (asked && judged + held_out <= budget_ / 2) judged += held_out;
    std::int64_t put_back = std::min(held_out, std::max<std::int64_t>(5, held_out / 3));
    if (others > 0) put_back = std::min(put_back, (budget_ / 2 - judged) / others);
    judged += put_back * others;
    o.put_back = static_cast<std::size_t>(put_back);
    o.race.budget = budget_ - judged;
    o.race.first_test = budget_ < 400 ? 2 : 3;
    o.race.seed = static_cast<std::uint64_t>(seed_);
    o.race.front = flags_.front;
    // Of several goals the front is of what all settings were run on.
    o.race.spread = workloads_.unit == Unit::kWindow && !flags_.front;
    if (flags_.level) o.level = number_within("--level", *flags_.level, 0.5, 0.9999);
    if (flags_.front && goals_.goals.size() < 2)
      throw InputError({"--front", 0, "there is one goal only", "several in --minimize and --maximize"});
    if (flags_.time) {
      const Duration span = span_of("--time", *flags_.time);
      // What judges will take as long as as many runs of the search.
      o.race.time_is_over = [this, span, judged, &trials] {
        const auto made = static_cast<double>(std::max<std::int64_t>(trials.made(), 1));
        return to_seconds(since_begin()) * (1 + static_cast<double>(judged) / made) >= to_seconds(span);
      };
    }
    return o;
  }

  std::unique_ptr<KeptRuns> kept_runs() const {
    if (!flags_.out) return nullptr;
    return std::make_unique<KeptRuns>(
        KeptRunsOptions{*flags_.out, scenario_.policies().front(), "", flags_.resume, {}, "the tuning of"});
  }

  RunRequest request(const Setting& setting, std::size_t workload) const {
    Value tree = scenario_.tree_of(setting);
    workloads_.apply(tree, workload);
    RunRequest r;
    r.label = fmt::format("{}, {}", setting_text(params_, setting), workloads_.text(workload));
    r.scenario = check_scenario(tree);
    r.point = Value::table();
    for (std::size_t p = 0; p != params_.size(); ++p)
      if (has_meaning(params_, setting, p)) r.point.set(params_[p].name, setting[p]);
    return r;
  }

  void show(const Trials& trials, const TuneAnswer& answer, const TuneOptions& options) const {
    if (flags_.json) {
      print(tune_json(params_, trials, answer, options));
    } else {
      const bool colour = wants_colour(stdout);
      print(paint(wrapped(printable(tune_sentence(params_, trials, answer, options)), text_width(stdout)), Tone::kBold,
                  colour) +
            "\n\n");
      print(param_table(params_, trials, answer, colour));
      for (const auto& [name, why] : scenario_.left_out())
        print(wrapped(fmt::format("{} is as it is ({}): --params {}={} tunes it.", name, printable(why), name,
                                  why == kAnyText ? "A|B" : "FROM:TO"),
                      text_width(stdout)) +
              "\n");
      for (const std::string& line : beside_lines(params_, trials, answer, options))
        print("\n" + wrapped(printable(line), text_width(stdout)) + "\n");
      if (const std::string guards = guard_table(answer, colour); !guards.empty()) print("\n" + guards);
      if (const std::string front = front_table(params_, trials, answer, options, colour); !front.empty())
        print("\nSettings that no other is better than in all goals, by the search:\n" + front);
      if (!answer.comparison.variants.empty())
        print("\n" + compare_table({answer.comparison}, {colour, terminal_width(stdout)}));
      if (answer.interval)
        print("\n" +
              wrapped("The interval in the first line is of the ratio of the means, those of the table are of mean "
                      "differences.",
                      text_width(stdout)) +
              "\n");
      print(fmt::format("\n{}; {} of the search, {} that judge.\n", counted(answer.runs, "run"),
                        counted_units(answer.search, options.unit), answer.held_out));
      show_slurm(trials, answer);
    }
    if (flags_.toml) write_toml(trials, answer);
    if (flags_.page) write_page(trials, answer, options);
  }

  /// Parameters of the twin of a Slurm site have Slurm's names.
  void show_slurm(const Trials& trials, const TuneAnswer& answer) const {
    if (!is_recommended(answer) || !scenario_.is_slurm_site()) return;
    const Setting &best = trials.setting(answer.best), &today = trials.setting(0);
    if (scenario_.policies().size() > 1 && best.front() != today.front())
      return;  // it is another policy than the site's
    std::vector<std::pair<std::string, Value>> changed;
    for (std::size_t p = 0; p != params_.size(); ++p)
      if (best[p] != today[p]) changed.emplace_back(params_[p].name, best[p]);
    if (const std::string lines = slurm::conf_lines(changed); !lines.empty())
      print(fmt::format("\nIn slurm.conf{}:\n{}", flags_.sets.empty() ? "" : ", beside what --set says", lines));
  }

  void write_toml(const Trials& trials, const TuneAnswer& answer) const {
    if (!is_recommended(answer)) {
      report_note(fmt::format("{} is not written: what is set today stays", *flags_.toml));
      return;
    }
    write_new_file(*flags_.toml,
                   std::string(kTunedHead) + scenario_.toml_of(trials.setting(answer.best), *flags_.toml));
    report_note(fmt::format("wrote {}", *flags_.toml));
  }

  void write_page(const Trials& trials, const TuneAnswer& answer, const TuneOptions& options) const {
    ReportPage page = tune_page(params_, trials, answer, options);
    page.title = "Tuning of " + scenario_.policies().front();
    write_new_file(*flags_.page, [&](const std::string& temporary) {
      OutputFile file(temporary);
      write_report_page(page, sink_into(file));
      file.close();
    });
    report_note(fmt::format("wrote {}", *flags_.page));
  }

  const TuneFlags& flags_;
  const TunedScenario scenario_;
  const TuneGoals goals_;
  const std::vector<TunedParam>& params_ = scenario_.params();
  TuneWorkloads workloads_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::int64_t seed_ = 1, budget_ = kUsualBudget;
  std::size_t said_ = 0;
};

}  // namespace

Command tune_command() {
  auto flags = std::make_shared<TuneFlags>();
  TuneFlags& f = *flags;
  Command c;
  c.summary = "find the best parameters of a policy, and say how sure that is";
  c.examples = {
      {"coslice tune scenarios/quickstart.toml --params reservations=1:32,depth=0:200", "two parameters, for the wait"},
      {"coslice tune trace.swf --policy multifactor --minimize slowdown.p95 --runs 60",
       "what a policy declares, on weeks of a log"},
      {"coslice tune site --params bf_interval=30:300:log --guard wait=+5% --runs 40",
       "no class of jobs may wait 5 % longer"},
      {"coslice tune s.toml --policy easy,conservative,easy_sjbf --runs 400", "policies are a choice, too"},
      {"coslice tune s.toml --minimize wait --maximize utilization --front", "what cannot be had together"},
      {"coslice tune s.toml --out tune.sqlite --resume --toml tuned.toml", "goes on where it was killed"},
      {"coslice tune s.toml --out best.sqlite --slurm -- --cpus-per-task=32 --time=4:00:00",
       "as a job; the answer is in best.sqlite.log"},
  };
  c.text =
      "Without --params all parameters that the policy declares with a range are tuned; a table says which, and of the "
      "others why not. Settings race: they run on the same workloads, and those that are worse beyond chance drop out "
      "(paired t-tests, corrected for how many there are); those join that are expected to improve most by what all so "
      "far cost (a Gaussian process). A workload is a seed of what the scenario draws, or a window of a log, a week "
      "where it is long enough.\n\n"
      "The answer is judged on workloads that the search has not seen, with an interval: where that holds 0 there is "
      "no "
      "difference, and the advice is to stay. Each parameter is put back to today's value alone, which says what it "
      "matters.\n\n"
      "--minimize and --maximize may name several figures, with weights (wait=2,slowdown=1): their parts of what they "
      "are today add up. --guard names figures that may become worse by so much at most, in each class of jobs unless "
      "the name has one in it (wait.large.p95=+5%); or of a user, group, queue or partition (wait.partition.gpu=+5%), "
      "or of each of them (wait.user=+50%). The same --seed gives the same search, but for --time, which "
      "hangs on the machine.";
  c.arguments = {{"SCENARIO|SITE|TRACE", "What is simulated.", &f.whats, 1, 1, {Completion::kFiles, {"toml", "swf"}}},
                 {"SBATCH-OPTION", "With --slurm: for sbatch; behind `--`.", &f.sbatch, 0, std::size_t(-1), {}}};
  c.options = {
      values("-p,--policy", "NAME[,NAME...]", f.policies,
             "The policy instead of the scenario's; of several the best one.", {Completion::kPolicies}),
      values("--params", "NAME=RANGE[,...]", f.params,
             "What is tuned: NAME=FROM:TO, NAME=FROM:TO:log for equal factors, or NAME=A|B|C; also a key of the "
             "scenario."),
      values("--minimize", "FIGURE[=WEIGHT][,...]", f.minimize,
             "What is to become small, as in `coslice compare` (default: wait)."),
      values("--maximize", "FIGURE[=WEIGHT][,...]", f.maximize, "What is to become large."),
      values("--guard", "FIGURE=+5%[,...]", f.guards, "What may become worse by so much at most."),
      flag("--front", f.front, "Of several goals: also lists the settings that no other is better than in all."),
      value("--runs", "N", f.runs, "Runs in all, those that judge among them (default 200)."),
      value("--time", "SPAN", f.time,
            "Instead, or as well: how long all of it may take, about (10min, 2h). Without --runs there are as many as "
            "there is time for, 5,000 at most."),
      value("--seed", "N", f.seed, "Of the search (default 1)."),
      value("--level", "P", f.level, "Level of the intervals (default 0.95)."),
      value("-o,--out", "FILE", f.out, "Keeps all runs, as a campaign does."),
      flag("--resume", f.resume, "Goes on with that file."),
      flag("--slurm", f.slurm, "Submits the search to Slurm as one job, with -o."),
      value("--toml", "FILE", f.toml, "Writes a scenario with the best setting, if it is better."),
      value("--report", "FILE", f.page, "Writes a page: the tables, and a picture of each parameter."),
      values("-s,--set", "KEY=VALUE", f.sets, "Sets a key of the scenario.", {Completion::kScenarioKeys}),
      skip_bad_flag(f.skip_bad),
      value("-j,--jobs", "N", f.threads, "Runs that are made at once (default: one for each processor)."),
      flag("--json", f.json, "For programs."),
  };
  c.run = [flags] {
    flags->what = flags->whats.front();
    if (!flags->slurm && !flags->sbatch.empty()) refuse_argument(flags->sbatch.front(), "scenario");
    TuneCommand command(*flags);  // what is wrong should be known here, with Slurm as well
    if (flags->slurm) return tune_on_slurm(*flags);
    return command.run();
  };
  return c;
}

}  // namespace coslice::cli

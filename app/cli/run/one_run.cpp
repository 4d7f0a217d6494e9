#include "cli/run/one_run.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/stop_signals.h"
#include "core/error.h"
#include "lab/campaign/results.h"
#include "report/tables/terminal.h"
#include "scenario/load.h"

namespace coslice::cli {

namespace {

Scenario scenario_of(const std::string& path, const std::optional<std::string>& policy, const std::string& purpose) {
  Value tree = scenario_tree_of(path);
  if (policy) set_policies(tree, {*policy});
  Scenario scenario = check_scenario(tree);
  if (scenario.policy.names.size() > 1) {
    throw InputError({path, 0, "names several policies, " + purpose,
                      fmt::format("one of: {}", fmt::join(scenario.policy.names, ", ")),
                      "add --policy " + scenario.policy.names.front()});
  }
  return scenario;
}

/// Where the number begins in "results.sqlite:7", which names run 7 of a campaign; 0 if the path names no such run.
std::size_t run_number_in(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(path)) return 0;
  return is_campaign_results(path.substr(0, colon)) ? colon + 1 : 0;
}

CampaignRun campaign_run_of(const CampaignResults& results, const std::string& path, std::size_t at) {
  std::int64_t number = 0;
  if (at != 0) std::from_chars(path.data() + at, path.data() + path.size(), number);
  std::optional<CampaignRun> found;
  results.each([&](CampaignRun&& r) {
    if (r.run == number) found = std::move(r);
  });
  const std::string& file = results.path();
  if (!found)
    throw InputError({path, 0, at == 0 ? "holds the runs of a campaign" : "the campaign has no such run that is made",
                      fmt::format("one of them, from {0}:1 to {0}:{1}", file, results.planned()),
                      fmt::format("`sqlite3 {} 'SELECT * FROM results'` tells which is which", file)});
  if (!found->done) throw InputError({path, 0, "this run failed: " + found->error});
  return *found;
}

}  // namespace

OneRun::OneRun(const std::string& path, const std::optional<std::string>& policy, const std::string& purpose,
               const OneRun* beside) {
  const std::size_t number = run_number_in(path);
  if (number != 0 || is_campaign_results(path)) {
    const CampaignResults results(number == 0 ? path : path.substr(0, number - 1));
    const CampaignRun run = campaign_run_of(results, path, number);
    if (policy && *policy != run.policy)
      throw InputError({"--policy " + *policy, 0, "no such run in " + path, "'" + run.policy + "', the only one"});
    recorded_ = RecordedRun{path, "", run.fingerprint, run.version};
    runner_ = std::make_shared<Runner>(check_scenario(parse_scenario_tree(run.scenario, path, results.meta("folder"))));
  } else if (std::filesystem::is_directory(path) && !is_site_folder(path)) {
    recorded_ = find_recorded_run(path, policy.value_or(""));
    runner_ = std::make_shared<Runner>(load_scenario(recorded_->scenario));
  } else {
    runner_ = std::make_shared<Runner>(scenario_of(path, policy, purpose));
  }
  const std::vector<std::string> said = beside != nullptr ? beside->runner().warnings() : std::vector<std::string>{};
  for (const std::string& w : runner_->warnings())
    if (std::ranges::find(said, w) == said.end()) report_warning(w);
}

std::vector<OneRun> OneRun::all(const std::string& path, const std::vector<std::string>& policies) {
  std::vector<std::string> names = policies.empty() ? policies : policy_names(policies);
  std::vector<OneRun> out;
  const bool folder = std::filesystem::is_directory(path) && !is_site_folder(path);
  if (folder && names.empty()) names = recorded_runs(path);
  if (folder || run_number_in(path) != 0 || is_campaign_results(path)) {
    if (names.empty()) out.push_back(OneRun(path, std::nullopt, ""));
    for (const std::string& name : names) out.push_back(OneRun(path, name, "", out.empty() ? nullptr : &out.back()));
    return out;
  }
  Value tree = scenario_tree_of(path);
  if (!policies.empty()) set_policies(tree, policies);
  const auto runner = std::make_shared<Runner>(check_scenario(tree));
  for (const std::string& w : runner->warnings()) report_warning(w);
  for (std::size_t i = 0; i < runner->policies(); ++i) out.push_back(OneRun(runner, i));
  return out;
}

const std::string& OneRun::name() const {
  return runner_->scenario().name.empty() ? runner_->workload().name : runner_->scenario().name;
}

PolicyRun OneRun::simulate(const std::vector<Observer*>& observers) const {
  notice_interrupts();
  Progress bar(runner_->policy(policy_).name, "jobs", progress_on_stderr());
  RunCallbacks callbacks;
  callbacks.observers = observers;
  callbacks.progress = [&](std::size_t done, std::size_t jobs) {
    stop_if_interrupted();
    bar.update(static_cast<std::int64_t>(done), static_cast<std::int64_t>(jobs));
  };
  callbacks.print = [](std::string_view) {};
  PolicyRun run = runner_->run(policy_, callbacks);
  if (recorded_) verify_fingerprint(*recorded_, run.result.fingerprint);
  return run;
}

void OneRun::watch(Observer& observer, const std::function<bool()>& enough) const {
  struct StopEarly {};
  notice_interrupts();
  RunCallbacks callbacks;
  callbacks.observers = {&observer};
  callbacks.progress = [&](std::size_t, std::size_t) {
    stop_if_interrupted();
    if (enough()) throw StopEarly{};
  };
  callbacks.print = [](std::string_view) {};
  try {
    runner_->run(policy_, callbacks);
  } catch (const StopEarly&) {}
}

std::optional<std::string> one_name(const std::vector<std::string>& policies) {
  if (policies.size() != 1 || policies.front().find(',') != std::string::npos) return std::nullopt;
  return policies.front();
}

std::string file_after(const std::string& run, const std::optional<std::string>& policy, const std::string& ending,
                       const std::string& otherwise) {
  std::filesystem::path path = std::filesystem::path(run).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::string name = path.filename().string();
  if (const std::size_t number = run_number_in(run)) {  // "loads-7" for loads.sqlite:7
    const std::filesystem::path results = std::filesystem::path(run.substr(0, number - 1)).stem();
    name = results.string() + "-" + run.substr(number);
  }
  for (const char* known : {".toml", ".gz", ".swf"}) {
    if (std::filesystem::path(name).extension() == known) name = std::filesystem::path(name).stem().string();
  }
  if (name.empty() || name[0] == '.') name = otherwise;
  return name + (policy ? "-" + std::filesystem::path(*policy).stem().string() : "") + ending;
}

}  // namespace coslice::cli

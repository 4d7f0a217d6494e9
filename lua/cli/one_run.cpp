#include "cli/one_run.h"

#include <algorithm>
#include <filesystem>

#include "cli/console.h"
#include "cli/inputs.h"
#include "cli/interrupt.h"
#include "core/error.h"
#include "report/progress.h"
#include "scenario/load.h"

namespace coslice::cli {

namespace {

Scenario scenario_of(const std::string& path, const std::optional<std::string>& policy, const std::string& purpose) {
  Value tree = scenario_tree_of(path);
  if (policy) set_policies(tree, {*policy});
  Scenario scenario = check_scenario(tree);
  if (scenario.policy.names.size() > 1) {
    std::string all;
    for (const std::string& name : scenario.policy.names) all += (all.empty() ? "" : ", ") + name;
    throw InputError({path, 0, "names several policies, " + purpose, "one of: " + all,
                      "say --policy " + scenario.policy.names.front(), ""});
  }
  return scenario;
}

}  // namespace

OneRun::OneRun(const std::string& path, const std::optional<std::string>& policy, const std::string& purpose,
               const OneRun* beside) {
  if (std::filesystem::is_directory(path)) recorded_ = find_recorded_run(path, policy.value_or(""));
  runner_ =
      std::make_unique<Runner>(recorded_ ? load_scenario(recorded_->scenario) : scenario_of(path, policy, purpose));
  const std::vector<std::string> said = beside != nullptr ? beside->runner().warnings() : std::vector<std::string>{};
  for (const std::string& w : runner_->warnings())
    if (std::find(said.begin(), said.end(), w) == said.end()) report_warning(w);
}

const std::string& OneRun::name() const {
  return runner_->scenario().name.empty() ? runner_->workload().name : runner_->scenario().name;
}

PolicyRun OneRun::simulate(const std::vector<Observer*>& observers) const {
  notice_interrupts();
  Progress bar(runner_->policy(0).name, "jobs", progress_on_stderr());
  RunCallbacks callbacks;
  callbacks.observers = observers;
  callbacks.progress = [&](std::size_t done, std::size_t jobs) {
    stop_if_interrupted();
    bar.update(static_cast<std::int64_t>(done), static_cast<std::int64_t>(jobs));
  };
  callbacks.print = [](std::string_view) {};
  PolicyRun run = runner_->run(0, callbacks);
  if (recorded_) verify_fingerprint(*recorded_, run.result.fingerprint);
  return run;
}

void OneRun::watch(Observer& observer, const std::function<bool()>& enough) const {
  struct Enough {};
  notice_interrupts();
  RunCallbacks callbacks;
  callbacks.observers = {&observer};
  callbacks.progress = [&](std::size_t, std::size_t) {
    stop_if_interrupted();
    if (enough()) throw Enough{};
  };
  callbacks.print = [](std::string_view) {};
  try {
    runner_->run(0, callbacks);
  } catch (const Enough&) {
  }
}

std::string file_after(const std::string& run, const std::optional<std::string>& policy, const std::string& ending,
                       const std::string& otherwise) {
  std::filesystem::path path = std::filesystem::path(run).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::string name = path.filename().string();
  for (const char* known : {".toml", ".gz", ".swf"}) {
    if (std::filesystem::path(name).extension() == known) name = std::filesystem::path(name).stem().string();
  }
  if (name.empty() || name[0] == '.') name = otherwise;
  return name + (policy ? "-" + std::filesystem::path(*policy).stem().string() : "") + ending;
}

}  // namespace coslice::cli

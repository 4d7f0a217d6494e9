#include "cli/lab/tuned_scenario.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/site/site_folder.h"
#include "core/error.h"
#include "core/text.h"
#include "lab/tune/tune_text.h"
#include "runner/runner.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"
#include "scenario/resolved.h"
#include "slurm/written_conf.h"

namespace coslice::cli {

namespace fs = std::filesystem;

TunedScenario::TunedScenario(const TunedScenarioFlags& flags)
    : flags_(flags), base_(scenario_tree_of(site_scenario(flags.what))) {
  for (const std::string& assignment : flags.sets)
    for (const std::string& said : apply_site_override(base_, assignment)) report_note(assignment + ": " + said);
  set_skip_bad(base_, flags.skip_bad);
  const Scenario own = check_scenario(base_);
  policies_ = policy_names(flags.policies.empty() ? own.policy.names : flags.policies);
  seed_ = own.seed;
  set_ = own.policy.params;
  for (auto name = policies_.begin(); name != policies_.end(); ++name)
    if (std::find(policies_.begin(), name, *name) != name)
      throw InputError({"--policy " + *name, 0, "is named twice", "each policy once"});
  load();
  set_policies(base_, {policies_.front()});
  find_space();
}

/// All policies at once: a parameter that the scenario sets is for those that have it.
void TunedScenario::load() {
  Value tree = base_;
  set_policies(tree, policies_);
  Scenario scenario = check_scenario(tree);
  // What the file sets for its own policy is strictly its own.
  scenario.policy.chosen_by_flag = !flags_.policies.empty();
  is_log_ = !scenario.workload.trace.empty();
  const Runner runner(std::move(scenario), {}, &inputs_);
  names_ = SiteNames(runner.names());
  for (std::size_t i = 0; i != policies_.size(); ++i) specs_[policies_[i]] = runner.policy(i).params;
  jobs_ = runner.workload();
  // Windows are cut out of the log at its own times, whatever the load of the runs is.
  bool has_load = false;
  for (const char* key : {"load_factor", "target_load"}) {
    has_load = has_load || find_path(tree, std::string("workload.") + key) != nullptr;
    std::erase_if(*tree.find("workload")->members(), [&](const Member& m) { return m.key == key; });
  }
  if (is_log_ && has_load) jobs_ = Runner(check_scenario(tree), {}, &inputs_).workload();
}

void TunedScenario::find_space() {
  for (const std::string& policy : policies_) add_params_of(policy, space_of(policy), params_);
  for (TunedParam& p : params_)
    if (p.policies.size() == policies_.size()) p.policies.clear();
  if (policies_.size() > 1) {
    TunedParam p;
    p.name = "policy";
    for (const std::string& name : policies_) p.values.emplace_back(name);
    p.today = Value(policies_.front());
    params_.insert(params_.begin(), std::move(p));
  }
  check_keys();
  if (params_.empty()) fail_without_params();
}

void TunedScenario::fail_without_params() const {
  std::string known;
  for (const auto& [name, why] : left_out_) known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", name, why);
  if (!known.empty())
    throw InputError(
        {flags_.what, 0, "no parameter has a range that would be sensible: " + known, "--params NAME=FROM:TO"});
  throw InputError({flags_.what, 0, fmt::format("policy '{}' has no parameters", policies_.front()),
                    "--params KEY=A|B with a key of the scenario (machine.nodes=64|128), or several policies in "
                    "--policy"});
}

/// Parameters of one policy. Those of the twin of a Slurm site are tuned by themselves only where Slurm has them.
std::vector<TunedParam> TunedScenario::space_of(const std::string& policy) {
  const std::vector<ParamSpec>& own = specs_.at(policy);
  std::vector<TunedParam> out;
  if (flags_.params.empty()) {
    std::vector<LeftOutParam> left_out;
    out = declared_space(own, set_, left_out);
    for (LeftOutParam& l : left_out)
      if (std::ranges::find(left_out_, l) == left_out_.end()) left_out_.push_back(std::move(l));
  } else {
    std::vector<std::string> items = items_of(flags_.params);
    std::erase_if(items, [&](const std::string& item) { return !is_for(item, policy); });
    out = space_of_flags(items, own, set_, base_);
  }
  const bool is_twin = std::ranges::count(own, "PriorityWeightAge", &ParamSpec::name) > 0;
  if (is_twin && is_slurm_site()) as_in_slurm(out);
  return out;
}

/// An item of --params is for all policies, or for those that can have it; where none can, the first one says why.
bool TunedScenario::is_for(const std::string& item, const std::string& policy) const {
  if (policies_.size() == 1) return true;
  const auto some = [&](auto&& f) { return std::ranges::any_of(policies_, f); };
  if (some([&](const std::string& p) { return can_have(item, p); })) return can_have(item, policy);
  const auto declares = [&](const std::string& p) {
    return std::ranges::count(specs_.at(p), name_in(item), &ParamSpec::name) > 0;
  };
  return declares(policy) || !some(declares);
}

bool TunedScenario::can_have(const std::string& item, const std::string& policy) const {
  try {
    space_of_flags({item}, specs_.at(policy), set_, base_);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Slurm takes whole numbers.
void TunedScenario::as_in_slurm(std::vector<TunedParam>& params) {
  if (flags_.params.empty())
    std::erase_if(params, [&](const TunedParam& p) {
      if (slurm::is_conf_parameter(p.name)) return false;
      left_out_.emplace_back(p.name, "no setting of Slurm's");
      return true;
    });
  for (TunedParam& p : params) {
    if (!slurm::is_conf_parameter(p.name) || !p.values.empty()) continue;
    p.whole = true;
    p.low = std::ceil(p.low), p.high = std::floor(p.high);
  }
}

bool TunedScenario::is_slurm_site() const {
  return fs::exists(fs::path(site_scenario(flags_.what)).parent_path() / "import.md");
}

/// A key that cannot have one of its values is said before the search.
void TunedScenario::check_keys() const {
  for (const TunedParam& p : params_) {
    if (p.name.find('.') == std::string::npos) continue;
    const std::vector<Value> ends = {p.at(0), p.at(1)};
    for (const Value& v : p.values.empty() ? ends : p.values) {
      Value tree = base_;
      apply_setting(tree, {p}, {v});
      try {
        check_scenario(tree);
      } catch (const InputError& e) {
        Diagnostic d = e.diagnostic();
        d.file = fmt::format("--params {}={}", p.name, shown(v));
        d.line = 0;
        throw InputError(std::move(d));
      }
    }
  }
}

Setting TunedScenario::todays() const {
  Setting out;
  for (const TunedParam& p : params_) out.push_back(p.today);
  return out;
}

Setting TunedScenario::defaults() const {
  Setting out = todays();
  for (std::size_t p = 0; p != params_.size(); ++p)
    if (!params_[p].fallback.is_nil() && shown(params_[p].fallback) != shown(out[p]))  // 60 is 60.0
      out[p] = params_[p].fallback;
  return without_meaningless(params_, std::move(out));
}

Value TunedScenario::tree_of(const Setting& setting) const {
  Value tree = base_;
  apply_setting(tree, params_, setting);
  if (policies_.size() > 1) drop_undeclared(tree);
  return tree;
}

/// A policy has those of the parameters that it declares.
void TunedScenario::drop_undeclared(Value& tree) const {
  Value* const given = tree.find("policy")->find("params");
  if (given == nullptr || given->members() == nullptr) return;
  const std::string* const chosen = tree.find("policy")->find("name")->text();  // a list where it is not tuned
  const std::vector<ParamSpec>& known = specs_.at(chosen != nullptr ? *chosen : policies_.front());
  std::erase_if(*given->members(),
                [&](const Member& m) { return std::ranges::count(known, m.key, &ParamSpec::name) == 0; });
}

std::string TunedScenario::base_line(const std::string& path) const {
  const std::string& what = flags_.what;
  if (!is_scenario_name(what) && !fs::is_directory(what))
    return "workload.trace = " + toml_text(Value(fs::absolute(what).lexically_normal().string()));
  const fs::path from = fs::absolute(path).lexically_normal().parent_path();
  return "extends = " +
         toml_text(Value(fs::proximate(fs::absolute(site_scenario(what)).lexically_normal(), from).string()));
}

std::string TunedScenario::toml_of(const Setting& setting, const std::string& path) const {
  const bool plain = flags_.sets.empty() && flags_.policies.empty() && !flags_.skip_bad && policies_.size() == 1;
  if (plain) return tuned_scenario(base_line(path), params_, setting);
  Value tree = tree_of(setting);
  drop_undeclared(tree);  // a file is strict
  return resolved_toml(check_scenario(tree), fs::absolute(path).lexically_normal().parent_path().string());
}

TuneGoals TunedScenario::with_numbers(TuneGoals goals) const {
  for (Goal& g : goals.goals) g.figure = numbered(g.figure);
  for (Guard& g : goals.guards) g.figure = numbered(g.figure);
  goals.called = [this](const std::string& group) {
    const std::size_t space = group.find(' ');
    if (space == std::string::npos) return group;
    const std::string kind = group.substr(0, space);
    return kind + " " + names_.of(kind, group.substr(space + 1));
  };
  return goals;
}

/// "wait.user.2.p95" of "wait.user.ann.p95".
std::string TunedScenario::numbered(const std::string& figure) const {
  const std::vector<std::string> parts = split(figure, '.');
  if (parts.size() < 3) return figure;
  const std::string before = parts[0] + "." + parts[1] + ".", name = figure.substr(before.size());
  if (const auto number = names_.number_of(parts[1], name)) return before + *number;
  const std::size_t dot = name.rfind('.');
  const auto number = names_.number_of(parts[1], name.substr(0, dot));
  return dot != std::string::npos && number ? before + *number + name.substr(dot) : figure;
}

}  // namespace coslice::cli

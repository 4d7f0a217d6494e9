#include "lab/campaign/plan.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <lua.hpp>

#include "api/policy/params.h"
#include "core/error.h"
#include "core/text.h"
#include "host/call.h"
#include "host/embedded.h"
#include "host/errors.h"
#include "host/ref.h"
#include "host/script.h"
#include "host/state.h"
#include "lab/campaign/scenario_key.h"
#include "output/output.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"

namespace coslice {
namespace {

/// The filter of a campaign, `where`: which of its points are run.
class PointFilter {
 public:
  /// A Lua expression, or a body that returns a value or a function of the point; "" lets everything pass. The axes are
  /// known in it by the last parts of their names, and by their full names in the table `point`.
  /// Throws InputError at `place` if it is no Lua.
  PointFilter(const std::string& where, Place place, const std::vector<std::string>& axes);

  /// Returns whether the point is to be run. `point` has a value for each axis. Throws InputError.
  bool holds(const Value& point);

 private:
  [[noreturn]] void blame(const std::string& problem) const;

  Place place_;
  LuaState state_;
  LuaRef function_;
};

const std::string kWhere = "campaign.where";

LuaRef push_into_lua(LuaState& state, const Value& v) {
  return state.make([&](lua_State* L) { push_value(L, v); });
}

PointFilter::PointFilter(const std::string& where, Place place, const std::vector<std::string>& axes)
    : place_(std::move(place)) {
  if (where.empty()) return;
  const EmbeddedFile* file = find_embedded("lib/campaign_filter.lua");
  const LuaRef make = run_script(state_, {std::string(file->name), std::string(file->text)});
  Value::List names(axes.begin(), axes.end());
  try {
    Call call(state_, make, kWhere);
    call.push(where).push(push_into_lua(state_, Value(std::move(names)))).invoke(1);
    function_ = call.value(1);
  } catch (const ScriptError& e) {
    blame(e.diagnostic().problem);
  }
}

bool PointFilter::holds(const Value& point) {
  if (!function_) return true;
  try {
    Call call(state_, function_, kWhere);
    call.push(push_into_lua(state_, point)).invoke(1);
    return call.boolean(1);
  } catch (const ScriptError& e) {
    blame(e.diagnostic().problem);
  }
}

void PointFilter::blame(const std::string& problem) const {
  fail_at(place_, kWhere + ": " + problem, "a Lua expression or function, e.g. \"policy ~= 'fcfs' or depth == 1\"");
}

constexpr double kMostPoints = 1e6;

/// The axes that apply at the point, applied to its scenario. `laid` sees the tree after each.
template <class Laid>
Value tree_of(const Campaign& campaign, const PlannedRun& run, Laid&& laid) {
  Value tree = campaign.bases[run.base];
  for (const std::string& axis : campaign.axes) {
    const Value* v = run.point.find(axis);
    if (v == nullptr || v->is_nil() || axis == kScenarioAxis) continue;
    lay_over(tree, split(key_of_axis(axis), '.'), *v);
    laid(tree, axis);
  }
  return tree;
}

Scenario checked_scenario(const Value& tree) {
  Scenario s = check_scenario(tree);
  if (s.policy.names.size() != 1) {
    fail_at({std::make_shared<Source>(Source{s.file, ""}), 0},
            fmt::format("the scenario names {} policies, and a run of a campaign has one", s.policy.names.size()), "",
            "make them an axis: policy = [...] in [axes]");
  }
  return s;
}

/// Whether the tree still has what the axis set in it: another one may have put it out of effect.
bool has_effect(const Value& tree, const std::string& axis, const Value& v) {
  const Value* there = find_path(tree, key_of_axis(axis));
  return there != nullptr && (v.is_table() || *there == v);
}

class Planner {
 public:
  explicit Planner(const Campaign& campaign)
      : campaign_(campaign), filter_(campaign.where, campaign.where_place, campaign.axes), keys_(campaign.folder) {}

  Plan make() {
    check_size();
    PlannedRun run;
    run.point = Value::table();
    grid(0, run);
    for (const auto& [axis, lost] : lost_) {
      if (in_effect_.count(axis) != 0) continue;
      fail_at(lost.place,
              fmt::format("the axis '{}' has no effect: '{}' puts it out of effect at every point", axis, lost.by),
              "one of the two");
    }
    for (const auto& [name, place] : undeclared_) {
      if (declared_.count(name) != 0 || is_of_base(place)) continue;
      const std::vector<std::string> known(declared_.begin(), declared_.end());
      fail_at(place, fmt::format("no policy of the campaign has a parameter '{}'", name), "",
              did_you_mean(name, known));
    }
    if (plan_.runs.empty())
      fail_at(campaign_.where_place, "campaign.where leaves no point to run", "a condition that some point meets");
    std::string all;
    for (const PlannedRun& r : plan_.runs) all += r.key + "\n";
    plan_.digest = sha256_of_text(all);
    return std::move(plan_);
  }

 private:
  /// What a scenario sets for its own policy means nothing to those that the campaign puts in its place.
  bool is_of_base(const Place& place) const {
    const bool policies =
        std::ranges::any_of(campaign_.axes, [](const std::string& axis) { return key_of_axis(axis) == "policy.name"; });
    return policies && place.source && place.source->name != campaign_.file;
  }

  void check_size() const {
    double points = 1;
    for (const Dimension& d : campaign_.dimensions) points *= static_cast<double>(d.rows.size());
    if (points > kMostPoints)
      throw InputError({campaign_.file, 0, fmt::format("the campaign has {:.0f} points", points),
                        fmt::format("at most {:.0f}", kMostPoints)});
  }

  void grid(std::size_t depth, PlannedRun& run) {
    if (depth == campaign_.dimensions.size()) {
      take(run);
      return;
    }
    const Dimension& d = campaign_.dimensions[depth];
    for (std::size_t r = 0; r < d.rows.size(); ++r) {
      for (std::size_t i = 0; i < d.axes.size(); ++i) {
        const std::string& axis = campaign_.axes[d.axes[i]];
        run.point.set(axis, d.rows[r][i]);
        if (axis == kScenarioAxis) run.base = r;
      }
      grid(depth + 1, run);
    }
  }

  void take(PlannedRun run) {
    ++plan_.points;
    if (!filter_.holds(run.point)) {
      ++plan_.filtered;
      return;
    }
    const Value tree = effective_tree(run);
    Scenario s = checked_scenario(tree);
    require_files(tree, s);
    leave_out_foreign_params(run, s);
    run.policy = keys_.policy_name(s);
    run.key = keys_.key_of(std::move(s));
    if (!seen_.insert(run.key).second) ++plan_.equal;
    else plan_.runs.push_back(std::move(run));
  }

  /// An axis that another one puts out of effect does not apply to the point.
  Value effective_tree(PlannedRun& run) {
    std::vector<std::pair<std::string, Value>> laid;
    Value tree = tree_of(campaign_, run, [&](const Value& so_far, const std::string& axis) {
      for (auto& [earlier, v] : laid) {
        if (v.is_nil() || has_effect(so_far, earlier, v)) continue;
        lost_.emplace(earlier, Lost{v.place, axis});
        *run.point.find(earlier) = v = Value();
      }
      laid.emplace_back(axis, *run.point.find(axis));
    });
    for (const auto& [axis, v] : laid)
      if (!v.is_nil()) in_effect_.insert(axis);
    return tree;
  }

  /// Runs that cannot begin are a mistake of the campaign, not results of it.
  void require_files(const Value& tree, const Scenario& s) {
    for (const auto& [key, path] : named_files(s)) {
      if (path.empty() || !files_.insert(path).second) continue;
      const Value* v = find_path(tree, key);
      if (std::filesystem::is_directory(path)) fail_at(v ? v->place : tree.place, path + " is a folder", "a file");
      errno = 0;
      if (!std::ifstream(path))
        fail_at(v ? v->place : tree.place, fmt::format("{} cannot be opened: {}", path, std::strerror(errno)), "");
    }
  }

  void leave_out_foreign_params(PlannedRun& run, Scenario& s) {
    const std::vector<std::string>& has = keys_.params_of(s);
    declared_.insert(has.begin(), has.end());
    for (const Member& m : *s.policy.params.members()) {
      if (std::ranges::find(has, m.key) != has.end()) continue;
      run.dropped.push_back(m.key);
      undeclared_.emplace(m.key, m.value.place);
    }
    for (const std::string& name : run.dropped) {
      s.policy.params.erase(name);
      if (Value* v = run.point.find("policy.params." + name)) *v = Value();
    }
  }

  const Campaign& campaign_;
  PointFilter filter_;
  ScenarioKeys keys_;
  std::set<std::string> seen_, declared_;
  std::map<std::string, Place> undeclared_;
  struct Lost {
    Place place;
    std::string by;  ///< the axis
  };
  std::map<std::string, Lost> lost_;
  std::set<std::string> in_effect_, files_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Campaign& campaign) { return Planner(campaign).make(); }

Scenario scenario_of(const Campaign& campaign, const PlannedRun& run) {
  Scenario s = checked_scenario(tree_of(campaign, run, [](const Value&, const std::string&) {}));
  for (const std::string& name : run.dropped) s.policy.params.erase(name);
  return s;
}

std::string point_text(const std::vector<std::string>& axes, const Value& point) {
  std::string out;
  for (const std::string& axis : axes) {
    const Value* v = point.find(axis);
    if (v == nullptr || v->is_nil()) continue;
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", axis, v->text() ? *v->text() : toml_text(*v));
  }
  return out;
}

}  // namespace coslice

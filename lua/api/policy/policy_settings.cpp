#include "api/policy/policy_settings.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <lua.hpp>

#include "api/jobs/job_values.h"
#include "api/jobs/known_fields.h"
#include "api/scripts/script_errors.h"
#include "api/scripts/table_value.h"
#include "core/error.h"
#include "core/refusals.h"
#include "host/call.h"
#include "host/guard.h"
#include "host/state.h"
#include "host/value_text.h"
#include "observe/claim_watch.h"
#include "schedule/queue_scheduler.h"

namespace coslice {
namespace {

std::string all_names() {
  std::string names;
  for (const std::string& n : claim_names()) names += (names.empty() ? "one of \"" : ", \"") + n + "\"";
  return names;
}

void set_claim(const FieldReader& f, Claims& claims, const std::string& name, const double* number) {
  const auto plain = [&](bool& claim) {
    if (number != nullptr)
      f.fail("claims", fmt::format("policy: claim \"{}\" has no number", name), fmt::format("\"{}\" alone", name));
    claim = true;
  };
  const auto bad = [&](const char* expected) {
    f.fail("claims", fmt::format("policy: claim \"{}\" is {}", name, *number), expected);
  };
  if (name == "never-idle") plain(claims.never_idle);
  else if (name == "work-conserving") plain(claims.work_conserving);
  else if (name == "no-idle-gpus") plain(claims.no_idle_gpus);
  else if (name == "in-order") plain(claims.in_order);
  else if (name == "head-never-delayed") plain(claims.head_never_delayed);
  else if (name == "promises-kept") plain(claims.promises_kept);
  else if (name == "no-starvation") {
    if (number != nullptr && !(*number >= 0 && *number <= 1e9))
      bad("seconds of at least 0, in which jobs may come and go first");
    claims.no_starvation = number != nullptr ? from_seconds(*number) : Duration{0};
  } else if (name == "fairness-bound") {
    if (number != nullptr && !(*number >= 1 && *number <= 1e9)) bad("a factor of at least 1");
    claims.fairness_bound = number != nullptr ? *number : 1;
  } else {
    f.fail("claims", fmt::format("policy: there is no claim \"{}\"", name), all_names(),
           did_you_mean(name, claim_names()));
  }
}

/// Returns what the ready-made scheduler keeps by itself, if no function vetoes starts. `first_come`: its queue is in
/// order of submission; `predicted`: estimates may be too short.
Claims claims_of(const QueueSchedulerOptions& options, bool first_come, bool predicted) {
  Claims claims;
  claims.never_idle = true;
  const bool reserves = options.backfill == Backfill::kConservative ||
                        (options.backfill == Backfill::kEasy && options.easy.reservations > 0);
  const bool in_order = options.backfill == Backfill::kNone;
  if (predicted || (!reserves && !in_order)) return claims;
  // Where each partition has a queue, the order is that of no single one.
  if (options.easy.by_partition) {
    claims.head_never_delayed = reserves;
    return claims;
  }
  claims.in_order = in_order && first_come;
  claims.head_never_delayed = options.backfill != Backfill::kConservative;
  claims.promises_kept = reserves && (first_come || options.backfill == Backfill::kConservative);
  if (first_come) claims.no_starvation = Duration{0};
  return claims;
}

/// Returns what the ready-made scheduler keeps where the policy places jobs: it may decline nodes, but should not those
/// with GPUs that nothing uses.
Claims claims_with_placement(const QueueSchedulerOptions& options) {
  Claims claims;
  claims.no_idle_gpus = options.backfill != Backfill::kConservative && !options.easy.by_partition;
  return claims;
}

/// Reads { "never-idle", ["no-starvation"] = 3600, ... } into `claims`. `with` is what the policy has that knows
/// reservations only ("time slices"), or "". Inside a protected call; throws InputError.
void read_claims(const FieldReader& f, const std::string& with, Claims& claims) {
  constexpr const char* kForm = "{ \"never-idle\", [\"no-starvation\"] = 3600 }";
  lua_State* L = f.state();
  const luahost::StackGuard guard(L);
  f.push("claims");
  if (!lua_istable(L, -1)) f.fail("claims", "policy: field 'claims' is " + describe_value(L, -1), kForm);
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    const bool listed = lua_type(L, -2) == LUA_TNUMBER && lua_type(L, -1) == LUA_TSTRING;
    const bool with_number = lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TNUMBER;
    if (!listed && !with_number) f.fail("claims", "policy: a claim is " + describe_value(L, -1), kForm);
    const double number = listed ? 0 : lua_tonumber(L, -1);
    set_claim(f, claims, lua_tostring(L, listed ? -1 : -2), listed ? nullptr : &number);
    lua_pop(L, 1);
  }
  if (with.empty()) return;
  for (const std::string& name : claims.names()) {
    if (name == "promises-kept" && with == "time slices") continue;
    f.fail("claims", fmt::format("policy: claim \"{}\" has no meaning with {}", name, with));
  }
}

/// A setting that is a table cannot be a parameter.
struct SettingField {
  const char* name;
  const char* table;  ///< null: a plain value; else an example of the table
};
constexpr SettingField kSettings[] = {
    {"order", nullptr},
    {"descending", nullptr},
    {"backfill", nullptr},
    {"reservations", nullptr},
    {"depth", nullptr},
    {"queues", nullptr},
    {"compress", nullptr},
    {"passes", nullptr},
    {"suspends", nullptr},
    {"units", nullptr},
    {"share", "{ by = \"user\", of = function(user, now, params) ... end }"},
    {"slices", "{ classes = { ... }, ... }"},
    {"sharing", "{ alone = function(job, params) ... end, shared = ... }"},
    {"coscheduling", "{ modes = { ... }, ... }"},
    {"claims", "{ \"never-idle\", ... }"},
};

class SettingsReader {
 public:
  /// On the top of the stack lie an empty table, for what functions answer, and the parameters.
  SettingsReader(const FieldReader& policy, const SettingsContext& context)
      : policy_(policy), context_(context), L_(policy.state()), answers_index_(lua_absindex(L_, -2)),
        answers_(policy.inner(-2, "policy")), values_(policy.inner(-1, "policy, a parameter named like a setting")) {}

  PolicySettings read() {
    try {
      ask_functions();
      find_params();
      check_conflicts();
      refuse_pairs();
      read_plain();
      read_tables();
      read_claims_field();
      out_.options.compress = static_cast<CompressOrder>(choice("compress", {"queue", "start"}));
      out_.passes_with_room = choice("passes", {"all", "room"}) == 1;
    } catch (const InputError& e) {
      blame_params(e);
    }
    hide_params();
    return std::move(out_);
  }

 private:
  /// Where the setting's value stands: among the answers of functions, the parameters or the policy's fields.
  const FieldReader& at(const std::string& name) const {
    if (is_param(name)) return values_;
    return std::ranges::find(computed_, name) != computed_.end() ? answers_ : policy_;
  }
  bool has(const std::string& name) const { return at(name).has(name.c_str()); }
  bool is_param(const std::string& name) const { return std::ranges::find(params_, name) != params_.end(); }
  void show(const char* name, const std::string& value) { out_.shown.push_back(fmt::format("{} = {}", name, value)); }

  void ask_functions() {
    for (const SettingField& s : kSettings) {
      policy_.push(s.name);
      const bool is_function = lua_isfunction(L_, -1);
      const LuaRef function = LuaRef::pop(L_);
      if (!is_function) continue;
      const std::string label =
          fmt::format("setting '{}' of policy '{}'", s.name, context_.policy);  // outlives the call
      Call call(context_.state, function, label);
      call.push(context_.params).invoke(1);
      call.value(1).push(L_);
      lua_setfield(L_, answers_index_, s.name);
      computed_.emplace_back(s.name);
    }
  }

  /// A parameter that is named like a setting is that setting, unless the policy sets it or leaves no room for it.
  void find_params() {
    for (const SettingField& s : kSettings) {
      const auto declared = [&](const ParamSpec& p) { return p.name == s.name; };
      if (s.table == nullptr && !has(s.name) && ignored(s.name).empty() &&
          std::ranges::any_of(context_.specs, declared))
        params_.emplace_back(s.name);
    }
  }

  /// Why the field would be ignored whatever the parameters are; "" if it is not.
  std::string ignored(const std::string& field) const {
    const auto one_of = [&](std::initializer_list<const char*> names) {
      return std::ranges::find(names, field) != names.end();
    };
    if (has("schedule") && one_of({"backfill", "reservations", "depth", "queues", "compress", "may_start"}))
      return "when 'schedule' takes over the pass";
    if (field == "share" && !has("dynamic_key")) return "without 'dynamic_key'";
    if (field == "key" && has("dynamic_key")) return "beside 'dynamic_key'";
    if (field == "order" && (has("key") || has("dynamic_key"))) return "beside 'key' or 'dynamic_key'";
    if (has("coscheduling") && one_of({"key", "dynamic_key", "order", "may_start", "schedule", "slices", "reservations",
                                       "depth", "queues", "compress", "reason", "factors"}))
      return "beside 'coscheduling'";
    if (one_of({"reservations", "depth"}) && !could_backfill("easy")) return "without backfill = \"easy\"";
    if (one_of({"passes", "suspends", "units"}) && !has("schedule")) return "without 'schedule'";
    if (field == "passes" && (has("slices") || has("sharing"))) return "beside 'slices' or 'sharing'";
    if (field == "compress" && !could_backfill("conservative")) return "without backfill = \"conservative\"";
    return "";
  }

  std::string backfill() const { return has("backfill") ? at("backfill").text("backfill") : "none"; }

  /// Whether it does, or would with other parameters.
  bool could_backfill(const char* kind) const { return &at("backfill") != &policy_ || backfill() == kind; }

  /// Settings that would be ignored are mistakes.
  void check_conflicts() {
    const auto refuse = [&](const char* field, const std::string& why) {
      at(field).fail(field, fmt::format("policy: field '{}' has no effect {}", field, why));
    };
    for (const char* field :
         {"backfill", "reservations", "depth", "queues", "compress", "passes", "suspends", "units", "may_start",
          "share", "key", "order", "dynamic_key", "schedule", "slices", "reason", "factors"}) {
      const std::string why = has(field) ? ignored(field) : "";
      if (!why.empty()) refuse(field, why);
    }
    // A parameter may stand there for another value of `backfill`, if it was not set for this one.
    const std::string backfill = this->backfill();
    const auto only_with = [&](const char* field, const char* kind) {
      if (backfill != kind && has(field) && (!is_param(field) || context_.given.find(field) != nullptr))
        refuse(field, fmt::format("without backfill = \"{}\"", kind));
    };
    for (const char* field : {"reservations", "depth"}) only_with(field, "easy");
    only_with("compress", "conservative");
    if (has("queues") && backfill == "conservative" &&
        (!is_param("queues") || context_.given.find("queues") != nullptr))
      refuse("queues", "with backfill = \"conservative\": each job has a reservation, none stops another one");
    if (has("may_start") && backfill == "conservative")
      refuse("may_start", "with backfill = \"conservative\": reservations are kept");
  }

  bool has_feature(Feature f) const {
    const FeatureWords& words = words_for(f);
    if (words.field == nullptr || !has(words.field)) return false;
    return words.value == nullptr || at(words.field).text(words.field) == words.value;
  }

  /// Fields that have no meaning beside one another, by the table of refusals.
  void refuse_pairs() {
    for (const Refusal& r : refusals())
      for (const Feature one : r.ones)
        for (const Feature other : r.others)
          if (has_feature(one) && has_feature(other))
            at(words_for(other).field).fail(words_for(other).field, "policy: " + refusal_text(one, other), r.instead);
  }

  /// The number of the choice.
  int choice(const char* name, const std::vector<std::string>& choices) {
    if (!has(name)) return 0;
    const std::string value = at(name).choice(name, choices);
    show(name, value);
    return static_cast<int>(std::ranges::find(choices, value) - choices.begin());
  }

  std::size_t count(const char* name) {
    const auto n = static_cast<std::size_t>(at(name).integer(name, 0));
    show(name, fmt::format("{}", n));
    return n;
  }

  void read_plain() {
    QueueSchedulerOptions& o = out_.options;
    o.order = static_cast<QueueOrder>(choice("order", {"submit", "duration", "nodes", "area"}));
    if (has("descending")) {
      o.descending = at("descending").flag("descending");
      show("descending", o.descending ? "true" : "false");
    }
    o.easy.by_partition = choice("queues", {"one", "partition"}) == 1;
    o.backfill = static_cast<Backfill>(choice("backfill", {"none", "easy", "conservative"}));
    if (has("reservations")) o.easy.reservations = count("reservations");
    if (has("depth")) {
      const std::size_t depth = count("depth");
      if (depth > 0) o.easy.depth = depth;
    }
    if (has("suspends")) {
      out_.suspends = at("suspends").flag("suspends");
      show("suspends", out_.suspends ? "true" : "false");
    }
    out_.counts_units = has("units");
    if (out_.counts_units) choice("units", {"gpus", "nodes"});
  }

  /// Calls `read` with the table of the field on the top of the stack, if there is one.
  template <class F>
  void with_table(const char* name, F&& read) {
    if (!has(name)) return;
    const FieldReader& f = at(name);
    const luahost::StackGuard guard(L_);
    f.push(name);
    const auto is_field = [&](const SettingField& s) { return std::string_view(s.name) == name; };
    if (!lua_istable(L_, -1))
      f.fail(name, fmt::format("policy: field '{}' is not a table", name),
             std::ranges::find_if(kSettings, is_field)->table);
    read(f);
  }

  void read_tables() {
    const std::string& name = context_.policy;
    with_table("slices", [&](const FieldReader& f) {
      out_.slices = read_slices(f, name);
      const std::size_t n = out_.slices->options.classes.size();
      show("slices", fmt::format("{} class{}", n, n == 1 ? "" : "es"));
    });
    with_table("share", [&](const FieldReader& f) {
      out_.share = read_share(f, name);
      show("share", "by " + out_.share->by);
    });
    with_table("sharing", [&](const FieldReader& f) {
      out_.sharing = read_sharing(f, name);
      show("sharing", "two jobs on a node");
    });
    with_table("coscheduling", [&](const FieldReader& f) {
      out_.coscheduling = read_coscheduling(f, name);
      show("coscheduling", fmt::format("{} modes", out_.coscheduling->rules.modes.size()));
    });
  }

  void read_claims_field() {
    const bool ready_made =
        !has("schedule") && !has("may_start") && !out_.slices && !out_.sharing && !out_.coscheduling;
    const bool by_submission = !has("key") && !has("dynamic_key") && out_.options.order == QueueOrder::kSubmit;
    if (ready_made && has("placement")) out_.claims = claims_with_placement(out_.options);
    else if (ready_made)
      out_.claims = claims_of(out_.options, by_submission && !out_.options.descending, has("estimate"));
    if (has("claims")) {
      read_claims(at("claims"), out_.slices ? "time slices" : out_.coscheduling ? "coscheduling" : "", out_.claims);
    }
    const std::string names = fmt::format("{}", fmt::join(out_.claims.names(), ", "));
    if (has("claims") || !names.empty()) show("claims", names);
  }

  /// Hooks do not see parameters that are settings: a policy that has one for itself under such a name is told of it.
  void hide_params() {
    if (params_.empty()) return;
    context_.params.push(L_);
    for (const std::string& name : params_) {
      lua_pushnil(L_);
      lua_setfield(L_, -2, name.c_str());
    }
    refuse_unknown_fields(
        L_, "the policy's 'params' have",
        "; a parameter named like a setting is that setting and nothing else: to read it, too, set the "
        "setting, as in depth = function(params) return params.depth end");
    lua_pop(L_, 1);
  }

  /// A setting that was computed from parameters which were set explicitly is wrong where they are set.
  void blame_params(const InputError& e) const {
    std::string values;
    const Value* first = nullptr;
    for (const ParamSpec& p : context_.specs) {
      const Value* v = context_.given.find(p.name);
      if (v == nullptr) continue;
      if (first == nullptr) first = v;
      values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", p.name, shown(*context_.values.find(p.name)));
    }
    if (first == nullptr || (computed_.empty() && params_.empty())) throw;
    const Diagnostic& d = e.diagnostic();
    Diagnostic blamed;
    if (first->place.source) blamed.file = first->place.source->name;
    blamed.line = first->place.line;
    blamed.problem = fmt::format("policy '{}' cannot work with {}: {}", context_.policy, values, d.problem);
    blamed.expected = d.expected;
    blamed.suggestion = d.suggestion;
    blamed.detail = fmt::format("  noticed at {}:{}", d.file, d.line);
    throw InputError(blamed);
  }

  const FieldReader& policy_;
  const SettingsContext& context_;
  lua_State* const L_;
  const int answers_index_;
  const FieldReader answers_, values_;
  std::vector<std::string> computed_;  ///< settings that are functions
  std::vector<std::string> params_;    ///< settings that are parameters
  PolicySettings out_;
};

}  // namespace

SharingSettings read_sharing(const FieldReader& policy, const std::string& name) {
  static const std::vector<Key<SharingSettings>> keys = {
      {"layout", codec::choice<SharingSettings>(COSLICE_FIELD(SharingSettings, layout), {"across", "within"}), ""},
      {"by_use", codec::flag<SharingSettings>(COSLICE_FIELD(SharingSettings, by_use)), ""}};
  const FieldReader f = policy.inner(-1, "sharing");
  SharingSettings s;
  read_fields(keys, s, f, {"alone", "shared"});
  for (const char* field : {"alone", "shared"}) f.require_function(field);
  const std::string where = fmt::format("in the sharing of policy '{}'", name);
  s.alone = read_hook(f, "alone", where);
  s.shared = read_hook(f, "shared", where);
  return s;
}

SharingFunctions::SharingFunctions(LuaState& state, const SharingSettings& settings, const LuaRef& params,
                                   const std::vector<JobClass>& classes, const SlowdownModel& slowdowns,
                                   const MachineSpec& machine)
    : state_(state), settings_(settings), params_(params), slowdowns_(slowdowns), exchanged_(slowdowns),
      jobs_(state, classes, &slowdowns) {
  machine_ = state.make([&](lua_State* L) {
    push_value(L, machine_value(machine));
    refuse_unknown_fields(L, "the machine has");
  });
}

SharingOptions SharingFunctions::options() {
  SharingOptions o;
  o.layout = settings_.layout;
  o.slowdowns = &slowdowns_;
  if (o.layout == Layout::kWithin) o.slowdowns = &exchanged_;
  o.alone = [this](const View& view, JobIndex j) { return ask(settings_.alone, view, j); };
  o.shared = [this](const View& view, JobIndex j) { return ask(settings_.shared, view, j); };
  return o;
}

std::int32_t SharingFunctions::ask(const Hook& hook, const View& view, JobIndex j) {
  jobs_.show(view);
  const LuaRef job = state_.make([&](lua_State* L) { jobs_.push_new(L, j); });
  Call call(state_, hook.function, hook.label);
  call.push(job).push(machine_).push(params_).invoke(1);
  const double n = call.number(1);
  if (!(n >= 1 && n <= 4096 && n == static_cast<std::int32_t>(n)))
    call.fail(1, "a whole number of processes per node, at least 1");
  return static_cast<std::int32_t>(n);
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const SettingField& s : kSettings) names.emplace_back(s.name);
  return names;
}

PolicySettings read_policy_settings(const FieldReader& policy, const SettingsContext& context) {
  const luahost::StackGuard guard(policy.state());
  lua_newtable(policy.state());
  context.params.push(policy.state());
  return SettingsReader(policy, context).read();
}

}  // namespace coslice

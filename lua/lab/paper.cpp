#include "lab/paper.h"

#include <algorithm>
#include <filesystem>
#include <lua.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/script_text.h"
#include "host/call.h"
#include "host/embedded.h"
#include "host/guard.h"
#include "lab/paper_functions.h"

namespace coslice {
namespace {

constexpr int kApi = 1;
// Figures of many runs are much for one script.
constexpr Limits kLimits{std::size_t{1} << 30, Limits{}.string, 10'000'000'000};
const ModuleRoot kLibrary{"", "lib/", "the built-in library"};
const std::string kLabel = "an experiment";

}  // namespace

Paper::Paper(PaperFolder where, PaperOptions options)
    : where_(std::move(where)), options_(std::move(options)),
      path_((std::filesystem::path(where_.folder) / "paper.lua").string()), state_(std::make_unique<LuaState>(kLimits)),
      script_(read_script(path_)) {
  set_module_roots(*state_, {{where_.folder, "", where_.folder}, kLibrary});
  table_ = run_script(*state_, script_);
  state_->protect([this](lua_State* L) { read(L); });
  choose_experiments();
  rows_.resize(labels_.size());
  prepare();
}

Paper::~Paper() = default;

void Paper::read(lua_State* L) {
  table_.push(L);
  if (!lua_istable(L, -1)) {
    throw InputError({path_, 0, "the paper's script returns no table",
                      "return { api = 1, title = ..., experiments = { ... } }", "", ""});
  }
  const FieldReader f(L, -1, path_, script_.text, "paper");
  f.only({"api", "title", "seeds", "quick_seeds", "experiments"});
  if (f.integer("api", 1) != kApi) f.fail("api", "the paper is written for another interface", "api = 1");
  title_ = f.text("title");
  seeds_ = f.integer("seeds", 1);
  quick_seeds_ = f.integer("quick_seeds", 1);
  f.push("experiments");
  if (!lua_istable(L, -1))
    f.fail("experiments", "paper: field 'experiments' is not a table",
           "a list of { label = ..., run = function(lab) ... end }");
  read_experiments(L);
}

void Paper::read_experiments(lua_State* L) {
  const lua_Integer n = luaL_len(L, -1);
  for (lua_Integer i = 1; i <= n; ++i) {
    lua_geti(L, -1, i);
    if (!lua_istable(L, -1))
      throw InputError({path_, 0, fmt::format("experiment {} is not a table", i),
                        "{ label = ..., run = function(lab) ... end }", "", ""});
    const FieldReader f(L, -1, path_, script_.text, fmt::format("experiment {}", i));
    f.only({"label", "title", "run"});
    f.require_function("run");
    f.text("title", "");
    const std::string label = f.text("label");
    if (std::find(labels_.begin(), labels_.end(), label) != labels_.end())
      f.fail("label", fmt::format("two experiments are called '{}'", label));
    labels_.push_back(label);
    lua_pop(L, 1);
  }
  if (labels_.empty()) throw InputError({path_, 0, "the paper has no experiments", "", "", ""});
}

void Paper::choose_experiments() {
  const std::vector<std::string>& wanted = options_.experiments;
  for (const std::string& label : wanted) {
    if (std::find(labels_.begin(), labels_.end(), label) != labels_.end()) continue;
    Diagnostic d;
    d.file = "--experiment " + label;
    d.problem = fmt::format("paper '{}' has no such experiment", name());
    d.expected = fmt::format("one of {}", fmt::join(labels_, ", "));
    d.suggestion = did_you_mean(label, labels_);
    throw InputError(d);
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), labels_[i]) != wanted.end()) chosen_.push_back(i);
  }
}

/// Gives the chosen experiments to lib/paper.lua; step_ is what it makes of them.
void Paper::prepare() {
  const EmbeddedFile* file = find_embedded("lib/paper.lua");
  const LuaRef make = run_script(*state_, {std::string(file->name), std::string(file->text)});
  LuaRef natives, experiments, settings;
  state_->protect([&](lua_State* L) {
    push_paper_functions(L, *this);
    natives = LuaRef::pop(L);
    lua_newtable(L);
    table_.push(L);
    lua_getfield(L, -1, "experiments");
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      lua_geti(L, -1, static_cast<lua_Integer>(chosen_[i]) + 1);
      lua_seti(L, -4, static_cast<lua_Integer>(i) + 1);
    }
    lua_pop(L, 2);
    experiments = LuaRef::pop(L);
    lua_newtable(L);
    lua_pushboolean(L, options_.quick);
    lua_setfield(L, -2, "quick");
    lua_pushinteger(L, options_.seeds > 0 ? options_.seeds : options_.quick ? quick_seeds_ : seeds_);
    lua_setfield(L, -2, "seeds");
    settings = LuaRef::pop(L);
  });
  Call call(*state_, make, kLabel);
  call.push(natives).push(experiments).push(settings).invoke(1);
  step_ = call.value(1);
}

bool Paper::step(Simulations& simulations) {
  simulations_ = &simulations;
  Call call(*state_, step_, kLabel);
  call.invoke(1);
  return call.boolean(1);
}

std::vector<Row> Paper::rows() const {
  std::vector<Row> all;
  for (const auto& rows : rows_) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

}  // namespace coslice

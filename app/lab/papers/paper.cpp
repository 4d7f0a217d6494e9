#include "lab/papers/paper.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <lua.hpp>

#include "api/policy/find_policy.h"
#include "api/scripts/install_folders.h"
#include "api/scripts/script_errors.h"
#include "core/error.h"
#include "core/text.h"
#include "host/call.h"
#include "host/embedded.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "paper.lua";

bool is_paper(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kFile, ignored);
}

std::vector<fs::path> paper_roots() {
  std::vector<fs::path> roots;
  for (const std::string& f : search_path()) roots.push_back(fs::path(f) / "scenarios" / "papers");
  for (const fs::path& f : above_program()) roots.push_back(f / "scenarios" / "papers");
  return roots;
}

void add_list(std::vector<std::string>& folders, const char* variable, const std::string& below) {
  const char* list = std::getenv(variable);
  if (list == nullptr) return;
  for (const std::string& folder : split(list, ':'))
    if (!folder.empty()) folders.push_back(folder + below);
}

std::string plain(const fs::path& p) { return p.lexically_normal().string(); }

constexpr int kApi = 1;
// Figures of many runs are much for one script.
constexpr Limits kLimits{std::size_t{1} << 30, Limits{}.string, 10'000'000'000};
const ModuleRoot kLibrary{"", "lib/", "the built-in library"};
const std::string kLabel = "an experiment";

int count_in(const FieldReader& f, const char* name, int otherwise) {
  return f.has(name) ? static_cast<int>(f.integer(name, 1)) : otherwise;
}

/// What --set calls a parameter of a policy; "" if it sets something else.
std::string param_set_by(const std::string& assignment) {
  constexpr std::string_view kParams = "policy.params.";
  if (assignment.compare(0, kParams.size(), kParams) != 0) return "";
  return assignment.substr(kParams.size(), assignment.find('=') - kParams.size());
}

}  // namespace

PaperFolder find_paper(const std::string& name) {
  if (is_paper(name)) {
    const fs::path folder = fs::path(name) / "";
    return {folder.parent_path().filename().string(), plain(name), name};
  }
  const std::vector<PaperFolder> known = list_papers();
  for (const PaperFolder& p : known) {
    if (p.name == name) return p;
  }
  std::vector<std::string> names;
  for (const PaperFolder& p : known) names.push_back(p.name);
  Diagnostic d;
  d.problem = fmt::format("there is no paper '{}'", name);
  d.expected = names.empty() ? "a folder with paper.lua"
                             : fmt::format("a folder with paper.lua, or one of {}", fmt::join(names, ", "));
  d.suggestion = did_you_mean(name, names);
  throw InputError(d);
}

std::vector<PaperFolder> list_papers() {
  std::map<std::string, std::string> found;
  std::error_code ignored;
  for (const fs::path& root : paper_roots()) {
    for (const auto& entry : fs::directory_iterator(root, ignored)) {
      if (is_paper(entry.path())) found.emplace(entry.path().filename().string(), plain(entry.path()));
    }
  }
  std::vector<PaperFolder> papers;
  for (const auto& [name, folder] : found) papers.push_back({name, folder});
  return papers;
}

std::vector<std::string> trace_folders(const std::vector<std::string>& given) {
  std::vector<std::string> folders = given;
  add_list(folders, "COSLICE_TRACES", "");
  folders.emplace_back("traces");
  return folders;
}

std::vector<std::string> data_folders(const std::string& name, const std::string& given) {
  std::vector<std::string> folders;
  if (!given.empty()) folders.push_back(given);
  else if (!name.empty()) add_list(folders, "COSLICE_DATA", "/" + name);
  std::error_code ignored;
  std::erase_if(folders, [&](const std::string& f) { return !fs::is_directory(f, ignored); });
  return folders;
}

std::string find_trace(const std::vector<std::string>& names, const std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const std::string& name : names) {
    for (const std::string& folder : folders) {
      const fs::path path = fs::path(folder) / name;
      if (fs::is_regular_file(path, ignored)) return plain(path);
    }
  }
  return "";
}

int Experiment::seeds_of(const PaperOptions& options) const {
  if (options.seeds > 0) return options.seeds;
  if (options.size == PaperSize::kQuick) return quick_seeds;
  return options.size == PaperSize::kFull ? full_seeds : seeds;
}

Paper::Paper(PaperFolder where, PaperOptions options)
    : where_(std::move(where)), options_(std::move(options)),
      path_((std::filesystem::path(where_.folder) / "paper.lua").string()), state_(std::make_unique<LuaState>(kLimits)),
      script_(read_script(path_)), policies_(where_.folder) {
  set_module_roots(*state_, {{where_.folder, "", where_.folder}, kLibrary});
  table_ = run_script(*state_, script_);
  state_->protect([this](lua_State* L) { read(L); });
  choose_experiments();
  rows_.resize(chosen_.size());
  runs_.resize(chosen_.size());
  prepare();
}

Paper::~Paper() = default;

void Paper::read(lua_State* L) {
  table_.push(L);
  if (!lua_istable(L, -1)) {
    throw InputError({path_, 0, "the paper's script does not return a table",
                      "return { api = 1, title = ..., experiments = { ... } }"});
  }
  const FieldReader f(L, -1, path_, script_.text, "paper");
  f.only({"api", "title", "seeds", "quick_seeds", "full_seeds", "data", "experiments"});
  if (f.integer("api", 1) != kApi) f.fail("api", "the paper is written for another interface", "api = 1");
  title_ = f.text("title");
  data_ = f.text("data", "");
  if (!options_.data.empty() && data_.empty()) {
    throw InputError({"--data " + options_.data, 0, fmt::format("paper '{}' reads no data of its own", name()),
                      "a paper with `data` in its paper.lua"});
  }
  data_folders_ = data_folders(data_, options_.data);
  Experiment usual;
  usual.seeds = static_cast<int>(f.integer("seeds", 1));
  usual.quick_seeds = static_cast<int>(f.integer("quick_seeds", 1));
  usual.full_seeds = count_in(f, "full_seeds", usual.seeds);
  f.push("experiments");
  if (!lua_istable(L, -1))
    f.fail("experiments", "paper: field 'experiments' is not a table",
           "a list of { label = ..., run = function(lab) ... end }");
  read_experiments(L, usual);
}

void Paper::read_experiments(lua_State* L, const Experiment& usual) {
  const lua_Integer n = luaL_len(L, -1);
  for (lua_Integer i = 1; i <= n; ++i) {
    lua_geti(L, -1, i);
    if (!lua_istable(L, -1))
      throw InputError(
          {path_, 0, fmt::format("experiment {} is not a table", i), "{ label = ..., run = function(lab) ... end }"});
    const FieldReader f(L, -1, path_, script_.text, fmt::format("experiment {}", i));
    f.only({"label", "title", "run", "seeds", "quick_seeds", "full_seeds", "reduced", "indicative"});
    f.require_function("run");
    Experiment e{f.text("label"), f.text("title", ""), f.text("reduced", "")};
    e.seeds = count_in(f, "seeds", usual.seeds);
    e.quick_seeds = std::min(count_in(f, "quick_seeds", usual.quick_seeds), e.seeds);
    e.full_seeds = count_in(f, "full_seeds", std::max(usual.full_seeds, e.seeds));
    for (const Experiment& other : experiments_)
      if (other.label == e.label)
        f.fail("label", fmt::format("label '{}' is used twice", e.label), "a different label for each experiment");
    experiments_.push_back(std::move(e));
    lua_pop(L, 1);
  }
  if (experiments_.empty()) throw InputError({path_, 0, "the paper has no experiments"});
}

void Paper::choose_experiments() {
  const std::vector<std::string>& wanted = options_.experiments;
  const std::vector<std::string> known = labels();
  for (const std::string& label : wanted) {
    if (std::ranges::find(known, label) != known.end()) continue;
    Diagnostic d;
    d.file = "--experiment " + label;
    d.problem = fmt::format("paper '{}' has no such experiment", name());
    d.expected = fmt::format("one of {}", fmt::join(known, ", "));
    d.suggestion = did_you_mean(label, known);
    throw InputError(d);
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (wanted.empty() || std::ranges::find(wanted, known[i]) != wanted.end()) chosen_.push_back(i);
  }
}

/// Gives the chosen experiments to lib/paper.lua; step_ is what it makes of them.
void Paper::prepare() {
  const EmbeddedFile* file = find_embedded("lib/paper.lua");
  const LuaRef make = run_script(*state_, {std::string(file->name), std::string(file->text)});
  const LuaRef natives = state_->make([&](lua_State* L) { push_paper_functions(L, *this); });
  const LuaRef experiments = state_->make([&](lua_State* L) {
    lua_newtable(L);
    table_.push(L);
    lua_getfield(L, -1, "experiments");
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      lua_geti(L, -1, static_cast<lua_Integer>(chosen_[i]) + 1);
      lua_seti(L, -4, static_cast<lua_Integer>(i) + 1);
    }
    lua_pop(L, 2);
  });
  const LuaRef settings = state_->make([&](lua_State* L) {
    lua_newtable(L);
    lua_pushboolean(L, options_.size == PaperSize::kQuick);
    lua_setfield(L, -2, "quick");
    lua_pushboolean(L, options_.size == PaperSize::kFull);
    lua_setfield(L, -2, "full");
    lua_newtable(L);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      lua_pushinteger(L, experiments_[chosen_[i]].seeds_of(options_));
      lua_seti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    lua_setfield(L, -2, "seeds");
  });
  Call call(*state_, make, kLabel);
  call.push(natives).push(experiments).push(settings).invoke(1);
  step_ = call.value(1);
}

bool Paper::step(Simulations& simulations) {
  simulations_ = &simulations;
  Call call(*state_, step_, kLabel);
  call.invoke(1);
  check_params_are_of_use();
  return call.boolean(1);
}

std::vector<std::string> Paper::labels() const {
  std::vector<std::string> all;
  for (const Experiment& e : experiments_) all.push_back(e.label);
  return all;
}

/// A paper compares policies with different parameters: what is set for one is not meant for the others.
void Paper::leave_out_foreign_params(Scenario& scenario) {
  std::vector<std::string> names;
  for (const std::string& assignment : options_.sets)
    if (const std::string name = param_set_by(assignment); !name.empty()) names.push_back(name);
  if (names.empty()) return;
  const std::vector<std::string>& has = policies_.params_of(scenario);
  declared_.insert(has.begin(), has.end());
  asked_ = true;
  for (const std::string& name : names)
    if (std::ranges::find(has, name) == has.end()) scenario.policy.params.erase(name);
}

void Paper::check_params_are_of_use() const {
  if (!asked_) return;
  for (const std::string& assignment : options_.sets) {
    const std::string name = param_set_by(assignment);
    if (name.empty() || declared_.count(name) != 0) continue;
    const std::vector<std::string> known(declared_.begin(), declared_.end());
    throw InputError(
        {"--set " + assignment, 0, fmt::format("no policy of the experiments has a parameter '{}'", name),
         known.empty() ? "none: they have no parameters" : fmt::format("one of {}", fmt::join(known, ", ")),
         did_you_mean(name, known)});
  }
}

std::vector<Row> Paper::rows() const {
  std::vector<Row> all;
  for (const auto& rows : rows_) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

}  // namespace coslice

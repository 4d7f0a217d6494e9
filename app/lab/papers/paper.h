// paper.lua: the experiments of a paper as a script (lua/meta/paper.lua). Each is a function that asks for runs, looks
// at their results and states rows. The first look at a result waits until all runs that were asked for are made:
// experiments are coroutines, and between their turns all runs of all of them are simulated at once.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/script.h"
#include "host/state.h"
#include "lab/campaign/scenario_key.h"
#include "lab/papers/published_row.h"
#include "lab/simulations.h"

struct lua_State;

namespace coslice {

/// A folder with paper.lua, its scenarios and the published figures.
struct PaperFolder {
  std::string name, folder;
  std::string given = name;  ///< as it was asked for: its name, or a path
};

/// Finds a paper by the path of its folder, or by name in `scenarios/papers` of the current folder, of $COSLICE_PATH,
/// of the installed share folder, of the tree in which the program was built.
/// Throws InputError with the nearest known name.
PaperFolder find_paper(const std::string& name);

/// Returns all papers that are found by name, sorted; the first place wins.
std::vector<PaperFolder> list_papers();

/// Returns where traces are looked for: the given folders, those of $COSLICE_TRACES, `traces`.
std::vector<std::string> trace_folders(const std::vector<std::string>& given);

/// Returns where the data of a paper are looked for: the given folder alone; without one, the folder `name` in those of
/// $COSLICE_DATA; folders that do not exist are left out.
std::vector<std::string> data_folders(const std::string& name, const std::string& given);

/// Returns the first of the names, each looked for in all folders, that is there; "" if none is.
std::string find_trace(const std::vector<std::string>& names, const std::vector<std::string>& folders);

/// How much of an experiment is run: a first look, what an hour is enough for, or all that the paper did.
enum class PaperSize : std::uint8_t { kQuick, kUsual, kFull };

struct PaperOptions {
  PaperSize size = PaperSize::kUsual;
  int seeds = 0;                         ///< 0: what the paper says
  std::vector<std::string> experiments;  ///< only these; none: all
  std::vector<std::string> trace_folders;
  std::string data;  ///< folder with the paper's data; "": where it is looked for by itself
  /// "key=value", over the scenario of each run; a parameter of a policy over those of the policies that have it.
  std::vector<std::string> sets;
};

/// What a paper says of one of its experiments.
struct Experiment {
  std::string label, title;
  std::string reduced;  ///< what is left out unless all is wanted, besides seeds; "" for nothing
  int quick_seeds = 1, seeds = 1, full_seeds = 1;

  int seeds_of(const PaperOptions& options) const;
};

class Paper {
 public:
  /// Loads the script and checks it. Throws InputError.
  Paper(PaperFolder where, PaperOptions options);
  ~Paper();
  Paper(const Paper&) = delete;
  Paper& operator=(const Paper&) = delete;

  const std::string& name() const { return where_.name; }
  const std::string& title() const { return title_; }
  /// Returns all experiments, in their order.
  const std::vector<Experiment>& experiments() const { return experiments_; }
  /// Labels of all experiments, in their order.
  std::vector<std::string> labels() const;
  /// Places in experiments() of those that are run, in the paper's order.
  const std::vector<std::size_t>& chosen() const { return chosen_; }

  /// Lets each experiment go on until it ends or waits for runs. Whether any waits. Throws ScriptError, InputError,
  /// e.g. if `sets` has a parameter that none of the policies asked for has.
  bool step(Simulations& simulations);
  /// Returns what the experiments have stated so far, in their order.
  std::vector<Row> rows() const;
  /// Returns numbers of the runs that the n-th of the chosen experiments has asked for.
  const std::set<std::size_t>& runs_of(std::size_t n) const { return runs_[n]; }

 private:
  friend struct PaperFunctions;

  void read(lua_State* L);
  void read_experiments(lua_State* L, const Experiment& usual);
  void choose_experiments();
  void prepare();
  void leave_out_foreign_params(Scenario& scenario);
  void check_params_are_of_use() const;

  PaperFolder where_;
  PaperOptions options_;
  std::string path_, title_;
  std::string data_;                       ///< what the folder of its data is called; "": it has none
  std::vector<std::string> data_folders_;  ///< where that is looked for
  std::vector<Experiment> experiments_;
  std::vector<std::size_t> chosen_;  ///< experiments that are run
  std::unique_ptr<LuaState> state_;
  Script script_;
  LuaRef table_, step_;
  std::vector<std::vector<Row>> rows_;       ///< by chosen experiment
  std::vector<std::set<std::size_t>> runs_;  ///< the same
  std::size_t turn_ = 0;                     ///< which of the chosen experiments goes on
  Simulations* simulations_ = nullptr;       ///< while step() runs
  ScenarioKeys policies_;
  std::set<std::string> declared_;  ///< parameters of all policies asked for
  bool asked_ = false;              ///< for any run
};

/// Pushes a table of the functions that the Lua half of papers (lua/lib/paper.lua) asks of the engine. `paper` outlives
/// the state. May raise a Lua memory error.
void push_paper_functions(lua_State* L, Paper& paper);

}  // namespace coslice

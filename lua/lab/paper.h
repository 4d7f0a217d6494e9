// paper.lua: the experiments of a paper as a script (lua/meta/paper.lua). Each is a function that asks for runs, looks
// at their results and states rows. The first look at a result waits until all runs that were asked for are made:
// experiments are coroutines, and between their turns all runs of all of them are simulated at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/script.h"
#include "host/state.h"
#include "lab/find_paper.h"
#include "lab/row.h"
#include "lab/simulations.h"

struct lua_State;

namespace coslice {

struct PaperOptions {
  bool quick = false;
  int seeds = 0;           ///< 0: what the paper says
  std::vector<std::string> experiments;  ///< only these; none: all
  std::vector<std::string> trace_folders;
  std::vector<std::string> sets;  ///< "key=value", over the scenario of each run
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
  /// Labels of all experiments, in their order.
  const std::vector<std::string>& labels() const { return labels_; }

  /// Lets each experiment go on until it ends or waits for runs. Whether any waits. Throws ScriptError, InputError.
  bool step(Simulations& simulations);
  /// What the experiments have stated so far, in their order.
  std::vector<Row> rows() const;

 private:
  friend struct PaperFunctions;

  void read(lua_State* L);
  void read_experiments(lua_State* L);
  void choose_experiments();
  void prepare();

  PaperFolder where_;
  PaperOptions options_;
  std::string path_, title_;
  std::int64_t seeds_ = 0, quick_seeds_ = 0;
  std::vector<std::string> labels_;
  std::vector<std::size_t> chosen_;  ///< experiments that are run
  std::unique_ptr<LuaState> state_;
  Script script_;
  LuaRef table_, step_;
  std::vector<std::vector<Row>> rows_;  ///< by experiment
  Simulations* simulations_ = nullptr;  ///< while step() runs
};

}  // namespace coslice

// Settings that mean nothing: laid over a scenario, they change neither starts, ends, nodes nor figures.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/check/case.h"
#include "metrics/figures.h"
#include "runner/runner.h"

namespace coslice::check {

/// One of two scenarios that should come to the same.
struct Laid {
  Value tree;                                  ///< what it says, by keys; jobs are written down
  std::string policy;                          ///< a name, or a file
  std::string changes{};                       ///< statements in Lua about the policy's table `p`
  std::vector<std::string> beside{};           ///< policies that run in the same scenario before it
  bool explained = false;                      ///< the stories of all jobs are written down
  std::map<std::string, std::string> files{};  ///< that stand beside it, by name
  /// How its jobs come to the simulation.
  enum class Jobs : std::uint8_t { kWritten, kScript, kTrace, kConverted } jobs = Jobs::kWritten;

  Value::List& list() { return *tree.find("workload")->find("jobs")->list(); }
};

/// A setting that means nothing.
struct NeutralSetting {
  /// Under which policies it means nothing.
  enum class For : std::uint8_t {
    kAll,      ///< any; and it is laid by keys of a scenario alone, which a suite can write down
    kQueue,    ///< likewise, but under slices and groups, which then count by node, jobs may get other nodes
    kShipped,  ///< those that come with coslice, of which none looks at a job's number or at the calendar
  };
  using Lay = std::function<bool(Laid&)>;  ///< false: there is nothing to lay it over

  std::string name;  ///< "a licence that nobody asks for"
  Lay lay;
  For who = For::kAll;
  Lay over{};  ///< what it is compared with, where that is not the scenario as it was
};

/// Returns all neutral settings that belong neither to one policy nor to one site.
const std::vector<NeutralSetting>& neutral_settings();
/// Returns the neutral setting of that name, or null.
const NeutralSetting* find_neutral(const std::string& name);

/// Writes down that all nodes of the machine are one kind, if it does not have kinds.
bool lay_kind(Laid& laid);

/// What one of the two did.
struct LaidRun {
  /// What became of a job.
  struct Fate {
    Time start, end;  ///< since the first submission; kNever
    FinalState state;
    std::string nodes;
  };
  enum class End : std::uint8_t { kDone, kRefused, kFailed } end = End::kDone;
  std::string why{};  ///< it was refused or failed
  std::vector<Fate> jobs{};
  std::map<std::string, FigureValue> figures{};
};

/// Returns the scenario that a setting is compared with, and the one over which it lies; no second one: it does not
/// apply.
std::pair<std::optional<Laid>, std::optional<Laid>> both_sides(const Case& c, const NeutralSetting& setting,
                                                               const std::string& policy);

/// Returns what a run came to.
LaidRun laid_run(const PolicyRun& run);

/// Runs it. Policy parameters and limits are those of `base`; files are written into `folder` ("": not at all).
LaidRun run_laid(const Laid& laid, const Scenario& base, const std::string& folder = "");

/// What two runs differ in.
struct Difference {
  enum class What : std::uint8_t { kRefused, kFailed, kStarts, kNodes, kFigures } what = What::kStarts;
  std::size_t count = 0, of = 0;  ///< jobs, or figures
  std::string text;               ///< the first one, in words
  std::string figure{};           ///< its path, where it is one
};

/// Returns how two runs differ; nothing if they came to the same.
std::optional<Difference> difference(const LaidRun& reference, const LaidRun& other);

}  // namespace coslice::check

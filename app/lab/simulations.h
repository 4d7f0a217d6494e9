// Many runs of scenarios on all processors. Equal ones are simulated once.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/value.h"
#include "lab/thread_pool.h"
#include "scenario/input_cache.h"
#include "scenario/scenario.h"

namespace coslice {

/// A run to be made. Its number is the order in which it was asked for.
struct RunRequest {
  /// as errors call it: "synthetic.toml, seed 3, policy.params.nodes = first-free"; "": they do not
  std::string label;
  Scenario scenario;             ///< with one policy
  bool jobs = false;             ///< whether its jobs are wanted, too
  std::string folder{};          ///< where the paths of the resolved scenario start; "" is the current one
  InputCache* inputs = nullptr;  ///< files that other runs read as well; it outlives the run
  Value point = Value::table();  ///< what makes it differ from others, by name; for files of results
};

/// What came of it.
struct RunOutcome {
  Value summary;                      ///< what summary.json says, without its environment; only Simulations reads it
  std::string summary_json;           ///< the same as a text of one line, in its own order
  std::string scenario;               ///< resolved, as TOML
  std::string policy, workload;       ///< their names
  std::string fingerprint;            ///< 16 hexadecimal digits
  std::string jobs;                   ///< jobs.csv, if wanted
  std::vector<std::string> warnings;  ///< of the scenario, e.g. records of a trace that are left out
  std::vector<std::string> printed;   ///< lines that the policy printed
  double cpu_seconds = 0;             ///< the processor's time that it took
  std::string error;                  ///< why it failed, where failures are kept: then there is nothing else
  std::exception_ptr failure;         ///< likewise; null where a file of results has it
};

/// Simulates one scenario with one policy. `stop` is asked all the while and may throw.
/// Throws InputError and SimulationError that name the run.
RunOutcome simulate(const RunRequest& request, const std::function<void()>& stop);

class KeptRuns;

/// Runs that were asked for, and the outcomes of those that were made.
class Simulations {
 public:
  /// With `kept`, which outlives it, finished runs go into a file, and those that are in it are not made again.
  explicit Simulations(KeptRuns* kept = nullptr) : kept_(kept) {}
  /// Which runs let the others go on where they fail; their outcomes have the error. For others run() throws it.
  enum class Kept { kNone, kSimulations, kAll };  ///< kAll: also those whose scenario cannot be
  /// `stopping` says whether all is being stopped: then a script's error comes of that, and is none of the run.
  void keep_failures(Kept which, std::function<bool()> stopping) {
    kept_failures_ = which, stopping_ = std::move(stopping);
  }
  /// Returns the number of the run with this key; a new one is made if there is none. Runs with the same key must be
  /// the same.
  std::size_t add(const std::string& key, RunRequest request);
  std::size_t size() const { return requests_.size(); }
  std::size_t done() const { return outcomes_.size(); }
  /// Simulates what was asked for since the last time. `tick` gets the number of all runs that are done. Of runs that
  /// another part of the file's campaign makes, the outcomes stay empty.
  void run(const PoolOptions& options);
  /// Returns the outcome of the i-th run; null until run() has made it.
  const RunOutcome* outcome(std::size_t i) const { return i < outcomes_.size() ? &outcomes_[i] : nullptr; }

 private:
  KeptRuns* kept_;
  Kept kept_failures_ = Kept::kNone;
  std::function<bool()> stopping_;
  InputCache inputs_;
  std::vector<RunRequest> requests_;
  std::vector<RunOutcome> outcomes_;
  std::map<std::string, std::size_t> by_key_;
};

}  // namespace coslice

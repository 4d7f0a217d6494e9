// What the handles of the C interface are.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/value.h"
#include "door/coslice.h"
#include "door/result_tables.h"
#include "runner/runner.h"

namespace coslice::door {

/// A policy that the host program brings along: callbacks, or a text of Lua.
struct HostPolicy {
  std::string name;
  std::string script;                       ///< Lua; of callbacks one that says what they are
  std::optional<coslice_policy> callbacks;  ///< nothing: the script decides
};

/// A checked scenario; results share it.
struct Prepared {
  explicit Prepared(Scenario scenario, std::vector<GivenPolicy> given, std::vector<HostPolicy> own)
      : runner(std::move(scenario), std::move(given)), policies(std::move(own)) {}
  /// Returns the callbacks that decide in the i-th run; null: Lua does.
  const HostPolicy* callbacks_of(std::size_t i) const;

  Runner runner;
  std::vector<HostPolicy> policies;
};

/// Simulates the i-th policy. `callbacks` say what else is to be told; their `between` is set here.
PolicyRun simulate(const Prepared& prepared, std::size_t i, RunCallbacks callbacks);

}  // namespace coslice::door

struct coslice_scenario {
  coslice::Value tree = coslice::Value::table();
  std::optional<std::vector<coslice::JobSpec>> jobs;  ///< that were handed in
  std::vector<coslice::door::HostPolicy> policies;
};

struct coslice_simulation {
  std::shared_ptr<const coslice::door::Prepared> prepared;
};

struct coslice_result {
  std::shared_ptr<const coslice::door::Prepared> prepared;
  std::size_t policy = 0;
  coslice::PolicyRun run;
  double seconds = 0;  ///< that the simulation took
  std::vector<std::string> warnings;
  std::optional<coslice::door::ResultTables> tables;
  std::map<std::string, std::string> texts;  ///< by what was asked for
  std::optional<coslice::Value> figures;     ///< of summary.json
};

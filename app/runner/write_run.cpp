#include "runner/write_run.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "output/output.h"
#include "scenario/build_info.h"
#include "scenario/resolved.h"

namespace coslice {
namespace {

/// The run's own scenario: this policy alone, with the parameters that it had, wherever it is written.
Scenario scenario_of(const Runner& runner, std::size_t i, const PolicyRun& run) {
  Scenario s = runner.scenario();
  s.policy.names = {runner.policy_reference(i)};
  s.policy.params = run.params;
  s.output.dir.clear();
  return s;
}

/// Digests of what has no path; resolved_toml finds the files by itself.
std::vector<RecordedInput> labelled_inputs(const Runner& runner, std::size_t i) {
  std::vector<RecordedInput> out;
  const std::string label = "policy:" + runner.policy_reference(i);
  for (const auto& [name, script] : runner.built_in())
    if (name == label) out.push_back({name, sha256_of_text(script)});
  return out;
}

FileDigest digests_of(const Runner& runner) {
  return [&runner](const std::string& path) { return runner.digest_of(path); };
}

Value engine_settings(const Scenario& scenario) {
  const std::string table = "engine.";
  Value out = Value::table();
  const Value all = scenario_values(scenario);
  for (const Member& m : *all.members()) {
    if (m.key.compare(0, table.size(), table) == 0) out.set(m.key.substr(table.size()), m.value);
  }
  return out;
}

RunInfo info_of(const Runner& runner, std::size_t i, const PolicyRun& run, const Value& environment,
                const std::string& folder) {
  const Scenario s = scenario_of(runner, i, run);
  RunInfo info;
  info.program_version = program_version();
  info.scenario = s.name;
  info.policy = run.policy.name;
  info.policy_version = run.policy.version;
  info.policy_params = run.params;
  info.engine = engine_settings(s);
  info.notes = run.notes;
  info.seed = static_cast<std::uint64_t>(s.seed);
  for (const RecordedInput& r : recorded_inputs(s, folder, labelled_inputs(runner, i), digests_of(runner))) {
    // The summary is the same wherever the run is written: a file has its name there, its path is in scenario.toml.
    const bool label = r.name.find(':') != std::string::npos;
    info.inputs.push_back({label ? r.name : std::filesystem::path(r.name).filename().string(), r.sha256});
  }
  info.environment = environment;
  return info;
}

/// A policy's name as the name of a folder.
std::string folder_name(const std::string& name) {
  std::string out = name;
  for (char& c : out) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '-' && c != '_' && c != '.') c = '_';
  }
  return out.empty() || out[0] == '.' ? "_" + out : out;
}

}  // namespace

std::string run_summary_json(const Runner& runner, std::size_t i, const PolicyRun& run, const Value& environment,
                             const std::string& folder) {
  return summary_json(run.result, run.summary, runner.scenario().metrics, info_of(runner, i, run, environment, folder));
}

std::string run_summary_line(const Runner& runner, std::size_t i, const PolicyRun& run) {
  return summary_line(run.result, run.summary, runner.scenario().metrics, info_of(runner, i, run, Value::table(), ""));
}

Value run_summary_value(const Runner& runner, std::size_t i, const PolicyRun& run) {
  return summary_value(run.result, run.summary, runner.scenario().metrics, info_of(runner, i, run, Value::table(), ""));
}

std::string run_scenario_toml(const Runner& runner, std::size_t i, const PolicyRun& run, const std::string& folder) {
  return resolved_toml(scenario_of(runner, i, run), folder, labelled_inputs(runner, i), digests_of(runner));
}

std::string join_documents(const std::vector<std::string>& documents) {
  if (documents.size() == 1) return documents.front();
  std::string out = "[";
  for (const std::string& d : documents)
    out += (out.size() > 1 ? ",\n" : "\n") + d.substr(0, d.find_last_not_of('\n') + 1);
  return out + "\n]\n";
}

RunWriter::RunWriter(const Runner& runner, const std::string& folder)
    : runner_(runner), given_(folder), folder_(folder) {}

RunWriter::~RunWriter() = default;

/// The folder inside, unlike those before.
std::string RunWriter::place_for(const PolicyRun& run) {
  const std::string name = folder_name(run.policy.name);
  std::string unique = name;
  for (int n = 2; std::ranges::find(used_, unique) != used_.end(); ++n) unique = fmt::format("{}-{}", name, n);
  used_.push_back(unique);
  return unique;
}

void RunWriter::add(std::size_t i, const PolicyRun& run, const Value& environment) {
  const bool several = runner_.policies() > 1;
  const std::string inside = several ? place_for(run) : "";
  const std::string target = several ? (std::filesystem::path(given_) / inside).string() : given_;
  const std::string temporary = several ? folder_.path_of(inside) : folder_.path_of("");
  const RunInfo info = info_of(runner_, i, run, environment, target);
  RunFiles files;
  files.names = runner_.scenario().output.files;
  files.scenario = run_scenario_toml(runner_, i, run, target);
  try {
    std::filesystem::create_directories(temporary);
    write_run_files(temporary, run.result, run.summary, runner_.scenario().metrics, info, files);
  } catch (const std::exception& e) {
    throw SimulationError(folder_.in_users_words(e.what()));
  }
  if (several) documents_.push_back(summary_json(run.result, run.summary, runner_.scenario().metrics, info));
}

void RunWriter::commit() {
  if (!documents_.empty()) {
    nlohmann::ordered_json all, runs = nlohmann::ordered_json::array();
    for (const std::string& d : documents_) runs.push_back(nlohmann::ordered_json::parse(d));
    all["coslice"] = runs.front()["coslice"];
    all["runs"] = std::move(runs);
    write_text_file(folder_.path_of("summary.json"), all.dump(2) + "\n");
  }
  folder_.commit();
}

}  // namespace coslice

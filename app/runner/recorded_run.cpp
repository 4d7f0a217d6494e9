#include "runner/recorded_run.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "scenario/build_info.h"

namespace coslice {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& path, std::string problem, std::string expected = "",
                         std::string suggestion = "") {
  throw InputError({path, 0, std::move(problem), std::move(expected), std::move(suggestion)});
}

Json read_summary(const fs::path& folder) {
  std::string text;
  const int failed = append_file(text, (folder / "summary.json").string());
  if (failed == ENOENT || failed == ENOTDIR)
    refuse(folder.string(), "holds no run", "a folder that `coslice run --out` wrote");
  if (failed != 0) refuse((folder / "summary.json").string(), std::string("cannot be read: ") + std::strerror(failed));
  const Json summary = Json::parse(text, nullptr, false);
  if (!summary.is_object() || !summary.contains("coslice")) {
    refuse((folder / "summary.json").string(), "was not written by coslice", "the summary of a run");
  }
  return summary;
}

/// The folders inside that hold runs, by name.
std::vector<std::string> runs_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (fs::exists(entry.path() / "summary.json", ignored)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string text_of(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

RecordedRun run_in(const fs::path& folder, const Json& summary) {
  RecordedRun run;
  run.folder = folder.string();
  run.scenario = (folder / "scenario.toml").string();
  run.fingerprint = text_of(summary, "fingerprint");
  run.version = text_of(summary["coslice"], "version");
  if (!fs::exists(run.scenario))
    refuse(run.folder, "has no scenario.toml to run again", "all that `coslice run --out` writes");
  return run;
}

RecordedRun choose(const fs::path& folder, const std::string& policy) {
  const std::vector<std::string> names = runs_in(folder);
  if (policy.empty()) {
    refuse(folder.string(), "holds the runs of several policies", fmt::format("one of: {}", fmt::join(names, ", ")),
           names.empty() ? "" : "add --policy " + names.front());
  }
  if (std::ranges::find(names, policy) == names.end()) {
    refuse("--policy " + policy, "no such run in " + folder.string(), fmt::format("one of: {}", fmt::join(names, ", ")),
           did_you_mean(policy, names));
  }
  return run_in(folder / policy, read_summary(folder / policy));
}

}  // namespace

RecordedRun find_recorded_run(const std::string& folder, const std::string& policy) {
  const Json summary = read_summary(folder);
  if (summary.contains("runs")) return choose(folder, policy);
  const RecordedRun run = run_in(folder, summary);
  const std::string own = summary.contains("policy") ? text_of(summary["policy"], "name") : "";
  if (!policy.empty() && policy != own)
    refuse("--policy " + policy, "no such run in " + folder, "'" + own + "', the only one");
  return run;
}

std::vector<std::string> recorded_runs(const std::string& folder) {
  const Json summary = read_summary(folder);
  if (!summary.contains("runs")) return {};
  std::vector<std::string> rest = runs_in(folder), out;
  std::map<std::string, Json> summaries;
  for (const std::string& name : rest) summaries[name] = read_summary(fs::path(folder) / name);
  for (const Json& run : summary["runs"]) {
    const auto at = std::ranges::find_if(rest, [&](const std::string& name) {
      const Json& own = summaries[name];
      return own.value("policy", Json()) == run.value("policy", Json()) &&
             text_of(own, "fingerprint") == text_of(run, "fingerprint");
    });
    if (at == rest.end()) continue;
    out.push_back(*at);
    rest.erase(at);
  }
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

void verify_fingerprint(const RecordedRun& run, std::uint64_t fingerprint) {
  const std::string now = fmt::format("{:016x}", fingerprint);
  if (now == run.fingerprint) return;
  const std::string writer = run.version == program_version()
                                 ? ""
                                 : fmt::format("; coslice {} wrote it, this is {}", run.version, program_version());
  refuse(run.folder, fmt::format("its run is not the same any more: its fingerprint is {} now{}", now, writer),
         run.fingerprint,
         run.scenario.empty() ? ""
                              : fmt::format("write it anew with `coslice run {} --out {}`", run.scenario, run.folder));
}

}  // namespace coslice

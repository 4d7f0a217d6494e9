// Checks a file of any kind that the program reads, without simulating anything.
#pragma once

#include <string>
#include <vector>

namespace coslice {

enum class FileKind { kScenario, kTrace, kPolicy, kWorkloadScript, kJobScript, kOutageScript, kSuite };

/// Returns the kind of a file in words: "scenario", "trace", "policy", "workload script", "test suite".
const char* kind_name(FileKind kind);

/// What a good file turned out to be.
struct CheckedFile {
  FileKind kind = FileKind::kTrace;
  std::string summary;                ///< e.g. "5,000 jobs, 3 records dropped"
  std::vector<std::string> warnings;  ///< what a person should know
};

/// Loads the file as a run would, to its end:
/// - scenario (.toml): every key, its trace or workload script or model, its policies with their parameters;
/// - .lua: a suite if the name ends in _test.lua, which is compiled only; a script of jobs or outages if it returns a
///   table with `jobs`, `job` or `outages`, whose declarations are read; else a policy, which is loaded;
/// - everything else is a trace, read to its end.
/// Throws InputError at the first thing that is wrong.
CheckedFile check_file(const std::string& path);

}  // namespace coslice

// Back from a run folder to its run: what is not stored in it is found by simulating it again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coslice {

/// A run that was written into a folder, or kept by a campaign.
struct RecordedRun {
  std::string folder;       ///< path of the run folder, or the name of the campaign's run
  std::string scenario;     ///< path of its resolved scenario; "" if it is in no file of its own
  std::string fingerprint;  ///< 16 hexadecimal digits
  std::string version;      ///< of the program that wrote it
};

/// Returns the run in `folder`; if that holds the runs of several policies, the one of `policy`, a name of a folder in
/// it. Throws InputError: no run is there, it has no scenario to run again, or `policy` is missing, unknown or not its
/// own.
RecordedRun find_recorded_run(const std::string& folder, const std::string& policy = "");

/// Returns the run folders inside `folder` if it holds several policies' runs, in the order in which they were made;
/// else an empty list. Throws InputError if `folder` holds no run.
std::vector<std::string> recorded_runs(const std::string& folder);

/// Checks the fingerprint of a repeated run. Throws InputError if it is not the recorded one.
void verify_fingerprint(const RecordedRun& run, std::uint64_t fingerprint);

}  // namespace coslice

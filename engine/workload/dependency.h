// What a job may ask to wait for, in Slurm's notation (sbatch --dependency): "afterok:3:4,afterany:7_2".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "workload/job.h"

namespace coslice {

enum class DependencyKind : std::uint8_t {
  kAfter,       ///< that job has started, or will never
  kAfterOk,     ///< it has completed
  kAfterNotOk,  ///< it has failed
  kAfterAny,    ///< it has ended
  kSingleton,   ///< all jobs of the same executable and user that stand before this one have ended
};

/// Whether a job that ended counts as failed: it was killed, lost or rejected (`stopped`), or failed or was cancelled on
/// record (SWF field 11: 0 or 5).
inline bool has_failed(const Job& job, bool stopped) { return stopped || job.status == 0 || job.status == 5; }

/// A job as texts name it: "12", or "12_3" for an element of an array.
struct JobName {
  std::int64_t id = -1;
  std::int64_t element = -1;  ///< -1: the whole job or array
};

struct DependencyTerm {
  DependencyKind kind = DependencyKind::kAfterAny;
  JobName on{};       ///< of a singleton none
  Duration delay{0};  ///< kAfter: time from that start
};

/// What a job waits for: all of the terms, or any one.
struct Dependency {
  std::vector<DependencyTerm> terms;
  bool any = false;
};

/// The jobs behind one kind are separated by ':', kinds by ',' (all must hold) or '?' (one is enough). after:12+5 is five
/// minutes after the start of job 12. Throws InputError without a place.
Dependency read_dependency(std::string_view text);
/// "afterok", ...
std::string_view name_of(DependencyKind kind);
/// "12" or "12_3".
std::string name_of(const JobName& job);

}  // namespace coslice

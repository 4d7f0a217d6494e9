// Shared nodes: several processes of a job on a node, and two jobs on one under semi time sharing. (Zeng 2009,
// Chapter 4: processes of one job go to different processors first, those of different jobs to cores of the same one.)
// How much they interfere: jobs/slowdown.h.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/time.h"
#include "jobs/slowdown.h"
#include "schedule/view.h"

namespace coslice {

// What sharing nodes came to in a run.

/// Over all sharing groups. The gain of a group is what its members' work would take with one process on each node,
/// beyond the node-seconds that the group took, relative to these (Zeng 2009, Equation 6).
struct SharingCounts {
  std::int64_t groups = 0;                           ///< formed
  std::int64_t grouped_jobs = 0;                     ///< members, a job counted once for each group that it was in
  std::int64_t jobs_in_groups = 0;                   ///< jobs that were in a group at least once
  double gain_promised = 0;                          ///< sum over the groups
  double gain_had = 0;                               ///< the same, from what was really done while the groups lasted
  std::int64_t attempts = 0;                         ///< searches for jobs to match with a primary one
  std::int64_t attempts_vain = 0;                    ///< attempts in which no job could share nodes with it
  std::int64_t attempts_few = 0;                     ///< fewer than kFewCandidates could, or none
  static constexpr std::int64_t kFewCandidates = 4;  ///< Zeng 2009, Section 5.3
};

/// On which cores of its nodes a job's processes run.
enum class Layout : std::uint8_t {
  kAcross,  ///< on different processors first; those of two jobs on cores of the same ones (Zeng 2009, Figure 12)
  kWithin,  ///< on the cores of one processor first; two jobs share no processor (Figure 17)
};

/// What sharing did to one job.
struct SharedJob {
  std::int32_t ppn = 0;     ///< processes on each of its nodes; 0: it did not start
  std::int32_t groups = 0;  ///< groups that the job was in
  /// The response time that it was to keep, by what was expected when it came and the policy's slack; Duration::max()
  /// if the policy set none.
  Duration bound = Duration::max();
};

/// The cores of a node, as a layout sees them.
struct NodeShape {
  std::int32_t processors = 1;
  std::int32_t cores = 1;  ///< on all its processors together
  Layout layout = Layout::kAcross;
  std::int64_t memory_kb = 0;  ///< 0: not modelled

  /// Returns up to how many processes of a job on a node are slowed down as over processors (kAcross), or as over cores
  /// (kWithin); further ones are by both.
  std::int32_t first() const { return layout == Layout::kAcross ? processors : cores / processors; }
  /// Returns whether two jobs with these numbers of processes find room on a node.
  bool room_for(std::int32_t a, std::int32_t b) const {
    if (layout == Layout::kAcross) return a + b <= cores;
    const std::int32_t width = cores / processors;
    return (a + width - 1) / width + (b + width - 1) / width <= processors;
  }
};

struct SharingOptions {
  const SlowdownModel* slowdowns = nullptr;  ///< outlives the run; as the layout has them (ExchangedSlowdowns)
  Layout layout = Layout::kAcross;
  /// Return the processes per node of a job that has its nodes for itself, and of one that shares them: from 1 to the
  /// cores of a node. Asked once, at submission.
  std::function<std::int32_t(const View&, JobIndex)> alone, shared;
};

/// Jobs that share nodes: a primary one, and others each on nodes of its own among the primary's. Where these do not
/// suffice, they reach beyond.
struct Group {
  std::uint32_t id = 0;
  StartedJob* primary = nullptr;
  struct Matched {
    StartedJob* job;
    std::int32_t overlap;  ///< nodes that it shares with the primary
  };
  std::vector<Matched> matched;  ///< those that have not ended
  std::int32_t nodes = 0;        ///< of all members when it was formed
  double useful = 0;             ///< work that the members have done together: processes x dedicated seconds
  Duration productive{0};        ///< time in which they did it
  bool apart = false;            ///< its only matched job has stopped until the primary has ended
};

}  // namespace coslice

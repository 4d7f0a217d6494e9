// Lists of nodes and of pods as the GPU traces of Alibaba's clusters have them (cluster-trace-gpu-v2023, "openb"), and
// the studies that are based on them: which pods come, and in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/workload.h"
#include "machine/fragmentation.h"
#include "machine/layout.h"

namespace coslice {

/// A machine from a list of nodes. Nodes that are alike are a kind; numbers are in the order of kinds, names are those
/// of the list.
struct ListedNodes {
  MachineLayout layout;
  std::vector<NodeId> node_of_row;
};

/// Reads columns sn, cpu_milli, memory_mib, gpu, model. Throws InputError with file and line.
ListedNodes read_node_list(const std::string& path);

/// A pod as it is listed.
struct Pod {
  std::string name;
  Request request;                                          ///< without GPU types
  std::vector<std::string> gpu_types;                       ///< any of these; empty: any
  std::int64_t created = -1, scheduled = -1, deleted = -1;  ///< s; -1: not listed
  int line = 0;
};

/// Reads columns name, cpu_milli, memory_mib, num_gpu, gpu_milli, and where they are there gpu_spec, creation_time,
/// scheduled_time and deletion_time. Throws InputError with file and line.
std::vector<Pod> read_pod_list(const std::string& path);

/// Returns whether the file begins like a list of pods. Throws InputError if it cannot be read.
bool is_pod_list(const std::string& path);

/// Returns the whole numbers of a column, each from 0 to below `rows`: numbers of rows of another list. Empty cells end
/// it. Throws InputError with file and line.
std::vector<std::size_t> read_row_order(const std::string& path, const std::string& column, std::size_t rows);

/// Returns rows of the pods in the order in which they come, so that their GPUs are `demand` times those of the
/// machine: all in random order; then, while that is too little, copies of pods that are drawn from the list, until one
/// does not fit any more; or, while it is too much, without pods that are drawn. (The arrivals of Weng et al. 2023,
/// Section 6.) 0: all in random order.
std::vector<std::size_t> draw_arrivals(const std::vector<Pod>& pods, const MachineLayout& layout, double demand,
                                       std::uint64_t seed);

/// What stands in for the time that a pod runs which never leaves.
inline constexpr Duration kForEver = whole_seconds(1'000'000'000);

enum class PodTimes : std::uint8_t {
  kRecorded,  ///< submitted when created; runs from then, or when it was scheduled, to its deletion
  kOneByOne,  ///< one comes each second, none leaves
};

/// Returns the pods as jobs that ask for parts of nodes, in the order of `rows`; job ids count from 1, the executable
/// is the row in the list, from 1. `file` is for messages. Pods without times are left out and counted where times are
/// recorded. Throws InputError: a GPU type that the machine does not have.
Workload pod_workload(const std::vector<Pod>& pods, const std::vector<std::size_t>& rows, PodTimes times,
                      const MachineLayout& layout, const std::string& file);

/// Returns what the pods of a list typically ask for.
std::vector<TypicalRequest> typical_pods(const std::vector<Pod>& pods, const MachineLayout& layout,
                                         const std::string& file);

}  // namespace coslice

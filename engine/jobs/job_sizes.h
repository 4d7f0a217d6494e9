// The sizes of moldable jobs: numbers of nodes among which one is chosen before the job starts, each with its run time;
// and what such jobs ask for with each size on a heterogeneous machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"
#include "jobs/workload.h"

namespace coslice {

/// A size that a job may have.
struct JobSize {
  std::int32_t nodes = 1, processes = 1;
  Duration runtime{}, limit{};
  std::int32_t range_least = 0, range_most = 0;  ///< nodes of a range in which each number runs as long; else 0
};

/// Which sizes are made of a range of nodes. By a model more nodes are never slower, so the first and the last one tell
/// whether all can be, and which is the fastest. kExtremes: only these two, beside the size that the job says by its
/// own nodes; of a table, all sizes that it lists.
enum class WantedSizes { kAll, kExtremes };

/// Returns the speedup on n nodes by the model of Downey (1997, "A model for speedup of parallel programs",
/// UCB/CSD-97-933) of a program with that average parallelism and that coefficient of variance of parallelism (sigma).
/// 1 on one node.
double downey_speedup(double n, double average_parallelism, double sigma);

/// Returns the speedup on n nodes of a program of which that part is parallel (Amdahl 1967). 1 on one node.
double amdahl_speedup(double n, double parallel);

/// Returns the sizes of the job by its text `sizes`, of which each node runs `ppn` processes: first the one that it
/// says by its nodes and run time, then the others in the order of the text. Empty if the job is not moldable. Limits
/// are to run times as the job's own limit to its own run time. Throws InputError without a place for a text that says
/// none.
///
/// "2:3600,4:2000" are nodes and seconds; "1-16 downey 12 0.5" a range of nodes and the model with A = 12, sigma = 0.5;
/// "1-16 amdahl 0.99" a range and Amdahl's law with a parallel part of 0.99.
/// `own_nodes` are those of the job itself; 0: what its processes need.
std::vector<JobSize> job_sizes(const Job& job, std::int32_t ppn, std::int32_t own_nodes = 0,
                               WantedSizes wanted = WantedSizes::kAll);

/// Returns the place in the list of the size with so many nodes; its length: there is none. At once where the sizes
/// behind the first one are a range.
std::size_t find_size(const std::vector<JobSize>& sizes, std::int32_t nodes);

/// Returns the sizes of the job, as job_sizes(). `asked` is its request, null where it asks for whole nodes by its
/// processes: its nodes are those of the first size, and its processes on each of them those of all sizes.
std::vector<JobSize> sizes_of(const Job& job, std::int32_t ppn, const Request* asked,
                              WantedSizes wanted = WantedSizes::kAll);

/// Multiplies a number of nodes or processes; rounded, at least 1.
std::int32_t scaled_count(std::int32_t n, double factor);

/// Multiplies the nodes of a text of sizes by one factor, rounded and at least 1, and its run times by another, to
/// which it then adds seconds. A model keeps its shape: its average parallelism grows with the nodes, and run times
/// follow from the job's own. A text that says no sizes stays as it is.
std::string scaled_sizes(const std::string& text, double size_factor, double time_factor, double time_added = 0);

/// Returns the request that asks for the same on the nodes of that size.
Request request_of_size(const JobSize& size, std::int32_t ppn, const Request* asked);

/// Returns the job as it is with that size, but for what it asks for.
Job with_size(const Job& job, const JobSize& size);

/// Puts what moldable jobs ask for with each size into the workload's requests.
void add_requests_of_sizes(Workload& workload, std::int32_t ppn);

/// Puts what jobs, with each of their sizes, would ask for on slices of GPUs (requests_on_gpu_instances) into the
/// workload's requests.
void add_requests_of_gpu_instances(Workload& workload, const MachineLayout& layout, std::int32_t ppn);

}  // namespace coslice

// What a job asks for, as a scenario or a script writes it down, and the request that it means on a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/codec.h"
#include "machine/layout.h"
#include "machine/request.h"

namespace coslice {

/// The table `request` of a job. Amounts are for each node unless they say otherwise.
struct RequestSpec {
  std::int32_t nodes = 0;       ///< 0: those of the job, else 1
  std::optional<double> cores;  ///< absent: those of its processes on a node
  std::int64_t memory_mib = 0, memory_per_core_mib = 0, memory_per_gpu_mib = 0;
  std::int32_t gpus = 0;            ///< -1: said to be none
  std::optional<double> gpu_share;  ///< of each GPU; without `gpus`, of one
  std::vector<std::string> gpu_types;
  std::string features;
  bool exclusive = false, oversubscribe = false;
  std::vector<std::string> partitions;
  std::vector<std::pair<std::string, std::int64_t>> licences;
  Place place;
};

const std::vector<Key<RequestSpec>>& request_keys();

/// Returns the request of a job on `nodes` nodes with `processes` on each, which take a core each unless the request
/// says more. Throws InputError at the request's place for names that the machine does not know, for two ways to say
/// the memory, and for a share of a GPU that is not between 0 and 1 or stands beside more than one GPU.
Request make_request(const RequestSpec& spec, std::int32_t nodes, std::int32_t processes, const MachineLayout& layout);

/// Makes the codec of a field that is optional<RequestSpec>: a table with the keys above.
template <class S, class Field>
Codec<S> request_table(Field field) {
  Codec<S> c{"a table",
             [=](S& s, const Value& v, const std::string& p) {
               RequestSpec spec;
               read_record(request_keys(), spec, v, p);
               spec.place = v.place;
               field(s) = std::move(spec);
             },
             codec::writer<S>(field, [](const RequestSpec& spec) { return write_record(request_keys(), spec); })};
  for (const Key<RequestSpec>& k : request_keys()) c.inner.push_back(k.name);
  return c;
}

/// Returns "2 nodes with 4 cores, 2 GPUs and 10,240 MiB on each, of partition gpu".
std::string request_text(const Request& request, const MachineLayout& layout);

// The distinct requests of a workload. Jobs that ask alike share one, so that what is found out about a request is
// found out once.

class RequestTable {
 public:
  /// Returns the number of this request; equal requests have the same one. Numbers are dense, in the order of first
  /// use.
  RequestId intern(const Request& request);
  /// Changes each request to what `f` makes of it; it keeps its number, also where it becomes equal to another one.
  void change(const std::function<Request(Request)>& f);
  const Request& operator[](RequestId id) const { return requests_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return requests_.size(); }
  bool empty() const { return requests_.empty(); }

 private:
  std::vector<Request> requests_;
  std::unordered_multimap<std::uint64_t, RequestId> by_hash_;
};

// GPUs that are divided into slices, of which each has several of its parts for itself (NVIDIA's multi-instance GPUs).
// A slice is a share of the GPU; where on it a slice lies, and which slices go beside one another, the policy
// decides.

/// Returns that many of a GPU's parts, rounded down, so that all of them are never more than one GPU.
inline GpuShare share_of_slice(std::int32_t slice, std::int32_t slices) { return slice * kWholeGpu / slices; }

/// Returns whether some GPU of the machine can be divided.
bool divides_gpus(const MachineLayout& layout);

/// Returns what a job would ask for that has a GPU instance instead of its GPU: each instance of each number of parts
/// that GPUs of the machine have, if it is not smaller than the share that the job asks for. None for jobs of several
/// nodes, of several GPUs or of none, and for those that have nodes for themselves.
std::vector<Request> requests_on_gpu_instances(const MachineLayout& layout, const Request& asked);

}  // namespace coslice

// What is left on one node at an instant, and whether one node of a request fits there: cores, memory, GPUs, and which
// jobs may be beside which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "machine/core_set.h"
#include "machine/layout.h"
#include "machine/node_set.h"
#include "machine/request.h"

namespace coslice {

/// Whether cores are promised to a waiting job: it has to find there then what it may have.
enum class Promise : std::uint8_t {
  kNone,       ///< a started job has them
  kOverCores,  ///< it may have cores of other jobs (Request::rows, Request::over)
  kIdleCores,  ///< of none
};

/// What a job has of a node, where some jobs of the machine share cores.
struct SharedCores {
  std::int32_t partition = 0;
  std::int32_t row = 0;    ///< of its partition; kRowOfWholeNodes (core_rows.h): it shares whole nodes
  bool many_rows = false;  ///< Request::many_rows
  CoreShare cores = 0;
  CoreSet held;  ///< which ones; empty: that is not known
  Promise promise = Promise::kNone;
  bool operator==(const SharedCores&) const = default;
};

/// What of a node is not taken.
struct NodeRoom {
  CoreShare cores = 0;                                    ///< idle ones; below 0 where it is not known which jobs share
  CoreShare all_cores = 0;                                ///< of the node
  std::int64_t memory_mib = 0;                            ///< without end where the kind's memory is not modelled
  boost::container::small_vector<GpuShare, 8> gpus;       ///< left of each GPU; the index matters
  std::int32_t jobs = 0;                                  ///< on the node
  std::int32_t exclusive = 0;                             ///< jobs there that exclude others
  std::int32_t apart = 0;                                 ///< jobs there that let no other job have their cores
  boost::container::small_vector<SharedCores, 1> shared;  ///< of each job, by partition, row and cores, ascending
  bool operator==(const NodeRoom&) const = default;
};

/// A node that a job has a part of, and which GPUs of it.
struct NodePart {
  NodeId node = 0;
  std::uint64_t gpus = 0;      ///< bit g: it uses GPU g (at most 64 on a node)
  CoreShare cores = 0;         ///< of a job whose cores are spread: what it has there; 0: as many as its request says
  std::int32_t row = 0;        ///< of its partition, where jobs share cores (core_rows.h)
  CoreSet held{};              ///< its cores, where jobs share cores and do not have whole nodes
  bool promised = false;       ///< to a waiting job
  std::int32_t component = 0;  ///< of a request of several components: which one has it
  bool operator==(const NodePart&) const = default;
};
using Parts = std::vector<NodePart>;
/// Returns what the request asks of the node of the part: of several components, what that one does.
inline const Request& component_of(const Request& r, const NodePart& part) {
  return r.components.empty() ? r : r.components[static_cast<std::size_t>(part.component)];
}
/// Returns the nodes, in whichever order the parts are.
NodeRanges nodes_in(const Parts& parts);

/// Returns a node of that kind with nothing on it.
NodeRoom empty_room(const NodeKind& kind);
/// Returns whether one node of the request fits beside what is there. Kind, features and partition are not looked at.
bool fits(const Request& r, const NodeRoom& room);
/// Returns how many jobs have a core of the node at most, or the whole node, once the request is there, too, if cores
/// are shared as evenly as can be: 1 where its cores are idle. Precondition: the request shares cores.
std::int32_t rows_with(const Request& r, const NodeRoom& room);
/// Returns whether the request has whole cores, and may have those of others.
inline bool has_rows(const Request& r) { return !r.exclusive && r.row_of >= 0 && (r.rows > 1 || !r.over.empty()); }
/// Returns whether the request may have the cores of that job of another partition. It may not have those that are
/// promised to a job which, when it comes, could not have them beside it.
bool may_lie_over(const Request& r, const SharedCores& s);
/// Returns whether one node of the request fits, whatever partitions whose jobs share cores say about who may come
/// beside whom: a job with a reservation keeps its room, whichever jobs came there since by the rules of their own
/// partitions.
bool has_room(const Request& r, const NodeRoom& room);
/// Returns whether one node of the request, which excludes jobs of other groups, has room beside jobs of its own group,
/// which are all that is there.
bool fits_in_group(const Request& r, const NodeRoom& room);
/// Returns whether one node of the request fits, and has_room(), on the GPUs of the part and no others, with its cores.
bool has_room_on(const Request& r, const NodeRoom& room, const NodePart& part);
bool fits_on(const Request& r, const NodeRoom& room, const NodePart& part);
/// Takes (sign 1) or gives back (-1) what the request asks of one node, on the GPUs of the part, with its cores.
void change_room(NodeRoom& room, const Request& r, const NodePart& part, std::int32_t sign);
/// Reduces `room` to what is left throughout two times, on each GPU, too, because a job does not change its GPUs.
void meet(NodeRoom& room, const NodeRoom& other);
/// Returns which GPUs of a node a job gets: for whole GPUs the first free ones; for a share of one, the GPU with the
/// least left that is enough, the first of equals. Precondition: the request fits there.
std::uint64_t fitting_gpus(const Request& r, const NodeRoom& room);

}  // namespace coslice

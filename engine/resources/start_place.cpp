#include "resources/start_place.h"

#include <algorithm>
#include <bit>

namespace coslice {

namespace {

/// The first GPUs that no job uses, as many as the request asks for; 0 if there are fewer.
std::uint64_t idle_gpus(const Request& r, const NodeRoom& room) {
  std::uint64_t gpus = 0;
  for (std::size_t g = 0; g != room.gpus.size() && std::popcount(gpus) != r.gpus; ++g)
    if (room.gpus[g] == kWholeGpu) gpus |= std::uint64_t{1} << g;
  return std::popcount(gpus) == r.gpus ? gpus : 0;
}

/// The GPUs of the node that the request would get, and whether it is to be there at all.
struct Answer {
  bool there = false;
  std::uint64_t gpus = 0;
};

Answer at(const StartPlace& place, const Request& r, const NodePool& pool, NodeId n) {
  const NodeRoom& room = pool.room(n);
  if (place.kind >= 0 && pool.layout().kind_index(n) != place.kind) return {};
  if (!place.beside.empty()) {
    const auto part =
        std::find_if(place.beside.begin(), place.beside.end(), [&](const NodePart& p) { return p.node == n; });
    if (part == place.beside.end()) return {};
    if (r.gpus == 0) return {true, 0};
    return {std::popcount(part->gpus) == r.gpus && fits_on(r, room, part->gpus), part->gpus};
  }
  if (!place.alone) return {true, fitting_gpus(r, room)};
  if (r.gpus == 0) return {room.jobs == 0, 0};
  const std::uint64_t gpus = idle_gpus(r, room);
  return {gpus != 0, gpus};
}

}  // namespace

bool choose_at(const StartPlace& place, const Request& request, const NodePool& pool, const NodeSet& fitting,
               Parts& out) {
  out.clear();
  fitting.for_each([&](NodeId n) {
    if (static_cast<std::int32_t>(out.size()) == request.nodes) return;
    if (const Answer answer = at(place, request, pool, n); answer.there) out.push_back({n, answer.gpus});
  });
  return static_cast<std::int32_t>(out.size()) == request.nodes;
}

}  // namespace coslice

#include "schedule/rooms_ahead.h"

#include <algorithm>

#include "core/work_count.h"

namespace coslice {
namespace {

constexpr std::uint32_t kNotAsked = RoomsAhead::kNever - 1;
/// What is counted for what a job leaves on a node, and for a node of a question: as many looks at a node take as long.
constexpr std::uint64_t kRoom = 50, kNode = 2;

/// Whether all that counts is what is left on each node, which only grows as jobs end.
bool is_by_room(const Request& r) { return r.nodes > 0 && r.components.empty() && r.licences.empty() && r.row_of < 0; }

/// Whether the job gives back what it has when it ends, and nothing else.
bool has_its_parts(const StartedJob& job) {
  return job.group == nullptr && !job.foreign && job.phase != Phase::kPreempted && job.phase != Phase::kSuspended &&
         job.unit >= 0;
}

}  // namespace

void RoomsAhead::forget() {
  rooms_.clear();
  ends_.clear();
}

/// False: a job has nodes in a way that is not looked at here.
bool RoomsAhead::knows_rooms(std::span<const StartedJob* const> running) {
  if (!rooms_.empty()) return known_;
  rooms_.resize(static_cast<std::size_t>(now_.layout().node_count()));
  known_ = std::ranges::all_of(running, [](const StartedJob* job) { return has_its_parts(*job); });
  for (std::uint32_t i = 0; known_ && i != running.size(); ++i) {
    const Request& r = demands_.request_of(demands_.unit(running[i]->unit));
    for (const NodePart& part : running[i]->parts) {
      std::vector<Room>& rooms = rooms_[static_cast<std::size_t>(part.node)];
      Room next{i + 1, rooms.empty() ? now_.room(part.node) : rooms.back().room};
      change_room(next.room, r, part, -1);
      known_ = known_ && next.room.jobs >= 0;
      rooms.push_back(std::move(next));
    }
    count_looks(kRoom * running[i]->parts.size());
  }
  return known_;
}

std::uint32_t RoomsAhead::first_that_fits(const Request& r, NodeId n) const {
  if (now_.fits(r, n)) return 0;
  const std::vector<Room>& rooms = rooms_[static_cast<std::size_t>(n)];
  const auto first = std::ranges::find_if(rooms, [&](const Room& left) { return fits(r, left.room); });
  return first == rooms.end() ? kNever : first->ends;
}

std::uint32_t RoomsAhead::ends_until_room(std::int32_t unit, const NodeSet& open,
                                          std::span<const StartedJob* const> running) {
  const Request& r = demands_.request_of(demands_.unit(unit));
  if (!is_by_room(r) || !knows_rooms(running)) return 0;
  if (open.count() < r.nodes) return kNever;
  std::vector<std::uint32_t>& ends = ends_[unit];
  if (ends.empty()) ends.assign(rooms_.size(), kNotAsked);
  of_nodes_.clear();
  open.for_each([&](NodeId n) {
    std::uint32_t& of_node = ends[static_cast<std::size_t>(n)];
    if (of_node == kNotAsked) of_node = first_that_fits(r, n);
    of_nodes_.push_back(of_node);
  });
  count_looks(kNode * of_nodes_.size());
  const auto last = of_nodes_.begin() + (r.nodes - 1);
  std::ranges::nth_element(of_nodes_, last);
  return *last;
}

}  // namespace coslice

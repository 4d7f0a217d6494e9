// What is left on each node at each instant from now on, as far as it is known: what running jobs hold until their
// expected ends, and reservations. For jobs that share nodes, where counts do not say whether a job fits.
//
// Nodes of which the same is left at all times have one line together: a job on a thousand nodes is looked at once. So
// questions cost as much as there are different lines, beside a glance at each node.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/time.h"
#include "machine/node_room.h"
#include "machine/node_set.h"

namespace coslice {

/// A plain value: a what-if is a copy. Intervals are half open.
class NodeTimelines {
 public:
  /// Makes timelines of nodes that are all empty from `start` on. The layout outlives it.
  NodeTimelines(const MachineLayout& layout, Time start);

  /// Moves the clock on: no question is about an instant before `now` any more.
  void advance(Time now) { now_ = now; }
  void take(const Request& r, const Parts& parts, Time from, Time to) {
    const TimeWindow window{from, to};
    change(r, parts, {&window, 1}, 1);
  }
  /// Takes the parts in each of the windows, in one copy of what the nodes have in common: fastest in order of time.
  void take_all(const Request& r, const Parts& parts, const TimeWindows& windows) { change(r, parts, windows, 1); }
  /// Gives the parts back in [from, to). Precondition: they were taken throughout.
  void give(const Request& r, const Parts& parts, Time from, Time to) {
    const TimeWindow window{from, to};
    change(r, parts, {&window, 1}, -1);
  }
  /// Returns whether exactly these parts are left throughout [from, to).
  bool can_take(const Request& r, const Parts& parts, Time from, Time to) const {
    return has_licences(r, from, to) && std::ranges::all_of(parts, [&](const NodePart& part) {
             return fits_on(r, room(part.node, from, to), part);
           });
  }
  /// Returns whether some job has cores of these parts at some time in [from, to) that the request may not have then.
  bool in_the_way(const Request& r, const Parts& parts, Time from, Time to) const;
  /// Returns what is left on the node throughout [from, to).
  NodeRoom room(NodeId n, Time from, Time to) const { return room_of(line(n).steps, from, to); }
  /// Calls f(node, what is left on it throughout [from, to)) for each of these nodes.
  template <class F>
  void for_each_room(const NodeSet& nodes, Time from, Time to, F&& f) {
    ++question_;
    nodes.for_each([&](NodeId n) {
      Line& line = lines_[line_of_[static_cast<std::size_t>(n)]];
      if (line.question != question_) {
        line.question = question_;
        line.room = room_of(line.steps, from, to);
      }
      f(n, static_cast<const NodeRoom&>(line.room));
    });
  }
  /// Returns whether licences are left throughout [from, to).
  bool has_licences(const Request& r, Time from, Time to) const;
  /// Returns those of `nodes` on which the request fits throughout [from, to); none without licences.
  NodeSet fitting(const Request& r, const NodeSet& nodes, Time from, Time to);
  /// Returns the first t >= after at which the request fits on request.nodes of `nodes` throughout [t, t + d), and
  /// where its cores are spread, has enough of them there. Precondition: so it does when they are empty.
  Time earliest(const Request& r, const NodeSet& nodes, Duration d, Time after);
  /// Returns the first t >= after at which all components of the request fit throughout [t, t + d), each on nodes of
  /// its own of its set; `nodes` has a set for each component. Precondition: so they do when the nodes are empty.
  Time earliest_apart(const Request& r, const std::vector<const NodeSet*>& nodes, Duration d, Time after);

 private:
  struct Step {
    Time from;
    NodeRoom room;  ///< until the next step, or for ever
    bool operator==(const Step&) const = default;
  };
  using Steps = std::vector<Step>;
  struct LicenceStep {
    Time from;
    std::vector<std::int64_t> left;
  };
  /// What some nodes have in common. The first step is from start_ on, so that equal lines are equal.
  struct Line {
    Steps steps;
    std::uint64_t hash = 0;
    std::int32_t nodes = 0;      ///< nodes that have the line; 0: no line any more
    std::uint64_t question = 0;  ///< the last one in which it was asked about; what follows is of that one:
    NodeRoom room;               ///< for_each_room()
    bool fits = false;           ///< fitting()
    std::int32_t asked = 0;      ///< earliest(): number of its nodes that are asked about
    std::uint32_t becomes = 0;   ///< change(): the line of those that have these taken:
    NodePart part;
  };
  /// When the nodes of a line could serve a job.
  struct Try {
    Time t;
    std::uint32_t line;
    std::int32_t nodes;
  };

  const Line& line(NodeId n) const { return lines_[line_of_[static_cast<std::size_t>(n)]]; }
  static NodeRoom room_of(const Steps& steps, Time from, Time to);
  static bool fits_throughout(const Request& r, const Steps& steps, Time from, Time to);
  static Time earliest_on(const Request& r, const Steps& steps, Duration d, Time after);
  static std::uint64_t hash_of(const Steps& steps);
  void change(const Request& r, const Parts& parts, std::span<const TimeWindow> windows, std::int32_t sign);
  void change_licences(const Request& r, Time from, Time to, std::int32_t sign);
  std::uint32_t changed_line(const Line& old, const Request& r, const NodePart& part,
                             std::span<const TimeWindow> windows, std::int32_t sign);
  std::uint32_t line_with(Steps&& steps);
  void move(std::size_t node, std::uint32_t line);
  void remove(std::uint32_t line);
  void forget_past();
  Time next_gain(const Request& r, const std::vector<const NodeSet*>& nodes, Duration d, Time t);
  Time earliest_alike(const Request& r, const NodeSet& nodes, Duration d, Time after);
  void collect_tries(const Request& r, const NodeSet& nodes, Duration d, Time after);
  Time earliest_licences(const Request& r, Duration d, Time after) const;

  Time start_, now_;
  std::vector<std::uint32_t> line_of_;  ///< by node
  std::vector<Line> lines_;
  std::vector<std::uint32_t> unused_;  ///< of lines_
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  Time next_step_ = kNever;  ///< no line has a second step that begins before
  std::uint64_t question_ = 0;
  std::vector<Try> tries_;
  std::vector<LicenceStep> licences_;
};

}  // namespace coslice

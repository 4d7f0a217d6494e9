// What is left on nodes over time, against a list of what is held that is summed up for each question.
#include "case_range.h"
#include "catch.h"

#include "availability/node_timelines.h"

#include <algorithm>

#include "machine/placement.h"
#include "resource_cases.h"

namespace node_timelines_test {

using namespace coslice;
using cases::Dice;

namespace {

struct Held {
  Request request;
  Parts parts;
  Time from, to;
};

class PlainTimelines {
 public:
  explicit PlainTimelines(const MachineLayout& layout) : layout_(layout) {}
  std::vector<Held> held;

  NodeRoom room(NodeId n, Time t) const {
    NodeRoom room = empty_room(layout_.kind_of(n));
    for (const Held& h : held)
      for (const NodePart& part : h.parts)
        if (part.node == n && h.from <= t && t < h.to) change_room(room, h.request, part, 1);
    return room;
  }
  NodeRoom room(NodeId n, Time from, Time to) const {
    NodeRoom least = room(n, from);
    for (const Time t : instants(from))
      if (t < to) meet(least, room(n, t));
    return least;
  }
  NodeSet fitting(const Request& r, const NodeSet& nodes, Time from, Time to) const {
    NodeSet found(nodes.size());
    nodes.for_each([&](NodeId n) {
      if (licences(r, from, to) && fits(r, room(n, from, to))) found.insert(n);
    });
    return found;
  }
  Time earliest(const Request& r, const NodeSet& nodes, Duration d, Time after) const {
    for (const Time t : instants(after))
      if (enough(r, nodes, t, later(t, d))) return t;
    return kNever;
  }
  bool enough(const Request& r, const NodeSet& nodes, Time from, Time to) const {
    const NodeSet there = fitting(r, nodes, from, to);
    return there.count() >= r.nodes && !lacks_cores(r, pool(there, from, to), there);
  }
  NodePool pool(const NodeSet& nodes, Time from, Time to) const {
    NodePool pool(layout_);
    nodes.for_each([&](NodeId n) { pool.set_room(n, room(n, from, to)); });
    return pool;
  }

 private:
  std::vector<Time> instants(Time from) const {
    std::vector<Time> all = {from};
    for (const Held& h : held)
      for (const Time t : {h.from, h.to})
        if (t > from && t != kNever) all.push_back(t);
    std::sort(all.begin(), all.end());
    return all;
  }
  bool licences(const Request& r, Time from, Time to) const {
    for (const LicenceUse& use : r.licences)
      for (const Time t : instants(from)) {
        std::int64_t left = layout_.licences[static_cast<std::size_t>(use.licence)].count;
        for (const Held& h : held)
          for (const LicenceUse& taken : h.request.licences)
            if (taken.licence == use.licence && h.from <= t && t < h.to) left -= taken.count;
        if (t < to && left < use.count) return false;
      }
    return true;
  }

  const MachineLayout& layout_;
};

NodeSet random_nodes(Dice& dice, const MachineLayout& layout) {
  NodeSet nodes(layout.node_count(), true);
  for (NodeId n = 0; n < layout.node_count(); ++n)
    if (dice.one_in(6)) nodes.erase(n);
  return nodes;
}

/// Some with cores that are spread.
Request request_for(Dice& dice, Dice& of_spreads, const MachineLayout& layout, const NodeSet& nodes,
                    const PlainTimelines& empty) {
  for (;;) {
    Request r = cases::random_request(dice, layout, dice.one_in(4));
    if (r.cores > 0 && r.gpus == 0 && !r.exclusive && of_spreads.one_in(2)) {
      r.spread.nodes = r.nodes + of_spreads.from(0, 2);
      r.spread.unit = r.cores;
      r.spread.most = r.cores * of_spreads.from(1, 4);
      r.spread.cores = r.cores * (r.nodes + of_spreads.from(0, 4));
    }
    if (empty.enough(r, nodes, Time{}, kNever)) return r;
  }
}

/// Takes, gives back, advances and asks at random.
void compare(std::uint64_t seed) {
  Dice dice(seed), of_spreads(seed + 3'000'000'019);
  const auto layout = cases::random_layout(dice);
  for (NodeKind& kind : layout->kinds) kind.count = dice.from(1, 9);  // of more nodes some are alike for long
  NodeId first = 0;
  for (NodeKind& kind : layout->kinds) first = (kind.first = first) + kind.count;
  NodeTimelines lines(*layout, Time{});
  PlainTimelines plain(*layout);
  const PlainTimelines empty(*layout);
  Time now{};
  for (int step = 0; step != 60; ++step) {
    if (dice.one_in(3)) lines.advance(now = later(now, whole_seconds(dice.from(0, 9))));
    if (!plain.held.empty() && dice.one_in(3)) {
      const auto gone = plain.held.begin() + dice.from(0, static_cast<std::int32_t>(plain.held.size()) - 1);
      lines.give(gone->request, gone->parts, gone->from, gone->to);
      plain.held.erase(gone);
    }
    const NodeSet nodes = random_nodes(dice, *layout);
    if (nodes.empty() || empty.fitting(Request{}, nodes, Time{}, kNever).empty()) continue;
    const Request r = request_for(dice, of_spreads, *layout, nodes, empty);
    const Duration d = dice.one_in(20) ? kNever - now : whole_seconds(dice.from(1, 20));
    const Time after = later(now, whole_seconds(dice.one_in(2) ? 0 : dice.from(0, 15)));
    const Time t = lines.earliest(r, nodes, d, after);
    REQUIRE(t == plain.earliest(r, nodes, d, after));
    const NodeSet now_fitting = lines.fitting(r, nodes, after, later(after, d));
    REQUIRE(now_fitting == plain.fitting(r, nodes, after, later(after, d)));
    lines.for_each_room(nodes, after, later(after, d), [&](NodeId n, const NodeRoom& room) {
      REQUIRE(room == plain.room(n, after, later(after, d)));
      REQUIRE(room == lines.room(n, after, later(after, d)));
    });
    if (t == kNever || dice.one_in(4)) continue;
    const NodeSet there = lines.fitting(r, nodes, t, later(t, d));
    Held held{r, {}, t, later(t, d)};
    if (r.spread.cores != 0) REQUIRE(FirstFit().choose(0, r, plain.pool(there, held.from, held.to), there, held.parts));
    else
      there.for_each([&](NodeId n) {
        if (held.parts.size() != static_cast<std::size_t>(r.nodes))
          held.parts.push_back({n, fitting_gpus(r, plain.room(n, held.from, held.to))});
      });
    REQUIRE(lines.can_take(r, held.parts, held.from, held.to));
    lines.take(r, held.parts, held.from, held.to);
    plain.held.push_back(held);
  }
}

}  // namespace

TEST_CASE("what is left on nodes over time is what a list of all that is held says", "[timelines][times]") {
  for (std::uint64_t seed = 1; seed != test::rounds(std::uint64_t{100}); ++seed) {
    CAPTURE(seed);
    compare(seed);
  }
}

TEST_CASE("many windows taken at once are the same as one by one", "[timelines][times]") {
  for (std::uint64_t seed = 1; seed != test::rounds(std::uint64_t{60}); ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const auto layout = cases::random_layout(dice);
    NodeTimelines at_once(*layout, Time{}), one_by_one(*layout, Time{});
    const Time now = Time{whole_seconds(dice.from(0, 20))};  // some windows are over by then, or have begun
    at_once.advance(now);
    one_by_one.advance(now);
    Parts parts;
    for (NodeId n = 0; n != layout->node_count(); ++n)
      if (dice.one_in(2)) parts.push_back({n, 0});
    TimeWindows windows;
    Time end{};
    for (int i = dice.from(0, 12); i != 0; --i) {
      const Time from = later(end, whole_seconds(dice.from(0, 5)));
      windows.push_back({from, end = later(from, whole_seconds(dice.from(1, 6)))});
    }
    at_once.take_all(Request{}, parts, windows);
    for (const TimeWindow& w : windows) one_by_one.take(Request{}, parts, w.from, w.to);
    for (NodeId n = 0; n != layout->node_count(); ++n)
      for (Time t = now; t <= end; t += whole_seconds(1))
        REQUIRE(at_once.room(n, t, later(t, Duration{1})) == one_by_one.room(n, t, later(t, Duration{1})));
  }
}

}  // namespace node_timelines_test

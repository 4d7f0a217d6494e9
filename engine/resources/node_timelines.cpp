#include "resources/node_timelines.h"

#include <algorithm>

#include "cluster/node_ids.h"

namespace coslice {

namespace {

/// The step that holds at t. Precondition: the first one begins by then.
template <class Steps>
std::size_t step_at(const Steps& steps, Time t) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), t, [](Time x, const auto& s) { return x < s.from; });
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

/// Makes a step begin at t, and returns which one it is.
template <class Steps>
std::size_t split_at(Steps& steps, Time t) {
  const std::size_t i = step_at(steps, t);
  if (steps[i].from == t) return i;
  auto copy = steps[i];
  copy.from = t;
  steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(copy));
  return i + 1;
}

/// Steps that are over by `now` become one that holds from now.
template <class Steps>
void forget(Steps& steps, Time now) {
  const std::size_t i = step_at(steps, now);
  if (i != 0) steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i));
}

/// Takes steps out that say what the one before them says.
template <class Steps, class Equal>
void fuse(Steps& steps, std::size_t from, std::size_t to, Equal&& equal) {
  for (std::size_t i = std::min(to, steps.size() - 1); i >= std::max<std::size_t>(from, 1); --i)
    if (equal(steps[i], steps[i - 1])) steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace

NodeTimelines::NodeTimelines(const MachineLayout& layout, Time start) : now_(start) {
  lines_.reserve(static_cast<std::size_t>(layout.node_count()));
  for (const NodeKind& kind : layout.kinds)
    lines_.insert(lines_.end(), static_cast<std::size_t>(kind.count), Line{{start, empty_room(kind)}});
  LicenceStep licences{start, {}};
  for (const Licence& licence : layout.licences) licences.left.push_back(licence.count);
  licences_.push_back(std::move(licences));
}

void NodeTimelines::change(const Request& r, const Parts& parts, Time from, Time to, std::int32_t sign) {
  from = std::max(from, now_);
  if (to <= from) return;
  for (const NodePart& part : parts) {
    Line& line = lines_[static_cast<std::size_t>(part.node)];
    forget(line, now_);
    const std::size_t first = split_at(line, from);
    const std::size_t last = to == kNever ? line.size() : split_at(line, to);
    for (std::size_t i = first; i != last; ++i) change_room(line[i].room, r, part.gpus, sign);
    fuse(line, first, last, [](const Step& a, const Step& b) { return a.room == b.room; });
  }
  if (!r.licences.empty()) change_licences(r, from, to, sign);
}

void NodeTimelines::change_licences(const Request& r, Time from, Time to, std::int32_t sign) {
  forget(licences_, now_);
  const std::size_t first = split_at(licences_, from);
  const std::size_t last = to == kNever ? licences_.size() : split_at(licences_, to);
  for (std::size_t i = first; i != last; ++i)
    for (const LicenceUse& use : r.licences)
      licences_[i].left[static_cast<std::size_t>(use.licence)] -= sign * use.count;
  fuse(licences_, first, last, [](const LicenceStep& a, const LicenceStep& b) { return a.left == b.left; });
}

NodeRoom NodeTimelines::room(NodeId n, Time from, Time to) const {
  const Line& line = lines_[static_cast<std::size_t>(n)];
  std::size_t i = step_at(line, from);
  NodeRoom room = line[i].room;
  for (++i; i < line.size() && line[i].from < to; ++i) meet(room, line[i].room);
  return room;
}

bool NodeTimelines::can_take(const Request& r, const Parts& parts, Time from, Time to) const {
  return has_licences(r, from, to) && std::all_of(parts.begin(), parts.end(), [&](const NodePart& part) {
           return fits_on(r, room(part.node, from, to), part.gpus);
         });
}

bool NodeTimelines::has_licences(const Request& r, Time from, Time to) const {
  if (r.licences.empty()) return true;
  std::size_t i = step_at(licences_, from);
  const std::size_t first = i;
  for (; i < licences_.size() && (i == first || licences_[i].from < to); ++i)
    for (const LicenceUse& use : r.licences)
      if (licences_[i].left[static_cast<std::size_t>(use.licence)] < use.count) return false;
  return true;
}

NodeSet NodeTimelines::fitting(const Request& r, const NodeSet& nodes, Time from, Time to) const {
  NodeSet found(nodes.size());
  if (!has_licences(r, from, to)) return found;
  for_each_node(nodes.ranges(), [&](NodeId n) {
    const Line& line = lines_[static_cast<std::size_t>(n)];
    if (!fits(r, line[step_at(line, from)].room)) return;
    if (fits(r, room(n, from, to))) found.insert(n);
  });
  return found;
}

/// The earliest start is `after`, or where a step begins that leaves more than the one before it.
Time NodeTimelines::earliest_on(const Request& r, NodeId n, Duration d, Time after) const {
  const Line& line = lines_[static_cast<std::size_t>(n)];
  for (std::size_t i = step_at(line, after); i < line.size(); ++i) {
    if (!fits(r, line[i].room)) continue;
    const Time t = std::max(after, line[i].from);
    if (fits(r, room(n, t, later(t, d)))) return t;
  }
  return kNever;
}

Time NodeTimelines::earliest_licences(const Request& r, Duration d, Time after) const {
  if (r.licences.empty()) return after;
  for (std::size_t i = step_at(licences_, after); i < licences_.size(); ++i) {
    const Time t = std::max(after, licences_[i].from);
    if (has_licences(r, t, later(t, d))) return t;
  }
  return kNever;
}

// Each node says when it could serve the job at the earliest. The job cannot start before the last of as many nodes as it
// needs; then those that came before must say anew, because they may have been taken in between.
Time NodeTimelines::earliest(const Request& r, const NodeSet& nodes, Duration d, Time after) const {
  struct Try {
    Time t;
    NodeId node;
  };
  std::vector<Try> tries;
  tries.reserve(static_cast<std::size_t>(nodes.count()));
  Time t = earliest_licences(r, d, after);
  for_each_node(nodes.ranges(), [&](NodeId n) { tries.push_back({earliest_on(r, n, d, t), n}); });
  const auto wanted = static_cast<std::size_t>(r.nodes) - 1;
  for (;;) {
    std::nth_element(tries.begin(), tries.begin() + static_cast<std::ptrdiff_t>(wanted), tries.end(),
                     [](const Try& a, const Try& b) { return a.t < b.t; });
    const Time bound = tries[wanted].t;
    t = earliest_licences(r, d, bound);
    bool again = t != bound;
    for (Try& x : tries) {
      if (x.t >= t) continue;
      x.t = earliest_on(r, x.node, d, t);
      again = again || x.t != t;
    }
    if (!again) return t;
    const auto ready = std::count_if(tries.begin(), tries.end(), [&](const Try& x) { return x.t == t; });
    if (static_cast<std::size_t>(ready) > wanted) return t;
  }
}

}  // namespace coslice

#include "availability/node_timelines.h"

#include <algorithm>
#include <utility>

#include "core/random.h"
#include "core/work_count.h"
#include "machine/components.h"
#include "machine/core_rows.h"
#include "machine/core_spread.h"

namespace coslice {
namespace {

/// What is counted for a line of nodes that is asked, for each step of it, and for each that is copied: as many looks
/// at a node take as long.
constexpr std::uint64_t kLine = 8, kStep = 4, kStepCopied = 60;

/// Calls f(first, last, line) for nodes side by side that have the same line, in ascending order.
template <class F>
void for_each_run(const NodeSet& nodes, const std::vector<std::uint32_t>& line_of, F&& f) {
  const std::uint32_t* const lines = line_of.data();
  const NodeRanges ranges = nodes.ranges();
  for (const NodeRange& r : ranges.ranges())
    for (NodeId first = r.first, next = first; first <= r.last; first = next) {
      const std::uint32_t line = lines[first];
      while (next <= r.last && lines[next] == line) ++next;
      f(first, next - 1, line);
    }
}

/// The step that holds at t. Precondition: the first one begins by then.
template <class Steps>
std::size_t step_at(const Steps& steps, Time t) {
  const auto after = std::ranges::upper_bound(steps, t, {}, [](const auto& s) { return s.from; });
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

NodeTimelines::NodeTimelines(const MachineLayout& layout, Time start) : start_(start), now_(start) {
  line_of_.reserve(static_cast<std::size_t>(layout.node_count()));
  for (const NodeKind& kind : layout.kinds) {
    const std::uint32_t line = line_with({{start, empty_room(kind)}});
    line_of_.insert(line_of_.end(), static_cast<std::size_t>(kind.count), line);
    lines_[line].nodes += kind.count;
  }
  LicenceStep licences{start, {}};
  for (const Licence& licence : layout.licences) licences.left.push_back(licence.count);
  licences_.push_back(std::move(licences));
}

std::uint64_t NodeTimelines::hash_of(const Steps& steps) {
  std::uint64_t h = 0;
  const auto mix = [&](std::int64_t x) { h = hash_mix(h, static_cast<std::uint64_t>(x)); };
  for (const Step& s : steps) {
    mix(s.from.time_since_epoch().count());
    mix(s.room.cores);
    mix(s.room.memory_mib);
    mix(s.room.jobs);
    mix(s.room.exclusive);
    for (const SharedCores& c : s.room.shared) {
      mix(c.cores);
      mix(static_cast<std::int64_t>(c.promise));
      for (std::size_t i = 0; i != c.held.words(); ++i) mix(static_cast<std::int64_t>(c.held.word(i)));
    }
    for (const GpuShare left : s.room.gpus) mix(left);
  }
  return h;
}

std::uint32_t NodeTimelines::line_with(Steps&& steps) {
  const std::uint64_t hash = hash_of(steps);
  for (auto [at, end] = by_hash_.equal_range(hash); at != end; ++at)
    if (lines_[at->second].steps == steps) return at->second;
  std::uint32_t line = static_cast<std::uint32_t>(lines_.size());
  if (unused_.empty()) {
    lines_.emplace_back();
  } else {
    line = unused_.back();
    unused_.pop_back();
  }
  if (steps.size() > 1) next_step_ = std::min(next_step_, steps[1].from);
  lines_[line].steps = std::move(steps);
  lines_[line].hash = hash;
  by_hash_.emplace(hash, line);
  return line;
}

void NodeTimelines::move(std::size_t node, std::uint32_t line) {
  const std::uint32_t old = std::exchange(line_of_[node], line);
  ++lines_[line].nodes;
  if (--lines_[old].nodes == 0) remove(old);
}

void NodeTimelines::remove(std::uint32_t line) {
  Line& gone = lines_[line];
  for (auto [at, end] = by_hash_.equal_range(gone.hash); at != end; ++at) {
    if (at->second != line) continue;
    by_hash_.erase(at);
    break;
  }
  gone.question = 0;
  unused_.push_back(line);
}

/// Lines that differ in what is over only become one.
void NodeTimelines::forget_past() {
  if (next_step_ > now_) return;
  next_step_ = kNever;
  ++question_;
  bool any = false;
  for (std::uint32_t i = 0; i != lines_.size(); ++i) {
    if (lines_[i].nodes == 0 || lines_[i].steps.size() == 1) continue;
    if (lines_[i].steps[1].from > now_) {
      next_step_ = std::min(next_step_, lines_[i].steps[1].from);
      continue;
    }
    Steps steps = lines_[i].steps;
    forget(steps, now_);
    steps.front().from = start_;
    const std::uint32_t line = line_with(std::move(steps));
    lines_[i].question = question_;
    lines_[i].becomes = line;
    any = true;
  }
  if (!any) return;
  for (std::size_t n = 0; n != line_of_.size(); ++n) {
    const Line& old = lines_[line_of_[n]];
    if (old.question == question_) move(n, old.becomes);
  }
}

std::uint32_t NodeTimelines::changed_line(const Line& old, const Request& r, const NodePart& part,
                                          std::span<const TimeWindow> windows, std::int32_t sign) {
  Steps steps = old.steps;
  count_looks(kStepCopied * steps.size());
  forget(steps, now_);
  steps.front().from = now_;  // what was before is over
  for (const TimeWindow& w : windows) {
    const Time from = std::max(w.from, now_);
    if (w.to <= from) continue;
    const std::size_t first = split_at(steps, from);
    const std::size_t last = w.to == kNever ? steps.size() : split_at(steps, w.to);
    for (std::size_t i = first; i != last; ++i) change_room(steps[i].room, r, part, sign);
    fuse(steps, first, last, [](const Step& a, const Step& b) { return a.room == b.room; });
  }
  steps.front().from = start_;
  return line_with(std::move(steps));
}

void NodeTimelines::change(const Request& r, const Parts& parts, std::span<const TimeWindow> windows,
                           std::int32_t sign) {
  if (std::ranges::all_of(windows, [&](const TimeWindow& w) { return w.to <= std::max(w.from, now_); })) return;
  ++question_;
  for (const NodePart& part : parts) {
    const auto node = static_cast<std::size_t>(part.node);
    const std::uint32_t i = line_of_[node];
    const NodePart& last = lines_[i].part;
    if (lines_[i].question != question_ || last.gpus != part.gpus || last.cores != part.cores || last.row != part.row ||
        last.promised != part.promised || last.component != part.component || !(last.held == part.held)) {
      const std::uint32_t becomes = changed_line(lines_[i], r, part, windows, sign);
      Line& old = lines_[i];
      old.question = question_;
      old.becomes = becomes;
      old.part = part;
    }
    move(node, lines_[i].becomes);
  }
  if (r.licences.empty()) return;
  for (const TimeWindow& w : windows)
    if (w.to > std::max(w.from, now_)) change_licences(r, std::max(w.from, now_), w.to, sign);
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

NodeRoom NodeTimelines::room_of(const Steps& steps, Time from, Time to) {
  std::size_t i = step_at(steps, from);
  NodeRoom room = steps[i].room;
  for (++i; i < steps.size() && steps[i].from < to; ++i) meet(room, steps[i].room);
  return room;
}

/// Whether a job keeps which GPUs or cores it has: then these must be left throughout, and not some at each instant.
static bool keeps_parts(const Request& r) { return r.gpus != 0 || (r.numbered && !r.exclusive); }

/// Without those it fits where it fits at each instant.
bool NodeTimelines::fits_throughout(const Request& r, const Steps& steps, Time from, Time to) {
  std::size_t i = step_at(steps, from);
  if (!fits(r, steps[i].room)) return false;
  if (keeps_parts(r)) return fits(r, room_of(steps, from, to));
  for (++i; i < steps.size() && steps[i].from < to; ++i)
    if (!fits(r, steps[i].room)) return false;
  return true;
}

bool NodeTimelines::in_the_way(const Request& r, const Parts& parts, Time from, Time to) const {
  return std::ranges::any_of(
      parts, [&](const NodePart& part) { return coslice::in_the_way(r, part, room(part.node, from, to)); });
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

NodeSet NodeTimelines::fitting(const Request& r, const NodeSet& nodes, Time from, Time to) {
  NodeSet found(nodes.size());
  if (!has_licences(r, from, to)) return found;
  forget_past();
  ++question_;
  NodeRanges fit;
  for_each_run(nodes, line_of_, [&](NodeId first, NodeId last, std::uint32_t i) {
    Line& line = lines_[i];
    if (line.question != question_) line.fits = fits_throughout(r, line.steps, from, to);
    line.question = question_;
    if (line.fits) fit.append(first, last);
  });
  found.insert(fit);
  return found;
}

/// The earliest start is `after`, or where a step begins that leaves more than the one before it.
Time NodeTimelines::earliest_on(const Request& r, const Steps& steps, Duration d, Time after) {
  const std::size_t first = step_at(steps, after);
  std::size_t i = first;
  const auto found = [&](Time t) {
    count_looks(kLine + kStep * (i - first));
    return t;
  };
  while (i < steps.size()) {
    if (!fits(r, steps[i].room)) {
      ++i;
      continue;
    }
    const Time t = std::max(after, steps[i].from), end = later(t, d);
    if (keeps_parts(r)) {
      if (fits(r, room_of(steps, t, end))) return found(t);
      ++i;
      continue;
    }
    std::size_t last = i + 1;
    while (last < steps.size() && steps[last].from < end && fits(r, steps[last].room)) ++last;
    if (last == steps.size() || steps[last].from >= end) return found(t);
    i = last + 1;  // where it does not fit, no start before has room
  }
  return found(kNever);
}

Time NodeTimelines::earliest_licences(const Request& r, Duration d, Time after) const {
  if (r.licences.empty()) return after;
  for (std::size_t i = step_at(licences_, after); i < licences_.size(); ++i) {
    const Time t = std::max(after, licences_[i].from);
    if (has_licences(r, t, later(t, d))) return t;
  }
  return kNever;
}

/// When each of the lines of `nodes` could serve the job at the earliest.
void NodeTimelines::collect_tries(const Request& r, const NodeSet& nodes, Duration d, Time after) {
  tries_.clear();
  ++question_;
  for_each_run(nodes, line_of_, [&](NodeId first, NodeId last, std::uint32_t i) {
    Line& line = lines_[i];
    if (line.question != question_) {
      line.question = question_;
      line.asked = 0;
      tries_.push_back({after, i, 0});
    }
    line.asked += last - first + 1;
  });
  for (Try& x : tries_) {
    x.nodes = lines_[x.line].asked;
    x.t = earliest_on(r, lines_[x.line].steps, d, after);
  }
}

// The job cannot start before the last of as many nodes as it needs; then those that came before must say again,
// because they may have been taken in between.
Time NodeTimelines::earliest_alike(const Request& r, const NodeSet& nodes, Duration d, Time after) {
  forget_past();
  Time t = earliest_licences(r, d, after);
  collect_tries(r, nodes, d, t);
  for (;;) {
    std::ranges::sort(tries_, {}, &Try::t);
    std::int64_t ready = 0;
    std::size_t last = 0;
    while ((ready += tries_[last].nodes) < r.nodes) ++last;
    const Time bound = tries_[last].t;
    t = earliest_licences(r, d, bound);
    bool again = t != bound;
    for (Try& x : tries_) {
      if (x.t >= t) break;
      x.t = earliest_on(r, lines_[x.line].steps, d, t);
      again = again || x.t != t;
    }
    if (!again) return t;
    ready = 0;
    for (const Try& x : tries_) ready += x.t == t ? x.nodes : 0;
    if (ready >= r.nodes) return t;
  }
}

/// When one of the nodes fits for a component after t for which it does not at t: at no instant before do more.
Time NodeTimelines::next_gain(const Request& r, const std::vector<const NodeSet*>& nodes, Duration d, Time t) {
  Time next = kNever;
  for (std::size_t i = 0; i != nodes.size(); ++i) {
    ++question_;
    for_each_run(*nodes[i], line_of_, [&](NodeId, NodeId, std::uint32_t l) {
      Line& line = lines_[l];
      if (line.question == question_) return;
      line.question = question_;
      const Time first = earliest_on(r.components[i], line.steps, d, t);
      if (first > t) next = std::min(next, first);
    });
  }
  return next;
}

Time NodeTimelines::earliest_apart(const Request& r, const std::vector<const NodeSet*>& nodes, Duration d, Time after) {
  forget_past();
  Time t = after;
  for (;;) {
    const Time from = t;
    t = earliest_licences(r, d, t);
    for (std::size_t i = 0; i != nodes.size() && t != kNever; ++i) t = earliest_alike(r.components[i], *nodes[i], d, t);
    if (t == kNever) return kNever;
    if (t != from) continue;  // the others must say again
    std::vector<NodeSet> fit;
    for (std::size_t i = 0; i != nodes.size(); ++i) fit.push_back(fitting(r.components[i], *nodes[i], t, later(t, d)));
    if (enough_apart(r, fit)) return t;
    t = next_gain(r, nodes, d, t);
    if (t == kNever) return kNever;
  }
}

/// Where nodes have to do together, tries it again when the next step of any node begins.
Time NodeTimelines::earliest(const Request& r, const NodeSet& nodes, Duration d, Time after) {
  check_looks();
  Time t = earliest_alike(r, nodes, d, after);
  while (needs_together(r) && t != kNever) {
    const Time end = later(t, d);
    std::vector<CoreShare> left;
    std::vector<const NodeRoom*> rooms;
    for_each_room(fitting(r, nodes, t, end), t, end, [&](NodeId, const NodeRoom& room) {
      if (has_rows(r)) rooms.push_back(&room);
      else left.push_back(spread_on(r, room));
    });
    if (has_rows(r) ? !lacks_row(r, rooms) : !lacks_cores(r, std::move(left))) break;
    Time next = kNever;
    for (const Line& line : lines_)
      for (const Step& step : line.steps)
        if (line.nodes != 0 && step.from > t) next = std::min(next, step.from);
    if (next == kNever) return kNever;
    t = earliest_alike(r, nodes, d, next);
  }
  return t;
}

}  // namespace coslice

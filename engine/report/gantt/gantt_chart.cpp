#include "report/gantt/gantt_chart.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "machine/layout.h"
#include "machine/node_set.h"

namespace coslice {
namespace {

constexpr std::size_t kMostLanes = 255;  // of a node

/// Gives whoever comes the first places that are free by then.
class Places {
 public:
  std::size_t take(Time from, Time to) {
    const auto free = std::ranges::find_if(free_at_, [&](Time t) { return t <= from; });
    const auto place = static_cast<std::size_t>(free - free_at_.begin());
    if (free == free_at_.end()) free_at_.push_back(to);
    else *free = to;
    return place;
  }

  /// `n` of `most` places: beside one another, if there are such.
  std::vector<std::size_t> take_some(Time from, Time to, std::size_t n, std::size_t most) {
    free_at_.resize(most, Time::min());
    const auto is_free = [&](Time t) { return t <= from; };
    std::vector<std::size_t> out;
    for (std::size_t first = 0; first + n <= most && out.empty(); ++first)
      if (std::all_of(free_at_.begin() + static_cast<std::ptrdiff_t>(first),
                      free_at_.begin() + static_cast<std::ptrdiff_t>(first + n), is_free))
        for (std::size_t i = 0; i < n; ++i) out.push_back(first + i);
    for (std::size_t i = 0; i < most && out.size() < n; ++i)
      if (is_free(free_at_[i])) out.push_back(i);
    if (out.empty()) out.push_back(most - 1);
    for (const std::size_t place : out) free_at_[place] = to;
    return out;
  }

  std::size_t count() const { return std::max<std::size_t>(1, free_at_.size()); }

 private:
  std::vector<Time> free_at_;
};

/// A bar of a chart, by its place there, in lanes of a node.
struct LanedBar {
  std::size_t bar = 0;
  std::uint8_t lane = 0, lanes = 1;
  std::uint8_t tall = 1;  ///< lanes that it covers, from `lane` on
};

struct GpuLanes {
  std::vector<LanedBar> bars;
  std::uint8_t rows = 0;  ///< of equal height: the GPUs, and one for jobs without, if there are such
};

/// The lanes of a node with GPUs, whose bars are given by their beginning: one for each GPU, and one below them for
/// jobs that have none, if there are such jobs. A job with a share of a GPU has as much of the height of its lane,
/// those without GPUs have equal parts of theirs. A job that has the node for itself has one bar, the others one for
/// each of their GPUs.
class GpuLaneMaker {
 public:
  GpuLaneMaker(const GanttChart& chart, NodeId node, const std::vector<std::size_t>& bars)
      : chart_(chart), node_(node), gpus_(static_cast<std::size_t>(chart.result->machine.layout->kind_of(node).gpus)),
        on_gpu_(gpus_) {
    std::int64_t unit = kWholeGpu;
    for (const std::size_t b : bars) {
      const Request& r = request_of(b);
      if (r.exclusive) continue;
      unit = std::gcd(unit, std::int64_t{r.gpu_share});
      any_without_ = any_without_ || gpus_of(chart.bars[b]) == 0;
    }
    units_ = std::min(static_cast<std::size_t>(kWholeGpu / unit), std::max<std::size_t>(1, kMostLanes / rows()));
  }

  GpuLanes make(const std::vector<std::size_t>& bars) {
    for (const std::size_t b : bars) place(b);
    const std::size_t without = rows() * without_.count();
    if (rows() * units_ > kMostLanes || without > kMostLanes) return {};
    for (auto& [b, part] : without_gpus_) add(b, gpus_ * without_.count() + part, without, 1);
    return {std::move(out_), static_cast<std::uint8_t>(rows())};
  }

 private:
  std::size_t rows() const { return gpus_ + (any_without_ ? 1 : 0); }

  /// What the job of the bar asks of the node.
  const Request& request_of(std::size_t b) const {
    const Workload& w = *chart_.result->workload;
    const std::int32_t run = chart_.bars[b].run;
    const bool other = run >= 0 && chart_.earlier[static_cast<std::size_t>(run)].request != kNoRequest;
    const Request& request = w.requests[other ? chart_.earlier[static_cast<std::size_t>(run)].request
                                              : w.jobs[chart_.jobs[chart_.bars[b].job]].request];
    const Parts& parts = parts_of(chart_.bars[b]);
    const auto part = std::ranges::find(parts, node_, &NodePart::node);
    return part == parts.end() ? request : component_of(request, *part);
  }

  void add(std::size_t b, std::size_t lane, std::size_t lanes, std::size_t tall) {
    out_.push_back(
        {b, static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(lanes), static_cast<std::uint8_t>(tall)});
  }

  void place(std::size_t b) {
    const GanttBar& bar = chart_.bars[b];
    const Request& request = request_of(b);
    if (request.exclusive) return add(b, 0, 1, 1);
    const std::uint64_t gpus = gpus_of(bar);
    if (gpus == 0) without_gpus_.emplace_back(b, without_.take(bar.from, bar.to));
    for (std::size_t g = 0; g < gpus_; ++g)
      if ((gpus >> g & 1) != 0) place_on(g, b, request.gpu_share);
  }

  /// One piece for places beside one another.
  void place_on(std::size_t g, std::size_t b, GpuShare share) {
    if (share == kWholeGpu) return add(b, g, rows(), 1);
    const GanttBar& bar = chart_.bars[b];
    const std::size_t n = std::max<std::size_t>(1, static_cast<std::size_t>(share) * units_ / kWholeGpu);
    const std::vector<std::size_t> places = on_gpu_[g].take_some(bar.from, bar.to, n, units_);
    for (std::size_t i = 0, end = 0; i < places.size(); i = end) {
      for (end = i + 1; end < places.size() && places[end] == places[end - 1] + 1;) ++end;
      add(b, g * units_ + places[i], rows() * units_, end - i);
    }
  }

  const Parts& parts_of(const GanttBar& bar) const {
    if (bar.run < 0 && bar.nodes >= chart_.first_size && bar.nodes - chart_.first_size < chart_.size_parts.size())
      return chart_.size_parts[bar.nodes - chart_.first_size];
    return bar.run >= 0 ? chart_.earlier[static_cast<std::size_t>(bar.run)].parts
                        : chart_.result->parts[chart_.jobs[bar.job]];
  }

  std::uint64_t gpus_of(const GanttBar& bar) const {
    for (const NodePart& part : parts_of(bar))
      if (part.node == node_) return part.gpus;
    return 0;
  }

  const GanttChart& chart_;
  NodeId node_;
  std::size_t gpus_;
  std::vector<Places> on_gpu_;
  Places without_;
  std::size_t units_ = 1;  ///< equal parts of each GPU: every share is some of them
  bool any_without_ = false;
  std::vector<std::pair<std::size_t, std::size_t>> without_gpus_;  ///< bars, and their places
  std::vector<LanedBar> out_;
};

/// A piece of a bar, in one lane; on several nodes, if it is the same there.
using Piece =
    std::tuple<Time, std::size_t, Time, std::uint8_t, std::uint8_t, std::uint8_t>;  // from, bar, to, lane, lanes, tall

struct Active {
  std::size_t bar;
  Time since{};
  std::uint8_t lane = 0, lanes = 0;  ///< lanes 0: not decided yet
};

/// Walks along the bars of one node after the other.
class LaneSweep {
 public:
  explicit LaneSweep(const std::vector<GanttBar>& bars) : bars_(bars) {}

  /// `on_node`: bars of the node by their beginning.
  void walk(NodeId node, const std::vector<std::size_t>& on_node) {
    node_ = node;
    for (std::size_t next = 0; next != on_node.size() || !active_.empty();) {
      Time t = next != on_node.size() ? bars_[on_node[next]].from : kNever;
      for (const Active& a : active_) t = std::min(t, bars_[a.bar].to);
      end_at(t);
      for (; next != on_node.size() && bars_[on_node[next]].from == t; ++next) active_.push_back({on_node[next], t});
      assign(t);
    }
  }

  /// Bars of the node whose lanes are known.
  void put(NodeId node, const std::vector<LanedBar>& laned) {
    for (const LanedBar& l : laned)
      pieces_[{bars_[l.bar].from, l.bar, bars_[l.bar].to, l.lane, l.lanes, l.tall}].append(node, node);
  }

  const std::map<Piece, NodeRanges>& pieces() const { return pieces_; }

 private:
  void end_at(Time t) {
    for (const Active& a : active_)
      if (bars_[a.bar].to == t) emit(a, t);
    std::erase_if(active_, [&](const Active& a) { return bars_[a.bar].to == t; });
  }

  /// As many lanes as there are bars now; a bar whose lane is another from now on begins a new piece. More bars than
  /// there may be lanes share the last one: no drawing could show them apart.
  void assign(Time t) {
    const auto lanes = static_cast<std::uint8_t>(std::min(active_.size(), kMostLanes));
    std::vector<bool> taken(lanes);
    std::vector<Active*> homeless;
    for (Active& a : active_) {
      const bool stays = a.lanes != 0 && a.lane < lanes && !taken[a.lane];
      if (stays) taken[a.lane] = true;
      if (!stays) homeless.push_back(&a);
      else if (a.lanes != lanes) move(a, t, a.lane, lanes);
    }
    for (Active* a : homeless) {
      const auto free = std::ranges::find(taken, false);
      if (free != taken.end()) *free = true;
      move(*a, t, static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(free - taken.begin(), lanes - 1)), lanes);
    }
  }

  void move(Active& a, Time t, std::uint8_t lane, std::uint8_t lanes) {
    if (a.lanes != 0) emit(a, t);
    a = {a.bar, t, lane, lanes};
  }

  void emit(const Active& a, Time t) {
    if (a.since < t) pieces_[{a.since, a.bar, t, a.lane, a.lanes, std::uint8_t{1}}].append(node_, node_);
  }

  const std::vector<GanttBar>& bars_;
  NodeId node_ = 0;
  std::vector<Active> active_;
  std::map<Piece, NodeRanges> pieces_;
};

/// Fills a chart step by step; `place_` leads from a job's index to its place in the chart.
class ChartMaker {
 public:
  ChartMaker(const RunResult& result, const MetricsOptions& metrics, const GanttSlicing& slicing, GanttOptions options)
      : result_(result), slicing_(slicing) {
    chart_.result = &result;
    chart_.metrics = &metrics;
    chart_.options = std::move(options);
  }

  GanttChart make(Segments segments) {
    find_window();
    name_classes();
    choose_jobs();
    if (chart_.jobs.empty()) fail();
    take_earlier(std::move(segments.earlier));
    add_bars(segments);
    if (segments.shared || !result_.parts.empty() || result_.processes) split_into_lanes(chart_);
    if (result_.power) show_boots();
    std::erase_if(chart_.bars, [&](const GanttBar& b) { return !in_window(b.from, b.to); });
    add_slices(segments.slices);
    add_swaps(segments.swaps);
    add_interrupted(segments.pieces);
    add_reserved();
    if (result_.outages) add_unavailable(*result_.outages);
    add_timeline();
    return std::move(chart_);
  }

 private:
  [[noreturn]] static void fail() {
    throw InputError({"", 0, "there is nothing to draw: no job runs or waits in that time", "", "", ""});
  }

  bool sliced() const { return !slicing_.classes.empty(); }
  bool in_window(Time from, Time to) const { return from < chart_.to && to > chart_.from; }

  void find_window() {
    Time first = kNever, last = Time::min();
    for (JobIndex j = 0; j != result_.outcomes.size(); ++j) {
      const Outcome& o = result_.outcomes[j];
      if (o.start == kNever || o.end == kNever) continue;
      first = std::min(first, result_.submitted_at(j));
      last = std::max(last, o.end);
    }
    if (first == kNever) fail();
    chart_.from = std::max(first, chart_.options.from);
    chart_.to = std::min(last, chart_.options.to);
    if (chart_.from >= chart_.to) fail();
  }

  void name_classes() {
    const std::vector<Job>& jobs = result_.workload->jobs;
    chart_.class_of.reserve(jobs.size());
    for (const SliceClass& c : slicing_.classes) chart_.classes.push_back(c.name);
    if (!sliced())
      for (const JobClass& c : chart_.metrics->classes) chart_.classes.push_back(c.name);
    for (const Job& job : jobs) {
      const std::size_t c = sliced() ? class_of_estimate(slicing_.classes, job.limit)
                                     : coslice::class_of(job.runtime, chart_.metrics->classes);
      chart_.class_of.push_back(static_cast<std::uint8_t>(c));
    }
  }

  void choose_jobs() {
    place_.assign(result_.outcomes.size(), kNoJob);
    for (JobIndex j = 0; j != result_.outcomes.size(); ++j) {
      const Outcome& o = result_.outcomes[j];
      if (o.start == kNever || o.end == kNever || !in_window(result_.submitted_at(j), o.end)) continue;
      place_[j] = static_cast<JobIndex>(chart_.jobs.size());
      chart_.jobs.push_back(j);
      chart_.nodes.push_back(result_.archive.get(o.nodes));
    }
  }

  void take_earlier(std::vector<EarlierRun> runs) {
    chart_.earlier = std::move(runs);
    auto run = result_.interrupted.begin();
    for (EarlierRun& earlier : chart_.earlier) {  // both are in the order of their ends
      run = std::find_if(run, result_.interrupted.end(),
                         [&](const InterruptedRun& r) { return r.job == earlier.job && r.from == earlier.from; });
      if (run == result_.interrupted.end()) break;
      earlier.request = run->request;
    }
  }

  /// Of a run on whole nodes that was interrupted, which is drawn behind the jobs.
  bool lies_behind(const Segment& s) const {
    return s.run >= 0 && chart_.earlier[static_cast<std::size_t>(s.run)].parts.empty();
  }

  /// Where in the chart the nodes of each earlier run are that has bars.
  std::vector<std::uint32_t> add_earlier_nodes() {
    std::vector<std::uint32_t> out;
    for (const EarlierRun& run : chart_.earlier) {
      out.push_back(static_cast<std::uint32_t>(chart_.nodes.size()));
      if (!run.parts.empty()) chart_.nodes.push_back(run.nodes);
    }
    return out;
  }

  void add_bars(const Segments& segments) {
    const std::vector<std::uint32_t> earlier = add_earlier_nodes();
    const auto sizes = static_cast<std::uint32_t>(chart_.nodes.size());
    chart_.first_size = sizes;
    chart_.size_parts = segments.size_parts;
    chart_.nodes.insert(chart_.nodes.end(), segments.sizes.begin(), segments.sizes.end());
    for (const Segment& s : segments.pieces) {
      if (place_[s.job] == kNoJob || lies_behind(s) || !in_window(s.from, s.to)) continue;
      const bool foreign = sliced() && s.slice != static_cast<std::int16_t>(chart_.class_of[s.job]);
      GanttBar bar{place_[s.job], s.from, s.to, s.loading, foreign};
      bar.run = s.run;
      bar.up = later(s.from, boot_of(s.job, s.from));
      if (s.run >= 0) bar.nodes = earlier[static_cast<std::size_t>(s.run)];
      else if (s.size >= 0) bar.nodes = sizes + static_cast<std::uint32_t>(s.size);
      chart_.bars.push_back(bar);
    }
  }

  /// Cuts bars where their nodes are up. That comes after lanes are given, so that a job keeps its own.
  void show_boots() {
    std::vector<GanttBar> bars;
    for (GanttBar b : chart_.bars) {
      const Time up = std::clamp(b.up, b.from, b.to);
      if (b.from < up) {
        bars.push_back(b);
        bars.back().to = up;
        bars.back().loading = true;
      }
      b.from = up;
      if (up < b.to) bars.push_back(b);
    }
    std::ranges::stable_sort(bars, {}, &GanttBar::from);
    chart_.bars = std::move(bars);
  }

  /// For how long a job that starts then waits for nodes that come up.
  Duration boot_of(JobIndex j, Time start) const {
    if (!result_.power) return Duration{0};
    const std::vector<JobBoot>& boots = result_.power->boots;
    auto at = std::ranges::lower_bound(boots, start, {}, &JobBoot::from);
    while (at != boots.end() && at->from == start && at->job != j) ++at;
    return at != boots.end() && at->from == start ? at->wait : Duration{0};
  }

  /// What is lost at a slice's end is over when the next one begins, if not before.
  void add_slices(const std::vector<SliceSpan>& spans) {
    if (!sliced()) return;
    for (std::size_t i = 0; i != spans.size(); ++i) {
      const SliceSpan& s = spans[i];
      Time end = later(s.productive_end, slicing_.overhead);
      if (i + 1 != spans.size()) end = std::min(end, spans[i + 1].begin);
      if (in_window(s.begin, end)) chart_.slices.push_back({s.job_class, s.begin, s.productive_end, end});
    }
  }

  void add_swaps(const std::vector<SwapOut>& swaps) {
    for (SwapOut s : swaps) {
      if (place_[s.job] == kNoJob || !in_window(s.at, s.at + Duration{1})) continue;
      s.job = place_[s.job];
      chart_.swaps.push_back(s);
    }
  }

  /// Pieces without a gap between them are one: it does not matter any more what was done in them.
  void add_interrupted(const std::vector<Segment>& pieces) {
    std::vector<std::size_t> last(chart_.earlier.size());  // beyond the place of each run's last piece
    for (const Segment& s : pieces) {
      if (!lies_behind(s)) continue;
      std::size_t& piece = last[static_cast<std::size_t>(s.run)];
      if (piece != 0 && chart_.unavailable[piece - 1].to == s.from) {
        chart_.unavailable[piece - 1].to = s.to;
        continue;
      }
      chart_.unavailable.push_back({s.from, s.to, chart_.earlier[static_cast<std::size_t>(s.run)].nodes, s.run});
      piece = chart_.unavailable.size();
    }
    std::erase_if(chart_.unavailable, [&](const GanttUnavailable& a) { return !in_window(a.from, a.to); });
  }

  void add_reserved() {
    for (const NodeReservation& r : result_.reservations)
      for (const TimeWindow& w : r.windows)
        if (in_window(w.from, w.to))
          chart_.unavailable.push_back({w.from, std::min(w.to, chart_.to), r.nodes, -1, r.name});
  }

  void add_unavailable(const OutageRecord& record) {
    std::map<NodeId, std::vector<const Outage*>> of;
    for (const Outage& o : record.begun) for_each_node(o.nodes, [&](NodeId n) { of[n].push_back(&o); });
    for (const NodeDown& down : record.down) {
      if (down.from == down.to || !in_window(down.from, down.to)) continue;
      GanttUnavailable unavailable{down.from, std::min(down.to, chart_.to), as_ranges({down.node})};
      for (const Outage* o : of[down.node]) note_outage(unavailable, *o);
      chart_.unavailable.push_back(std::move(unavailable));
    }
  }

  /// Outages may overlap, and a node that is drained goes later than that began.
  static void note_outage(GanttUnavailable& unavailable, const Outage& o) {
    const Time from = std::max(o.from, unavailable.from), to = std::min(o.to, unavailable.to);
    if (from >= to) return;
    const auto same =
        std::ranges::find_if(unavailable.outages, [&](const Outage& x) { return x.kind == o.kind && from <= x.to; });
    if (same != unavailable.outages.end()) same->to = std::max(same->to, to);
    else unavailable.outages.push_back({from, to, {}, o.kind});
  }

  /// Points in the window, and the one before it, which still holds at its beginning.
  void add_timeline() {
    for (const TimelinePoint& p : result_.timeline) {
      if (p.time > chart_.to) break;
      std::vector<TimelinePoint>& out = chart_.timeline;
      if (!out.empty() && p.time <= chart_.from) out.back() = p;
      else if (out.empty() || p.queue != out.back().queue || p.used_nodes != out.back().used_nodes) out.push_back(p);
    }
  }

  const RunResult& result_;
  const GanttSlicing& slicing_;
  GanttChart chart_;
  std::vector<JobIndex> place_;
};

/// No rows: the node has no GPUs, or too many jobs to be distinguished.
GpuLanes gpu_lanes(const GanttChart& chart, NodeId node, const std::vector<std::size_t>& bars) {
  if (chart.result->parts.empty() || kinds_of(chart.result->machine)->kind_of(node).gpus == 0) return {};
  return GpuLaneMaker(chart, node, bars).make(bars);
}

}  // namespace

void split_into_lanes(GanttChart& chart) {
  std::vector<std::vector<std::size_t>> on_node(static_cast<std::size_t>(chart.result->machine.nodes));
  for (std::size_t b = 0; b != chart.bars.size(); ++b)
    for_each_node(chart.nodes_of(chart.bars[b]), [&](NodeId n) { on_node[static_cast<std::size_t>(n)].push_back(b); });
  LaneSweep sweep(chart.bars);
  for (std::size_t n = 0; n != on_node.size(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const GpuLanes laned = gpu_lanes(chart, node, on_node[n]);
    if (laned.bars.empty()) sweep.walk(node, on_node[n]);
    else sweep.put(node, laned.bars);
    if (!laned.bars.empty()) chart.gpu_rows[node] = laned.rows;
  }
  std::vector<GanttBar> bars;
  for (const auto& [piece, nodes] : sweep.pieces()) {
    GanttBar bar = chart.bars[std::get<1>(piece)];
    std::tie(bar.from, std::ignore, bar.to, bar.lane, bar.lanes, bar.tall) = piece;
    if (!(nodes == chart.nodes_of(bar))) {
      bar.nodes = static_cast<std::uint32_t>(chart.nodes.size());
      chart.nodes.push_back(nodes);
    }
    bars.push_back(bar);
  }
  chart.bars = std::move(bars);
}

std::size_t GanttChart::rectangles() const {
  std::size_t n = 0;
  for (const GanttBar& bar : bars) {
    const NodeRanges& on = nodes_of(bar);
    n += bar.lanes > 1 ? static_cast<std::size_t>(on.count()) : on.ranges().size();
  }
  return n;
}

std::string gantt_title(const GanttChart& chart) {
  if (!chart.options.title.empty()) return chart.options.title;
  return chart.result->workload->name + ", " + chart.options.policy;
}

GanttChart gantt_chart(const RunResult& result, const MetricsOptions& metrics, Segments segments,
                       const GanttSlicing& slicing, GanttOptions options) {
  return ChartMaker(result, metrics, slicing, std::move(options)).make(std::move(segments));
}

void share_window(std::vector<GanttChart>& charts) {
  Time from = kNever, to = Time::min();
  for (const GanttChart& c : charts) from = std::min(from, c.from), to = std::max(to, c.to);
  for (GanttChart& c : charts) c.from = from, c.to = to;
}

}  // namespace coslice

#include "report/gantt/gantt_chart.h"

#include <algorithm>

#include "cluster/node_ids.h"
#include "core/error.h"
#include "report/gantt/gantt_lanes.h"

namespace coslice {
namespace {

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
    add_bars(segments.pieces);
    if (segments.shared || !result_.parts.empty() || result_.processes) split_into_lanes(chart_);
    if (result_.power) show_boots();
    std::erase_if(chart_.bars, [&](const GanttBar& b) { return !in_window(b.from, b.to); });
    add_slices(segments.slices);
    add_swaps(segments.swaps);
    add_interrupted(segments.pieces);
    add_reserved();
    if (result_.outages) add_away(*result_.outages);
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

  void add_bars(const std::vector<Segment>& pieces) {
    const std::vector<std::uint32_t> earlier = add_earlier_nodes();
    for (const Segment& s : pieces) {
      if (place_[s.job] == kNoJob || lies_behind(s) || !in_window(s.from, s.to)) continue;
      const bool foreign = sliced() && s.slice != static_cast<std::int16_t>(chart_.class_of[s.job]);
      GanttBar bar{place_[s.job], s.from, s.to, s.loading, foreign};
      bar.run = s.run;
      bar.up = later(s.from, boot_of(s.job, s.from));
      if (s.run >= 0) bar.nodes = earlier[static_cast<std::size_t>(s.run)];
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
    std::stable_sort(bars.begin(), bars.end(), [](const GanttBar& a, const GanttBar& b) { return a.from < b.from; });
    chart_.bars = std::move(bars);
  }

  /// For how long a job that starts then waits for nodes that come up.
  Duration boot_of(JobIndex j, Time start) const {
    if (!result_.power) return Duration{0};
    const std::vector<JobBoot>& boots = result_.power->boots;
    auto at = std::lower_bound(boots.begin(), boots.end(), start, [](const JobBoot& b, Time t) { return b.from < t; });
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
      if (piece != 0 && chart_.away[piece - 1].to == s.from) {
        chart_.away[piece - 1].to = s.to;
        continue;
      }
      chart_.away.push_back({s.from, s.to, chart_.earlier[static_cast<std::size_t>(s.run)].nodes, s.run});
      piece = chart_.away.size();
    }
    std::erase_if(chart_.away, [&](const GanttAway& a) { return !in_window(a.from, a.to); });
  }

  void add_reserved() {
    for (const NodeReservation& r : result_.reservations)
      for (const TimeWindow& w : r.windows)
        if (in_window(w.from, w.to)) chart_.away.push_back({w.from, std::min(w.to, chart_.to), r.nodes, -1, r.name});
  }

  void add_away(const OutageRecord& record) {
    std::map<NodeId, std::vector<const Outage*>> of;
    for (const Outage& o : record.begun)
      for_each_node(o.nodes, [&](NodeId n) { of[n].push_back(&o); });
    for (const NodeDown& down : record.down) {
      if (down.from == down.to || !in_window(down.from, down.to)) continue;
      GanttAway away{down.from, std::min(down.to, chart_.to), as_ranges({down.node})};
      for (const Outage* o : of[down.node]) note_outage(away, *o);
      chart_.away.push_back(std::move(away));
    }
  }

  /// Outages may overlap, and a node that is drained goes later than that began.
  static void note_outage(GanttAway& away, const Outage& o) {
    const Time from = std::max(o.from, away.from), to = std::min(o.to, away.to);
    if (from >= to) return;
    const auto same = std::find_if(away.outages.begin(), away.outages.end(),
                                   [&](const Outage& x) { return x.kind == o.kind && from <= x.to; });
    if (same != away.outages.end()) same->to = std::max(same->to, to);
    else away.outages.push_back({from, to, {}, o.kind});
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

}  // namespace

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

#include "report/gantt/gantt_drawing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "jobs/workload.h"
#include "output/output.h"

namespace coslice {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;

/// One column after the other; what the page's model.js reads.
class ColumnWriter {
 public:
  /// A column of get(row) for each row; `delta`: as differences to the row before.
  template <class Rows, class Get>
  void column(const char* name, const Rows& rows, bool delta, const Get& get) {
    std::int64_t before = 0;
    for (std::size_t i = 0; i != rows.size(); ++i) {
      const std::int64_t n = get(rows[i]);
      append_varint(bytes_, delta ? n - before : n);
      before = n;
    }
    directory_.push_back({{"name", name}, {"count", rows.size()}, {"delta", delta}});
  }

  std::string take_bytes() { return std::move(bytes_); }
  std::string directory() const { return directory_.dump(); }

 private:
  std::string bytes_;
  nlohmann::ordered_json directory_ = nlohmann::ordered_json::array();
};

class ChartColumns {
 public:
  explicit ChartColumns(const GanttChart& chart) : chart_(chart), tick_(common_tick()) {}

  GanttColumns take() {
    jobs();
    ranges();
    bars();
    slices();
    unavailable();
    rest();
    return {out_.directory(), out_.take_bytes(), tick_};
  }

 private:
  /// A second if every time is a multiple of it, else a millisecond.
  std::int64_t common_tick() const {
    std::int64_t odd = 0;
    const auto see = [&](Time t) { odd |= t.time_since_epoch().count() % kSecond; };
    for (const GanttBar& b : chart_.bars) see(b.from), see(b.to);
    for (const GanttSlice& s : chart_.slices) see(s.begin), see(s.productive_end), see(s.end);
    for (const SwapOut& s : chart_.swaps) see(Time{s.time}), see(s.at);
    for (const JobIndex j : chart_.jobs) {
      const Job& job = chart_.result->workload->jobs[j];
      see(chart_.result->submitted_at(j)), see(Time{job.runtime}), see(Time{job.limit});
    }
    return odd == 0 ? kSecond : kMillisecond;
  }

  std::int64_t ticks(Duration d) const {
    const std::int64_t n = d.count();
    return (n < 0 ? n - tick_ / 2 : n + tick_ / 2) / tick_;
  }
  std::int64_t ticks(Time t) const { return ticks(t.time_since_epoch()); }

  const Job& job(JobIndex j) const { return chart_.result->workload->jobs[j]; }
  const Outcome& outcome(JobIndex j) const { return chart_.result->outcomes[j]; }

  std::int64_t waited(JobIndex j) const {
    const RunResult& r = *chart_.result;
    return ticks(outcome(j).start) - ticks(r.submitted_at(j)) - ticks(r.earlier_runs(j).time);
  }
  /// From the end of its wait to its end.
  std::int64_t stayed(JobIndex j) const {
    return ticks(outcome(j).end) - ticks(chart_.result->submitted_at(j)) - waited(j);
  }

  void jobs() {
    const auto& rows = chart_.jobs;
    const RunResult& r = *chart_.result;
    out_.column("job.id", rows, true, [&](JobIndex j) { return job(j).id; });
    out_.column("job.class", rows, false, [&](JobIndex j) { return chart_.class_of[j]; });
    out_.column("job.size", rows, false, [&](JobIndex j) { return job(j).size; });
    out_.column("job.user", rows, false, [&](JobIndex j) { return job(j).user; });
    out_.column("job.submit", rows, true, [&](JobIndex j) { return ticks(r.submitted_at(j)); });
    out_.column("job.wait", rows, false, [&](JobIndex j) { return waited(j); });
    out_.column("job.stay", rows, false, [&](JobIndex j) { return stayed(j); });
    // What mostly follows from the rest is written as what is more, mostly nothing: model.js adds it again.
    out_.column("job.runtime", rows, false, [&](JobIndex j) { return ticks(job(j).runtime) - stayed(j); });
    out_.column("job.limit", rows, false, [&](JobIndex j) { return ticks(job(j).limit) - ticks(job(j).runtime); });
    out_.column("job.killed", rows, false,
                [&](JobIndex j) { return outcome(j).state == FinalState::kWalltimeReached; });
    if (!r.partition.empty()) out_.column("job.partition", rows, false, [&](JobIndex j) { return r.partition[j]; });
  }

  /// Sets of nodes as intervals, one after the other: those of the jobs, then those of single bars.
  void ranges() {
    std::vector<NodeRange> all;
    for (const NodeRanges& nodes : chart_.nodes) all.insert(all.end(), nodes.ranges().begin(), nodes.ranges().end());
    out_.column("set.ranges", chart_.nodes, false, [](const NodeRanges& n) { return n.ranges().size(); });
    out_.column("range.first", all, true, [](const NodeRange& r) { return r.first; });
    out_.column("range.length", all, false, [](const NodeRange& r) { return r.last - r.first + 1; });
  }

  void bars() {
    const auto& rows = chart_.bars;
    out_.column("bar.job", rows, true, [](const GanttBar& b) { return b.job; });
    out_.column("bar.from", rows, false, [&](const GanttBar& b) {
      const JobIndex j = chart_.jobs[b.job];
      return ticks(b.from) - ticks(chart_.result->submitted_at(j)) - waited(j);
    });
    out_.column("bar.length", rows, false,
                [&](const GanttBar& b) { return ticks(b.to) - ticks(b.from) - stayed(chart_.jobs[b.job]); });
    out_.column("bar.kind", rows, false, [&](const GanttBar& b) {
      return (b.loading ? 1 : 0) + (b.foreign ? 2 : 0) + (chart_.in_vain(b) ? 4 : 0);
    });
    out_.column("bar.set", rows, false,
                [](const GanttBar& b) { return b.nodes == GanttBar::kAllOfTheJob ? 0 : std::int64_t{b.nodes}; });
    out_.column("bar.lane", rows, false, [](const GanttBar& b) { return b.lane; });
    out_.column("bar.lanes", rows, false, [](const GanttBar& b) { return b.lanes; });
    if (std::ranges::any_of(rows, [](const GanttBar& b) { return b.tall > 1; }))
      out_.column("bar.tall", rows, false, [](const GanttBar& b) { return b.tall; });
  }

  void slices() {
    const auto& rows = chart_.slices;
    out_.column("slice.class", rows, false, [](const GanttSlice& s) { return static_cast<std::int64_t>(s.job_class); });
    out_.column("slice.begin", rows, true, [&](const GanttSlice& s) { return ticks(s.begin); });
    out_.column("slice.productive", rows, false,
                [&](const GanttSlice& s) { return ticks(s.productive_end) - ticks(s.begin); });
    out_.column("slice.lost", rows, false, [&](const GanttSlice& s) { return ticks(s.end) - ticks(s.productive_end); });
  }

  /// An interval of nodes a row. Runs without outages have no such columns.
  void unavailable() {
    if (chart_.unavailable.empty()) return;
    struct Row {
      const GanttUnavailable* unavailable;
      NodeRange nodes;
    };
    std::vector<Row> rows;
    for (const GanttUnavailable& a : chart_.unavailable)
      for (const NodeRange& r : a.nodes.ranges()) rows.push_back({&a, r});
    out_.column("away.first", rows, false, [](const Row& r) { return r.nodes.first; });
    out_.column("away.nodes", rows, false, [](const Row& r) { return r.nodes.last - r.nodes.first + 1; });
    out_.column("away.from", rows, false,
                [&](const Row& r) { return ticks(std::max(r.unavailable->from, chart_.from)); });
    out_.column("away.time", rows, false, [&](const Row& r) {
      return ticks(std::min(r.unavailable->to, chart_.to)) - ticks(std::max(r.unavailable->from, chart_.from));
    });
    out_.column("away.lost", rows, false, [](const Row& r) {
      constexpr int kGone = 0, kLost = 1, kReserved = 2;  // as web/gantt/decoration.js
      return r.unavailable->run >= 0 ? kLost : r.unavailable->reserved.empty() ? kGone : kReserved;
    });
  }

  void rest() {
    out_.column("swap.job", chart_.swaps, true, [](const SwapOut& s) { return s.job; });
    out_.column("swap.at", chart_.swaps, true, [&](const SwapOut& s) { return ticks(s.at); });
    out_.column("swap.time", chart_.swaps, false, [&](const SwapOut& s) { return ticks(s.time); });
    const auto& points = chart_.timeline;
    out_.column("queue.at", points, true, [&](const TimelinePoint& p) { return ticks(p.time); });
    out_.column("queue.waiting", points, true, [](const TimelinePoint& p) { return p.queue; });
    out_.column("queue.used", points, true, [](const TimelinePoint& p) { return p.used_nodes; });
    if (chart_.gpu_rows.empty()) return;
    const std::vector<std::pair<NodeId, std::uint8_t>> nodes(chart_.gpu_rows.begin(), chart_.gpu_rows.end());
    out_.column("gpu.node", nodes, true, [](const auto& n) { return n.first; });
    out_.column("gpu.rows", nodes, false, [](const auto& n) { return n.second; });
  }

  const GanttChart& chart_;
  std::int64_t tick_;
  ColumnWriter out_;
};

using Json = nlohmann::ordered_json;

/// The page's scripts in the order in which they need one another.
constexpr const char* kScripts[] = {"model",      "units", "dates",   "colours", "raster", "rectangles",
                                    "decoration", "queue", "details", "input",   "page"};

std::string script_text() {
  std::string out = "\"use strict\";\n";
  for (const char* name : kScripts) out += web_file("web/gantt/" + std::string(name) + ".js");
  return out;
}

/// Kinds of nodes with the names of their nodes, where these are not the kind's name and a number.
Json kinds_in(const MachineLayout& layout) {
  constexpr std::int32_t kMostNames = 20'000;
  Json kinds = Json::array();
  for (const NodeKind& kind : layout.kinds) {
    Json one = {{"name", kind.name}, {"first", kind.first}, {"count", kind.count}};
    if (kind.gpus > 0) one["gpus"] = kind.gpus;
    if (!kind.names.empty() && layout.node_count() <= kMostNames) one["names"] = kind.names;
    kinds.push_back(std::move(one));
  }
  return kinds;
}

std::string about(const GanttChart& chart, const GanttColumns& columns) {
  const auto ticks = [&](Duration d) { return d.count() / columns.tick; };
  Json out;
  out["title"] = gantt_title(chart);
  out["workload"] = chart.result->workload->name;
  out["policy"] = chart.options.policy;
  out["nodes"] = chart.result->machine.nodes;
  out["classes"] = chart.classes;
  out["sliced"] = !chart.slices.empty();
  out["tick"] = static_cast<double>(columns.tick) / 1e9;
  out["from"] = ticks(chart.from.time_since_epoch());
  out["to"] = ticks(chart.to.time_since_epoch());
  if (const auto clock = trace_clock(chart.result->workload->header)) out["clock"] = clock->unix_at_0 + clock->offset;
  if (chart.result->power) out["powered"] = true;
  out["bound"] = to_seconds(chart.metrics->bound);
  if (names_kinds(chart.result->machine)) {
    const MachineLayout& layout = *chart.result->machine.layout;
    out["kinds"] = kinds_in(layout);
    Json partitions = Json::array();
    for (const Partition& p : layout.partitions) partitions.push_back(p.name);
    out["partitions"] = partitions;
  }
  out["columns"] = Json::parse(columns.directory);
  return in_script(out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

GanttColumns gantt_columns(const GanttChart& chart) { return ChartColumns(chart).take(); }

PageHashes gantt_hashes() { return {csp_hash(web_file("web/gantt/page.css")), csp_hash(script_text())}; }

void write_gantt_html(const GanttChart& chart, const Sink& sink) {
  const GanttColumns columns = gantt_columns(chart);
  const std::string style(web_file("web/gantt/page.css"));
  const std::string script = script_text();
  fill_page(web_file("web/gantt/page.html"),
            {{"style-hash", csp_hash(style)},
             {"script-hash", csp_hash(script)},
             {"title", in_html(gantt_title(chart))},
             {"program", in_html(chart.options.program)},
             {"style", style},
             {"about", about(chart, columns)},
             {"data", base64(gzip(columns.bytes))},
             {"script", script}},
            sink);
}

}  // namespace coslice

#include "report/gantt/gantt_drawing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "machine/layout.h"
#include "machine/node_set.h"
#include "output/jobs_csv.h"
#include "report/charts/axis_ticks.h"
#include "report/markup.h"
#include "report/svg.h"

namespace coslice {
namespace {

/// How much of each cell has each colour.
class OverviewCells {
 public:
  OverviewCells(const GanttChart& chart, int columns, int rows, std::size_t colours)
      : chart_(chart), columns_(columns), rows_(rows), colours_(colours),
        taken_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows) * colours) {}

  void add(const GanttBar& b, std::uint8_t colour) {
    const double per_second = columns_ / to_seconds(chart_.to - chart_.from);
    const double per_node = static_cast<double>(rows_) / chart_.result->machine.nodes;
    const double x0 = std::max(0.0, to_seconds(b.from - chart_.from) * per_second);
    const double x1 = std::min<double>(columns_, to_seconds(b.to - chart_.from) * per_second);
    for (const NodeRange& r : chart_.nodes_of(b).ranges())
      cover(x0, x1, r.first * per_node, (r.last + 1) * per_node, colour, static_cast<double>(b.tall) / b.lanes);
  }

  std::vector<OverviewRun> runs() const {
    std::vector<OverviewRun> out;
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        OverviewRun cell{row, column, column + 1, 0, false};
        if (!look_at(cell)) continue;
        OverviewRun* last = out.empty() ? nullptr : &out.back();
        const bool goes_on = last != nullptr && last->row == row && last->to == column && last->colour == cell.colour &&
                             last->pale == cell.pale;
        if (goes_on) ++last->to;
        else out.push_back(cell);
      }
    }
    return out;
  }

 private:
  std::size_t at(int row, int column) const {
    return (static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column)) *
           colours_;
  }

  void cover(double x0, double x1, double y0, double y1, std::uint8_t colour, double share) {
    for (int row = static_cast<int>(y0); row < y1; ++row) {
      const double tall = std::min(y1, row + 1.0) - std::max<double>(y0, row);
      for (int column = static_cast<int>(x0); column < x1; ++column)
        taken_[at(row, column) + colour] +=
            static_cast<float>((std::min(x1, column + 1.0) - std::max<double>(x0, column)) * tall * share);
    }
  }

  /// False where next to nothing is taken.
  bool look_at(OverviewRun& cell) const {
    const auto first = taken_.begin() + static_cast<std::ptrdiff_t>(at(cell.row, cell.from));
    const auto last = first + static_cast<std::ptrdiff_t>(colours_);
    float all = 0;
    for (auto i = first; i != last; ++i) all += *i;
    cell.colour = static_cast<std::uint8_t>(std::max_element(first, last) - first);
    cell.pale = all < 0.5F;
    return all >= 0.1F;
  }

  const GanttChart& chart_;
  int columns_, rows_;
  std::size_t colours_;
  std::vector<float> taken_;
};

struct Stay {
  JobIndex job;
  Time from, to;
};

/// By node, in order of their beginning, bars of one job without a gap as one.
std::vector<std::vector<Stay>> stays_of(const GanttChart& chart) {
  std::vector<std::vector<Stay>> on(static_cast<std::size_t>(chart.result->machine.nodes));
  for (const GanttBar& b : chart.bars)
    for_each_node(chart.nodes_of(b), [&](NodeId n) {
      std::vector<Stay>& stays = on[static_cast<std::size_t>(n)];
      const auto same =
          std::find_if(stays.rbegin(), stays.rend(), [&](const Stay& s) { return s.job == b.job && s.to >= b.from; });
      if (same != stays.rend()) same->to = std::max(same->to, b.to);
      else stays.push_back({b.job, b.from, b.to});
    });
  return on;
}

bool overlap(const Stay& a, const Stay& b) { return a.from < b.to && b.from < a.to; }

constexpr int kPartner = 1'000'000;  // weighs more than all neighbours together

/// How much the colours of two jobs should differ, by the two.
using Nearness = std::map<std::pair<JobIndex, JobIndex>, int>;

void bring_near(Nearness& near, JobIndex a, JobIndex b, int weight) {
  if (a == b) return;
  int& known = near[std::minmax(a, b)];
  known = std::max(known, weight);
}

Nearness nearness_of(const GanttChart& chart) {
  Nearness near;
  const std::vector<std::vector<Stay>> on = stays_of(chart);
  for (std::size_t n = 0; n < on.size(); ++n) {
    for (std::size_t i = 0; i < on[n].size(); ++i) {
      const Stay& a = on[n][i];
      for (std::size_t k = i + 1; k < on[n].size() && on[n][k].from <= a.to; ++k)
        bring_near(near, a.job, on[n][k].job, overlap(a, on[n][k]) ? kPartner : 1);
      if (n + 1 == on.size()) continue;
      for (const Stay& b : on[n + 1])
        if (overlap(a, b)) bring_near(near, a.job, b.job, 1);
    }
  }
  return near;
}

constexpr double kStrip = 18, kQueue = 64, kUpright = 18;
constexpr double kHead = 38;                 // of a drawing of several runs, above the first
constexpr std::size_t kQueueColumns = 1760;  // half a pixel of a screen each
constexpr int kOverviewColumns = 360, kOverviewRows = 96;
constexpr std::size_t kColours = std::size(kJobColours);

std::string gantt_style() {
  return std::string(kTextRules) + R"(
.middle { text-anchor: middle } .end { text-anchor: end } .number, .slice { text-anchor: middle; font-size: 11px } .number { font-weight: 600 } .gpu { text-anchor: end; font-size: 8px }
.page { fill: #fff } .plot { fill: #f6f7f9 } .grid { stroke: #e1e5ea } .axis { stroke: #b9c0c9 } .queue { fill: #aab2bd }
)" + colour_rules("fill", false) +
         R"(
.on { fill: #fff } .on.c0, .on.c1 { fill: #10131a } .number.foreign { fill: #1f2430 } .band { opacity: .1 } rect.foreign { opacity: .5 }
rect.edge { fill: none } )" +
         colour_rules("stroke", false, ".edge") +
         R"(
.part { stroke: #1f2430; stroke-width: .8; stroke-opacity: .7 } .pale { opacity: .45 }
.stripe { stroke: #fff; stroke-width: 1.4; opacity: .75 } .lost { stroke: #aeb5bf; stroke-width: 1.1 }
@media (prefers-color-scheme: dark) {
  text { fill: #98a2b1 } .title, .number.foreign { fill: #e6e9ee } .page { fill: #14171c } .plot { fill: #1b1f26 }
  .grid { stroke: #2a313a } .axis { stroke: #4a535f } .queue { fill: #5c6672 } .stripe { stroke: #14171c } .lost { stroke: #4a535f }
  )" + colour_rules("fill", true) +
         R"(
  .on, .on.c0, .on.c1 { fill: #10131a } .part { stroke: #e6e9ee }
}
)";
}

/// Machines of 128 nodes are counted in powers of two, those of 100 in tens.
int node_step(int nodes, int least) {
  int step = 1;
  for (int i = 0; step < least; ++i) step = nodes % 16 == 0 || i % 3 != 1 ? step * 2 : step / 2 * 5;
  return step;
}

bool shares_nodes(const GanttChart& chart) {
  return std::ranges::any_of(chart.bars, [](const GanttBar& b) { return b.lanes > 1; });
}

/// Rows are no taller than that; GPUs of a node have room for the numbers of jobs where there are few nodes.
double tallest_row(const GanttChart& chart, bool shared) {
  constexpr double kAlone = 18, kShared = 28, kGpu = 13;
  double tallest = shared ? kShared : kAlone;
  if (shared)
    for (const auto kinds = kinds_of(chart.result->machine); const NodeKind& kind : kinds->kinds)
      tallest = std::max(tallest, kGpu * kind.gpus);
  return tallest;
}

class GanttDrawing : SvgWriter {
 public:
  GanttDrawing(const GanttChart& chart, BlockWriter& out, bool few)
      : SvgWriter(out), chart_(chart), few_(few), shared_(shares_nodes(chart)),
        by_job_(shared_ && chart.slices.empty()),
        row_(std::clamp(320.0 / chart.result->machine.nodes, 1.0, tallest_row(chart, shared_))) {
    top_ = 66 + (chart.slices.empty() ? 0 : kStrip);
    queue_top_ = top_ + row_ * chart.result->machine.nodes + 14;
    bottom_ = queue_top_ + kQueue;
    colour_of_ = job_colours();
    if (few_ && shared_) partners_ = gantt_partners(chart_);
  }

  double height() const { return bottom_ + 30; }

  /// A drawing of its own.
  void write() {
    const std::string title = gantt_title(chart_);
    open(0, fmt::format("{}: {} jobs on {} nodes", title, chart_.jobs.size(), chart_.result->machine.nodes));
    rect(0, 0, kSheetWidth, height(), "page", 6);
    contents(title);
  }

  /// A part of a drawing that has a style and a page already, so far below its upper edge.
  void write_at(double top) {
    add(fmt::format("<svg y=\"{0:.0f}\" width=\"{1}\" height=\"{2:.0f}\">\n", top, kSheetWidth, height()));
    contents(chart_.options.policy);
  }

  /// Begins a drawing that is taller than this run by `more`.
  void open(double more, const std::string& title) {
    begin(kSheetWidth, height() + more, title);
    style(gantt_style());
    add("<defs>\n<pattern id=\"loading\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 7L7 "
        "-1M-1 1L1 -1M5 7L7 5\" class=\"stripe\"/></pattern>\n"
        "<pattern id=\"lost\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 6L6 -1M-1 1L1 "
        "-1M4 6L6 4\" class=\"lost\"/></pattern>\n");
    for (const char* const look :
         {"stripe", "lost"})  // crossed: what was done in vain, on a bar and where there is none
      add(fmt::format("<pattern id=\"vain-{0}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 "
                      "0L6 6M0 6L6 0\" "
                      "class=\"{0}\"/></pattern>\n",
                      look));
    add("</defs>\n");
  }

 private:
  void contents(const std::string& title) {
    text(kSheetLeft, 26, "title", title);
    legend();
    bands();
    axes();
    queue();
    unavailable();
    if (few_) jobs();
    else cells();
    add("</svg>\n");
  }

  std::vector<std::uint8_t> job_colours() const {
    if (by_job_ && few_) return gantt_job_colours(chart_, kColours);
    std::vector<std::uint8_t> out;
    for (const JobIndex j : chart_.jobs) out.push_back(static_cast<std::uint8_t>(chart_.class_of[j] % kColours));
    return out;
  }

  /// A date, where the workload has one.
  std::string when(Time t) const { return clock_ ? date_text(*clock_, t) : human_duration(t.time_since_epoch()); }
  double x(Time t) const {
    return kSheetLeft + to_seconds(t - chart_.from) / to_seconds(chart_.to - chart_.from) * kSheetPlot;
  }
  /// Cut to the picture.
  double inside(double at) const { return std::clamp(at, kSheetLeft, kSheetLeft + kSheetPlot); }
  double y(double node) const { return top_ + node * row_; }

  void rect(double left, double top, double width, double height, const std::string& cls, double round = 0) {
    SvgWriter::rect(left, top, width, height, round > 0 ? fmt::format("rx=\"{}\" class=\"{}\"", round, cls) : cls);
  }
  void filled(double left, double top, double width, double height, const char* pattern) {
    SvgWriter::rect(left, top, width, height, fmt::format("fill=\"url(#{})\"", pattern));
  }

  void legend() {
    constexpr double kLetterWidth = 5.9;
    double at = kSheetLeft;
    const auto entry = [&](bool shown, const std::string& words, const std::string& fill, const char* pattern = "",
                           const std::string& edge = "") {
      if (!shown) return;
      if (!fill.empty()) rect(at, 38, 16, 11, fill, 2);
      if (*pattern != '\0') filled(at, 38, 16, 11, pattern);
      if (!edge.empty()) rect(at + 0.5, 38.5, 15, 10, edge, 2);
      text(at + 22, 48, "", words);
      at += 22 + kLetterWidth * static_cast<double>(words.size()) + 22;
    };
    const bool jobs = by_job_ && few_;
    if (jobs || gpu_numbers()) {
      std::string words = jobs ? "colours tell jobs apart; jobs that share a node are drawn side by side" : "";
      if (gpu_numbers()) words += jobs ? "; small numbers: GPUs" : "small numbers: GPUs";
      text(at, 48, "", words);
      at += kLetterWidth * static_cast<double>(words.size()) + 22;
    }
    const std::set<std::size_t> classes = drawn_classes();
    for (const std::size_t c : classes) entry(!jobs, chart_.classes[c], colour_class(c));
    const auto any = [](const auto& list, const auto& is) { return std::ranges::any_of(list, is); };
    const auto any_bar = [&](const auto& is) { return few_ && any(chart_.bars, is); };
    const auto is_lost = [](const GanttUnavailable& a) { return a.run >= 0; };
    const auto is_reserved = [](const GanttUnavailable& a) { return !a.reserved.empty(); };
    const std::string sample = colour_class(classes.contains(1) || classes.empty() ? 1 : *classes.begin());
    entry(any_bar([](const GanttBar& b) { return b.loading; }),
          chart_.result->power ? "nodes come up" : "loading memory", sample, "loading");
    entry(any_bar([](const GanttBar& b) { return b.foreign; }), "foreign job in another class's slice",
          sample + " foreign", "", sample + " edge");
    entry(any(chart_.slices, [](const GanttSlice& s) { return s.end > s.productive_end; }), "lost at a slice's end", "",
          "lost");
    entry(any_bar([&](const GanttBar& b) { return chart_.in_vain(b); }), "interrupted run", sample, "vain-stripe");
    entry(any(chart_.unavailable, is_lost), "interrupted run", "", "vain-lost");
    entry(any(chart_.unavailable, is_reserved), "reserved", "reserved");
    entry(any(chart_.unavailable, [&](const GanttUnavailable& a) { return !is_lost(a) && !is_reserved(a); }),
          "node down", "away");
  }

  /// Of jobs and of slices.
  std::set<std::size_t> drawn_classes() const {
    std::set<std::size_t> out;
    for (const GanttBar& b : chart_.bars) out.insert(chart_.class_of[chart_.jobs[b.job]]);
    for (const GanttSlice& s : chart_.slices) out.insert(s.job_class);
    out.erase(chart_.classes.size());  // jobs of none
    return out;
  }

  void bands() {
    const double height = y(chart_.result->machine.nodes) - top_;
    rect(kSheetLeft, top_, kSheetPlot, height, "plot");
    for (const GanttSlice& s : chart_.slices) {
      const double begin = inside(x(s.begin)), productive = inside(x(s.productive_end)), end = inside(x(s.end));
      rect(begin, top_, productive - begin, height, colour_class(s.job_class) + " band");
      if (end > productive) filled(productive, top_, end - productive, height, "lost");
      rect(begin, top_ - kStrip, std::max(productive - begin - 1, 0.4), kStrip - 4, colour_class(s.job_class));
      const std::string& name = chart_.classes[s.job_class];
      if (productive - begin > 6.4 * static_cast<double>(name.size()) + 9)
        text((begin + productive) / 2, top_ - 8, "slice on " + colour_class(s.job_class), name);
    }
  }

  void axes() {
    const double from = to_seconds(chart_.from), to = to_seconds(chart_.to);
    for (const AxisValue& t : clock_ ? dates_that_fit(*clock_, from, to, kSheetPlot, kSheetDigit)
                                     : times_that_fit(from, to, kSheetPlot, kSheetDigit)) {
      const double at = x(at_seconds(t.value)), half = kSheetDigit * static_cast<double>(t.text.size()) / 2;
      path(fmt::format("M{0:.1f} {1:.1f}V{2:.1f}M{0:.1f} {3:.1f}V{4:.1f}", at, top_, queue_top_ - 14, queue_top_,
                       bottom_ + 4),
           "grid");
      text(std::clamp(at, 3 + half, kSheetWidth - 3 - half), bottom_ + 18, "middle", t.text);
    }
    if (gpu_numbers()) gpus();
    if (names_kinds(chart_.result->machine)) kinds();
    else numbers();
    upright(kUpright, queue_top_ + kQueue / 2, "middle", "waiting");
  }

  void numbers() {
    const int nodes = chart_.result->machine.nodes;
    const auto apart = static_cast<int>(std::ceil(15 / row_));
    const int every = node_step(nodes, apart);
    for (int node = 0; node < nodes; node += every)
      text(kSheetLeft - 8, y(node + 0.5) + 4, "end", std::to_string(node));
    upright(kUpright, (top_ + queue_top_ - 14) / 2, "middle", "nodes");
  }

  /// Names of nodes where rows are tall enough, and of kinds; a line between kinds.
  void kinds() {
    constexpr std::size_t kLongest = 7, kBesideKind = 4;  // letters that have room
    const MachineLayout& layout = *chart_.result->machine.layout;
    const bool each = row_ >= 12;
    const double beside = gpu_numbers() ? 13 : 8;
    std::size_t longest = 0;
    for (NodeId n = 0; each && n < layout.node_count(); ++n) {
      const std::string name = layout.node_name(n);
      longest = std::max(longest, name.size());
      text(kSheetLeft - beside, y(n + 0.5) + 4, "end",
           name.size() <= kLongest ? name : "…" + name.substr(name.size() - kLongest));
    }
    for (const NodeKind& kind : layout.kinds) {
      const double top = y(kind.first), tall = row_ * kind.count, middle = top + tall / 2;
      if (kind.first > 0) path(fmt::format("M{} {:.2f}h{}", kSheetLeft, top, kSheetPlot), "axis");
      const double wide = kSheetDigit * static_cast<double>(kind.name.size());
      if (!each && tall >= 12)
        text(kSheetLeft - 8, middle + 4, "end",
             kind.name.size() <= kLongest ? kind.name : kind.name.substr(0, kLongest) + "…");
      else if (each && longest <= kBesideKind && wide <= tall) upright(kUpright, middle, "middle", kind.name);
    }
  }

  static constexpr double kGpuNumber = 8;  ///< what a number of a GPU needs of height

  /// Whether lanes are tall enough to be numbered.
  bool gpu_numbers() const {
    return few_ &&
           std::ranges::any_of(chart_.gpu_rows, [&](const auto& node) { return row_ >= kGpuNumber * node.second; });
  }

  /// Beside the lanes of GPUs.
  void gpus() {
    for (const auto& [node, rows] : chart_.gpu_rows)
      for (std::int32_t g = 0; row_ >= kGpuNumber * rows && g != chart_.result->machine.layout->kind_of(node).gpus; ++g)
        text(kSheetLeft - 3, y(node + (g + 0.5) / rows) + 3, "gpu", std::to_string(g));
  }

  /// The most that wait in each column. With more points than columns nobody sees them, and there are two for each job.
  std::vector<std::int32_t> queue_peaks() const {
    std::vector<std::int32_t> peaks(kQueueColumns);
    const auto column = [&](double at) {
      const double share = (at - kSheetLeft) / kSheetPlot;
      return std::min(static_cast<std::size_t>(share * kQueueColumns), kQueueColumns - 1);
    };
    for (std::size_t i = 0; i != chart_.timeline.size(); ++i) {
      const TimelinePoint& p = chart_.timeline[i];
      const bool last = i + 1 == chart_.timeline.size();
      const std::size_t to = column(last ? kSheetLeft + kSheetPlot : inside(x(chart_.timeline[i + 1].time)));
      for (std::size_t c = column(inside(x(p.time))); c <= to; ++c) peaks[c] = std::max(peaks[c], p.queue);
    }
    return peaks;
  }

  void queue() {
    std::int32_t most = 1;
    for (const TimelinePoint& p : chart_.timeline) most = std::max(most, p.queue);
    const auto height = [&](std::int32_t n) { return bottom_ - kQueue * n / most; };
    std::string d = fmt::format("M{:.2f} {:.2f}", kSheetLeft, bottom_);
    if (chart_.timeline.size() <= kQueueColumns) {
      for (const TimelinePoint& p : chart_.timeline)
        d += fmt::format("H{:.2f}V{:.2f}", inside(x(p.time)), height(p.queue));
    } else {
      std::int32_t before = 0;
      const std::vector<std::int32_t> peaks = queue_peaks();
      for (std::size_t i = 0; i != peaks.size(); before = peaks[i++])
        if (peaks[i] != before)
          d += fmt::format("H{:.1f}V{:.2f}", kSheetLeft + kSheetPlot * static_cast<double>(i) / kQueueColumns,
                           height(peaks[i]));
    }
    path(fmt::format("{}H{:.2f}V{:.2f}Z", d, kSheetLeft + kSheetPlot, bottom_), "queue");
    path(fmt::format("M{} {:.1f}h{}", kSheetLeft, bottom_, kSheetPlot), "axis");
    text(kSheetLeft - 8, bottom_ + 4, "end", "0");
    text(kSheetLeft - 8, queue_top_ + 4, "end", std::to_string(most));
  }

  /// Draws, behind the jobs, nodes that are down, and what was lost.
  void unavailable() {
    if (chart_.unavailable.empty()) return;
    style(".outline { fill: none } .away { fill: #c6ccd4 } @media (prefers-color-scheme: dark) { .away { fill: "
          "#3a424d } }");
    if (!chart_.result->reservations.empty())
      style(".reserved { fill: #d5e8c8 } @media (prefers-color-scheme: dark) { .reserved { fill: #2f4424 } }");
    for (const GanttUnavailable& a : chart_.unavailable) {
      const double left = inside(x(a.from)), width = std::max(inside(x(a.to)) - left, 0.5);
      titled(described(a));
      for (const NodeRange& r : a.nodes.ranges()) {
        const double top = y(r.first), height = y(r.last + 1.0) - top;
        if (a.run < 0) rect(left, top, width, height, a.reserved.empty() ? "away" : "reserved");
        if (a.run < 0) continue;
        filled(left, top, width, height, "vain-lost");
        rect(left, top, width, height, "lost outline");  // distinguishes runs beside one another
      }
      add("</g>\n");
    }
  }

  std::string described(const GanttUnavailable& a) const {
    const auto timed = [&](const std::string& what, Time from, Time to) {
      return fmt::format("{}, from {} to {}", what, when(from), when(to));
    };
    if (!a.reserved.empty()) return timed("reserved: " + a.reserved, a.from, a.to);
    if (a.run >= 0) {
      const EarlierRun& run = chart_.earlier[static_cast<std::size_t>(a.run)];
      return timed(fmt::format("run of job {} that {} ended", chart_.result->workload->jobs[run.job].id,
                               run.by == InterruptedBy::kFailure ? "a failure" : "its policy"),
                   run.from, run.to);
    }
    std::string text;
    for (const Outage& o : a.outages)
      text += (text.empty() ? "" : "; ") + timed(kOutageNames[static_cast<std::size_t>(o.kind)], o.from, o.to);
    return text;
  }

  /// What there is in too many rectangles: one path for all cells of a colour, as lines that are as thick as a row.
  void cells() {
    const GanttOverview o = gantt_overview(chart_, kOverviewColumns, kOverviewRows, colour_of_);
    std::map<std::string, std::string> by_look;
    for (const OverviewRun& r : o.runs)
      by_look["edge " + colour_class(r.colour) + (r.pale ? " pale" : "")] +=
          fmt::format("M{} {}h{}", r.from, r.row, r.to - r.from);
    const double tall = row_ * chart_.result->machine.nodes / o.rows;
    add(fmt::format("<g transform=\"translate({} {:.2f}) scale({:.5f} {:.5f})\" shape-rendering=\"crispEdges\">\n",
                    kSheetLeft, top_ + tall / 2, kSheetPlot / o.columns, tall));
    paths(by_look);
    add("</g>\n");
  }

  /// The bars of each job together, under one title; those of each earlier run under one of its own.
  void jobs() {
    std::vector<std::vector<const GanttBar*>> bars(chart_.jobs.size()), earlier(chart_.earlier.size());
    for (const GanttBar& b : chart_.bars)
      (b.run < 0 ? bars[b.job] : earlier[static_cast<std::size_t>(b.run)]).push_back(&b);
    const auto group = [&](const std::vector<const GanttBar*>& parts, const std::string& title) {
      titled(title);
      const GanttBar* const named = largest_of_changing(parts);
      for (const GanttBar* b : parts) draw(*b, named == nullptr || named == b);
      if (named != nullptr)
        for (std::size_t i = 1; i < parts.size(); ++i) join(*parts[i - 1], *parts[i]);
      add("</g>\n");
    };
    for (std::size_t r = 0; r != earlier.size(); ++r) {
      const EarlierRun& run = chart_.earlier[r];
      if (!earlier[r].empty())
        group(earlier[r], fmt::format("job {}, earlier on {}: from {} to {}", chart_.result->workload->jobs[run.job].id,
                                      place_text(*chart_.result->machine.layout, run.nodes, run.parts), when(run.from),
                                      when(run.to)));
    }
    for (std::size_t j = 0; j != bars.size(); ++j)
      if (!bars[j].empty()) group(bars[j], described(j));
  }

  std::string described(std::size_t j) const {
    const RunResult& r = *chart_.result;
    const JobIndex index = chart_.jobs[j];
    const Outcome& o = r.outcomes[index];
    const Time submitted = r.submitted_at(index);
    const std::uint8_t c = chart_.class_of[index];
    std::string on = counted(chart_.nodes[j].count(), "node");
    if (r.sharing) {
      const std::int32_t ppn = r.sharing->jobs[index].ppn;
      on += fmt::format(", {} process{} on each", ppn, ppn == 1 ? "" : "es");
    }
    if (names_kinds(r.machine)) on = place_text(r, index, chart_.nodes[j]);
    if (shared_ && !partners_[j].empty()) on += ", partly beside " + names_of(partners_[j]);
    return fmt::format("job {}{}, {}: submitted {}, waited {}, ended {}", r.workload->jobs[index].id,
                       c < chart_.classes.size() ? ", " + chart_.classes[c] : "", on, when(submitted),
                       human_duration(r.waited(index)), when(o.end));
  }

  std::string names_of(const std::vector<JobIndex>& places) const {
    std::string out = places.size() == 1 ? "job " : "jobs ";
    for (std::size_t i = 0; i < places.size(); ++i)
      out += (i == 0 ? "" : ", ") + std::to_string(chart_.result->workload->jobs[chart_.jobs[places[i]]].id);
    return out;
  }

  /// Of the bars of a job that changed its nodes the one that has most room for its name; null: it did not.
  const GanttBar* largest_of_changing(const std::vector<const GanttBar*>& parts) const {
    const auto shares = [](const GanttBar* b) { return b->lanes > 1; };
    const auto other_nodes = [&](const GanttBar* b) { return b->nodes != parts.front()->nodes; };
    if (std::ranges::any_of(parts, shares) || std::ranges::none_of(parts, other_nodes)) return nullptr;
    return *std::ranges::max_element(parts, {}, [&](const GanttBar* b) {
      std::int32_t rows = 0;
      for (const NodeRange& r : chart_.nodes_of(*b).ranges()) rows = std::max(rows, r.last - r.first + 1);
      return rows * (inside(x(b->to)) - inside(x(b->from)));
    });
  }

  /// Where a job goes on with other nodes, it is one shape on those that it keeps.
  void join(const GanttBar& before, const GanttBar& behind) {
    if (before.to != behind.from) return;
    const double seam = inside(x(behind.from)), gap = gap_of_rows();
    const std::string fill = colour_class(colour_of_[behind.job]);
    const auto beside = [&](const GanttBar& b) { return std::min(3.0, (inside(x(b.to)) - inside(x(b.from))) / 2); };
    const NodeRanges kept = in_both(chart_.nodes_of(before), chart_.nodes_of(behind));
    for (const NodeRange& r : kept.ranges())
      rect(seam - beside(before), y(r.first) + gap / 2, beside(before) + beside(behind),
           y(r.last + 1.0) - y(r.first) - gap, fill);
  }

  double gap_of_rows() const { return row_ > 7 ? 1 : row_ > 3 ? 0.5 : 0; }

  void draw(const GanttBar& b, bool named) {
    const std::string fill = colour_class(colour_of_[b.job]);
    const std::string id = named ? std::to_string(chart_.result->workload->jobs[chart_.jobs[b.job]].id) : "";
    const double left = inside(x(b.from)), width = inside(x(b.to)) - left;
    const double gap = gap_of_rows();
    for (const NodeRange& r : chart_.nodes_of(b).ranges()) {
      const bool shared = b.lanes > 1;
      for (NodeId node = r.first; node <= (shared ? r.last : r.first); ++node) {
        const double low = y(node + static_cast<double>(b.lane) / b.lanes);
        const double high = y(shared ? node + static_cast<double>(b.lane + b.tall) / b.lanes : r.last + 1.0);
        piece(b, left, low + gap / 2, std::max(width - (width > 3 ? 1 : 0), 0.5), high - low - gap, fill, id);
      }
    }
  }

  void piece(const GanttBar& b, double left, double top, double width, double height, const std::string& fill,
             const std::string& id) {
    const double round = width > 5 && height > 5 ? 2 : 0;
    const char* edge = b.lanes > 1 && !by_job_ && height > 2 ? " part" : "";  // its neighbour may have its colour
    rect(left, top, width, height, (b.foreign ? fill + " foreign" : fill) + edge, round);
    if (b.loading) filled(left, top, width, height, "loading");
    if (chart_.in_vain(b)) filled(left, top, width, height, "vain-stripe");
    if (b.foreign && width > 4 && height > 4) rect(left + 0.5, top + 0.5, width - 1, height - 1, fill + " edge", round);
    if (id.empty() || b.loading || height < 11 || width < 6.6 * static_cast<double>(id.size()) + 5) return;
    text(left + width / 2, top + height / 2 + 4, b.foreign ? "number foreign" : "number on " + fill, id);
  }

  const GanttChart& chart_;
  const std::optional<TraceClock> clock_ = trace_clock(chart_.result->workload->header);
  bool few_;              ///< few enough to draw each rectangle
  bool shared_, by_job_;  ///< jobs share nodes; then colours are those of jobs, if there are no slices with theirs
  double row_, top_ = 0, queue_top_ = 0, bottom_ = 0;
  std::vector<std::uint8_t> colour_of_;          ///< by place in the chart
  std::vector<std::vector<JobIndex>> partners_;  ///< where jobs share nodes
};

void check_rectangles(std::size_t rectangles) {
  if (rectangles <= kMostSvgRectangles) return;
  throw InputError(
      {"", 0, fmt::format("{} rectangles are too many for an .svg", grouped(static_cast<std::int64_t>(rectangles))),
       fmt::format("at most {}", grouped(static_cast<std::int64_t>(kMostSvgRectangles))),
       "draw an .html, or a part with --from and --to", ""});
}

}  // namespace

GanttOverview gantt_overview(const GanttChart& chart, int columns, int most_rows,
                             const std::vector<std::uint8_t>& colour_of) {
  const int rows = std::min(chart.result->machine.nodes, most_rows);
  std::uint8_t most = 0;
  for (const std::uint8_t c : colour_of) most = std::max(most, c);
  OverviewCells cells(chart, columns, rows, std::size_t{most} + 1);
  for (const GanttBar& b : chart.bars) cells.add(b, colour_of[b.job]);
  return {rows, columns, cells.runs()};
}

std::vector<std::vector<JobIndex>> gantt_partners(const GanttChart& chart) {
  std::vector<std::vector<JobIndex>> out(chart.jobs.size());
  if (std::ranges::none_of(chart.bars, [](const GanttBar& b) { return b.lanes > 1; })) return out;
  for (const auto& [jobs, weight] : nearness_of(chart)) {
    if (weight != kPartner) continue;
    out[jobs.first].push_back(jobs.second);
    out[jobs.second].push_back(jobs.first);
  }
  for (auto& partners : out) std::ranges::sort(partners);
  return out;
}

std::vector<std::uint8_t> gantt_job_colours(const GanttChart& chart, std::size_t colours) {
  std::vector<std::vector<std::pair<JobIndex, int>>> near(chart.jobs.size());
  for (const auto& [jobs, weight] : nearness_of(chart)) {
    near[jobs.first].emplace_back(jobs.second, weight);
    near[jobs.second].emplace_back(jobs.first, weight);
  }
  std::vector<std::uint8_t> out(chart.jobs.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    std::vector<std::int64_t> against(colours);
    for (const auto& [other, weight] : near[j])
      if (other < j) against[out[other]] += weight;
    std::size_t best = j % colours;
    for (std::size_t k = 1; k < colours; ++k)
      if (against[(j + k) % colours] < against[best]) best = (j + k) % colours;
    out[j] = static_cast<std::uint8_t>(best);
  }
  return out;
}

void write_gantt_svg(const GanttChart& chart, const Sink& sink) {
  check_rectangles(chart.rectangles());
  BlockWriter out(sink);
  GanttDrawing(chart, out, true).write();
  out.flush();
}

void write_gantts_svg(const std::vector<GanttChart>& charts, const std::string& title, const Sink& sink) {
  std::size_t rectangles = 0;
  for (const GanttChart& c : charts) rectangles += c.rectangles();
  check_rectangles(rectangles);
  BlockWriter out(sink);
  std::vector<GanttDrawing> parts;
  double tall = kHead;
  for (const GanttChart& c : charts) tall += parts.emplace_back(c, out, true).height();
  parts.front().open(tall - parts.front().height(), title);
  out.text() += fmt::format("<rect width=\"{}\" height=\"{:.0f}\" class=\"page\" rx=\"6\"/>\n", kSheetWidth, tall);
  out.text() += fmt::format("<text x=\"{}\" y=\"28\" class=\"title\" style=\"font-size: 17px\">{}</text>\n", kSheetLeft,
                            in_svg(title));
  double top = kHead;
  for (GanttDrawing& part : parts) {
    part.write_at(top);
    top += part.height();
  }
  out.text() += "</svg>\n";
  out.flush();
}

void write_gantt_print(const GanttChart& chart, const Sink& sink) {
  BlockWriter out(sink);
  GanttDrawing(chart, out, chart.rectangles() <= kMostSvgRectangles).write();
  out.flush();
}

}  // namespace coslice

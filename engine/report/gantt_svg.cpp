#include "report/gantt_svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "report/axis_ticks.h"
#include "report/markup.h"
#include "report/number.h"

namespace coslice {
namespace {

constexpr double kWidth = 960, kLeft = 60, kRight = 16, kStrip = 18, kQueue = 64, kLetter = 6.6;
constexpr double kPlot = kWidth - kLeft - kRight;
constexpr std::size_t kColours = 7;  // as in report/web/gantt/colours.js

constexpr const char* kStyle = R"(
text { font: 12px system-ui, "Segoe UI", "Liberation Sans", Helvetica, Arial, sans-serif; fill: #5d6675 }
.title { font-weight: 600; font-size: 15px; fill: #1f2430 }
.middle { text-anchor: middle } .end { text-anchor: end } .number, .slice { text-anchor: middle; font-size: 11px } .number { font-weight: 600 }
.page { fill: #fff } .plot { fill: #f6f7f9 } .grid { stroke: #e1e5ea } .axis { stroke: #b9c0c9 } .queue { fill: #aab2bd }
.c0 { fill: #eda93a } .c1 { fill: #4a97cf } .c2 { fill: #38479e } .c3 { fill: #2f9e85 } .c4 { fill: #b0578d } .c5 { fill: #8a6d3b } .c6 { fill: #7a8794 }
.on { fill: #fff } .on.c0, .on.c1 { fill: #10131a } .number.guest { fill: #1f2430 } .band { opacity: .1 } rect.guest { opacity: .5 }
.edge { fill: none } .edge.c0 { stroke: #eda93a } .edge.c1 { stroke: #4a97cf } .edge.c2 { stroke: #38479e } .edge.c3 { stroke: #2f9e85 } .edge.c4 { stroke: #b0578d } .edge.c5 { stroke: #8a6d3b } .edge.c6 { stroke: #7a8794 }
.stripe { stroke: #fff; stroke-width: 1.4; opacity: .75 } .lost { stroke: #aeb5bf; stroke-width: 1.1 }
@media (prefers-color-scheme: dark) {
  text { fill: #98a2b1 } .title, .number.guest { fill: #e6e9ee } .page { fill: #14171c } .plot { fill: #1b1f26 }
  .grid { stroke: #2a313a } .axis { stroke: #4a535f } .queue { fill: #5c6672 } .stripe { stroke: #14171c } .lost { stroke: #4a535f }
  .c0 { fill: #f0bb5e } .c1 { fill: #58b0e6 } .c2 { fill: #7a83dc } .c3 { fill: #3fb79b } .c4 { fill: #d383b5 } .c5 { fill: #bfa06a } .c6 { fill: #9aa6b2 }
  .on, .on.c0, .on.c1 { fill: #10131a }
}
)";

std::string colour(std::size_t c) { return fmt::format("c{}", c % kColours); }

/// Machines of 128 nodes are counted in powers of two, those of 100 in tens.
int node_step(int nodes, int least) {
  int step = 1;
  for (int i = 0; step < least; ++i) step = nodes % 16 == 0 || i % 3 != 1 ? step * 2 : step / 2 * 5;
  return step;
}

bool shares_nodes(const GanttChart& chart) {
  return std::any_of(chart.bars.begin(), chart.bars.end(), [](const GanttBar& b) { return b.lanes > 1; });
}

class SvgWriter {
 public:
  SvgWriter(const GanttChart& chart, const Sink& sink)
      : chart_(chart), out_(sink), shared_(shares_nodes(chart)), by_job_(shared_ && chart.slices.empty()),
        row_(std::clamp(320.0 / chart.result->machine.nodes, 1.0, shared_ ? 28.0 : 18.0)) {
    top_ = 66 + (chart.slices.empty() ? 0 : kStrip);
    queue_top_ = top_ + row_ * chart.result->machine.nodes + 14;
    bottom_ = queue_top_ + kQueue;
  }

  void write() {
    head();
    legend();
    bands();
    axes();
    queue();
    jobs();
    add("</svg>\n");
    out_.flush();
  }

 private:
  double x(Time t) const { return kLeft + to_seconds(t - chart_.from) / to_seconds(chart_.to - chart_.from) * kPlot; }
  /// Cut to the picture.
  double inside(double at) const { return std::clamp(at, kLeft, kLeft + kPlot); }
  double y(double node) const { return top_ + node * row_; }

  void add(std::string_view line) {
    out_.text() += line;
    out_.row_done();
  }
  void rect(double left, double top, double width, double height, const std::string& cls, double round = 0) {
    add(fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"{} class=\"{}\"/>\n", left, top,
                    width, height, round > 0 ? fmt::format(" rx=\"{}\"", round) : "", cls));
  }
  void filled(double left, double top, double width, double height, const char* pattern) {
    add(fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"url(#{})\"/>\n", left,
                    top, width, height, pattern));
  }
  void text(double left, double base, const std::string& cls, std::string_view words) {
    add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", left, base, cls, in_svg(words)));
  }

  void head() {
    const double height = bottom_ + 30;
    add(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
                    "height=\"{1:.0f}\" role=\"img\">\n",
                    kWidth, height));
    const std::string title = gantt_title(chart_);
    add(fmt::format("<title>{}: {} jobs on {} nodes</title>\n<style>{}</style>\n", in_svg(title), chart_.jobs.size(),
                    chart_.result->machine.nodes, kStyle));
    add("<defs>\n<pattern id=\"loading\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 7L7 "
        "-1M-1 1L1 -1M5 7L7 5\" class=\"stripe\"/></pattern>\n"
        "<pattern id=\"lost\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 6L6 -1M-1 1L1 "
        "-1M4 6L6 4\" class=\"lost\"/></pattern>\n</defs>\n");
    rect(0, 0, kWidth, height, "page", 6);
    text(kLeft, 26, "title", title);
  }

  void legend() {
    double at = kLeft;
    const auto entry = [&](const std::string& words, const auto& draw) {
      draw(at, 38.0);
      text(at + 22, 48, "", words);
      at += 22 + 5.9 * static_cast<double>(words.size()) + 22;
    };
    if (by_job_) text(at, 48, "", "colours tell jobs apart; jobs that share a node lie side by side on it");
    for (std::size_t c = 0; !by_job_ && c != chart_.classes.size(); ++c)
      entry(chart_.classes[c], [&](double l, double t) { rect(l, t, 16, 11, colour(c), 2); });
    const auto any = [&](bool GanttBar::*what) {
      return std::any_of(chart_.bars.begin(), chart_.bars.end(), [&](const GanttBar& b) { return b.*what; });
    };
    const std::size_t sample = chart_.classes.size() > 1 ? 1 : 0;
    if (any(&GanttBar::loading)) {
      entry("loading memory", [&](double l, double t) {
        rect(l, t, 16, 11, colour(sample), 2);
        filled(l, t, 16, 11, "loading");
      });
    }
    if (any(&GanttBar::foreign)) {
      entry("guest in another class's slice", [&](double l, double t) {
        rect(l, t, 16, 11, colour(sample) + " guest", 2);
        rect(l + 0.5, t + 0.5, 15, 10, colour(sample) + " edge", 2);
      });
    }
    if (std::any_of(chart_.slices.begin(), chart_.slices.end(),
                    [](const GanttSlice& s) { return s.end > s.productive_end; }))
      entry("lost at a slice's end", [&](double l, double t) { filled(l, t, 16, 11, "lost"); });
  }

  void bands() {
    const double height = y(chart_.result->machine.nodes) - top_;
    rect(kLeft, top_, kPlot, height, "plot");
    for (const GanttSlice& s : chart_.slices) {
      const double begin = inside(x(s.begin)), productive = inside(x(s.productive_end)), end = inside(x(s.end));
      rect(begin, top_, productive - begin, height, colour(s.job_class) + " band");
      if (end > productive) filled(productive, top_, end - productive, height, "lost");
      rect(begin, top_ - kStrip, std::max(productive - begin - 1, 0.4), kStrip - 4, colour(s.job_class));
      const std::string& name = chart_.classes[s.job_class];
      if (productive - begin > 6.4 * static_cast<double>(name.size()) + 9)
        text((begin + productive) / 2, top_ - 8, "slice on " + colour(s.job_class), name);
    }
  }

  void axes() {
    const double from = to_seconds(chart_.from), to = to_seconds(chart_.to);
    for (const AxisValue& t : times_that_fit(from, to, kPlot, kLetter)) {
      const double at = x(at_seconds(t.value)), half = kLetter * static_cast<double>(t.text.size()) / 2;
      add(fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}M{0:.1f} {3:.1f}V{4:.1f}\" class=\"grid\"/>\n", at, top_,
                      queue_top_ - 14, queue_top_, bottom_ + 4));
      text(std::min(at, kWidth - 3 - half), bottom_ + 18, "middle", t.text);
    }
    const int nodes = chart_.result->machine.nodes;
    const auto apart = static_cast<int>(std::ceil(15 / row_));
    const int every = node_step(nodes, apart);
    for (int node = 0; node < nodes; node += every) text(kLeft - 8, y(node + 0.5) + 4, "end", std::to_string(node));
    sideways("nodes", (top_ + queue_top_ - 14) / 2);
    sideways("waiting", queue_top_ + kQueue / 2);
  }

  void sideways(const char* words, double middle) {
    add(fmt::format("<text transform=\"translate(18 {:.1f}) rotate(-90)\" class=\"middle\">{}</text>\n", middle,
                    words));
  }

  void queue() {
    std::int32_t most = 1;
    for (const TimelinePoint& p : chart_.timeline) most = std::max(most, p.queue);
    const auto height = [&](std::int32_t n) { return bottom_ - kQueue * n / most; };
    std::string path = fmt::format("M{:.2f} {:.2f}", kLeft, bottom_);
    for (const TimelinePoint& p : chart_.timeline)
      path += fmt::format("H{:.2f}V{:.2f}", inside(x(p.time)), height(p.queue));
    add(fmt::format("<path d=\"{}H{:.2f}V{:.2f}Z\" class=\"queue\"/>\n", path, kLeft + kPlot, bottom_));
    add(fmt::format("<path d=\"M{} {:.1f}h{}\" class=\"axis\"/>\n", kLeft, bottom_, kPlot));
    text(kLeft - 8, bottom_ + 4, "end", "0");
    text(kLeft - 8, queue_top_ + 4, "end", std::to_string(most));
  }

  /// The bars of each job together, under one title.
  void jobs() {
    std::vector<std::vector<const GanttBar*>> bars(chart_.jobs.size());
    for (const GanttBar& b : chart_.bars) bars[b.job].push_back(&b);
    for (std::size_t j = 0; j != bars.size(); ++j) {
      if (bars[j].empty()) continue;
      add(fmt::format("<g><title>{}</title>\n", in_svg(described(j))));
      for (const GanttBar* b : bars[j]) draw(*b);
      add("</g>\n");
    }
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
    return fmt::format("job {}{}, {}: submitted {}, waited {}, ended {}", r.workload->jobs[index].id,
                       c < chart_.classes.size() ? ", " + chart_.classes[c] : "", on,
                       human_duration(submitted.time_since_epoch()), human_duration(o.start - submitted),
                       human_duration(o.end.time_since_epoch()));
  }

  void draw(const GanttBar& b) {
    const std::string fill = colour(by_job_ ? b.job : chart_.class_of[chart_.jobs[b.job]]);
    const std::string id = std::to_string(chart_.result->workload->jobs[chart_.jobs[b.job]].id);
    const double left = inside(x(b.from)), width = inside(x(b.to)) - left;
    const double gap = row_ > 7 ? 1 : row_ > 3 ? 0.5 : 0;
    for (const NodeRange& r : chart_.nodes_of(b).ranges()) {
      const bool shared = b.lanes > 1;
      for (NodeId node = r.first; node <= (shared ? r.last : r.first); ++node) {
        const double low = y(node + static_cast<double>(b.lane) / b.lanes);
        const double high = y(shared ? node + (b.lane + 1.0) / b.lanes : r.last + 1.0);
        piece(b, left, low + gap / 2, std::max(width - (width > 3 ? 1 : 0), 0.5), high - low - gap, fill, id);
      }
    }
  }

  void piece(const GanttBar& b, double left, double top, double width, double height, const std::string& fill,
             const std::string& id) {
    const double round = width > 5 && height > 5 ? 2 : 0;
    rect(left, top, width, height, b.foreign ? fill + " guest" : fill, round);
    if (b.loading) filled(left, top, width, height, "loading");
    if (b.foreign && width > 4 && height > 4) rect(left + 0.5, top + 0.5, width - 1, height - 1, fill + " edge", round);
    if (b.loading || height < 11 || width < 6.6 * static_cast<double>(id.size()) + 5) return;
    text(left + width / 2, top + height / 2 + 4, b.foreign ? "number guest" : "number on " + fill, id);
  }

  const GanttChart& chart_;
  BlockWriter out_;
  bool shared_, by_job_;  ///< jobs share nodes; then colours are those of jobs, if there are no slices with theirs
  double row_, top_ = 0, queue_top_ = 0, bottom_ = 0;
};

}  // namespace

void write_gantt_svg(const GanttChart& chart, const Sink& sink) {
  const std::size_t rectangles = chart.rectangles();
  if (rectangles > kMostSvgRectangles) {
    throw InputError(
        {"", 0, fmt::format("{} rectangles are too many for an .svg", grouped(static_cast<std::int64_t>(rectangles))),
         fmt::format("at most {}", grouped(static_cast<std::int64_t>(kMostSvgRectangles))),
         "draw an .html, or a part with --from and --to", ""});
  }
  SvgWriter(chart, sink).write();
}

}  // namespace coslice

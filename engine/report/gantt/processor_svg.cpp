#include "report/gantt/gantt_drawing.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/charts/axis_ticks.h"
#include "report/markup.h"
#include "report/svg.h"

namespace coslice {
namespace {

constexpr double kSheetTop = 92;
constexpr std::size_t kMostNames = 7;
constexpr std::size_t kStripes = 6;

std::string processor_style() {
  return std::string(kTextRules) + R"( .middle { text-anchor: middle } .end { text-anchor: end }
.page { fill: #fff } .plot { fill: #f6f7f9 } .grid { stroke: #b9c0c9; stroke-width: .6 }
)" + colour_rules("fill", false) +
         R"(
.p { opacity: .38 } .s { fill: #1f2430 } .b { fill: #d3d8df }
@media (prefers-color-scheme: dark) {
  text { fill: #98a2b1 } .title { fill: #e6e9ee } .page { fill: #14171c } .plot { fill: #1b1f26 } .grid { stroke: #4a535f }
  )" + colour_rules("fill", true) +
         R"(
  .p { opacity: .55 } .s { fill: #d5dae2 } .b { fill: #353c47 }
}
)";
}

class ProcessorDrawing : SvgWriter {
 public:
  ProcessorDrawing(const ProcessorPicture& picture, const RunResult& result, const ProcessorSvgOptions& options,
                   BlockWriter& out)
      : SvgWriter(out, 1), picture_(picture), result_(result), options_(options),
        row_(std::clamp(384.0 / picture.processors(), 2.0, 20.0)), bottom_(kSheetTop + row_ * picture.processors()) {}

  void write() {
    begin(kSheetWidth, bottom_ + 30, options_.title);
    style(processor_style());
    add("<rect width=\"100%\" height=\"100%\" class=\"page\"/>\n");
    text(kSheetLeft, 24, "title", options_.title);
    const std::vector<ProcessorPicture::Stretch> stretches = picture_.stretches();
    jobs_legend(stretches);
    kinds_legend();
    rect(kSheetLeft, kSheetTop, kSheetPlot, row_ * picture_.processors(), "plot");
    draw(stretches);
    axes();
    add("</svg>\n");
  }

 private:
  /// About as wide as the words are drawn.
  static double width_of(const std::string& words) { return kSheetDigit * static_cast<double>(words.size()); }

  void jobs_legend(const std::vector<ProcessorPicture::Stretch>& stretches) {
    std::vector<JobIndex> jobs;
    for (const auto& s : stretches)
      if (s.job != kNoJob && std::ranges::find(jobs, s.job) == jobs.end()) jobs.push_back(s.job);
    std::ranges::sort(jobs);
    double x = kSheetLeft;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const bool more = i == kMostNames || x > kSheetWidth - 160;
      const std::string words =
          more ? fmt::format("and {} more jobs", jobs.size() - i)
               : fmt::format("job {}, {}", result_.workload->jobs[jobs[i]].id, result_.processes->programs[jobs[i]]);
      if (!more) rect(x, 36, 12, 12, colour_class(jobs[i]));
      text(x + 17, 46, "", words);
      if (more) return;
      x += 17 + width_of(words) + 16;
    }
  }

  void kinds_legend() {
    // Computing and polling have their job's colour: stripes of all colours, so that none stands for one job.
    static constexpr struct {
      Activity what;
      const char *look, *words;  ///< the class of the drawing; of those in jobs' colours what follows it
    } kKinds[] = {{Activity::kComputing, "", "computing"},
                  {Activity::kPolling, " p", "polling"},
                  {Activity::kBlocked, "b", "blocked"},
                  {Activity::kSwitching, "s", "switching"}};
    const std::int64_t all = (picture_.to() - picture_.from()).count() * picture_.processors();
    const auto share = [&](std::int64_t time) { return percent(static_cast<double>(time) / static_cast<double>(all)); };
    double x = kSheetLeft;
    std::int64_t rest = all;  // exact: a share of 0 is said as such
    for (const auto& k : kKinds) {
      const std::int64_t time = picture_.sums()[static_cast<std::size_t>(k.what)];
      const std::string words = fmt::format("{} {}", k.words, share(time));
      rest -= time;
      if (k.what == Activity::kComputing || k.what == Activity::kPolling)
        for (std::size_t i = 0; i < kStripes; ++i)
          rect(x + 2.0 * static_cast<double>(i), 58, 2, 12, fmt::format("c{}{}", i, k.look));
      else rect(x, 58, 2.0 * kStripes, 12, k.look);
      text(x + 17, 68, "", words);
      x += 17 + width_of(words) + 16;
    }
    text(x, 68, "", fmt::format("no process {}", share(std::max<std::int64_t>(0, rest))));
  }

  void draw(const std::vector<ProcessorPicture::Stretch>& stretches) {
    const double scale = kSheetPlot / picture_.columns(), height = row_ - (row_ > 6 ? 1 : 0);
    std::map<std::string, std::string> by_look;
    for (const auto& s : stretches) {
      const std::string cls = s.what == Activity::kSwitching ? "s"
                              : s.what == Activity::kBlocked
                                  ? "b"
                                  : colour_class(s.job) + (s.what == Activity::kPolling ? " p" : "");
      const double width = (s.to - s.from) * scale;
      by_look[cls] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}", kSheetLeft + s.from * scale,
                                  kSheetTop + s.processor * row_, width, height, width);
    }
    paths(by_look);
  }

  void axes() {
    const std::int32_t n = picture_.processors();
    for (std::int32_t p = options_.per_node; options_.per_node > 1 && p < n && row_ * options_.per_node >= 8;
         p += options_.per_node) {
      line(kSheetLeft, kSheetTop + p * row_ - 0.5, kSheetLeft + kSheetPlot, kSheetTop + p * row_ - 0.5);
    }
    std::int32_t every = 1;
    while (every * row_ < 16) every *= 2;
    for (std::int32_t p = 0; p < n; p += every)
      text(kSheetLeft - 8, kSheetTop + (p + 0.5) * row_ + 4, "end", std::to_string(p));
    const double from = to_seconds(picture_.from()), to = to_seconds(picture_.to());
    for (const AxisValue& t : times_that_fit(from, to, kSheetPlot, kSheetDigit)) {
      const double x = kSheetLeft + (t.value - from) / (to - from) * kSheetPlot, half = width_of(t.text) / 2;
      line(x, bottom_, x, bottom_ + 5);
      text(std::min(x, kSheetWidth - 3 - half), bottom_ + 20, "middle", t.text);
    }
    upright(16, (kSheetTop + bottom_) / 2, "middle", "processor");
  }
  void line(double x1, double y1, double x2, double y2) {
    path(fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x1, y1, x2, y2), "grid");
  }

  const ProcessorPicture& picture_;
  const RunResult& result_;
  const ProcessorSvgOptions& options_;
  double row_, bottom_;
};

}  // namespace

void write_processor_svg(const ProcessorPicture& picture, const RunResult& result, const ProcessorSvgOptions& options,
                         const Sink& sink) {
  BlockWriter out(sink);
  ProcessorDrawing(picture, result, options, out).write();
  out.flush();
}

}  // namespace coslice

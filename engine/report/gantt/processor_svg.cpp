#include "report/gantt/gantt_drawing.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/charts/axis_ticks.h"
#include "report/markup.h"

namespace coslice {
namespace {

constexpr double kSheetWidth = 960, kSheetLeft = 60, kSheetRight = 16, kSheetTop = 92, kSheetLetter = 6.6;
constexpr double kSheetPlot = kSheetWidth - kSheetLeft - kSheetRight;
constexpr std::size_t kProgramColours = 7;
constexpr std::size_t kMostNames = 7;
constexpr std::size_t kStripes = 6;

constexpr const char* kSheetStyle = R"(
text { font: 12px system-ui, "Segoe UI", "Liberation Sans", Helvetica, Arial, sans-serif; fill: #5d6675 }
.title { font-weight: 600; font-size: 15px; fill: #1f2430 } .middle { text-anchor: middle } .end { text-anchor: end }
.page { fill: #fff } .plot { fill: #f6f7f9 } .grid { stroke: #b9c0c9; stroke-width: .6 }
.c0 { fill: #eda93a } .c1 { fill: #4a97cf } .c2 { fill: #38479e } .c3 { fill: #2f9e85 } .c4 { fill: #b0578d } .c5 { fill: #8a6d3b } .c6 { fill: #7a8794 }
.p { opacity: .38 } .s { fill: #1f2430 } .b { fill: #d3d8df }
@media (prefers-color-scheme: dark) {
  text { fill: #98a2b1 } .title { fill: #e6e9ee } .page { fill: #14171c } .plot { fill: #1b1f26 } .grid { stroke: #4a535f }
  .c0 { fill: #f0bb5e } .c1 { fill: #58b0e6 } .c2 { fill: #7a83dc } .c3 { fill: #3fb79b } .c4 { fill: #d383b5 } .c5 { fill: #bfa06a } .c6 { fill: #9aa6b2 }
  .p { opacity: .55 } .s { fill: #d5dae2 } .b { fill: #353c47 }
}
)";

class Drawing {
 public:
  Drawing(const ProcessorPicture& picture, const RunResult& result, const ProcessorSvgOptions& options,
          const Sink& sink)
      : picture_(picture), result_(result), options_(options), out_(sink),
        row_(std::clamp(384.0 / picture.processors(), 2.0, 20.0)), bottom_(kSheetTop + row_ * picture.processors()) {}

  void write() {
    const double height = bottom_ + 30;
    out_.add(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
                         "height=\"{1:.0f}\" role=\"img\">\n",
                         kSheetWidth, height));
    out_.add(
        fmt::format("<title>{}</title>\n<style>{}</style>\n<rect width=\"100%\" height=\"100%\" class=\"page\"/>\n",
                    in_svg(options_.title), kSheetStyle));
    text(kSheetLeft, 24, options_.title, "title");
    const std::vector<ProcessorPicture::Stretch> stretches = picture_.stretches();
    jobs_legend(stretches);
    kinds_legend();
    rect(kSheetLeft, kSheetTop, kSheetPlot, row_ * picture_.processors(), "plot");
    draw(stretches);
    axes();
    out_.add("</svg>\n");
    out_.flush();
  }

 private:
  void rect(double left, double top, double width, double height, const std::string& cls) {
    out_.add(fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>\n", left,
                         top, width, height, cls));
  }
  void text(double x, double y, const std::string& words, const std::string& cls) {
    out_.add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, cls, in_svg(words)));
  }
  /// About as wide as the words are drawn.
  static double width_of(const std::string& words) { return kSheetLetter * static_cast<double>(words.size()); }

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
      if (!more) rect(x, 36, 12, 12, colour(jobs[i]));
      text(x + 17, 46, words, "");
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
    const double all = to_seconds(picture_.to() - picture_.from()) * 1e9 * picture_.processors();
    double x = kSheetLeft, used = 0;
    for (const auto& k : kKinds) {
      const double part = static_cast<double>(picture_.sums()[static_cast<std::size_t>(k.what)]) / all;
      const std::string words = fmt::format("{} {}", k.words, percent(part));
      used += part;
      if (k.what == Activity::kComputing || k.what == Activity::kPolling)
        for (std::size_t i = 0; i < kStripes; ++i)
          rect(x + 2.0 * static_cast<double>(i), 58, 2, 12, fmt::format("c{}{}", i, k.look));
      else rect(x, 58, 2.0 * kStripes, 12, k.look);
      text(x + 17, 68, words, "");
      x += 17 + width_of(words) + 16;
    }
    text(x, 68, fmt::format("no process {}", percent(std::max(0.0, 1 - used))), "");
  }

  static std::string colour(JobIndex job) { return fmt::format("c{}", job % kProgramColours); }

  /// One path for all rectangles of a colour: a quarter of the bytes.
  void draw(const std::vector<ProcessorPicture::Stretch>& stretches) {
    const double scale = kSheetPlot / picture_.columns(), height = row_ - (row_ > 6 ? 1 : 0);
    std::map<std::string, std::string> paths;
    for (const auto& s : stretches) {
      const std::string cls = s.what == Activity::kSwitching ? "s"
                              : s.what == Activity::kBlocked
                                  ? "b"
                                  : colour(s.job) + (s.what == Activity::kPolling ? " p" : "");
      const double width = (s.to - s.from) * scale;
      paths[cls] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}", kSheetLeft + s.from * scale,
                                kSheetTop + s.processor * row_, width, height, width);
    }
    for (const auto& [cls, d] : paths) out_.add(fmt::format("<path class=\"{}\" d=\"{}\"/>\n", cls, d));
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
      text(kSheetLeft - 8, kSheetTop + (p + 0.5) * row_ + 4, std::to_string(p), "end");
    const double from = to_seconds(picture_.from()), to = to_seconds(picture_.to());
    for (const AxisValue& t : times_that_fit(from, to, kSheetPlot, kSheetLetter)) {
      const double x = kSheetLeft + (t.value - from) / (to - from) * kSheetPlot, half = width_of(t.text) / 2;
      line(x, bottom_, x, bottom_ + 5);
      text(std::min(x, kSheetWidth - 3 - half), bottom_ + 20, t.text, "middle");
    }
    out_.add(fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" class=\"middle\">processor</text>\n",
                         (kSheetTop + bottom_) / 2));
  }
  void line(double x1, double y1, double x2, double y2) {
    out_.add(fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" class=\"grid\"/>\n", x1, y1, x2, y2));
  }

  const ProcessorPicture& picture_;
  const RunResult& result_;
  const ProcessorSvgOptions& options_;
  BlockWriter out_;
  double row_, bottom_;
};

}  // namespace

void write_processor_svg(const ProcessorPicture& picture, const RunResult& result, const ProcessorSvgOptions& options,
                         const Sink& sink) {
  Drawing(picture, result, options, sink).write();
}

}  // namespace coslice

#include "report/tables/sparkline.h"

#include <algorithm>
#include <cmath>

#include "core/whole.h"
#include "report/number.h"
#include "report/tables/terminal.h"

namespace coslice {
namespace {

struct Span {
  Time from, to;
};

Span span_of(const RunResult& result, const Summary& summary) {
  Time from = kNever;
  for (const auto& job : result.workload->jobs) from = std::min(from, job.submit);
  return {from, from + from_seconds(summary.makespan)};
}

/// Means of a quantity over `bins` equal parts of a span; intervals are added in order of time.
class Bins {
 public:
  Bins(Span span, std::size_t bins)
      : from_(to_seconds(span.from)), part_((to_seconds(span.to) - from_) / static_cast<double>(bins)), sums_(bins) {}

  void add(Time from, Time to, double value) {
    const double a = place(from), b = place(to);
    for (auto i = truncated<std::size_t>(a); i < sums_.size() && static_cast<double>(i) < b; ++i) {
      const auto low = static_cast<double>(i);
      sums_[i] += value * (std::min(b, low + 1) - std::max(a, low));
    }
  }
  const std::vector<double>& means() const { return sums_; }

 private:
  double place(Time t) const {
    return std::clamp((to_seconds(t) - from_) / part_, 0.0, static_cast<double>(sums_.size()));
  }

  double from_, part_;
  std::vector<double> sums_;
};

}  // namespace

std::string sparkline(const std::vector<double>& values, double top) {
  static const char* const kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string out;
  for (double v : values) {
    const double height = top > 0 ? std::ceil(8 * std::min(v / top, 1.0) - 1e-9) : 0;
    out += kBlocks[v > 0 ? static_cast<int>(std::clamp(height, 1.0, 8.0)) : 0];
  }
  return out;
}

std::string run_sparklines(const RunResult& result, const Summary& summary, int width, bool colour) {
  if (summary.finished == 0 || summary.makespan <= 0) return "";
  const std::string used = percent(summary.utilization), queue = grouped(summary.max_queue) + " at most";
  const std::size_t labels = 12, figures = std::max(used.size(), queue.size()) + 2;
  const std::size_t all = static_cast<std::size_t>(std::max(width, 0));
  const std::size_t columns = std::max<std::size_t>(all > labels + figures ? all - labels - figures : 0, 10);

  const Span span = span_of(result, summary);
  Bins nodes(span, columns), waiting(span, columns);
  for (std::size_t i = 0; i < result.timeline.size(); ++i) {
    const TimelinePoint& p = result.timeline[i];
    const Time next = i + 1 < result.timeline.size() ? result.timeline[i + 1].time : span.to;
    nodes.add(p.time, next, p.used_nodes);
    waiting.add(p.time, next, p.queue);
  }
  const double longest = *std::max_element(waiting.means().begin(), waiting.means().end());
  const std::string end = human_duration(span.to - span.from);
  return pad_right("used nodes", labels) + paint(sparkline(nodes.means(), result.machine.nodes), Tone::kGood, colour) +
         "  " + used + "\n" + pad_right("queue", labels) +
         paint(sparkline(waiting.means(), longest), Tone::kWarning, colour) + "  " + queue + "\n" +
         paint(pad_right("", labels) + "0 s" + pad_left(end, columns - 3), Tone::kDim, colour) + "\n";
}

}  // namespace coslice

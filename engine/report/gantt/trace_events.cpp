#include "report/gantt/gantt_drawing.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "machine/node_set.h"

namespace coslice {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kNodes = 1, kMachine = 2;  // processes of the trace: groups of tracks

std::string quoted(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Microseconds with what decimals they need.
std::string micros(Duration d) {
  const std::int64_t ns = d.count(), rest = ns % 1000;
  return rest == 0 ? std::to_string(ns / 1000)
                   : fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(rest));
}

class TraceWriter {
 public:
  TraceWriter(const GanttChart& chart, const Sink& sink) : chart_(chart), out_(sink) {
    for (const GanttBar& b : chart.bars) lanes_ = std::max(lanes_, static_cast<int>(b.lanes));
    used_.resize(static_cast<std::size_t>(chart.result->machine.nodes) * static_cast<std::size_t>(lanes_));
  }

  void write() {
    out_.text() +=
        "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"title\":" + quoted(gantt_title(chart_)) + "},\"traceEvents\":[\n";
    name("process_name", kNodes, 0, "nodes");
    name("process_name", kMachine, 0, "machine");
    for (const GanttBar& b : chart_.bars) bar(b);
    counters();
    name_tracks();
    out_.text() += "\n]}\n";
    out_.flush();
  }

 private:
  int track(NodeId node, int lane) const { return node * lanes_ + lane; }

  void add(const std::string& event) {
    if (!first_) out_.text() += ",\n";
    first_ = false;
    out_.text() += event;
    out_.row_done();
  }

  void name(const char* what, int process, int thread, const std::string& text) {
    add(fmt::format("{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"args\":{{\"name\":{}}}}}", process, thread,
                    what, quoted(text)));
  }

  void bar(const GanttBar& b) {
    const JobIndex j = chart_.jobs[b.job];
    const Job& job = chart_.result->workload->jobs[j];
    const std::size_t c = chart_.class_of[j];
    const std::string about = fmt::format(
        "\"name\":\"job "
        "{}\",\"cat\":{},\"ts\":{},\"dur\":{},\"args\":{{\"job\":{},\"nodes\":{},\"user\":{},\"doing\":\"{}\"}}",
        job.id, quoted(c < chart_.classes.size() ? chart_.classes[c] : "other"), micros(b.from.time_since_epoch()),
        micros(b.to - b.from), job.id, chart_.nodes[b.job].count(), job.user,
        b.loading   ? "loading memory"
        : b.foreign ? "running as a foreign job"
                    : "running");
    for_each_node(chart_.nodes_of(b), [&](NodeId node) {
      const int t = track(node, b.lane);
      used_[static_cast<std::size_t>(t)] = true;
      add(fmt::format("{{\"ph\":\"X\",\"pid\":{},\"tid\":{},{}}}", kNodes, t + 1, about));
    });
  }

  void counters() {
    for (const TimelinePoint& p : chart_.timeline) {
      counter(p, "waiting jobs", "jobs", p.queue);
      counter(p, "used nodes", "nodes", p.used_nodes);
    }
  }

  void counter(const TimelinePoint& p, const char* what, const char* unit, std::int32_t n) {
    add(fmt::format("{{\"ph\":\"C\",\"pid\":{},\"name\":\"{}\",\"ts\":{},\"args\":{{\"{}\":{}}}}}", kMachine, what,
                    micros(p.time.time_since_epoch()), unit, n));
  }

  void name_tracks() {
    for (NodeId node = 0; node < chart_.result->machine.nodes; ++node) {
      for (int lane = 0; lane < lanes_; ++lane) {
        const int t = track(node, lane);
        if (!used_[static_cast<std::size_t>(t)]) continue;
        name("thread_name", kNodes, t + 1,
             lanes_ == 1 ? fmt::format("node {}", node) : fmt::format("node {}, part {}", node, lane + 1));
        add(fmt::format(
            "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}}}",
            kNodes, t + 1, t));
      }
    }
  }

  const GanttChart& chart_;
  BlockWriter out_;
  int lanes_ = 1;
  std::vector<bool> used_;  ///< by track
  bool first_ = true;
};

}  // namespace

void write_trace_events(const GanttChart& chart, const Sink& sink) { TraceWriter(chart, sink).write(); }

}  // namespace coslice

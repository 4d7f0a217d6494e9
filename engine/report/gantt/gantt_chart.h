// What a Gantt of a run shows, independent of how it is drawn: report/gantt/gantt_drawing.h and gantt.h do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metrics/summary.h"
#include "observe/picture_recorder.h"
#include "slices/slices.h"

namespace coslice {

/// Time slices of the run; no classes: it had none.
struct GanttSlicing {
  std::vector<SliceClass> classes;
  Duration overhead{0};  ///< lost at each slice's end
};

struct GanttOptions {
  std::string title;  ///< "" : the workload's name and the policy's
  std::string policy;
  std::string program;                   ///< "coslice 1.2.3", for the foot of the page
  Time from = Time::min(), to = kNever;  ///< jobs outside of this window are left out
};

/// A piece of a job's time on its nodes.
struct GanttBar {
  JobIndex job = kNoJob;
  Time from{}, to{};
  bool loading = false;
  bool foreign = false;                ///< in a slice of another class
  std::uint8_t lane = 0, lanes = 1;    ///< its first lane, of how many equal parts of each of its nodes
  std::uint8_t tall = 1;               ///< how many lanes the bar takes
  std::uint32_t nodes = kAllOfTheJob;  ///< its nodes: a place in GanttChart::nodes
  std::int32_t run = -1;               ///< it is of a run that was interrupted: a place in GanttChart::earlier
  Time up = Time::min();               ///< until then its nodes come up
  static constexpr std::uint32_t kAllOfTheJob = ~std::uint32_t{0};
};

struct GanttSlice {
  std::size_t job_class = 0;
  Time begin{}, productive_end{}, end{};  ///< nothing makes progress between the last two
};

/// What is drawn behind jobs: nodes that were down or reserved, or what a job did on them until it was interrupted.
struct GanttUnavailable {
  Time from{}, to{};
  NodeRanges nodes;
  std::int32_t run = -1;          ///< what was done in a run that was interrupted: a place in GanttChart::earlier
  std::string reserved{};         ///< the name of the reservation of nodes that it is; "": none
  std::vector<Outage> outages{};  ///< why the nodes were down, each with its own part of that time, no nodes
};

/// The run's data in order of time, cut to the window. References what it was made from.
struct GanttChart {
  const RunResult* result = nullptr;
  const MetricsOptions* metrics = nullptr;
  GanttOptions options;
  Time from{}, to{};                   ///< what there is to see
  std::vector<std::string> classes;    ///< of the slices if there are slices, else of the metrics
  std::vector<std::uint8_t> class_of;  ///< by JobIndex; classes.size() is none of them
  std::vector<JobIndex> jobs;          ///< jobs that started and were waiting or on nodes in the window
  std::vector<NodeRanges> nodes;       ///< beside `jobs`, then those of bars on a part of their job's nodes
  std::vector<Parts> size_parts;       ///< what resized jobs had of those in `nodes` from `first_size` on
  std::uint32_t first_size = 0;
  std::vector<GanttBar> bars;       ///< by their beginning; `job` is the place in `jobs`
  std::vector<EarlierRun> earlier;  ///< runs that were interrupted: bars on parts of nodes, else `unavailable`
  std::vector<GanttSlice> slices;
  std::vector<GanttUnavailable> unavailable;
  std::vector<SwapOut> swaps;  ///< `job` is the place in `jobs`
  std::vector<TimelinePoint> timeline;
  /// Nodes that are drawn with a row for each GPU, and their rows: the GPUs, and one for jobs without, if there are
  /// such.
  std::map<NodeId, std::uint8_t> gpu_rows;

  const NodeRanges& nodes_of(const GanttBar& bar) const {
    return nodes[bar.nodes == GanttBar::kAllOfTheJob ? bar.job : bar.nodes];
  }
  /// Returns whether the bar belongs to a run of which work was lost.
  bool in_vain(const GanttBar& bar) const {
    return bar.run >= 0 && earlier[static_cast<std::size_t>(bar.run)].lost > Duration{0};
  }
  /// Returns the number of rectangles that it takes to draw all bars: one for each interval of nodes, of shared nodes
  /// one for each.
  std::size_t rectangles() const;
};

/// Returns the title that was asked for, else the names of the workload and the policy.
std::string gantt_title(const GanttChart& chart);

/// Throws InputError if nothing lies in the window.
GanttChart gantt_chart(const RunResult& result, const MetricsOptions& metrics, Segments segments,
                       const GanttSlicing& slicing, GanttOptions options);

/// Lets all charts show the same time, from the first beginning to the last end.
void share_window(std::vector<GanttChart>& charts);

/// Splits bars where they overlap on a node, and gives each a lane of the node while they do: k jobs on a node are k
/// lanes, and a job that stays keeps its lane if that still exists. Of a node with GPUs, lanes are its GPUs. Bars stay
/// sorted by their beginning.
void split_into_lanes(GanttChart& chart);

}  // namespace coslice

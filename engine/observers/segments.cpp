#include "observers/segments.h"

#include <algorithm>

namespace coslice {

void SegmentRecorder::enter(Time t, JobIndex j) {
  open_[j] = {t, false};
  on_nodes_.push_back(j);
}

void SegmentRecorder::turn(Time t, JobIndex j, bool loading) {
  close(t, j);
  open_[j] = {t, loading};
}

void SegmentRecorder::leave(Time t, JobIndex j) {
  close(t, j);
  open_[j].since = kNever;
  on_nodes_.erase(std::find(on_nodes_.begin(), on_nodes_.end(), j));
}

/// Writes down what the job has done since it began to do it; goes on with its last piece if that was the same.
void SegmentRecorder::close(Time t, JobIndex j) {
  const Open& open = open_[j];
  if (open.since >= t) return;
  std::vector<Segment>& pieces = segments_.pieces;
  if (last_[j] != kNone) {
    Segment& before = pieces[last_[j]];
    if (before.to == open.since && before.loading == open.loading && before.slice == slice_) {
      before.to = t;
      return;
    }
  }
  last_[j] = pieces.size();
  pieces.push_back({j, open.since, t, slice_, open.loading});
}

void SegmentRecorder::placed(Time, JobIndex j, const Parts& parts, std::int32_t) {
  if (parts.empty()) return;
  if (parts_.empty()) parts_.resize(open_.size());
  parts_[j] = parts;
}

void SegmentRecorder::interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) {
  close(t, j);
  open_[j].since = kNever;
  std::erase(on_nodes_, j);
  if (last_[j] == kNone) return;
  const auto run = static_cast<std::int32_t>(segments_.earlier.size());
  for (Segment& piece : segments_.pieces)
    if (piece.job == j && piece.run < 0) piece.run = run;
  last_[j] = kNone;
  segments_.earlier.push_back(
      {j, later(t, -what.started), t, nodes, parts_.empty() ? Parts{} : parts_[j], what.lost, what.by});
}

void SegmentRecorder::slice_begun(Time t, std::size_t job_class, Duration productive) {
  for (const JobIndex j : on_nodes_) turn(t, j, open_[j].loading);
  slice_ = static_cast<std::int16_t>(job_class);
  segments_.slices.push_back({job_class, t, later(t, productive)});
}

Segments SegmentRecorder::take() {
  std::sort(segments_.pieces.begin(), segments_.pieces.end(),
            [](const Segment& a, const Segment& b) { return a.from != b.from ? a.from < b.from : a.job < b.job; });
  return std::move(segments_);
}

}  // namespace coslice

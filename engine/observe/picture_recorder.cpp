#include "observe/picture_recorder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace coslice {

void SegmentRecorder::leave(Time t, JobIndex j) {
  close(t, j);
  open_[j].since = kNever;
  std::erase(on_nodes_, j);
}

/// Writes down what the job has done since it began to do it; goes on with its last piece if that was the same.
void SegmentRecorder::close(Time t, JobIndex j) {
  const Open& open = open_[j];
  if (open.since >= t) return;
  std::vector<Segment>& pieces = segments_.pieces;
  if (last_[j] != kNone) {
    Segment& before = pieces[last_[j]];
    if (before.to == open.since && before.loading == open.loading && before.slice == slice_ &&
        before.size == open.size) {
      before.to = t;
      return;
    }
  }
  last_[j] = pieces.size();
  pieces.push_back({j, open.since, t, slice_, open.loading, -1, open.size});
}

void SegmentRecorder::placed(Time, JobIndex j, const Parts& parts, std::int32_t) {
  if (parts.empty()) return;
  if (parts_.empty()) parts_.resize(open_.size());
  replaced_ = std::exchange(parts_[j], parts);
}

/// What it did before it was resized for the first time was on the nodes with which it started.
void SegmentRecorder::resized(Time t, JobIndex j, const NodeRanges& before, const NodeRanges& nodes, Duration) {
  std::vector<NodeRanges>& sizes = segments_.sizes;
  if (open_[j].size < 0) {
    open_[j].size = static_cast<std::int32_t>(sizes.size());
    sizes.push_back(before);
    if (!parts_.empty()) segments_.size_parts.push_back(replaced_);
    for (Segment& piece : segments_.pieces)
      if (piece.job == j && piece.run < 0) piece.size = open_[j].size;
  }
  close(t, j);
  open_[j] = {t, open_[j].loading, static_cast<std::int32_t>(sizes.size())};
  sizes.push_back(nodes);
  if (!parts_.empty()) segments_.size_parts.push_back(parts_[j]);
}

void SegmentRecorder::interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption& what) {
  leave(t, j);
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
  std::ranges::sort(segments_.pieces, [](const Segment& a, const Segment& b) {
    return a.from != b.from ? a.from < b.from : a.job < b.job;
  });
  return std::move(segments_);
}

ProcessorPicture::ProcessorPicture(std::int32_t processors, Time from, Time to, std::int32_t columns)
    : columns_(columns), from_(from.time_since_epoch().count()), to_(to.time_since_epoch().count()),
      cells_(static_cast<std::size_t>(processors) * static_cast<std::size_t>(columns)), sums_(4, 0) {
  if (from_ >= to_ || columns < 1) throw std::invalid_argument("an empty picture");
}

/// Where a column begins.
Ns ProcessorPicture::border(std::int32_t column) const {
  const Ns span = to_ - from_, whole = span / columns_, rest = span % columns_;
  return from_ + whole * column + rest * column / columns_;
}

void ProcessorPicture::did(std::int32_t processor, Activity what, JobIndex job, Ns from, Ns to) {
  from = std::max(from, from_);
  to = std::min(to, to_);
  if (from >= to) return;
  sums_[static_cast<std::size_t>(what)] += to - from;
  auto column =
      static_cast<std::int32_t>(static_cast<double>(from - from_) / static_cast<double>(to_ - from_) * columns_);
  column = std::clamp(column, 0, columns_ - 1);
  while (column > 0 && border(column) > from) --column;
  while (border(column + 1) <= from) ++column;
  for (; column < columns_ && border(column) < to; ++column) {
    const Ns time = std::min(to, border(column + 1)) - std::max(from, border(column));
    std::vector<Part>& cell = cells_[static_cast<std::size_t>(processor) * static_cast<std::size_t>(columns_) +
                                     static_cast<std::size_t>(column)];
    const auto it = std::ranges::find_if(cell, [&](const Part& p) { return p.what == what && p.job == job; });
    if (it != cell.end()) it->time += time;
    else cell.push_back({what, job, time});
  }
}

std::vector<ProcessorPicture::Stretch> ProcessorPicture::stretches() const {
  std::vector<Stretch> out;
  for (std::int32_t p = 0; p < processors(); ++p) {
    for (std::int32_t c = 0; c < columns_; ++c) {
      const std::vector<Part>& cell =
          cells_[static_cast<std::size_t>(p) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c)];
      Ns idle = border(c + 1) - border(c);
      const Part* most = nullptr;
      for (const Part& part : cell) {
        idle -= part.time;
        if (most == nullptr || part.time > most->time) most = &part;
      }
      if (most == nullptr || idle > most->time) continue;
      const bool on = !out.empty() && out.back().processor == p && out.back().to == c &&
                      out.back().what == most->what && out.back().job == most->job;
      if (on) out.back().to = c + 1;
      else out.push_back({p, c, c + 1, most->what, most->job});
    }
  }
  return out;
}

}  // namespace coslice

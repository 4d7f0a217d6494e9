#include "process/admission.h"

#include <algorithm>

namespace coslice {

OusterhoutMatrix::OusterhoutMatrix(std::int32_t rows, std::int32_t columns, Packing packing)
    : columns_(columns), packing_(packing),
      taken_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), false),
      free_(static_cast<std::size_t>(rows), columns) {}

std::optional<std::vector<std::int32_t>> OusterhoutMatrix::find(std::int32_t row, std::int32_t size,
                                                                const std::vector<bool>* refused) const {
  if (size > free_columns(row)) return std::nullopt;
  std::int32_t block = 1;  // under buddy: the columns to look at together
  while (packing_ == Packing::kBuddy && block < size) block *= 2;
  std::vector<std::int32_t> found;
  for (std::int32_t column = 0; column < columns_; ++column) {
    if (packing_ == Packing::kBuddy && column % block == 0) found.clear();
    if (!taken(row, column) && !(refused && (*refused)[static_cast<std::size_t>(column)])) found.push_back(column);
    const auto free = static_cast<std::int32_t>(found.size());
    const bool end_of_block = (column + 1) % block == 0 || column + 1 == columns_;
    const bool enough =
        packing_ == Packing::kLowest ? free == size : end_of_block && free >= size && free == column % block + 1;
    if (!enough) continue;
    found.resize(static_cast<std::size_t>(size));
    return found;
  }
  return std::nullopt;
}

void OusterhoutMatrix::mark(std::int32_t row, const std::vector<std::int32_t>& columns, bool taken) {
  for (const std::int32_t c : columns)
    taken_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c)] = taken;
  const auto n = static_cast<std::int32_t>(columns.size());
  free_[static_cast<std::size_t>(row)] += taken ? -n : n;
}

std::int32_t OusterhoutMatrix::next_row(std::int32_t row) const {
  for (std::int32_t i = 1; i <= rows(); ++i) {
    const std::int32_t r = (row + i) % rows();
    if (!empty_row(r)) return r;
  }
  return row;
}

ProcessRoom::ProcessRoom(std::int32_t processors, std::int32_t processors_per_node, std::int64_t memory_kb)
    : processors_(processors), per_node_(processors_per_node), memory_(memory_kb),
      free_(static_cast<std::size_t>((processors + processors_per_node - 1) / processors_per_node), memory_kb) {}

std::int64_t ProcessRoom::most(std::int64_t memory_kb) const {
  if (!limited() || memory_kb == 0) return processors_;
  const std::int64_t fit = memory_ / memory_kb, nodes = processors_ / per_node_;
  return nodes * std::min<std::int64_t>(fit, per_node_) + std::min<std::int64_t>(fit, processors_ % per_node_);
}

namespace {

/// The columns of a row that the job would get, where its processes find memory beside those of other rows.
std::optional<std::vector<std::int32_t>> place(const OusterhoutMatrix& matrix, const ProcessRoom& room,
                                               std::int32_t row, const ProcessJob& job) {
  if (!room.limited() || job.memory_kb == 0) return matrix.find(row, job.size);
  std::vector<bool> refused(static_cast<std::size_t>(matrix.columns()), false);
  std::int64_t more = 0;
  for (std::int32_t c = 0; c < matrix.columns(); ++c) {
    if (c == 0 || room.node_of(c) != room.node_of(c - 1)) more = room.more(room.node_of(c), job.memory_kb);
    if (!matrix.taken(row, c)) refused[static_cast<std::size_t>(c)] = more-- <= 0;
  }
  return matrix.find(row, job.size, &refused);
}

}  // namespace

Admission::Admission(std::int32_t rows, std::int32_t processors, const std::vector<ProcessJob>& jobs,
                     const AdmissionOptions& options)
    : jobs_(jobs), options_(options), matrix_(rows, processors, options.packing),
      room_(processors, options.processors_per_node, options.memory_kb) {}

PlacedJob Admission::release(JobIndex job) {
  const auto it = std::find_if(placed_.begin(), placed_.end(), [&](const PlacedJob& p) { return p.job == job; });
  PlacedJob ended = std::move(*it);
  placed_.erase(it);
  matrix_.release(ended.row, ended.columns);
  room_.release(ended.columns, jobs_[job].memory_kb);
  return ended;
}

void Admission::admit(Ns now, const Start& start) {
  std::vector<JobIndex> left;
  std::optional<Shadow> shadow;
  bool in_order = true;
  for (const JobIndex job : std::exchange(waiting_, {})) {
    const bool started = (in_order || options_.backfill) && try_start(job, now, shadow ? &*shadow : nullptr, start);
    if (started) {
      if (shadow) shadow = shadow_of(left.front(), now);
      continue;
    }
    left.push_back(job);
    if (in_order && options_.backfill) shadow = shadow_of(job, now);
    in_order = false;
    if (!listeners_.empty()) explain_wait(job, left.front(), shadow, now);
  }
  waiting_ = std::move(left);
}

void Admission::explain_wait(JobIndex job, JobIndex head, const std::optional<Shadow>& shadow, Ns now) const {
  RoomInRows room{jobs_[job].size, 0, head == job ? kNoJob : head, options_.backfill, kNever};
  for (std::int32_t row = 0; row < matrix_.rows(); ++row)
    room.most_free = std::max(room.most_free, matrix_.free_columns(row));
  if (shadow && shadow->time != kUnknown) room.shadow = Time{Duration{shadow->time}};
  for (DecisionObserver* d : listeners_) d->not_admitted(Time{Duration{now}}, job, room);
}

bool Admission::try_start(JobIndex job, Ns now, const Shadow* shadow, const Start& start) {
  for (std::int32_t row = 0; row < matrix_.rows(); ++row) {
    if (shadow && delays(*shadow, row, job, now)) continue;
    std::optional<std::vector<std::int32_t>> columns = place(matrix_, room_, row, jobs_[job]);
    if (!columns) continue;
    matrix_.take(row, *columns);
    room_.take(*columns, jobs_[job].memory_kb);
    placed_.push_back({job, row, std::move(*columns), believed_end(job, now)});
    start(placed_.back(), shadow ? StartReason::kBackfilled : StartReason::kInOrder);
    return true;
  }
  return false;
}

bool Admission::delays(const Shadow& shadow, std::int32_t row, JobIndex job, Ns now) const {
  // Where memory counts, a job of another row may take what the first one needs.
  const bool apart = room_.limited() ? jobs_[job].memory_kb == 0 && row != shadow.row : row != shadow.row;
  if (apart || (!room_.limited() && jobs_[job].size <= shadow.extra)) return false;
  return believed_end(job, now) > shadow.time;
}

std::vector<const PlacedJob*> Admission::by_believed_end() const {
  std::vector<const PlacedJob*> ending;
  for (const PlacedJob& p : placed_) ending.push_back(&p);
  std::stable_sort(ending.begin(), ending.end(),
                   [](const PlacedJob* a, const PlacedJob* b) { return a->believed_end < b->believed_end; });
  return ending;
}

/// In each row, jobs end when they are believed to; the first row in which enough columns are free then is the place.
Admission::Shadow Admission::shadow_of(JobIndex head, Ns now) const {
  if (options_.packing == Packing::kBuddy || (room_.limited() && jobs_[head].memory_kb > 0))
    return shadow_in_memory(head, now);
  const std::vector<const PlacedJob*> ending = by_believed_end();
  Shadow best{kUnknown, 0, 0};
  for (std::int32_t row = 0; row < matrix_.rows(); ++row) {
    std::int32_t free = matrix_.free_columns(row);
    Ns when = now;
    for (const PlacedJob* p : ending) {
      if (free >= jobs_[head].size) break;
      if (p->row != row) continue;
      free += static_cast<std::int32_t>(p->columns.size());
      when = std::max(now, p->believed_end);
    }
    if (when < best.time) best = {when, row, free - jobs_[head].size};
  }
  return best;
}

/// The same where it matters which columns are free, for their memory or for being a block: all rows together, one
/// believed end after the other.
Admission::Shadow Admission::shadow_in_memory(JobIndex head, Ns now) const {
  OusterhoutMatrix matrix = matrix_;
  ProcessRoom room = room_;
  for (const PlacedJob* p : by_believed_end()) {
    matrix.release(p->row, p->columns);
    room.release(p->columns, jobs_[p->job].memory_kb);
    for (std::int32_t row = 0; row < matrix.rows(); ++row)
      if (place(matrix, room, row, jobs_[head])) return {std::max(now, p->believed_end), row, 0};
  }
  return {kUnknown, 0, 0};
}

}  // namespace coslice

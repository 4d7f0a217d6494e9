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

/// Marks the free columns of a row that have no memory for one more process each.
void ProcessRoom::refuse(const OusterhoutMatrix& matrix, std::int32_t row, std::int64_t memory_kb,
                         std::vector<bool>& refused) const {
  for (NodeId n = 0; n != columns_->nodes(); ++n) {
    std::int64_t more = this->more(n, memory_kb);
    for (std::int32_t c = columns_->begin(n); c != columns_->end(n); ++c)
      if (!matrix.taken(row, c) && !refused[static_cast<std::size_t>(c)])
        refused[static_cast<std::size_t>(c)] = more-- <= 0;
  }
}

Admission::Admission(std::int32_t rows, const NodeColumns& columns, const std::vector<ProcessJob>& jobs,
                     const AdmissionOptions& options)
    : columns_(columns), jobs_(jobs), options_(options), matrix_(rows, columns.count(), options.packing),
      room_(columns, options.memory_kb), access_(columns), turns_(jobs.size()) {
  for (const ProcessJob& j : jobs) alone_.push_back(j.estimate);
}

PlacedJob Admission::release(JobIndex job) {
  const auto it = std::find_if(placed_.begin(), placed_.end(), [&](const PlacedJob& p) { return p.job == job; });
  PlacedJob ended = std::move(*it);
  placed_.erase(it);
  matrix_.release(ended.row, ended.columns);
  room_.release(ended.columns, jobs_[job].memory_kb);
  return ended;
}

Ns Admission::next_due(Ns now) const {
  Ns next = kUnknown;
  for (const Planned& p : planned_)
    if (p.slot.time > now) next = std::min(next, p.slot.time);
  return next;
}

bool Admission::can_ever_run(JobIndex job) const {
  const OusterhoutMatrix empty(1, matrix_.columns(), options_.packing);
  const ProcessRoom room(columns_, options_.memory_kb);
  std::vector<bool> refused(static_cast<std::size_t>(empty.columns()), false);
  if (room.limited() && jobs_[job].memory_kb > 0) room.refuse(empty, 0, jobs_[job].memory_kb, refused);
  return empty.find(0, jobs_[job].size, &refused).has_value();
}

void Admission::wait(JobIndex job, Turn turn) {
  turns_[job] = turn;
  const auto before = [&](const Turn& t, JobIndex j) { return t < turns_[j]; };
  waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), turn, before), job);
}

void Admission::submit_again(JobIndex job, RequeuePlace place) {
  Turn turn = turns_[job];
  if (place == RequeuePlace::kFront) turn.last = kFirst;
  if (place == RequeuePlace::kBack) turn.number = next_++;
  wait(job, turn);
}

void Admission::withdraw(JobIndex job) {
  std::erase(waiting_, job);
  take_plan(job);
}

std::vector<JobIndex> Admission::jobs_on(NodeId n) const {
  std::vector<JobIndex> jobs;
  for (const PlacedJob& p : placed_)
    if (std::any_of(p.columns.begin(), p.columns.end(), [&](std::int32_t c) { return columns_.node_of(c) == n; }))
      jobs.push_back(p.job);
  return jobs;
}

/// The columns of a row that the job may not have from then on, beside those that are taken: of nodes that are not there for
/// it, and where its processes find no memory beside those of other rows.
std::vector<bool> Admission::refused(const OusterhoutMatrix& matrix, const ProcessRoom& room, std::int32_t row,
                                     JobIndex job, Ns from, const std::vector<Planned>& beside) const {
  std::vector<bool> refused(static_cast<std::size_t>(matrix.columns()), false);
  const Ns to = believed_end(job, from);
  access_.refuse(from, to, refused);
  const auto meets = [&](const Planned& p) { return p.slot.time < to && from < p.to; };
  for (const Planned& p : beside)
    if (p.slot.row == row && meets(p))
      for (const std::int32_t c : p.slot.columns) refused[static_cast<std::size_t>(c)] = true;
  const std::int64_t memory = jobs_[job].memory_kb;
  if (!room.limited() || memory == 0) return refused;
  // What is planned to start meanwhile needs memory from then on; jobs that are there leave theirs.
  std::vector<Ns> instants = {from};
  for (const Planned& p : beside)
    if (from < p.slot.time && p.slot.time < to) instants.push_back(p.slot.time);
  for (const Ns t : instants) {
    ProcessRoom left = room;
    for (const PlacedJob& p : placed_)
      if (from < p.believed_end && p.believed_end <= t) left.release(p.columns, jobs_[p.job].memory_kb);
    for (const Planned& p : beside)
      if (p.slot.time <= t && t < p.to) left.take(p.slot.columns, jobs_[p.job].memory_kb);
    left.refuse(matrix, row, memory, refused);
  }
  return refused;
}

/// The columns of a row that the job would get if it started then.
std::optional<std::vector<std::int32_t>> Admission::place(const OusterhoutMatrix& matrix, const ProcessRoom& room,
                                                          std::int32_t row, JobIndex job, Ns from) const {
  const ProcessJob& j = jobs_[job];
  if (j.size > matrix.free_columns(row)) return std::nullopt;
  const bool by_memory = room.limited() && j.memory_kb > 0;
  if (!by_memory && !access_.limits() && planned_.empty()) return matrix.find(row, j.size);
  const std::vector<bool> refused = this->refused(matrix, room, row, job, from, planned_);
  return matrix.find(row, j.size, &refused);
}

void Admission::admit(Ns now, const Start& start) {
  if (options_.backfill == Backfill::kConservative) admit_by_plan(now, start);
  else admit_by_shadow(now, start);
}

void Admission::admit_by_shadow(Ns now, const Start& start) {
  const bool backfill = options_.backfill != Backfill::kNone;
  std::vector<JobIndex> left;
  std::optional<Shadow> shadow;
  bool in_order = true;
  for (const JobIndex job : std::exchange(waiting_, {})) {
    const bool started = (in_order || backfill) && try_start(job, now, shadow ? &*shadow : nullptr, start);
    if (started) {
      if (shadow) shadow = shadow_of(left.front(), now);
      continue;
    }
    left.push_back(job);
    if (in_order && backfill) shadow = shadow_of(job, now);
    in_order = false;
    if (!listeners_.empty()) explain_wait(job, left.front(), shadow, now);
  }
  waiting_ = std::move(left);
}

// Conservative backfilling: each waiting job has a place in the matrix and a time from which on it is planned to have it. It
// moves to an earlier one when there is one beside all others, in the order of the queue; to a later one only if jobs have
// outrun their believed ends or nodes have gone.

void Admission::admit_by_plan(Ns now, const Start& start) {
  keep_plans(now);
  std::vector<JobIndex> left;
  std::optional<Shadow> head;
  for (const JobIndex job : std::exchange(waiting_, {})) {
    std::optional<Planned> old = take_plan(job);
    const bool due = old && old->slot.time <= now && is_free(*old, matrix_, room_, {});
    std::optional<Slot> slot = due ? old->slot : earliest(job, now, true);
    if (due || (slot && slot->now)) {
      const StartReason reason = left.empty() ? StartReason::kInOrder
                                 : due        ? StartReason::kReservation
                                              : StartReason::kBackfilled;
      enter(job, slot->row, std::move(slot->columns), now, reason, start);
      continue;
    }
    if (slot && (!old || slot->time < old->slot.time)) {
      const Ns to = believed_end(job, slot->time);
      if (reserve_) reserve_(job, Time{Duration{slot->time}});
      old = Planned{job, std::move(*slot), to};
    }
    left.push_back(job);
    if (!head) head = Shadow{old ? old->slot.time : kUnknown, 0, 0};
    if (old) planned_.push_back(std::move(*old));
    if (!listeners_.empty()) explain_wait(job, left.front(), head, now);
  }
  waiting_ = std::move(left);
}

/// Drops the plans that can not be kept. What should have begun is planned for now.
void Admission::keep_plans(Ns now) {
  for (Planned& p : std::exchange(planned_, {})) {
    p.slot.time = std::max(p.slot.time, now);
    p.to = believed_end(p.job, p.slot.time);
    if (stands(p, now)) planned_.push_back(std::move(p));
  }
}

/// Whether its place will be free then, beside those of plans that are kept already.
bool Admission::stands(const Planned& p, Ns now) const {
  OusterhoutMatrix matrix = matrix_;
  ProcessRoom room = room_;
  for (const PlacedJob& one : placed_) {
    if (std::max(now, one.believed_end) > p.slot.time) continue;
    matrix.release(one.row, one.columns);
    room.release(one.columns, jobs_[one.job].memory_kb);
  }
  return is_free(p, matrix, room, planned_);
}

/// Whether nothing has its columns in its row then, and the nodes are there and have the memory, beside those plans.
bool Admission::is_free(const Planned& p, OusterhoutMatrix matrix, const ProcessRoom& room,
                        const std::vector<Planned>& beside) const {
  const auto has = [&](std::int32_t c) {
    return std::find(p.slot.columns.begin(), p.slot.columns.end(), c) != p.slot.columns.end();
  };
  std::vector<std::int32_t> others;
  for (std::int32_t c = 0; c != matrix.columns(); ++c) {
    if (matrix.taken(p.slot.row, c) && has(c)) return false;
    if (!matrix.taken(p.slot.row, c) && !has(c)) others.push_back(c);
  }
  matrix.take(p.slot.row, others);
  const std::vector<bool> refused = this->refused(matrix, room, p.slot.row, p.job, p.slot.time, beside);
  return std::none_of(p.slot.columns.begin(), p.slot.columns.end(),
                      [&](std::int32_t c) { return refused[static_cast<std::size_t>(c)]; });
}

std::optional<Admission::Planned> Admission::take_plan(JobIndex job) {
  const auto it = std::find_if(planned_.begin(), planned_.end(), [&](const Planned& p) { return p.job == job; });
  if (it == planned_.end()) return std::nullopt;
  Planned plan = std::move(*it);
  planned_.erase(it);
  return plan;
}

void Admission::explain_wait(JobIndex job, JobIndex head, const std::optional<Shadow>& shadow, Ns now) const {
  RoomInRows room{jobs_[job].size, 0, head == job ? kNoJob : head, options_.backfill != Backfill::kNone, kNever};
  for (std::int32_t row = 0; row < matrix_.rows(); ++row)
    room.most_free = std::max(room.most_free, matrix_.free_columns(row));
  if (shadow && shadow->time != kUnknown) room.shadow = Time{Duration{shadow->time}};
  for (DecisionObserver* d : listeners_) d->not_admitted(Time{Duration{now}}, job, room);
}

bool Admission::try_start(JobIndex job, Ns now, const Shadow* shadow, const Start& start) {
  for (std::int32_t row = 0; row < matrix_.rows(); ++row) {
    if (shadow && delays(*shadow, row, job, now)) continue;
    std::optional<std::vector<std::int32_t>> columns = place(matrix_, room_, row, job, now);
    if (!columns) continue;
    enter(job, row, std::move(*columns), now, shadow ? StartReason::kBackfilled : StartReason::kInOrder, start);
    return true;
  }
  return false;
}

void Admission::enter(JobIndex job, std::int32_t row, std::vector<std::int32_t> columns, Ns now, StartReason reason,
                      const Start& start) {
  matrix_.take(row, columns);
  room_.take(columns, jobs_[job].memory_kb);
  placed_.push_back({job, row, std::move(columns), believed_end(job, now)});
  start(placed_.back(), reason);
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

Admission::Shadow Admission::shadow_of(JobIndex head, Ns now) const {
  const bool counts = options_.packing == Packing::kLowest && (!room_.limited() || jobs_[head].memory_kb == 0);
  if (counts)
    if (const Shadow shadow = shadow_by_count(head, now); !access_.limits_before(believed_end(head, shadow.time)))
      return shadow;
  const std::optional<Slot> slot = earliest(head, now, false);
  return slot ? Shadow{slot->time, slot->row, 0} : Shadow{kUnknown, 0, 0};
}

/// In each row, jobs end when they are believed to; the first row in which enough columns are free then is the place.
Admission::Shadow Admission::shadow_by_count(JobIndex head, Ns now) const {
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

/// Instants after `now` at which places may become free, beside the believed ends of jobs.
std::vector<Ns> Admission::openings(Ns now) const {
  std::vector<Ns> all = access_.openings(now);
  for (const Planned& p : planned_)
    if (p.to > now && p.to != kUnknown) all.push_back(p.to);
  std::sort(all.begin(), all.end());
  return all;
}

/// The first place and time beside all that is planned, where it matters which columns are free: for their memory, for being
/// a block or there at all. All rows together, one believed end or opening after the other. `at_once`: what is free now is
/// looked at first.
std::optional<Admission::Slot> Admission::earliest(JobIndex job, Ns now, bool at_once) const {
  OusterhoutMatrix matrix = matrix_;
  ProcessRoom room = room_;
  const auto slot_at = [&](Ns t) -> std::optional<Slot> {
    for (std::int32_t row = 0; row < matrix.rows(); ++row)
      if (auto columns = place(matrix, room, row, job, t)) return Slot{t, row, std::move(*columns)};
    return std::nullopt;
  };
  if (at_once)
    if (std::optional<Slot> slot = slot_at(now)) {
      slot->now = true;
      return slot;
    }
  const std::vector<const PlacedJob*> ending = by_believed_end();
  const std::vector<Ns> openings = this->openings(now);
  auto end = ending.begin();
  auto opening = openings.begin();
  while (end != ending.end() || opening != openings.end()) {
    Ns when = now;
    if (end != ending.end() && (opening == openings.end() || (*end)->believed_end <= *opening)) {
      const PlacedJob& p = **end++;
      matrix.release(p.row, p.columns);
      room.release(p.columns, jobs_[p.job].memory_kb);
      when = std::max(now, p.believed_end);
    } else {
      when = *opening++;
    }
    if (when == kUnknown) break;
    if (std::optional<Slot> slot = slot_at(when)) return slot;
  }
  return std::nullopt;
}

}  // namespace coslice

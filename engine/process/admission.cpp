#include "process/admission.h"

#include <algorithm>

#include "machine/memory_amount.h"
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

std::vector<std::int32_t> OusterhoutMatrix::block_of(const std::vector<std::int32_t>& columns) const {
  std::int32_t block = 1;
  while (block < static_cast<std::int32_t>(columns.size())) block *= 2;
  std::vector<std::int32_t> all;
  const std::int32_t first = columns.front() / block * block;
  for (std::int32_t c = first; c < std::min(first + block, columns_); ++c) all.push_back(c);
  return all;
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

void ProcessRoom::refuse(const OusterhoutMatrix& matrix, std::int32_t row, const ProcessNeed& need,
                         std::vector<bool>& refused) const {
  for (NodeId n = 0; n != columns_->nodes(); ++n) {
    std::int64_t more = this->more(n, need);
    for (std::int32_t c = columns_->begin(n); c != columns_->end(n); ++c)
      if (!matrix.taken(row, c) && !refused[static_cast<std::size_t>(c)])
        refused[static_cast<std::size_t>(c)] = more-- <= 0;
  }
}

Admission::Admission(std::int32_t rows, const NodeColumns& columns, const std::vector<ProcessJob>& jobs,
                     const AdmissionOptions& options, const JobDemands* demands)
    : columns_(columns), jobs_(jobs), options_(options), matrix_(rows, columns.count(), options.packing),
      access_(columns, demands, jobs.empty() ? Time{} : jobs.front().submit), whole_(columns, whole_nodes(demands)),
      room_(whole_), turns_(jobs.size()) {
  for (const ProcessJob& j : jobs) alone_.push_back(j.estimate);
}

/// What nodes have that nothing runs on.
std::vector<ProcessNeed> Admission::whole_nodes(const JobDemands* demands) const {
  const auto or_no_limit = [](std::int64_t memory) { return memory > 0 ? memory : ProcessRoom::kNoLimit; };
  std::vector<ProcessNeed> all(static_cast<std::size_t>(columns_.nodes()),
                               {or_no_limit(options_.memory_kb), ProcessRoom::kNoLimit});
  if (demands == nullptr) return all;
  for (NodeId n = 0; n != columns_.nodes(); ++n) {
    const NodeKind& kind = demands->layout().kind_of(n);
    if (options_.memory_kb == 0 && kind.memory_mib > 0)
      all[static_cast<std::size_t>(n)].memory_kb = kind.memory_mib * kKbOfMib;
    all[static_cast<std::size_t>(n)].gpus = std::int64_t{kind.gpus} * kWholeGpu;
  }
  return all;
}

PlacedJob Admission::release(JobIndex job) {
  const auto it = std::find_if(placed_.begin(), placed_.end(), [&](const PlacedJob& p) { return p.job == job; });
  PlacedJob ended = std::move(*it);
  placed_.erase(it);
  matrix_.release(ended.row, ended.columns);
  room_.release(ended.columns, jobs_[job].need());
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
  const ProcessNeed need = jobs_[job].need();
  for (std::size_t choice = 0; choice != access_.choices(job); ++choice) {
    std::vector<bool> refused(static_cast<std::size_t>(empty.columns()), false);
    access_.refuse_for_good(job, choice, refused);
    if (limited_by_room(job)) whole_.refuse(empty, 0, need, refused);
    if (empty.find(0, jobs_[job].size, &refused)) return true;
  }
  return false;
}

void Admission::wait(JobIndex job, Turn turn) {
  turns_[job] = turn;
  const auto before = [&](const Turn& t, JobIndex j) { return t < turns_[j]; };
  waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), turn, before), job);
}

void Admission::submit_again(JobIndex job, RequeuePosition place) {
  Turn turn = turns_[job];
  if (place == RequeuePosition::kFront) turn.last = kFirst;
  if (place == RequeuePosition::kBack) turn.number = next_++;
  wait(job, turn);
}

void Admission::withdraw(JobIndex job) {
  std::erase(waiting_, job);
  take_plan(job);
}

/// The columns of a row that the job, by that choice, may not have from then on, beside those that are taken: of nodes
/// that are closed to it, and where its processes find no room beside those of other rows.
std::vector<bool> Admission::refused(const OusterhoutMatrix& matrix, const ProcessRoom& room, std::int32_t row,
                                     JobIndex job, std::size_t choice, Ns from,
                                     const std::vector<Planned>& beside) const {
  std::vector<bool> refused(static_cast<std::size_t>(matrix.columns()), false);
  const Ns to = believed_end(job, from);
  access_.refuse(job, choice, from, to, refused);
  for (const Planned& p : beside)
    if (p.slot.row == row && p.slot.time < to && from < p.to)
      for (const std::int32_t c : p.slot.columns) refused[static_cast<std::size_t>(c)] = true;
  if (!limited_by_room(job)) return refused;
  // What is planned to start meanwhile needs room from then on; jobs that are there leave theirs.
  std::vector<Ns> instants = {from};
  for (const Planned& p : beside)
    if (from < p.slot.time && p.slot.time < to) instants.push_back(p.slot.time);
  for (const Ns t : instants) {
    ProcessRoom left = room;
    for (const PlacedJob& p : placed_)
      if (from < p.believed_end && p.believed_end <= t) left.release(p.columns, jobs_[p.job].need());
    for (const Planned& p : beside)
      if (p.slot.time <= t && t < p.to) left.take(p.slot.columns, jobs_[p.job].need());
    left.refuse(matrix, row, jobs_[job].need(), refused);
  }
  return refused;
}

/// The columns of a row that the job would get if it started then.
std::optional<Admission::Slot> Admission::place(const OusterhoutMatrix& matrix, const ProcessRoom& room,
                                                std::int32_t row, JobIndex job, Ns from) const {
  const std::int32_t size = jobs_[job].size;
  if (size > matrix.free_columns(row)) return std::nullopt;
  if (!limited_by_room(job) && !access_.limits() && planned_.empty()) {
    std::optional<std::vector<std::int32_t>> columns = matrix.find(row, size);
    return columns ? std::optional(Slot{from, row, std::move(*columns)}) : std::nullopt;
  }
  for (std::size_t choice = 0; choice != access_.choices(job); ++choice) {
    const std::vector<bool> refused = this->refused(matrix, room, row, job, choice, from, planned_);
    if (std::optional<std::vector<std::int32_t>> columns = matrix.find(row, size, &refused))
      return Slot{from, row, std::move(*columns), choice};
  }
  return std::nullopt;
}

std::optional<Ns> Admission::could_start(JobIndex job, Ns now, bool now_only) const {
  if (!now_only) {
    const std::optional<Slot> slot = earliest(job, now, true);
    return slot ? std::optional(slot->time) : std::nullopt;
  }
  for (std::int32_t row = 0; row < matrix_.rows(); ++row)
    if (place(matrix_, room_, row, job, now)) return now;
  return std::nullopt;
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
    const bool started = (in_order || backfill) &&
                         try_start(job, left.empty() ? job : left.front(), now, shadow ? &*shadow : nullptr, start);
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
  planned_.clear();
}

// Conservative backfilling: each waiting job has a place in the matrix and a time from which on it is planned to have
// it. It moves to an earlier one when there is one beside all others, in the order of the queue; to a later one only if
// jobs have outrun their believed ends or nodes have gone.

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
      enter(job, std::move(*slot), now, reason, start);
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
    room.release(one.columns, jobs_[one.job].need());
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
  const std::vector<bool> refused = this->refused(matrix, room, p.slot.row, p.job, p.slot.choice, p.slot.time, beside);
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

bool Admission::try_start(JobIndex job, JobIndex head, Ns now, const Shadow* shadow, const Start& start) {
  for (std::int32_t row = 0; row < matrix_.rows(); ++row) {
    if (shadow && planned_.empty() && delays(*shadow, row, job, head, now)) continue;
    std::optional<Slot> slot = place(matrix_, room_, row, job, now);
    if (!slot) continue;
    enter(job, std::move(*slot), now, shadow ? StartReason::kBackfilled : StartReason::kInOrder, start);
    return true;
  }
  return false;
}

void Admission::enter(JobIndex job, Slot slot, Ns now, StartReason reason, const Start& start) {
  matrix_.take(slot.row, slot.columns);
  room_.take(slot.columns, jobs_[job].need());
  placed_.push_back({job, slot.row, std::move(slot.columns), believed_end(job, now), slot.choice});
  start(placed_.back(), reason);
}

/// In another row a job takes nothing that the first one needs, unless both need room on nodes.
bool Admission::delays(const Shadow& shadow, std::int32_t row, JobIndex job, JobIndex head, Ns now) const {
  const bool apart = row != shadow.row && !(limited_by_room(job) && limited_by_room(head));
  if (apart || jobs_[job].size <= shadow.extra) return false;
  return believed_end(job, now) > shadow.time;
}

std::vector<const PlacedJob*> Admission::by_believed_end() const {
  std::vector<const PlacedJob*> ending;
  for (const PlacedJob& p : placed_) ending.push_back(&p);
  std::stable_sort(ending.begin(), ending.end(),
                   [](const PlacedJob* a, const PlacedJob* b) { return a->believed_end < b->believed_end; });
  return ending;
}

/// Where nodes are closed to some jobs at times, the place becomes a plan, which others leave alone.
Admission::Shadow Admission::shadow_of(JobIndex head, Ns now) {
  planned_.clear();
  const bool counts = options_.packing == Packing::kLowest && !limited_by_room(head);
  if (counts)
    if (const Shadow shadow = shadow_by_count(head, now); !access_.limits_before(head, believed_end(head, shadow.time)))
      return shadow;
  std::optional<Slot> slot = earliest(head, now, false);
  if (!slot) return {kUnknown, 0, 0};
  const Shadow shadow{slot->time, slot->row, 0};
  if (!access_.limits()) return shadow;
  if (options_.packing == Packing::kBuddy) slot->columns = matrix_.block_of(slot->columns);
  planned_.push_back({head, std::move(*slot), believed_end(head, shadow.time)});
  return shadow;
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

/// The first place and time beside all that is planned, where it matters which columns are free: for their memory, for
/// being a block or there at all. All rows together, one believed end or opening after the other. `at_once`: what is
/// free now is looked at first.
std::optional<Admission::Slot> Admission::earliest(JobIndex job, Ns now, bool at_once) const {
  OusterhoutMatrix matrix = matrix_;
  ProcessRoom room = room_;
  const auto slot_at = [&](Ns t) -> std::optional<Slot> {
    for (std::int32_t row = 0; row < matrix.rows(); ++row)
      if (std::optional<Slot> slot = place(matrix, room, row, job, t)) return slot;
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
      room.release(p.columns, jobs_[p.job].need());
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

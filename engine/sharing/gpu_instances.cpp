#include "sharing/gpu_instances.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "jobs/job_demands.h"
#include "sharing/contention.h"

namespace coslice {
namespace {

/// What the slice that a running job has counts more than it is worth: of equally good divisions few jobs move.
constexpr double kStays = 1e-9;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

double speed_in(const GpuInstances::Record& r, std::int32_t kind, std::int32_t parts) {
  const std::vector<double>& speeds = r.speeds[at(kind)];
  return speeds.empty() ? 0 : speeds[at(parts - 1)];
}

}  // namespace

GpuInstances::GpuInstances(UnitLedger& ledger) : ledger_(ledger), used_(ledger.sizes().size()) {}

GpuInstances::Record& GpuInstances::record(Tenant& t) {
  Record& r = records_[t.job];
  if (r.job != nullptr) return r;
  r.job = &t;
  const View& view = ledger_.view();
  const Contention* const contention = view.host().contention();
  r.speeds.resize(used_.size());
  for (const std::int32_t k : t.prefers) {
    const std::int32_t slices = view.demands()->layout().kinds[at(k)].slices;
    std::vector<double> speeds;
    for (std::int32_t parts = 1; parts <= slices; ++parts) {
      const double slowdown = contention == nullptr ? 0 : contention->expected_on_gpu_instance(t.job, k, parts);
      speeds.push_back(slowdown > 0 ? 1 / slowdown : 0);
    }
    if (std::ranges::any_of(speeds, [](double s) { return s > 0; })) r.speeds[at(k)] = std::move(speeds);
  }
  std::vector<double> all;
  for (const std::vector<double>& of_kind : r.speeds) {
    all.insert(all.end(), of_kind.begin(), of_kind.end());
    all.push_back(-1);
  }
  r.type = types_.try_emplace(std::move(all), static_cast<std::uint32_t>(types_.size()) + 1).first->second;
  return r;
}

/// The jobs on it are other ones, or run in other slices.
void GpuInstances::look_at(Unit& unit) {
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(unit.kind)};
  unit.sum = 0;
  for (const Record* r : unit.jobs) {
    unit.sum += speed_in(*r, unit.kind, r->slice);
    key.push_back(r->type);
    key.push_back(static_cast<std::uint32_t>(r->runs_in));
  }
  unit.mix = mixes_.try_emplace(std::move(key), static_cast<std::uint32_t>(mixes_.size())).first->second;
}

void GpuInstances::add(Unit& unit, Record& r, std::int32_t parts) {
  unit.jobs.push_back(&r);
  r.unit = &unit;
  r.slice = parts;
}

void GpuInstances::remove(Record& r) {
  Unit& unit = *r.unit;
  std::erase(unit.jobs, &r);
  r.unit = nullptr;
  if (unit.jobs.empty()) {
    --used_[at(unit.kind)];
    std::erase(lost_, &unit);
    std::erase_if(units_, [&](const std::unique_ptr<Unit>& u) { return u.get() == &unit; });
    return;
  }
  look_at(unit);
  lost_.push_back(&unit);
  unit.lost = true;
}

void GpuInstances::hold(Record& r, std::int32_t kind, std::int32_t units) {
  r.holds.resize(used_.size());
  r.holds[at(kind)] = units;
  used_[at(kind)] += units;
}

void GpuInstances::release(Record& r) {
  for (std::size_t k = 0; k != r.holds.size(); ++k) used_[k] -= r.holds[k];
  r.holds.clear();
}

void GpuInstances::ended(JobIndex j) {
  const auto found = records_.find(j);
  if (found == records_.end() || ledger_.stopping()) return;
  Record& r = found->second;
  if (r.job->runs) refused_beside_.clear();
  release(r);
  if (r.unit != nullptr) remove(r);
  std::erase(coming_, &r);
  std::erase_if(refused_alone_, [&](const auto& who) { return who.first == j; });
  records_.erase(found);
}

const GpuInstances::Unit* GpuInstances::next_left_over() {
  while (!lost_.empty()) {
    Unit& unit = *lost_.front();
    lost_.erase(lost_.begin());
    if (std::exchange(unit.lost, false)) return &unit;
  }
  return nullptr;
}

GpuInstances::Unit* GpuInstances::find(std::uint64_t number) const {
  const auto found = std::ranges::find_if(units_, [&](const auto& unit) { return unit->number == number; });
  return found == units_.end() ? nullptr : found->get();
}

std::optional<GpuInstances::Division> GpuInstances::ask(const Unit& unit, const Record* guest, bool keep,
                                                        const Divide& divide) const {
  std::vector<const Record*> jobs(unit.jobs.begin(), unit.jobs.end());
  if (guest != nullptr) jobs.push_back(guest);
  std::vector<std::vector<double>> speeds;
  for (const Record* r : jobs) {
    std::vector<double> of = r->speeds[at(unit.kind)];
    if (r != guest && r->runs_in != 0) {
      const double now = of[at(r->runs_in - 1)];
      if (keep) of.assign(of.size(), 0);
      of[at(r->runs_in - 1)] = keep ? now : now + kStays;
    }
    speeds.push_back(std::move(of));
  }
  std::optional<std::vector<std::int32_t>> slices = divide(unit.kind, speeds);
  if (!slices) return std::nullopt;
  Division found;
  found.slices = std::move(*slices);
  for (std::size_t i = 0; i != jobs.size(); ++i) found.sum += speed_in(*jobs[i], unit.kind, found.slices[i]);
  return found;
}

const GpuInstances::Division* GpuInstances::known(const Unit& unit, const Record* guest, bool keep,
                                                  const Divide& divide) {
  std::vector<std::vector<Known>>& mixes = known_[keep ? 1 : 0];
  const std::size_t type = guest == nullptr ? 0 : guest->type;
  if (mixes.size() <= unit.mix) mixes.resize(mixes_.size());
  if (mixes[unit.mix].size() <= type) mixes[unit.mix].resize(types_.size() + 1);
  if (!mixes[unit.mix][type].asked) {
    std::optional<Division> found = ask(unit, guest, keep, divide);  // of a policy, which may ask again
    mixes[unit.mix][type] = {true, std::move(found)};
  }
  const std::optional<Division>& division = mixes[unit.mix][type].division;
  return division ? &*division : nullptr;
}

const GpuInstances::Division* GpuInstances::best_with(const Unit& unit, Tenant* guest, bool keep,
                                                      const Divide& divide) {
  const Record* const r = guest == nullptr ? nullptr : &record(*guest);
  return r != nullptr && r->speeds[at(unit.kind)].empty() ? nullptr : known(unit, r, keep, divide);
}

GpuInstances::Choice GpuInstances::best(Tenant& t, bool keep, const Divide& divide) {
  const Record& guest = record(t);
  Choice chosen;
  for (const std::unique_ptr<Unit>& unit : units_) {
    if (guest.speeds[at(unit->kind)].empty()) continue;
    if (!refused_beside_.empty() && refused_beside_.contains({t.job, unit->number})) continue;
    const Division* const division = known(*unit, &guest, keep, divide);
    if (division == nullptr) continue;
    const double gain = division->sum - unit->sum;
    const bool first = chosen.unit == nullptr;
    if (first || gain > chosen.gain || (gain == chosen.gain && unit->jobs.size() < chosen.unit->jobs.size()))
      chosen = {unit.get(), gain};
  }
  return chosen;
}

double GpuInstances::saved(const Unit& unit, const Division& division, double restart) const {
  double sum = 0;
  for (std::size_t i = 0; i != unit.jobs.size(); ++i) {
    const Record& r = *unit.jobs[i];
    const std::int32_t slice = division.slices[i];
    if (slice == r.slice || r.job->run == nullptr) continue;
    const double left = believed_left(ledger_.view(), *r.job->run);
    sum = sum + left * (1 / speed_in(r, unit.kind, r.slice) - 1 / speed_in(r, unit.kind, slice)) - restart;
  }
  return sum;
}

/// False if there are none.
bool GpuInstances::give_alone(Record& r) {
  const Tenant& t = *r.job;
  const auto may = [&](std::int32_t kind) { return refused_alone_.empty() || !refused_alone_.contains({t.job, kind}); };
  if (t.units == 0 || t.prefers.empty()) {
    if (may(-1)) coming_.push_back(&r);
    return may(-1);
  }
  const auto free = std::ranges::find_if(
      t.prefers, [&](std::int32_t k) { return may(k) && ledger_.sizes()[at(k)] - used_[at(k)] >= t.units; });
  if (free == t.prefers.end()) return false;
  r.kind = *free;
  if (r.speeds[at(r.kind)].empty()) {
    hold(r, r.kind, t.units);
  } else {
    Unit& unit = *units_.emplace_back(std::make_unique<Unit>());
    unit.number = ++made_;
    unit.kind = r.kind;
    add(unit, r, static_cast<std::int32_t>(r.speeds[at(r.kind)].size()));
    look_at(unit);
    ++used_[at(r.kind)];
  }
  coming_.push_back(&r);
  return true;
}

GpuInstances::Tenant* GpuInstances::give_free(const Tenant* after) {
  // A job that found no free GPU where one was counted may find one when time has passed.
  if (std::exchange(refused_at_, ledger_.now()) != ledger_.now()) refused_alone_.clear();
  const WaitingQueue& queue = ledger_.view().queue();
  View::Position p = after == nullptr ? queue.first() : queue.next(queue.find(after->job));
  for (; p < queue.end(); p = queue.next(p)) {
    Tenant& t = ledger_.tenant(queue.job(p));
    if (!give_alone(record(t))) return &t;
  }
  return nullptr;
}

void GpuInstances::divide(Unit& unit, const Division& division, Tenant* guest, std::string reason) {
  for (std::size_t i = 0; i != unit.jobs.size(); ++i) {
    Record& r = *unit.jobs[i];
    r.slice = division.slices[i];
    leaving_ = leaving_ || (r.runs_in != 0 && r.runs_in != r.slice);
  }
  if (guest != nullptr) {
    Record& r = record(*guest);
    r.reason = std::move(reason);
    add(unit, r, division.slices.back());
    unit.lost = false;
    coming_.push_back(&r);
  }
  look_at(unit);
}

GpuInstances::Outcome GpuInstances::carry_out(const StopOrder& order) {
  again_ = false;
  std::vector<Record*> stopped;
  if (std::exchange(leaving_, false))
    for (const std::unique_ptr<Unit>& unit : units_)
      for (Record* r : unit->jobs)
        if (r->runs_in != 0 && r->runs_in != r->slice) stopped.push_back(r);
  if (stopped.empty()) {  // a later division may have given them their slices back
    start_coming();
    return again_ ? Outcome::kNoRoom : Outcome::kDone;
  }
  for (Record* r : stopped) {
    r->runs_in = 0;
    ledger_.stop(*r->job, order);
  }
  moving_ = true;
  stopped.insert(stopped.end(), coming_.begin(), coming_.end());  // one that does not fit does not keep others out
  coming_ = std::move(stopped);
  return Outcome::kMoving;
}

void GpuInstances::resume() {
  if (!moving_) return;
  moving_ = false;
  start_coming();
}

/// Beside those that run on its GPU, or on GPUs that no other job has.
StartDirective GpuInstances::place_of(const Record& r) const {
  StartDirective directive;
  if (r.job->units == 0) return directive;
  if (r.unit != nullptr) {
    for (const Record* other : r.unit->jobs) {
      if (other->runs_in == 0) continue;
      directive.beside.push_back(ledger_.host(*other->job));
      return directive;
    }
  }
  directive.kind = r.unit != nullptr ? r.unit->kind : r.kind;
  directive.alone = true;
  return directive;
}

/// Lets the job ask for what it is to have.
void GpuInstances::set_slice(Record& r) {
  View& view = ledger_.view();
  const View::Position p = view.queue().find(r.job->job);
  if (r.unit != nullptr) {
    if (!view.set_gpu_instance(p, r.unit->kind, r.slice))
      throw SimulationError(fmt::format("job {} cannot have a slice of {} parts of a GPU", r.job->id, r.slice));
  } else if (r.sliced) {
    view.set_gpu_instance(p, 0, 0);
  }
  r.sliced = r.unit != nullptr;
}

void GpuInstances::refused(Record& r) {
  if (r.unit != nullptr && !place_of(r).beside.empty()) refused_beside_.emplace(r.job->job, r.unit->number);
  else refused_alone_.emplace(r.job->job, r.kind);
  if (r.unit != nullptr) remove(r);
  release(r);
  r.kind = -1;
  again_ = true;
}

void GpuInstances::start(Record& r) {
  Tenant& t = *r.job;
  set_slice(r);
  if (!ledger_.start(t, place_of(r), r.reason)) return refused(r);
  r.reason.clear();
  if (r.unit != nullptr) {
    r.runs_in = r.slice;
    look_at(*r.unit);
  } else if (t.units > 0 && r.kind < 0) {
    for (std::size_t k = 0; k != t.at.size(); ++k)
      if (t.at[k] > 0) hold(r, static_cast<std::int32_t>(k), t.at[k]);
  }
}

}  // namespace coslice

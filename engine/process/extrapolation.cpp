#include "process/extrapolation.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace coslice {
namespace {

constexpr std::int64_t kBatches = 10;
constexpr double kStudent = 3.250;           // 99 %, 9 degrees of freedom
constexpr double kGain = 2;                  // windows that a jump by rates that are less good must be worth
constexpr Ns kSettling = 1'000'000'000;      // after a change, before anything is measured
constexpr double kSlowestPart = 0.02;        // of a job's speed alone: what goes slower is measured against this
constexpr double kStretch = 30;              // windows that a window may stand for
constexpr double kTrust = 2;                 // times since the last change that it may
constexpr double kWorthwhile = 2000e-9;      // events in a nanosecond: fewer cost nothing, and need no error
constexpr std::int64_t kLastIterations = 2;  // are left to the events

/// How far rates may go that are not as good as they should be, ns: so far that the bound on the error stays below
/// `tolerance` of all the time that has gone by then. For good ones there is no end.
template <class Rates>
double affordable(const Rates& rates, double tolerance, double error, Ns now) {
  double worst = 0;
  for (const auto& r : rates) worst = std::max(worst, r.rate > 0 ? r.half_width / r.rate : 0);
  if (worst <= tolerance) return 1e18;
  return (tolerance * static_cast<double>(now) - error) / (worst - tolerance);
}

}  // namespace

void Extrapolation::look(Ns now, Ns cycle, const std::vector<std::int32_t>& groups) {
  now_ = now;
  if (processors_.version() != version_ || cycle != cycle_) return restart(now, cycle, groups);
  if (known_ || unfit_ || now < since_ + std::max(kSettling, 2 * cycle) || (now - since_) % cycle != 0) return;
  if (rates_.front().progress.empty()) begin_window();
  for (Rate& r : rates_) r.progress.push_back(progress_of(processors_.group(r.group)));
  const auto cycles = static_cast<std::int64_t>(rates_.front().progress.size()) - 1;
  if (cycles < looks_) return;
  looks_ = (looks_ * 3 / 2 + kBatches - 1) / kBatches * kBatches;  // seldom: each look is a chance to stop by luck
  window_ = now - window_from_;
  if (static_cast<double>(processors_.events() - events_) < kWorthwhile * static_cast<double>(window_))
    return measure_anew();
  bool good = true;
  for (Rate& r : rates_) good = measured(r) && good;
  known_ = good || affordable(rates_, tolerance_, error_, now_) >= kGain * static_cast<double>(window_);
  if (known_) end_window();
}

void Extrapolation::restart(Ns now, Ns cycle, const std::vector<std::int32_t>& groups) {
  version_ = processors_.version();
  since_ = changed_ = now;
  cycle_ = cycle;
  measure_anew();
  unfit_ = groups.empty();
  rates_.clear();
  for (const std::int32_t g : groups) {
    const ProcessGroup& group = processors_.group(g);
    rates_.push_back({g, {}, 0, 0});
    // A communicating job some of whose processes are done is about to end.
    unfit_ = unfit_ || (group.live != group.size && processors_.process(group.first).pattern != Pattern::kNone);
  }
}

void Extrapolation::measure_anew() {
  known_ = false;
  looks_ = kBatches;
  for (Rate& r : rates_) r.progress.clear();
}

Extrapolation::Account Extrapolation::account_of(ProcessId id) const {
  const Process& p = processors_.process(id);
  return {id, left_of(p), p.spun, p.cpu, p.comm, p.communications, p.slots, 0};
}

void Extrapolation::begin_window() {
  window_from_ = now_;
  events_ = processors_.events();
  accounts_.clear();
  for (const Rate& r : rates_) {
    for (const Process& p : processors_.members(processors_.group(r.group)))
      if (p.phase != ProcessPhase::kDone) accounts_.push_back(account_of(p.self));
  }
  std::ranges::sort(accounts_, {}, &Account::process);
  lost_.clear();
  for (std::int32_t c = 0; c < processors_.count(); ++c)
    lost_.push_back({processors_.processor(c).switching, processors_.blocked(c, now_)});
}

double Extrapolation::progress_of(const ProcessGroup& g) const {
  const bool silent = processors_.process(g.first).pattern == Pattern::kNone;
  std::int64_t sum = 0;
  for (const Process& p : processors_.members(g)) sum += silent ? -left_of(p) : p.iteration;
  return static_cast<double>(sum) / g.size;
}

/// Batch means: the window in ten parts, whose rates are taken as independent.
bool Extrapolation::measured(Rate& r) const {
  const auto length = (r.progress.size() - 1) / kBatches;
  const double span = static_cast<double>(window_) / kBatches;
  r.rate = (r.progress.back() - r.progress.front()) / static_cast<double>(window_);
  double squares = 0;
  for (std::size_t b = 0; b < kBatches; ++b) {
    const double off = (r.progress[(b + 1) * length] - r.progress[b * length]) / span - r.rate;
    squares += off * off;
  }
  r.half_width = kStudent * std::sqrt(squares / (kBatches - 1) / kBatches);
  const Process& one = processors_.process(processors_.group(r.group).first);
  const double alone = one.pattern == Pattern::kNone ? 1.0 : 1.0 / static_cast<double>(std::max<Ns>(1, one.busy));
  return r.half_width <= tolerance_ * std::max(r.rate, kSlowestPart * alone);
}

/// Where it is: which other processes are on its processor, with which work.
std::vector<std::int64_t> Extrapolation::surroundings(ProcessId id) const {
  const Process& p = processors_.process(id);
  std::vector<std::int64_t> key = {p.group};
  for (std::int32_t row = 0; row < processors_.rows(); ++row) {
    const ProcessId other = processors_.resident(p.processor, row);
    if (other == kNoProcess) continue;
    const Process& o = processors_.process(other);
    key.insert(key.end(), {o.group, o.cls, o.pattern == Pattern::kNone ? 0 : o.busy});
  }
  return key;
}

/// Processes that do not communicate go at rates of their own; those in the same surroundings at the same one.
void Extrapolation::pool_silent() {
  std::map<std::vector<std::int64_t>, std::pair<double, int>> pools;
  const auto silent = [&](const Account& a) { return processors_.process(a.process).pattern == Pattern::kNone; };
  for (const Account& a : accounts_) {
    if (!silent(a)) continue;
    auto& [sum, count] = pools[surroundings(a.process)];
    sum += static_cast<double>(a.left);
    ++count;
  }
  for (Account& a : accounts_) {
    if (!silent(a)) continue;
    const auto& [sum, count] = pools[surroundings(a.process)];
    a.rate = sum / count / static_cast<double>(window_);
  }
}

/// From what was at its beginning to what happened in it.
void Extrapolation::end_window() {
  for (Account& before : accounts_) {
    const Account after = account_of(before.process);
    before = {before.process,
              before.left - after.left,
              after.spun - before.spun,
              after.cpu - before.cpu,
              after.comm - before.comm,
              after.communications - before.communications,
              after.slots - before.slots,
              0};
  }
  pool_silent();
  for (std::int32_t c = 0; c < processors_.count(); ++c) {
    Lost& l = lost_[static_cast<std::size_t>(c)];
    l = {processors_.processor(c).switching - l.switching, processors_.blocked(c, now_) - l.blocked};
  }
}

std::int64_t Extrapolation::cycles_left() const {
  if (!known_ || processors_.version() != version_ || (now_ - since_) % cycle_ != 0) return 0;
  double time = 1e18;
  for (const Rate& r : rates_) {
    for (const Process& p : processors_.members(processors_.group(r.group))) {
      if (p.phase == ProcessPhase::kDone) continue;
      const bool silent = p.pattern == Pattern::kNone;
      const double rate = silent ? account(p.self).rate : r.rate;
      const std::int64_t left = silent ? left_of(p) : p.iterations - p.iteration - kLastIterations;
      if (rate > 0) time = std::min(time, static_cast<double>(left) / rate);
    }
  }
  // Rates drift for a while after a change, and wander slowly later on.
  time = std::min({time, kStretch * static_cast<double>(window_), kTrust * static_cast<double>(now_ - changed_),
                   affordable(rates_, tolerance_, error_, now_)});
  return std::max<std::int64_t>(0, truncated<std::int64_t>(time / static_cast<double>(cycle_)) - 1);
}

ProcessFacts Extrapolation::facts_after(ProcessId id, std::int64_t cycles) const {
  ProcessFacts f = processors_.facts(id);
  const Account& a = account(id);
  const std::int64_t slots = part(a.slots, cycles);
  f.slots += slots;
  f.slots_in_class += slots;
  f.cpu += Duration{part(a.cpu, cycles)};
  f.comm += Duration{part(a.comm, cycles)};
  f.communications += part(a.communications, cycles);
  return f;
}

void Extrapolation::skip(std::int64_t cycles) {
  const Ns span = cycles * cycle_;
  double worst = 0;
  carry_.resize(std::max(static_cast<std::size_t>(rates_.back().group) + 1, carry_.size()), 0);
  for (const Rate& r : rates_) {
    const ProcessGroup& g = processors_.group(r.group);
    const bool silent = processors_.process(g.first).pattern == Pattern::kNone;
    double& carry = carry_[static_cast<std::size_t>(r.group)];
    const double exact = r.rate * static_cast<double>(span) + carry;
    const auto iterations = silent ? 0 : static_cast<std::int64_t>(exact);
    if (!silent) carry = exact - static_cast<double>(iterations);
    for (ProcessId id = g.first; id < g.first + g.size; ++id) {
      if (processors_.process(id).phase == ProcessPhase::kDone) continue;
      const Account& a = account(id);
      const auto work = static_cast<Ns>(a.rate * static_cast<double>(span));
      processors_.skip_process(id, span,
                               {iterations, work, part(a.spun, cycles), part(a.comm, cycles), part(a.slots, cycles)});
    }
    processors_.skip_group(r.group, span);
    if (r.rate > 0) worst = std::max(worst, r.half_width / r.rate);
    if (r.rate > 0 && !silent) rounding_ = std::max(rounding_, 1 / r.rate + static_cast<double>(cycle_));
  }
  for (std::int32_t c = 0; c < processors_.count(); ++c) {
    const Lost& l = lost_[static_cast<std::size_t>(c)];
    processors_.skip_processor(c, span, part(l.switching, cycles), part(l.blocked, cycles));
  }
  error_ += worst * static_cast<double>(span);
  skipped_ += span;
  since_ += span;
  now_ += span;
  ++skips_;
  measure_anew();
}

}  // namespace coslice

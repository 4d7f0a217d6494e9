// The local scheduler of a processor: which processes may run in a slot, and which runs next.
#include <algorithm>
#include <climits>

#include "process/processors.h"

namespace coslice {

bool Processors::anybody_may_run(std::int32_t processor) const {
  const std::span<const Seat> all = seats(processor);
  return std::any_of(all.begin(), all.end(), [](const Seat& s) { return s.rank != Seat::kMayNot; });
}

/// Keeps the account of time in which a processor is idle for want of messages.
void Processors::count_blocked(Processor& c, Ns now, bool from_now_on) {
  if (c.blocked_from != kUnknown) c.blocked += now - c.blocked_from;
  if (watch_ && c.blocked_from < now)
    watch_->did(static_cast<std::int32_t>(&c - processors_.data()), Activity::kBlocked, kNoJob, c.blocked_from, now);
  c.blocked_from = from_now_on ? now : kUnknown;
}

/// From when on another process may take the processor from the one that fills a gap there; kUnknown: none is known.
Ns Processors::claimed_from(std::int32_t processor) const {
  const Processor& c = this->processor(processor);
  if (!mode_of(c).gaps_yield || c.running == kNoProcess) return kUnknown;
  if (seats_[process(c.running).seat].rank != Seat::kFillsGap) return kUnknown;
  Ns first = kUnknown;
  for (const Seat& s : seats(processor))
    if (s.rank < Seat::kFillsGap) first = std::min(first, s.ready_since);
  return first;
}

/// Lower goes first; kMayNot if it may not run.
int Processors::rank_of(const Processor& c, ProcessId p) const {
  const SlotMode& m = mode_of(c);
  const ClassId cls = process(p).cls;
  if (m.exclusive ? p != c.own : !m.priority.empty() && m.priority[cls] < 0) return Seat::kMayNot;
  if (m.own_first && p == c.own) return -1;
  if (!m.fills_gaps.empty() && m.fills_gaps[cls]) return Seat::kFillsGap;
  return m.priority.empty() ? 0 : m.priority[cls];
}

/// After another mode or another process of its own.
void Processors::rank_seats(std::int32_t processor) {
  const Processor& c = this->processor(processor);
  for (Seat& s : seats(processor))
    if (s.process != kNoProcess) s.rank = rank_of(c, s.process);
}

/// The first in the run queue: by priority, then first come first served, then row.
ProcessId Processors::choose(std::int32_t processor, Ns now) const {
  const Seat* best = nullptr;
  for (const Seat& s : seats(processor)) {
    if (s.ready_since > now || s.rank == Seat::kMayNot) continue;
    const bool better =
        best == nullptr || s.rank < best->rank || (s.rank == best->rank && s.ready_since < best->ready_since);
    if (better) best = &s;
  }
  return best == nullptr ? kNoProcess : best->process;
}

void Processors::dispatch(std::int32_t processor, Ns now) {
  Processor& c = processor_at(processor);
  const ProcessId p = choose(processor, now);
  if (p == kNoProcess) {
    count_blocked(c, now, anybody_may_run(processor));
    return schedule(processor);
  }
  const Ns cost = p == c.last ? 0 : mode_of(c).dispatch_cost.count() + group(at(p).group).dispatch_refill;
  start(processor, p, now, cost);
}

void Processors::start(std::int32_t processor, ProcessId id, Ns now, Ns cost) {
  Processor& c = processor_at(processor);
  const SlotMode& m = mode_of(c);
  Process& p = at(id);
  if (c.blocked_from != kUnknown) count_blocked(c, now, false);
  c.running = c.last = id;
  c.switching += cost;
  c.switch_from = now;
  p.running = true;
  seat_of(p).ready_since = now;
  p.run_from = now + cost;
  if (p.phase == ProcessPhase::kWait) p.spin_end = m.spin == kForever ? kUnknown : p.run_from + m.spin.count();
  c.quantum_end = m.quantum == kForever ? kUnknown : p.run_from + m.quantum.count();
  set_suspended(p, false, now);
  schedule(processor);
}

/// The switch that came before what the running process does, or as much of it as there was.
void Processors::tell_switch(Processor& c, Ns now) {
  if (c.switch_from == kUnknown || c.running == kNoProcess) return;
  const Process& p = process(c.running);
  tell(p, Activity::kSwitching, c.switch_from, std::min(now, p.run_from));
  c.switch_from = now < p.run_from ? now : kUnknown;
}

/// Takes the processor from a settled process, which stays ready: it goes to the tail of the queue.
void Processors::stop(Processor& c, Ns now) {
  Process& p = at(c.running);
  const Ns since = std::max<Ns>(0, now - p.run_from);
  if (watch_) tell_switch(c, now);
  tell(p, p.phase == ProcessPhase::kCompute ? Activity::kComputing : Activity::kPolling, p.run_from, now);
  if (p.phase == ProcessPhase::kCompute) {
    p.used += since;
    p.remaining -= since;
  } else {
    p.spun += since;
  }
  c.switching -= std::max<Ns>(0, p.run_from - now);  // the rest of a switch that was cut short
  seat_of(p).ready_since = now;
  p.running = false;
  c.running = kNoProcess;
  set_suspended(p, is_suspended(c, p.self), now);
}

/// The process has polled long enough: it yields, until its messages are there.
void Processors::block(Processor& c, Ns now) {
  Process& p = at(c.running);
  stop(c, now);
  seat_of(p).ready_since = p.wake;
}

/// The quantum is over.
void Processors::yield(std::int32_t processor, Ns now) {
  Processor& c = processor_at(processor);
  seat_of(at(c.running)).ready_since = now;
  const ProcessId next = choose(processor, now);
  if (next != c.running) {
    stop(c, now);
    return dispatch(processor, now);
  }
  c.quantum_end = now + mode_of(c).quantum.count();
  schedule(processor);
}

bool Processors::is_suspended(const Processor& c, ProcessId id) const {
  const SlotMode& m = mode_of(c);
  if (!m.exclusive && !m.fills_gaps.empty() && m.fills_gaps[process(id).cls]) return c.running != id;
  return !may_run(id);
}

/// A process's clock of communication runs only while it may run.
void Processors::set_suspended(Process& p, bool suspended, Ns now) {
  if (suspended == p.suspended) return;
  p.suspended = suspended;
  if (p.phase != ProcessPhase::kWait) return;
  if (suspended) p.comm += now - p.wait_since;
  else p.wait_since = now;
}

void Processors::suspend_and_resume(std::int32_t processor, Ns now) {
  const Processor& c = processor_at(processor);
  for (const Seat& s : seats(processor))
    if (s.process != kNoProcess) set_suspended(at(s.process), is_suspended(c, s.process), now);
}

void Processors::set_mode(std::int32_t processor, ModeId mode, ProcessId own, Ns now) {
  Processor& c = processor_at(processor);
  bring_up(processor, now);
  const bool same = c.mode == mode && c.own == own;
  const bool was_exclusive = mode_of(c).exclusive;
  c.mode = mode;
  c.own = own;
  rank_seats(processor);
  suspend_and_resume(processor, now);
  const SlotMode& m = mode_of(c);
  if (m.exclusive) {
    if (same && (own == kNoProcess || c.running == own)) return schedule(processor);
    if (c.running != kNoProcess) stop(c, now);
    if (own == kNoProcess) {
      count_blocked(c, now, false);
      return schedule(processor);
    }
    return start(processor, own, now, m.switch_cost.count() + group(at(own).group).slot_refill);
  }
  const bool goes_on = !was_exclusive && c.running != kNoProcess && may_run(c.running);
  if (c.running != kNoProcess && (!goes_on || claimed_from(processor) <= now)) stop(c, now);
  if (c.running == kNoProcess) dispatch(processor, now);
  else schedule(processor);
}

}  // namespace coslice

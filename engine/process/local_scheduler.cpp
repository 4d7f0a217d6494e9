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

/// The switch that came before what the running process does, or as much of it as there was.
void Processors::tell_switch(Processor& c, Ns now) {
  if (c.switch_from == kUnknown || c.running == kNoProcess) return;
  const Process& p = process(c.running);
  tell(p, Activity::kSwitching, c.switch_from, std::min(now, p.run_from));
  c.switch_from = now < p.run_from ? now : kUnknown;
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
  if (c.running != kNoProcess && (!goes_on || claimed_from(c) <= now)) stop(c, now);
  if (c.running == kNoProcess) dispatch(processor, now);
  else schedule(processor);
}

}  // namespace coslice

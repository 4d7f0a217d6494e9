// The local scheduler of a processor: which processes may run in a slot, and which runs next.
#include <algorithm>
#include <climits>

#include "process/processors.h"

namespace coslice {

/// What is looked at in each event is kept with the processor.
void Processors::take_mode(Processor& c, ModeId mode) {
  const auto or_unknown = [](Duration d) { return d == kForever ? kUnknown : d.count(); };
  const SlotMode& m = rules_.modes[mode];
  c.mode = mode;
  c.gaps_yield = m.gaps_yield;
  c.gap_classes = !m.exclusive && !m.fills_gaps.empty();
  c.spin = or_unknown(m.spin);
  c.quantum = or_unknown(m.quantum);
  c.dispatch_cost = m.dispatch_cost.count();
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
void Processors::rank_seats(Processor& c) {
  for (Seat& s : seats(c))
    if (s.process != kNoProcess) s.rank = rank_of(c, s.process);
  compare_ranks(c);
}

void Processors::compare_ranks(Processor& c) {
  std::int32_t lowest = Seat::kMayNot, highest = INT32_MIN;
  for (const Seat& s : seats(c)) {
    if (s.process == kNoProcess) continue;
    lowest = std::min(lowest, s.rank);
    highest = std::max(highest, s.rank);
  }
  c.equals = highest == INT32_MIN || (lowest == highest && lowest != Seat::kMayNot);
}

void Processors::tell(const Process& p, Activity what, Ns from, Ns to) const {
  if (to > from) watch_->did(p.processor, what, group(p.group).job, from, to);
}

/// The switch that came before what the running process does, or as much of it as there was.
void Processors::tell_switch(Processor& c, Ns now) {
  if (c.switch_from == kUnknown || c.running == kNoProcess) return;
  const Process& p = process(c.running);
  tell(p, Activity::kSwitching, c.switch_from, std::min(now, p.run_from));
  c.switch_from = now < p.run_from ? now : kUnknown;
}

void Processors::suspend_and_resume(std::int32_t processor, Ns now) {
  const Processor& c = processor_at(processor);
  for (const Seat& s : seats(c))
    if (s.process != kNoProcess) set_suspended(at(s.process), is_suspended(c, at(s.process)), now);
}

void Processors::set_mode(std::int32_t processor, ModeId mode, ProcessId own, Ns now) {
  Processor& c = processor_at(processor);
  bring_up(processor, now);
  const bool same = c.mode == mode && c.own == own;
  const bool was_exclusive = mode_of(c).exclusive;
  take_mode(c, mode);
  c.own = own;
  rank_seats(c);
  suspend_and_resume(processor, now);
  const SlotMode& m = mode_of(c);
  if (m.exclusive) {
    if (same && (own == kNoProcess || c.running == own)) return schedule(processor);
    if (c.running != kNoProcess) stop(c, now);
    if (own == kNoProcess) {
      count_blocked(c, now, false);
      return schedule(processor);
    }
    start(c, own, now, m.switch_cost.count() + group(at(own).group).slot_refill);
    return schedule(processor);
  }
  const bool goes_on = !was_exclusive && c.running != kNoProcess && may_run(c.running);
  if (c.running != kNoProcess && (!goes_on || claimed_from(c) <= now)) stop(c, now);
  if (c.running == kNoProcess) dispatch(c, now);
  schedule(processor);
}

}  // namespace coslice

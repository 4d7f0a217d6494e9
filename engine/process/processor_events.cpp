// What happens on the processors, event by event in order of time, and their local schedulers. A quantum that ends while
// no other process waits is no event: it is counted when something happens.
#include <algorithm>

#include "process/processors.h"

namespace coslice {

Ns Processors::run_until(Ns until) {
  Ns stop = until;
  while (tree_.time() <= stop && tree_.time() != kUnknown) {
    const Ns now = tree_.time();
    event(tree_.first(), now);
    if (!finished_.empty()) stop = now;  // the rest of this instant, and no further
  }
  if (stop == kUnknown) return stop;
  for (Processor& c : processors_) pass_quanta(c, stop + 1);
  return stop;
}

// --- the local scheduler

/// The first end of a quantum at or after that time.
Ns Processors::quantum_end_from(const Processor& c, Ns time) const {
  if (time <= c.quantum_end) return c.quantum_end;
  const Ns quantum = mode_of(c).quantum.count();
  return c.quantum_end + ((time - c.quantum_end - 1) / quantum + 1) * quantum;
}

/// Counts the ends of quanta before `time`, at which no other process was ready.
void Processors::pass_quanta(Processor& c, Ns time) {
  if (c.running == kNoProcess || time <= c.quantum_end) return;
  const Ns end = quantum_end_from(c, time);
  const Ns quantum = mode_of(c).quantum.count();
  events_ += (end - c.quantum_end) / quantum;
  c.quantum_end = end;
  if (watch_) tell_switch(c, end - quantum);
  settle(at(c.running), end - quantum);
}

/// From when on another process may run there, whose rank is at most that; kUnknown: none as far as is known.
Ns Processors::rival_from(const Processor& c, std::int32_t rank) const {
  Ns first = kUnknown;
  for (const Seat& s : seats(number_of(c))) {
    const Ns ready = s.rank <= rank && s.process != c.running ? s.ready_since : kUnknown;
    first = std::min(first, ready);
  }
  return first;
}

/// From when on another process may take the processor from the one that fills a gap there; kUnknown: none is known.
Ns Processors::claim_on(const Processor& c) const {
  if (c.running == kNoProcess || seats_[process(c.running).seat].rank != Seat::kFillsGap) return kUnknown;
  return rival_from(c, Seat::kFillsGap - 1);
}

/// The first in the run queue: by priority, then first come first served, then row. One whose turn it is cannot be
/// foreseen, so there is no branch for it.
ProcessId Processors::choose(std::int32_t processor, Ns now) const {
  ProcessId best = kNoProcess;
  std::int32_t rank = Seat::kMayNot;
  Ns ready = INT64_MIN;
  for (const Seat& s : seats(processor)) {
    const int better = static_cast<int>(s.ready_since <= now) &
                       (static_cast<int>(s.rank < rank) |
                        (static_cast<int>(s.rank == rank) & static_cast<int>(s.ready_since < ready)));
    best = better != 0 ? s.process : best;
    rank = better != 0 ? s.rank : rank;
    ready = better != 0 ? s.ready_since : ready;
  }
  return best;
}

void Processors::dispatch(std::int32_t processor, Ns now) {
  const ProcessId p = choose(processor, now);
  if (p != kNoProcess) return let_run(processor, p, now);
  count_blocked(processor_at(processor), now, anybody_may_run(processor));
  schedule(processor);
}

void Processors::let_run(std::int32_t processor, ProcessId p, Ns now) {
  const Processor& c = this->processor(processor);
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
    return let_run(processor, next, now);
  }
  c.quantum_end = now + mode_of(c).quantum.count();
  schedule(processor);
}

// --- events

void Processors::event(std::int32_t processor, Ns now) {
  ++events_;
  Processor& c = processor_at(processor);
  if (c.running == kNoProcess) return dispatch(processor, now);
  Process& p = at(c.running);
  pass_quanta(c, now);
  if (watch_) tell_switch(c, now);
  settle(p, now);
  if (p.phase == ProcessPhase::kCompute && p.run_from + p.remaining == now) post(p, now);
  if (p.phase == ProcessPhase::kDone) return finish(processor, p), dispatch(processor, now);
  if (p.phase == ProcessPhase::kWait && p.spin_end == now) return block(c, now), dispatch(processor, now);
  if (now >= c.quantum_end || claimed_from(c) <= now) return yield(processor, now);
  schedule(processor);
}

void Processors::finish(std::int32_t processor, Process& p) {
  Processor& c = processor_at(processor);
  seat_of(p) = {};
  ++version_;
  if (c.own == c.running) c.own = kNoProcess;
  c.running = c.last = kNoProcess;
  p.running = false;
  ProcessGroup& g = groups_[static_cast<std::size_t>(p.group)];
  if (--g.live == 0) finished_.push_back(p.group);
}

/// When a running process posts, yields or ends, if nothing else comes between.
Ns Processors::next_of_running(const Process& p) const {
  if (p.phase == ProcessPhase::kCompute) return p.run_from + p.remaining;
  if (p.wake == kUnknown) return p.spin_end;
  const Ns when = std::max(p.wake, p.run_from);
  if (when > p.spin_end) return p.spin_end;
  return p.iteration + 1 == p.iterations ? when : when + p.next_burst;
}

void Processors::schedule(std::int32_t processor) {
  const Processor& c = this->processor(processor);
  Ns next = kUnknown;
  if (c.running != kNoProcess) {
    const Process& p = process(c.running);
    next = next_of_running(p);
    if (mode_of(c).gaps_yield) {
      next = std::min({next, c.quantum_end, claim_on(c)});
    } else if (c.quantum_end < next) {
      const Ns rival = rival_from(c, seats_[p.seat].rank);
      if (rival != kUnknown) next = std::min(next, quantum_end_from(c, rival));
    }
  } else {
    next = rival_from(c, Seat::kMayNot - 1);
  }
  tree_.set(processor, next);
}

}  // namespace coslice

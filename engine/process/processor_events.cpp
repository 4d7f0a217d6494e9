// What happens on the processors, event by event in order of time, and their local schedulers. A quantum that ends while
// no other process waits is no event: it is counted when something happens.
#include <algorithm>

#include "process/processors.h"

namespace coslice {

namespace {

/// A sum that is of no use where it overflows.
Ns sum(Ns a, Ns b) { return static_cast<Ns>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); }

}  // namespace

/// One function with all that it calls: at some four hundred instructions an event, calls are a good part of them.
[[gnu::flatten]] Ns Processors::run_until(Ns until) {
  Ns stop = until;
  for (;;) {
    const Ns now = tree_.time();
    if (now > stop || now == kUnknown) break;
    event(tree_.first(), now);
    if (!finished_.empty()) stop = now;  // the rest of this instant, and no further
  }
  if (stop == kUnknown) return stop;
  for (Processor& c : processors_)
    if (stop >= c.quantum_end) pass_quanta(c, stop + 1);
  return stop;
}

// --- the local scheduler

/// The first end of a quantum at or after that time.
Ns Processors::quantum_end_from(const Processor& c, Ns time) const {
  const Ns late = time - c.quantum_end;
  if (late <= 0) return c.quantum_end;
  return c.quantum_end + (late <= c.quantum ? 1 : (late - 1) / c.quantum + 1) * c.quantum;
}

/// Counts the ends of quanta before `time`, at which no other process was ready.
void Processors::pass_quanta(Processor& c, Ns time) {
  const Ns late = time - c.quantum_end;
  if (c.running == kNoProcess || late <= 0) return;
  const Ns ends = late <= c.quantum ? 1 : (late - 1) / c.quantum + 1;
  events_ += ends;
  c.quantum_end += ends * c.quantum;
  const Ns last = c.quantum_end - c.quantum;
  if (watch_) tell_switch(c, last);
  settle(at(c.running), last);
}

/// From when on another process may run there, whose rank is at most that; kUnknown: none as far as is known.
Ns Processors::rival_from(const Processor& c, std::int32_t rank) const {
  Ns first = kUnknown;
  for (const Seat& s : seats(c)) {
    const bool rival = (s.rank <= rank) & (s.process != c.running);
    first = std::min(first, rival ? s.ready_since : kUnknown);
  }
  return first;
}

/// From when on another process may take the processor from the one that fills a gap there; kUnknown: none is known.
Ns Processors::claim_on(const Processor& c) const {
  if (c.running == kNoProcess || seats_[process(c.running).seat].rank != Seat::kFillsGap) return kUnknown;
  return rival_from(c, Seat::kFillsGap - 1);
}

/// The first in the run queue: by priority, then first come first served, then row. Whose turn it is cannot be
/// foreseen, so there is no branch for it.
ProcessId Processors::choose(const Processor& c, Ns now) const {
  ProcessId best = kNoProcess;
  std::int32_t rank = Seat::kMayNot;
  Ns ready = INT64_MIN;
  for (const Seat& s : seats(c)) {
    const bool better = (s.ready_since <= now) & ((s.rank < rank) | ((s.rank == rank) & (s.ready_since < ready)));
    best = better ? s.process : best;
    rank = better ? s.rank : rank;
    ready = better ? s.ready_since : ready;
  }
  return best;
}

/// The same where all are equal.
ProcessId Processors::choose_equal(const Processor& c, Ns now) const {
  ProcessId best = kNoProcess;
  Ns earlier = now + 1;
  for (const Seat& s : seats(c)) {
    best = s.ready_since < earlier ? s.process : best;
    earlier = std::min(earlier, s.ready_since);
  }
  return best;
}

/// The next one, if any is ready.
void Processors::dispatch(Processor& c, Ns now) {
  const ProcessId p = c.equals ? choose_equal(c, now) : choose(c, now);
  if (p != kNoProcess) return let_run(c, p, now);
  bool some = false;
  for (const Seat& s : seats(c)) some |= s.rank != Seat::kMayNot;
  count_blocked(c, now, some);
}

void Processors::let_run(Processor& c, ProcessId p, Ns now) {
  start(c, p, now, p == c.last ? 0 : c.dispatch_cost + group(at(p).group).dispatch_refill);
}

void Processors::start(Processor& c, ProcessId id, Ns now, Ns cost) {
  Process& p = at(id);
  if (c.blocked_from != kUnknown) count_blocked(c, now, false);
  c.running = c.last = id;
  c.switching += cost;
  c.switch_from = now;
  p.running = true;
  seat_of(p).ready_since = now;
  p.run_from = now + cost;
  if (p.phase == ProcessPhase::kWait) p.spin_end = plus(p.run_from, c.spin);
  c.quantum_end = plus(p.run_from, c.quantum);
  set_suspended(p, false, now);
}

/// Takes the processor from a settled process, which stays ready: it goes to the tail of the queue.
void Processors::stop(Processor& c, Ns now) {
  Process& p = at(c.running);
  const Ns since = std::max<Ns>(0, now - p.run_from);
  if (watch_) {
    tell_switch(c, now);
    tell(p, p.phase == ProcessPhase::kCompute ? Activity::kComputing : Activity::kPolling, p.run_from, now);
  }
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
  set_suspended(p, is_suspended(c, p), now);
}

/// The process has polled long enough: it yields, until its messages are there.
void Processors::block(Processor& c, Ns now) {
  Process& p = at(c.running);
  stop(c, now);
  seat_of(p).ready_since = p.wake;
}

/// The quantum is over.
void Processors::yield(Processor& c, Ns now) {
  seat_of(at(c.running)).ready_since = now;
  const ProcessId next = c.equals ? choose_equal(c, now) : choose(c, now);
  if (next != c.running) {
    stop(c, now);
    return let_run(c, next, now);
  }
  c.quantum_end = now + c.quantum;
}

// --- events

void Processors::event(std::int32_t processor, Ns now) {
  ++events_;
  Processor& c = processor_at(processor);
  if (c.running == kNoProcess) {
    dispatch(c, now);
  } else {
    happen(c, at(c.running), now);
  }
  schedule(processor);
}

/// What is due by now on a processor with a running process.
void Processors::happen(Processor& c, Process& p, Ns now) {
  if (now > c.quantum_end) pass_quanta(c, now);
  if (watch_) tell_switch(c, now);
  settle(p, now);
  if ((p.phase == ProcessPhase::kCompute) & (p.run_from + p.remaining == now)) post(p, now);
  if (p.phase == ProcessPhase::kDone) return finish(c, p), dispatch(c, now);
  if ((p.phase == ProcessPhase::kWait) & (p.spin_end == now)) return block(c, now), dispatch(c, now);
  if (now >= c.quantum_end || claimed_from(c) <= now) yield(c, now);
}

void Processors::finish(Processor& c, Process& p) {
  seat_of(p) = {};
  while (c.rows > 0 && seats_[slot_of(p.processor, c.rows - 1)].process == kNoProcess) --c.rows;
  ++version_;
  if (c.own == c.running) c.own = kNoProcess;
  c.running = c.last = kNoProcess;
  p.running = false;
  ProcessGroup& g = groups_[static_cast<std::size_t>(p.group)];
  if (--g.live == 0) finished_.push_back(p.group);
}

/// When a running process posts, yields or ends, if nothing else comes between. Which of these comes next cannot be
/// foreseen, either.
Ns Processors::next_of_running(const Process& p) const {
  const Ns when = std::max(p.wake, p.run_from);
  const Ns burst = p.iteration + 1 == p.iterations ? 0 : p.next_burst;
  const bool yields = (p.wake == kUnknown) | (when > p.spin_end);
  const Ns waiting = yields ? p.spin_end : sum(when, burst);
  return p.phase == ProcessPhase::kCompute ? sum(p.run_from, p.remaining) : waiting;
}

void Processors::schedule(std::int32_t processor) {
  const Processor& c = this->processor(processor);
  if (c.running == kNoProcess) return tree_.set(processor, rival_from(c, Seat::kMayNot - 1));
  const Process& p = process(c.running);
  Ns next = next_of_running(p);
  if (c.gaps_yield) {
    next = std::min({next, c.quantum_end, claim_on(c)});
  } else if (c.quantum_end < next) {
    const Ns rival = rival_from(c, seats_[p.seat].rank);
    if (rival < next) next = std::min(next, quantum_end_from(c, rival));
  }
  tree_.set(processor, next);
}

// --- messages

/// The burst is over: the messages are on their way, and the process polls for those of its neighbours.
void Processors::post(Process& p, Ns now) {
  if (watch_) tell(p, Activity::kComputing, p.run_from, now);
  p.used += p.remaining;
  p.remaining = 0;
  p.cpu += p.busy - p.overhead;
  if (p.pattern == Pattern::kNone) {
    p.phase = ProcessPhase::kDone;
    return;
  }
  p.phase = ProcessPhase::kWait;
  p.run_from = p.wait_since = now;
  p.spin_end = plus(now, processor(p.processor).spin);
  p.next_burst = burst(p, p.iteration + 1);
  if (p.pattern == Pattern::kBarrier) return arrive_at_barrier(p, now);
  p.wake = p.last_message();
  const std::int64_t iteration = p.iteration;
  deliver(p.left, 1, iteration, now + p.latency);
  deliver(p.right, 0, iteration, now + p.latency);
}

void Processors::deliver(ProcessId to, int side, std::int64_t iteration, Ns when) {
  Process& p = at(to);
  p.arrival[side][iteration & 1] = when;
  const Ns all_there = p.last_message();
  if (!((p.phase == ProcessPhase::kWait) & (p.iteration == iteration) & (all_there != kUnknown))) return;
  p.wake = all_there;
  woken(p);
}

void Processors::arrive_at_barrier(Process& p, Ns now) {
  ProcessGroup& g = groups_[static_cast<std::size_t>(p.group)];
  p.wake = kUnknown;
  g.last_at_barrier = std::max(g.last_at_barrier, now);
  if (++g.at_barrier < g.size) return;
  g.at_barrier = 0;
  for (ProcessId i = g.first; i < g.first + g.size; ++i) {
    at(i).wake = g.last_at_barrier + at(i).latency;
    woken(at(i));
  }
}

/// It has become known when a waiting process may go on.
void Processors::woken(Process& p) {
  if (p.running) return schedule(p.processor);
  Seat& seat = seat_of(p);
  if (seat.ready_since != kUnknown) return;  // it was preempted while it polled, and polls again when it is dispatched
  seat.ready_since = p.wake;
  const Processor& c = processor(p.processor);
  if (c.running == kNoProcess) {
    if (seat.rank != Seat::kMayNot) tree_.lower(p.processor, p.wake);
    return;
  }
  if (c.gaps_yield) return schedule(p.processor);
  const bool later = tree_.time_of(p.processor) <= std::max(p.wake, c.quantum_end);
  if (!later && seat.rank <= seats_[process(c.running).seat].rank)
    tree_.lower(p.processor, quantum_end_from(c, p.wake));
}

void Processors::complete_wait(Process& p, Ns when) {
  p.comm += when - p.wait_since + p.overhead;
  ++p.communications;
  if (watch_) tell(p, Activity::kPolling, p.run_from, when);
  p.spun += when - p.run_from;
  p.arrival[0][p.iteration & 1] = p.arrival[1][p.iteration & 1] = kUnknown;
  p.wake = kUnknown;
  p.run_from = when;
  p.remaining = p.next_burst;
  p.phase = ++p.iteration == p.iterations ? ProcessPhase::kDone : ProcessPhase::kCompute;
}

}  // namespace coslice

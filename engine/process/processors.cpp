#include "process/processors.h"

#include <utility>

#include "core/random.h"

namespace coslice {
namespace {

constexpr std::uint64_t kMoving = 1;  // which of a process's keys

/// Approximately normal, mean 0, deviation 1, within +-3.5: the sum of four uniforms, from 64 bits. Integer arithmetic
/// and one multiplication, so the same everywhere and cheap enough for every burst.
double almost_normal(std::uint64_t bits) {
  constexpr double kScale = 1.0 / 37837.22772881584;  // 65536 / sqrt(3)
  const std::int64_t sum =
      static_cast<std::int64_t>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
  return static_cast<double>(sum - 131070) * kScale;
}

/// Uniform from -1 to 1.
double centred(std::uint64_t bits) {
  constexpr double kScale = 1.0 / (std::uint64_t{1} << 52);
  return static_cast<double>(bits >> 11) * kScale - 1;
}

/// A sum that is of no use where it overflows.
Ns sum(Ns a, Ns b) { return static_cast<Ns>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); }

/// The bursts of a process on a processor of that speed, communication as long as it keeps the processor included.
void quicken(Process& p, double speed) {
  if (speed == 1) return;
  const auto shorter = [speed](Ns span) { return static_cast<Ns>(static_cast<double>(span) / speed + 0.5); };
  p.busy = shorter(p.busy);
  p.overhead = shorter(p.overhead);
  p.deviation /= speed;
  p.moving /= speed;
}

/// Lets the process end, for now, when it has made its part of `within` of `all` iterations.
void stop_at_limit(Process& p, std::int64_t within, std::int64_t all) {
  std::int64_t& whole = p.pattern == Pattern::kNone ? p.remaining : p.iterations;
  p.beyond = whole - share_of(whole, within, all);
  whole -= p.beyond;
}

/// Moves a clock that runs.
void later(Ns& clock, Ns span) {
  if (clock != kUnknown) clock += span;
}

/// x and w of a job's processes, by rank; x has room for the neighbours of the ends.
struct Lockstep {
  explicit Lockstep(std::size_t n) : x(n + 2), w(n), waited(n, 0), before(n), waited_before(n), period(n) {}
  std::vector<Ns> x, w, waited;
  // For periods: what x + 1 and waited were an iteration ago.
  std::vector<Ns> before, waited_before, period;
};

Ns waits_end_ring(Lockstep& s, std::size_t n, Ns latency) {
  s.x[0] = s.x[n];
  s.x[n + 1] = s.x[1];
  Ns last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    s.w[i] = std::max(s.x[i + 1], std::max(s.x[i], s.x[i + 2]) + latency);
    last = std::max(last, s.w[i]);
  }
  return last;
}

Ns waits_end_barrier(Lockstep& s, std::size_t n, Ns latency) {
  const Ns last = *std::max_element(s.x.begin() + 1, s.x.begin() + 1 + static_cast<std::ptrdiff_t>(n)) + latency;
  std::ranges::fill(s.w, last);
  return last;
}

/// Whether all processes moved by the same time in the last iteration; that time, else 0.
Ns common_step(const Lockstep& s, std::size_t n) {
  const Ns step = s.x[1] - s.before[0];
  for (std::size_t i = 1; i < n; ++i)
    if (s.x[i + 1] - s.before[i] != step) return 0;
  return step;
}

}  // namespace

Processors::Processors(std::int32_t count, const CoschedulingRules& rules, std::uint64_t seed)
    : rules_(rules), seed_(derive_seed(seed, "bursts")), processors_(static_cast<std::size_t>(count)),
      seats_(static_cast<std::size_t>(count) * static_cast<std::size_t>(rules.multiprogramming)), tree_(count) {
  for (std::int32_t c = 0; c < count; ++c) {
    processor_at(c).first_seat = static_cast<std::uint32_t>(slot_of(c, 0));
    take_mode(processor_at(c), 0);
  }
}

std::int32_t Processors::add(JobIndex job, const Program& program, std::int64_t iterations,
                             const std::vector<std::int32_t>& columns, std::int32_t row, Ns now,
                             const std::vector<double>& speeds, std::int64_t within) {
  ++version_;
  const auto group = static_cast<std::int32_t>(groups_.size());
  const auto size = static_cast<std::int32_t>(columns.size());
  const auto first = static_cast<ProcessId>(processes_.size());
  groups_.push_back({.job = job,
                     .first = first,
                     .size = size,
                     .row = row,
                     .live = size,
                     .within = size,
                     .slot_refill = program.slot_refill.count(),
                     .dispatch_refill = program.dispatch_refill.count()});
  const bool silent = program.pattern == Pattern::kNone;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    Process p;
    p.pattern = program.pattern;
    p.group = group;
    p.rank = rank;
    p.row = row;
    p.processor = columns[static_cast<std::size_t>(rank)];
    p.self = first + rank;
    p.left = first + (rank + size - 1) % size;
    p.right = first + (rank + 1) % size;
    p.key = hash_mix(hash_mix(seed_, job), static_cast<std::uint64_t>(rank));
    p.latency = program.communication.latency.count();
    const Ns work = (program.compute_of(rank) + program.polling_of(rank)).count();
    const Ns monitoring = silent || !rules_.classifies ? 0 : program.monitoring.count();
    // Work without a dependent process is one burst: where it is cut makes no difference.
    p.iterations = silent ? 1 : iterations;
    p.busy = silent ? work * iterations : program.busy_of(rank).count() + monitoring;
    p.overhead = silent ? 0 : p.busy - program.compute_of(rank).count();
    p.deviation = silent ? 0 : program.jitter * static_cast<double>(work);
    p.moving = silent ? 0 : program.moving * static_cast<double>(work);
    p.moving_iterations = program.moving_iterations;
    p.moving_key = hash_mix(p.key, kMoving);
    if (!speeds.empty()) quicken(p, speeds[static_cast<std::size_t>(rank)]);
    p.remaining = burst(p, 0);
    if (within < iterations) stop_at_limit(p, within, iterations);
    p.suspended = true;
    p.seat = static_cast<std::uint32_t>(slot_of(p.processor, row));
    processes_.push_back(p);
    seats_[p.seat] = {now, p.self, 0};
    Processor& c = processor_at(p.processor);
    c.rows = std::max(c.rows, row + 1);
    seats_[p.seat].rank = rank_of(c, p.self);
    compare_ranks(c);
  }
  return group;
}

double Processors::progress(std::int32_t group, Ns now) {
  double least = 1;
  for (const Process& p : members(this->group(group))) {
    if (seats_[p.seat].process != p.self) continue;  // it is done
    bring_up(p.processor, now);
    const Ns left = p.beyond + p.remaining - (p.running ? std::max<Ns>(0, now - p.run_from) : 0);
    const double part = p.pattern == Pattern::kNone
                            ? 1 - static_cast<double>(left) / static_cast<double>(std::max<Ns>(1, p.busy))
                            : static_cast<double>(p.iteration) / static_cast<double>(p.iterations + p.beyond);
    least = std::min(least, part);
  }
  return std::max(0.0, least);
}

void Processors::remove(std::int32_t group, Ns now) {
  ProcessGroup& g = groups_[static_cast<std::size_t>(group)];
  for (Process& p : members_at(g)) {
    if (seat_of(p).process != p.self) continue;
    Processor& c = processor_at(p.processor);
    bring_up(p.processor, now);
    if (c.running == p.self) stop(c, now);
    leave_seat(c, p);
    p.phase = ProcessPhase::kDone;
    compare_ranks(c);
    if (c.running == kNoProcess) dispatch(c, now);
    schedule(p.processor);
  }
  g.live = 0;
}

Ns Processors::burst(Process& p, std::int64_t iteration) const {
  Ns length = p.busy;
  if (p.deviation != 0)
    length += static_cast<Ns>(p.deviation * almost_normal(hash_mix(p.key, static_cast<std::uint64_t>(iteration))));
  if (p.moving == 0) return length;
  if (p.moved_from < 0 || iteration < p.moved_from || iteration - p.moved_from >= p.moving_iterations) {
    const std::int64_t draw = iteration / p.moving_iterations;
    p.moved_from = draw * p.moving_iterations;
    p.moved = static_cast<Ns>(p.moving * centred(hash_mix(p.moving_key, static_cast<std::uint64_t>(draw))));
  }
  return length + p.moved;
}

ProcessFacts Processors::facts(ProcessId id) const {
  const Process& p = process(id);
  return {group(p.group).job, p.rank,          p.processor,      p.cls,           p.slots,
          p.slots_in_class,   Duration{p.cpu}, Duration{p.comm}, p.communications};
}

void Processors::count_slot(ProcessId id) {
  ++at(id).slots;
  ++at(id).slots_in_class;
}

void Processors::set_class(ProcessId id, const Classification& verdict) {
  Process& p = at(id);
  if (!verdict.reset && verdict.cls == p.cls) return;
  ++version_;
  p.cls = verdict.cls;
  Processor& c = processor_at(p.processor);
  if (seat_of(p).process == id) seat_of(p).rank = rank_of(c, id);
  compare_ranks(c);
  p.slots_in_class = 0;
  p.cpu = p.comm = p.communications = 0;
}

// --- slots: which processes may run

/// What is looked at in each event is kept with the processor.
void Processors::take_mode(Processor& c, ModeId mode) {
  const auto or_unknown = [](Duration d) { return d == kForever ? kUnknown : d.count(); };
  const SlotMode& m = rules_.modes[mode];
  c.mode = mode;
  c.gaps_yield = m.gaps_yield;
  c.own_preempts = !m.exclusive && m.own_first && m.own_preempts;
  c.claims = c.gaps_yield || c.own_preempts;
  c.gap_classes = !m.exclusive && !m.fills_gaps.empty();
  c.spin = or_unknown(m.spin);
  c.quantum = or_unknown(m.quantum);
  c.dispatch_cost = m.dispatch_cost.count();
}

/// Counts the time in which a processor is idle because messages have not come.
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
  if (m.own_first && p == c.own) return Seat::kOwnFirst;
  if (!m.fills_gaps.empty() && m.fills_gaps[cls]) return Seat::kFillsGap;
  return m.priority.empty() ? 0 : m.priority[cls];
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

// --- events, in order of time. A quantum that ends while no other process waits is none: it is counted when something
// happens.

/// One function with all that it calls: at some four hundred instructions an event, calls are a good part of them.
[[gnu::flatten]] Ns Processors::run_until(Ns until) {
  Ns stop = until;
  for (;;) {
    const Ns now = tree_.time();
    if (now > stop || now == kUnknown) break;
    event(tree_.first(), now);
    if (!finished_.empty() || !at_limit_.empty()) stop = now;  // the rest of this instant, and no further
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

void Processors::event(std::int32_t processor, Ns now) {
  ++events_;
  Processor& c = processor_at(processor);
  if (c.running == kNoProcess) dispatch(c, now);
  else happen(c, at(c.running), now);
  schedule(processor);
}

/// What is due by now on a processor with a running process.
void Processors::happen(Processor& c, Process& p, Ns now) {
  if (now > c.quantum_end) pass_quanta(c, now);
  if (watch_) tell_switch(c, now);
  settle(p, now);
  if ((p.phase == ProcessPhase::kCompute) & (p.run_from + p.remaining == now)) post(p, now);
  if (p.phase == ProcessPhase::kDone) {
    if (p.beyond == 0) return finish(c, p), dispatch(c, now);
    go_on_beyond_limit(p, now);
  }
  if ((p.phase == ProcessPhase::kWait) & (p.spin_end == now)) return block(c, now), dispatch(c, now);
  if (now >= c.quantum_end || claimed_from(c) <= now) yield(c, now);
}

void Processors::leave_seat(Processor& c, Process& p) {
  seat_of(p) = {};
  while (c.rows > 0 && seats_[slot_of(p.processor, c.rows - 1)].process == kNoProcess) --c.rows;
  ++version_;
  if (c.own == p.self) c.own = kNoProcess;
  if (c.last == p.self) c.last = kNoProcess;
}

void Processors::finish(Processor& c, Process& p) {
  leave_seat(c, p);
  c.running = c.last = kNoProcess;
  p.running = false;
  ProcessGroup& g = groups_[static_cast<std::size_t>(p.group)];
  if (--g.live == 0) finished_.push_back(p.group);
}

/// What it did is all that the limit of its job allows; that is for others to see.
void Processors::go_on_beyond_limit(Process& p, Ns now) {
  ++version_;
  p.phase = ProcessPhase::kCompute;
  if (p.pattern == Pattern::kNone) {
    p.run_from = now;
    p.remaining = p.beyond;
    p.cpu -= p.busy - p.overhead;  // is counted with the rest
  } else {
    p.iterations += p.beyond;
  }
  p.beyond = 0;
  ProcessGroup& g = groups_[static_cast<std::size_t>(p.group)];
  if (--g.within == 0) at_limit_.push_back(p.group);
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
  if (c.claims) {
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
  for (Process& one : members_at(g)) {
    one.wake = g.last_at_barrier + one.latency;
    woken(one);
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
  if (c.claims) return schedule(p.processor);
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

// --- exclusive phases in closed form. Where each process of a job has its processor for itself and polls, nothing else
// can happen: iteration k + 1 follows from iteration k by
//
//   w_i(k) = max(x_i(k), x_i-1(k) + L, x_i+1(k) + L),   x_i(k+1) = w_i(k) + burst_i(k+1)
//
// (x: the burst ends, w: the wait ends; under a barrier w is max_j x_j + L), which is exact with jitter, too. Without
// jitter it becomes periodic (max-plus algebra), and whole periods are skipped.

bool Processors::has_processors(const ProcessGroup& g) const {
  if (g.live != g.size || process(g.first).pattern == Pattern::kNone) return false;
  for (const Process& p : members(g)) {
    // Some are at the limit of the job already: when the last one is, is an event between.
    if (p.iterations != process(g.first).iterations) return false;
    const Processor& c = processor(p.processor);
    const SlotMode& m = mode_of(c);
    if (c.running != p.self || !m.exclusive || m.spin != kForever || m.quantum != kForever) return false;
  }
  return true;
}

/// Takes the processes in that iteration to the next one, as far as they get. False if none is beyond it.
bool Processors::advance_iteration(const ProcessGroup& g, std::int64_t iteration, Ns until) {
  for (Process& p : members_at(g)) {
    const Ns over = p.run_from + p.remaining;
    if (p.iteration == iteration && p.phase == ProcessPhase::kCompute && over <= until) post(p, over);
  }
  bool beyond = false;
  for (Process& p : members_at(g)) {
    // The end of a job is left to its event.
    if (p.iteration == iteration && iteration + 1 < p.iterations) settle(p, until);
    beyond = beyond || p.iteration > iteration;
  }
  return beyond;
}

/// Whether all are in a burst of that iteration, not their last, that is over in time.
bool Processors::in_step(const ProcessGroup& g, std::int64_t iteration, Ns until) const {
  for (const Process& p : members(g))
    if (p.iteration != iteration || p.phase != ProcessPhase::kCompute || p.run_from + p.remaining > until) return false;
  return iteration + 1 < process(g.first).iterations;
}

/// All iterations that all processes complete by `until`, beginning with bursts of `iteration`. Returns the iteration
/// in whose bursts they are then.
std::int64_t Processors::march(const ProcessGroup& g, std::int64_t iteration, Ns until) {
  const auto n = static_cast<std::size_t>(g.size);
  Process* const all = &at(g.first);
  const Process& one = *all;
  const bool steady = std::all_of(all, all + n, [](const Process& p) { return p.deviation == 0 && p.moving == 0; });
  Lockstep s(n);
  for (std::size_t i = 0; i < n; ++i) s.x[i + 1] = all[i].run_from + all[i].remaining;
  std::int64_t done = 0;
  std::vector<Ns> last(n);  // the end of the last wait
  Ns latest_x = *std::max_element(s.x.begin() + 1, s.x.begin() + 1 + g.size);
  while (iteration + done + 1 < one.iterations && latest_x <= until) {
    const Ns latest =
        one.pattern == Pattern::kBarrier ? waits_end_barrier(s, n, one.latency) : waits_end_ring(s, n, one.latency);
    if (latest > until) break;
    ++done;
    latest_x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      s.before[i] = s.x[i + 1];
      s.waited_before[i] = s.w[i] - s.x[i + 1];
      s.waited[i] += s.waited_before[i];
      last[i] = s.w[i];
      s.x[i + 1] = s.w[i] + burst(all[i], iteration + done);
      latest_x = std::max(latest_x, s.x[i + 1]);
    }
    const Ns step = steady ? common_step(s, n) : 0;
    if (step == 0) continue;
    // From here on every iteration is like this one. Stay clear of the end, where the loop decides.
    const Ns room = std::min((until - latest_x) / step - 1, static_cast<Ns>(one.iterations - iteration - done - 2));
    if (room <= 0) continue;
    done += room;
    latest_x += room * step;
    for (std::size_t i = 0; i < n; ++i) {
      s.x[i + 1] += room * step;
      last[i] += room * step;
      s.waited[i] += room * s.waited_before[i];
    }
  }
  if (done == 0) return iteration;
  for (std::size_t i = 0; i < n; ++i) {
    Process& p = all[i];
    p.used += last[i] - p.run_from - s.waited[i];
    p.spun += s.waited[i];
    p.comm += s.waited[i] + done * p.overhead;
    p.cpu += done * (p.busy - p.overhead);
    p.communications += done;
    p.iteration += done;
    p.run_from = last[i];
    p.remaining = s.x[i + 1] - last[i];
  }
  return iteration + done;
}

bool Processors::advance_exclusive(std::int32_t group, Ns until) {
  const ProcessGroup& g = this->group(group);
  if (!has_processors(g)) return false;
  std::int64_t iteration = process(g.first).iteration;
  for (const Process& p : members(g)) iteration = std::min(iteration, p.iteration);
  for (;;) {
    if (in_step(g, iteration, until)) iteration = march(g, iteration, until);
    if (!advance_iteration(g, iteration, until)) break;
    ++iteration;
  }
  for (const Process& p : members(g)) schedule(p.processor);
  return true;
}

// --- a span of time goes by whose events are not handled: all clocks go later by it, and work is done in bulk.

void Processors::skip_process(ProcessId id, Ns span, const BulkWork& done) {
  Process& p = at(id);
  for (Ns* clock : {&p.run_from, &p.spin_end, &p.wake, &seat_of(p).ready_since, &p.wait_since}) later(*clock, span);
  for (auto& side : p.arrival) {
    for (Ns& stamp : side) later(stamp, span);
    if (done.iterations % 2 != 0) std::swap(side[0], side[1]);
  }
  p.iteration += done.iterations;
  p.remaining -= done.work;
  p.used += done.iterations * p.busy + done.work;
  p.cpu += done.iterations * (p.busy - p.overhead);
  p.communications += done.iterations;
  p.spun += done.spun;
  p.comm += done.comm;
  p.slots += done.slots;
  p.slots_in_class += done.slots;
}

void Processors::skip_group(std::int32_t group, Ns span) {
  later(groups_[static_cast<std::size_t>(group)].last_at_barrier, span);
}

void Processors::skip_processor(std::int32_t processor, Ns span, Ns switching, Ns blocked) {
  Processor& c = processor_at(processor);
  later(c.quantum_end, span);
  later(c.blocked_from, span);
  c.switching += switching;
  c.blocked += blocked;
  schedule(processor);  // its processes have less to do than before
}

}  // namespace coslice

// The processors with their local schedulers, event by event: which process runs, spins, blocks and wakes on each,
// between two decisions of the machine manager. All that happens at an instant is independent of the order in which
// processors are looked at, because a message takes at least a nanosecond.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "process/coscheduler.h"
#include "process/program.h"

namespace coslice {

/// Tells which of a fixed number of clocks is due first. A tournament tree of fours: moving one clock costs a walk of
/// log4(n) levels without branches that surprise, which beats a heap where each processor has exactly one next event.
class EventTree {
 public:
  static constexpr std::int64_t kIdle = INT64_MAX;

  explicit EventTree(std::int32_t clocks) {
    while (leaves_ < static_cast<std::size_t>(clocks)) first_leaf_ += leaves_, leaves_ *= 4;
    if (leaves_ > kMost) throw std::length_error("more clocks than an event tree can have");
    times_.assign(leaves_, kIdle);
    keys_.resize(first_leaf_ + leaves_);
    rebuild(0);
  }

  /// Returns when the first clock is due; kIdle if none is.
  std::int64_t time() {
    std::uint64_t since = keys_[0] >> kBits;
    if (since == kFar) {
      look_far();
      since = keys_[0] >> kBits;
    }
    return since == kFar ? kIdle : base_ + static_cast<std::int64_t>(since);
  }
  /// Returns the clock that is due first; among equals the lowest number. Precondition: time() has been asked since the
  /// last change.
  std::int32_t first() const { return static_cast<std::int32_t>(keys_[0] & (kMost - 1)); }
  std::int64_t time_of(std::int32_t clock) const { return times_[static_cast<std::size_t>(clock)]; }

  /// Sets when the clock is due. The winner is carried up to the root, so that each level reads its other children
  /// without waiting for the one below, and no branch depends on how far a change gets. Precondition: time >= 0.
  void set(std::int32_t clock, std::int64_t time) {
    const auto leaf = static_cast<std::size_t>(clock);
    if (times_[leaf] == time) return;
    times_[leaf] = time;
    if (time < base_) return rebuild(time);
    std::uint64_t winner = key_of(leaf, time);
    std::uint64_t* const keys = keys_.data();
    std::size_t node = first_leaf_ + leaf;
    keys[node] = winner;
    while (node != 0) {
      const std::size_t child = node - 1;  // of its parent, as the root is no child
      const std::uint64_t a = keys[(child ^ 1) + 1], b = keys[(child ^ 2) + 1], c = keys[(child ^ 3) + 1];
      const std::uint64_t ab = a < b ? a : b;
      const std::uint64_t others = ab < c ? ab : c;
      winner = others < winner ? others : winner;
      node = child / 4;
      keys[node] = winner;
    }
  }
  /// Sets when the clock is due, if that is earlier than it is.
  void lower(std::int32_t clock, std::int64_t time) {
    if (time < time_of(clock)) set(clock, time);
  }

 private:
  /// Of a clock's number in a key.
  static constexpr unsigned kBits = 24;
  static constexpr std::size_t kMost = std::size_t{1} << kBits;            ///< clocks
  static constexpr std::uint64_t kFar = std::uint64_t{1} << (62 - kBits);  ///< 275 s: so late, or later

  /// Returns the time and number in one word: the last bits are the clock, those before the time since base_, up to
  /// kFar.
  std::uint64_t key_of(std::size_t leaf, std::int64_t time) const {
    return std::min(static_cast<std::uint64_t>(time - base_), kFar) << kBits | leaf;
  }

  [[gnu::cold, gnu::noinline]] void rebuild(std::int64_t base) {
    base_ = base;
    for (std::size_t leaf = 0; leaf != leaves_; ++leaf) keys_[first_leaf_ + leaf] = key_of(leaf, times_[leaf]);
    for (std::size_t node = first_leaf_; node-- > 0;) {
      const auto children = keys_.begin() + static_cast<std::ptrdiff_t>(4 * node + 1);
      keys_[node] = *std::min_element(children, children + 4);
    }
  }

  /// Takes the first of the times as the base: all clocks are so late that keys no longer distinguish them.
  [[gnu::cold, gnu::noinline]] void look_far() {
    const std::int64_t earliest = *std::ranges::min_element(times_);
    if (earliest != kIdle) rebuild(earliest);
  }

  std::size_t leaves_ = 1, first_leaf_ = 0;
  std::int64_t base_ = 0;            ///< no clock is due before
  std::vector<std::int64_t> times_;  ///< by clock
  std::vector<std::uint64_t> keys_;  ///< 0 is the root, the children of i are from 4 i + 1 on; the first due below it
};

/// Nanoseconds since the epoch of the run, or a span of them. The inner loops do without chrono.
using Ns = std::int64_t;
/// Not known, not before the end of time.
inline constexpr Ns kUnknown = INT64_MAX;
/// Dense number of a process; those of a job are consecutive, in order of rank.
using ProcessId = std::int32_t;
inline constexpr ProcessId kNoProcess = -1;

enum class ProcessPhase : std::uint8_t {
  kCompute,  ///< in a burst: receive, compute, send
  kWait,     ///< for the messages of this iteration
  kDone,
};

// A process's fields lie in cache lines by what touches them, so that an event touches few: what a neighbour's message
// looks at, what a burst needs, what is counted at its end, and the rest.

/// The messages that a process waits for, and its neighbours.
struct alignas(64) ProcessMessages {
  /// When the last messages arrived, by side and parity of the iteration. A neighbour is at most one iteration ahead,
  /// so two stamps a side are enough.
  Ns arrival[2][2] = {{kUnknown, kUnknown}, {kUnknown, kUnknown}};
  std::int64_t iteration = 0;
  Ns wake = kUnknown;  ///< when the messages that it waits for are all there
  std::int32_t processor = 0, group = 0;
  std::uint32_t seat = 0;
  ProcessPhase phase = ProcessPhase::kCompute;
  bool running = false;    ///< has its processor (after run_from, if that is in the future)
  bool suspended = false;  ///< may not run in this slot: its clock of communication stands still
  Pattern pattern = Pattern::kNone;
};

/// The progress of a process. While it runs, its burst ends at run_from + remaining; while it spins, it does so from
/// run_from on.
struct alignas(64) ProcessBurst {
  Ns remaining = 0;  ///< processor time left of the burst
  Ns run_from = 0;
  Ns spin_end = kUnknown;  ///< when it yields the processor if the messages have not come
  Ns next_burst = 0;       ///< drawn when the wait before it begins
  std::uint64_t key = 0;   ///< of its jitter
  double deviation = 0;    ///< of a burst, ns
  Ns busy = 0;             ///< mean length of a burst
  ProcessId left = kNoProcess, right = kNoProcess;
};

/// What is measured (ProcessFacts), and accounts that are never reset.
struct alignas(64) ProcessMeasures {
  Ns wait_since = 0;  ///< since when this wait counts as communication
  Ns overhead = 0;    ///< the part of a burst that is communication
  Ns cpu = 0, comm = 0;
  std::int64_t communications = 0;
  Ns used = 0, spun = 0;  ///< processor time in bursts and in polling
  Ns latency = 1;
};

/// The whole work of a process, and what is read seldom.
struct alignas(64) ProcessPlan {
  std::int64_t iterations = 1;
  double moving = 0;  ///< by how much a burst is longer or shorter at most while its imbalance stays, ns
  std::int64_t moving_iterations = 1;
  std::uint64_t moving_key = 0;
  std::int64_t moved_from = -1;  ///< the first iteration for which `moved` was drawn, if any
  Ns moved = 0;                  ///< what the imbalance adds to its bursts for that number of iterations
  std::int64_t slots = 0, slots_in_class = 0;
  /// What is left beyond the limit of its job, in iterations, or in time where it does not communicate; 0: it has
  /// reached that limit, or there is none.
  std::int64_t beyond = 0;
  ProcessId self = kNoProcess;
  std::int32_t row = 0, rank = 0;
  ClassId cls = 0;
};

struct Process : ProcessMessages, ProcessBurst, ProcessMeasures, ProcessPlan {
  /// Returns when the messages of this iteration are all there; kUnknown: that is not known yet.
  Ns last_message() const {
    const auto parity = static_cast<std::size_t>(iteration & 1);
    return std::max(arrival[0][parity], arrival[1][parity]);
  }
};

/// A row of a processor, as its local scheduler sees it: what it looks at for each decision, apart from all the rest.
struct Seat {
  static constexpr std::int32_t kMayNot = INT32_MAX;
  static constexpr std::int32_t kOwnFirst = -1;           ///< the rank of the slot's own process, where it goes first
  static constexpr std::int32_t kFillsGap = kMayNot - 1;  ///< the rank of who runs where no other can
  /// its place in the FIFO; kUnknown while it is blocked for an unknown time, or no process is here
  Ns ready_since = kUnknown;
  ProcessId process = kNoProcess;
  std::int32_t rank = kMayNot;  ///< in the processor's mode: lower goes first
};

/// Returns n / of of an amount, rounded down, whatever their product is. Precondition: 0 <= n <= of.
inline std::int64_t share_of(std::int64_t amount, std::int64_t n, std::int64_t of) {
  __extension__ using Product = __int128;
  return static_cast<std::int64_t>(static_cast<Product>(amount) * n / of);
}

/// The processes of one job.
struct ProcessGroup {
  JobIndex job = kNoJob;
  ProcessId first = 0;
  std::int32_t size = 0, row = 0;
  std::int32_t live = 0;        ///< processes that are not done
  std::int32_t within = 0;      ///< processes that have not reached the limit of the job
  std::int32_t at_barrier = 0;  ///< processes that wait there
  Ns last_at_barrier = 0;
  Ns slot_refill = 0, dispatch_refill = 0;
};

/// A processor and its node manager's view of it.
struct Processor {
  ProcessId running = kNoProcess;
  ProcessId last = kNoProcess;  ///< whose working set is in the cache
  ProcessId own = kNoProcess;   ///< of this slot
  ModeId mode = 0;
  bool gaps_yield = false;  ///< of the mode, as are own_preempts, spin, quantum and dispatch_cost
  bool own_preempts = false;
  bool claims = false;       ///< either of them
  bool equals = true;        ///< whether all processes there are of the same rank, and may run
  bool gap_classes = false;  ///< whether processes of some classes are suspended in this mode while they do not run
  Ns quantum_end = kUnknown;
  Ns spin = kUnknown, quantum = kUnknown, dispatch_cost = 0;
  std::uint32_t first_seat = 0;
  std::int32_t rows = 0;       ///< taken seats are among the first `rows`
  Ns blocked_from = kUnknown;  ///< since when it is idle while processes that may run wait for messages
  Ns blocked = 0;              ///< idle so far like that
  Ns switching = 0;            ///< lost in switches so far
  Ns switch_from = kUnknown;   ///< when the last one began, until it has been told
};

/// What a processor does.
enum class Activity : std::uint8_t {
  kComputing,  ///< a burst of a process: receive, compute, send
  kPolling,    ///< a process has the processor and waits for messages
  kSwitching,  ///< to a process
  kBlocked,    ///< idle: all that may run wait for messages
};

/// An observer of what each processor does at each time, e.g. to draw it.
class ProcessorWatch {
 public:
  virtual ~ProcessorWatch() = default;
  /// Tells what the processor has done in [from, to), for a process of the job; kNoJob while it was blocked. In order
  /// of time for each processor; what is not told was idle time without a process.
  virtual void did(std::int32_t processor, Activity what, JobIndex job, Ns from, Ns to) = 0;
};

/// The processors, the processes on them, and all that happens there between two decisions.
class Processors {
 public:
  /// Makes idle processors. The rules outlive them. `seed` is that of the jitter.
  Processors(std::int32_t count, const CoschedulingRules& rules, std::uint64_t seed);

  std::int32_t count() const { return static_cast<std::int32_t>(processors_.size()); }
  std::int32_t rows() const { return rules_.multiprogramming; }

  /// Lets `watch` be told what the processors do, event by event: not what is advanced in closed form or skipped.
  void watch(ProcessorWatch* watch) { watch_ = watch; }

  /// Puts a job's processes, rank i on columns[i], into a row that is free there. They may run once set_mode has been
  /// called for their processors. `speeds` of the processors, by rank, shorten their bursts; empty: all are 1. After
  /// `within` iterations the job is at its limit, and goes on; not below `iterations`: there is none. Returns the
  /// group's number.
  std::int32_t add(JobIndex job, const Program& program, std::int64_t iterations,
                   const std::vector<std::int32_t>& columns, std::int32_t row, Ns now,
                   const std::vector<double>& speeds = {}, std::int64_t within = INT64_MAX);

  /// Returns how much of its work a job has done by `now`, up to which everything has been handled, as a part of it:
  /// the iterations that all its processes have behind them, or the least that one of them has computed where they do
  /// not communicate.
  double progress(std::int32_t group, Ns now);
  /// Removes all processes of a job before their ends. Precondition: as for set_mode().
  void remove(std::int32_t group, Ns now);

  /// Sets the decision for a processor's slot. Precondition: everything up to `now` has been handled.
  void set_mode(std::int32_t processor, ModeId mode, ProcessId own, Ns now);

  /// Counts a wait that is over by `now` of the process that runs there, before it is looked at. The same condition.
  void bring_up(std::int32_t processor, Ns now) {
    Processor& c = processor_at(processor);
    if (c.running == kNoProcess) return;
    if (watch_) tell_switch(c, now);
    settle(at(c.running), now);
  }

  /// Returns the process in a row of a processor that is not done, or kNoProcess.
  ProcessId resident(std::int32_t processor, std::int32_t row) const { return seats_[slot_of(processor, row)].process; }
  /// Applies a verdict, at the end of a slot.
  void set_class(ProcessId process, const Classification& verdict);
  /// Counts a slot of its own for a process that had one.
  void count_slot(ProcessId process);
  ProcessFacts facts(ProcessId process) const;

  /// Returns when the next event is due; kUnknown if none is.
  Ns next_event() { return tree_.time(); }
  /// Handles the events up to and at `until`, but stops after an instant in which the last process of a job ended or
  /// reached its limit. Returns that instant, or `until`.
  Ns run_until(Ns until);
  /// Returns the groups whose last process ended since the last call, in order.
  std::vector<std::int32_t> take_finished() { return std::exchange(finished_, {}); }
  /// Returns the groups whose last process reached the limit of the job since the last call, in order.
  std::vector<std::int32_t> take_at_limit() { return std::exchange(at_limit_, {}); }

  const ProcessGroup& group(std::int32_t g) const { return groups_[static_cast<std::size_t>(g)]; }
  const Process& process(ProcessId p) const { return processes_[static_cast<std::size_t>(p)]; }
  /// Returns the processes of a group, by rank.
  std::span<const Process> members(const ProcessGroup& g) const {
    return {&process(g.first), static_cast<std::size_t>(g.size)};
  }
  const Processor& processor(std::int32_t c) const { return processors_[static_cast<std::size_t>(c)]; }
  const std::vector<Processor>& all() const { return processors_; }
  ProcessId processes() const { return static_cast<ProcessId>(processes_.size()); }
  std::int64_t events() const { return events_; }
  /// Returns a number that changes whenever a process comes, ends, or is given another class or a fresh start.
  std::int64_t version() const { return version_; }
  /// Returns how long a processor has been idle by `now` while processes that may run waited for messages.
  Ns blocked(std::int32_t c, Ns now) const {
    const Processor& p = processor(c);
    return p.blocked + (p.blocked_from == kUnknown ? 0 : now - p.blocked_from);
  }

  /// Advances a job all of whose processes have their processors for themselves until `until`, in closed form: the
  /// same state as handling its events, without events. False if the job is not in that situation.
  bool advance_exclusive(std::int32_t group, Ns until);

  /// What a process does in a span of time that is skipped.
  struct BulkWork {
    std::int64_t iterations;  ///< as many for all of its job
    Ns work;                  ///< of the burst that is under way, less than is left
    Ns spun, comm;
    std::int64_t slots;
  };
  /// Moves the clocks of a process, a job, a processor on by `span`, and their accounts by what is said. To be called
  /// for all of them at the same instant, up to which everything has been handled.
  void skip_process(ProcessId process, Ns span, const BulkWork& done);
  void skip_group(std::int32_t group, Ns span);
  void skip_processor(std::int32_t processor, Ns span, Ns switching, Ns blocked);

 private:
  std::size_t slot_of(std::int32_t processor, std::int32_t row) const {
    return static_cast<std::size_t>(processor) * static_cast<std::size_t>(rules_.multiprogramming) +
           static_cast<std::size_t>(row);
  }
  Process& at(ProcessId p) { return processes_[static_cast<std::size_t>(p)]; }
  std::span<Process> members_at(const ProcessGroup& g) { return {&at(g.first), static_cast<std::size_t>(g.size)}; }
  Processor& processor_at(std::int32_t c) { return processors_[static_cast<std::size_t>(c)]; }
  Seat& seat_of(const Process& p) { return seats_[p.seat]; }
  /// Returns the seats of a processor, up to its last process.
  std::span<Seat> seats(const Processor& c) { return {seats_.data() + c.first_seat, static_cast<std::size_t>(c.rows)}; }
  std::span<const Seat> seats(const Processor& c) const {
    return {seats_.data() + c.first_seat, static_cast<std::size_t>(c.rows)};
  }
  const SlotMode& mode_of(const Processor& c) const { return rules_.modes[c.mode]; }

  static Ns plus(Ns time, Ns span) { return span == kUnknown ? kUnknown : time + span; }
  Ns burst(Process& p, std::int64_t iteration) const;
  void take_mode(Processor& c, ModeId mode);
  void event(std::int32_t processor, Ns now);
  void happen(Processor& c, Process& p, Ns now);
  /// Brings a running process up to `now`, but not over the end of a burst.
  void settle(Process& p, Ns now) {
    if (p.phase != ProcessPhase::kWait || p.wake > now) return;
    const Ns when = p.wake < p.run_from ? p.run_from : p.wake;
    if (when <= now && when <= p.spin_end) complete_wait(p, when);
  }
  void complete_wait(Process& p, Ns when);
  void post(Process& p, Ns now);
  void deliver(ProcessId to, int side, std::int64_t iteration, Ns when);
  void arrive_at_barrier(Process& p, Ns now);
  void woken(Process& p);
  [[gnu::cold, gnu::noinline]] void finish(Processor& c, Process& p);
  [[gnu::cold, gnu::noinline]] void go_on_beyond_limit(Process& p, Ns now);
  void leave_seat(Processor& c, Process& p);

  bool may_run(ProcessId p) const { return seats_[process(p).seat].rank != Seat::kMayNot; }
  /// Ranks the processes of the processor again, after another mode or another process of its own.
  void rank_seats(Processor& c) {
    for (Seat& s : seats(c))
      if (s.process != kNoProcess) s.rank = rank_of(c, s.process);
    compare_ranks(c);
  }
  void compare_ranks(Processor& c);
  int rank_of(const Processor& c, ProcessId p) const;
  Ns quantum_end_from(const Processor& c, Ns time) const;
  void pass_quanta(Processor& c, Ns time);
  Ns rival_from(const Processor& c, std::int32_t rank) const;
  /// Returns from when on another process may take the processor from the one that runs there: any from one that
  /// fills a gap, the slot's own from any, as the mode says; kUnknown: none is known.
  Ns claim_on(const Processor& c) const {
    if (c.running == kNoProcess) return kUnknown;
    const std::int32_t rank = seats_[process(c.running).seat].rank;
    if (c.gaps_yield && rank == Seat::kFillsGap) return rival_from(c, Seat::kFillsGap - 1);
    return c.own_preempts && rank > Seat::kOwnFirst ? rival_from(c, Seat::kOwnFirst) : kUnknown;
  }
  Ns claimed_from(const Processor& c) const { return c.claims ? claim_on(c) : kUnknown; }
  void start(Processor& c, ProcessId p, Ns now, Ns cost);
  void stop(Processor& c, Ns now);
  void count_blocked(Processor& c, Ns now, bool from_now_on);
  void block(Processor& c, Ns now);
  ProcessId choose(const Processor& c, Ns now) const;
  ProcessId choose_equal(const Processor& c, Ns now) const;
  void dispatch(Processor& c, Ns now);
  void let_run(Processor& c, ProcessId p, Ns now);
  void yield(Processor& c, Ns now);
  bool is_suspended(const Processor& c, const Process& p) const {
    if (c.gap_classes && mode_of(c).fills_gaps[p.cls]) return c.running != p.self;
    return seats_[p.seat].rank == Seat::kMayNot;
  }
  void suspend_and_resume(std::int32_t processor, Ns now) {
    const Processor& c = processor_at(processor);
    for (const Seat& s : seats(c))
      if (s.process != kNoProcess) set_suspended(at(s.process), is_suspended(c, at(s.process)), now);
  }
  /// Says whether the process may run: its clock of communication stands still while it may not.
  void set_suspended(Process& p, bool suspended, Ns now) {
    if (suspended == p.suspended) return;
    p.suspended = suspended;
    if (p.phase != ProcessPhase::kWait) return;
    if (suspended) p.comm += now - p.wait_since;
    else p.wait_since = now;
  }
  Ns next_of_running(const Process& p) const;
  void schedule(std::int32_t processor);

  // What is seldom called stays out of the loop over events, which all the rest is part of.
  [[gnu::cold, gnu::noinline]] void tell_switch(Processor& c, Ns now);
  /// Tells the observer what the process did. Precondition: there is one.
  [[gnu::cold, gnu::noinline]] void tell(const Process& p, Activity what, Ns from, Ns to) const;

  bool has_processors(const ProcessGroup& g) const;
  bool advance_iteration(const ProcessGroup& g, std::int64_t iteration, Ns until);
  bool in_step(const ProcessGroup& g, std::int64_t iteration, Ns until) const;
  std::int64_t march(const ProcessGroup& g, std::int64_t iteration, Ns until);

  const CoschedulingRules& rules_;
  std::uint64_t seed_;
  std::vector<Process> processes_;
  std::vector<ProcessGroup> groups_;
  std::vector<Processor> processors_;
  std::vector<Seat> seats_;  ///< by processor, then row
  EventTree tree_;
  ProcessorWatch* watch_ = nullptr;
  std::vector<std::int32_t> finished_, at_limit_;
  std::int64_t events_ = 0, version_ = 0;
};

}  // namespace coslice

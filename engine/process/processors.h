// The processors with their local schedulers, event by event: which process runs, spins, blocks and wakes on each,
// between two decisions of the machine manager. All that happens at an instant is independent of the order in which
// processors are looked at, because a message takes at least a nanosecond.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "process/event_tree.h"
#include "process/process.h"
#include "process/processor_watch.h"

namespace coslice {

class Processors {
 public:
  /// The rules outlive this. `seed` is that of the jitter.
  Processors(std::int32_t count, const CoschedulingRules& rules, std::uint64_t seed);

  std::int32_t count() const { return static_cast<std::int32_t>(processors_.size()); }
  std::int32_t rows() const { return rules_.multiprogramming; }

  /// Tells it what the processors do, event by event: not what is advanced in closed form or skipped.
  void watch(ProcessorWatch* watch) { watch_ = watch; }

  /// Puts a job's processes, rank i on columns[i], into a row that is free there. They may run once set_mode has been
  /// called for their processors. Returns the group's number.
  std::int32_t add(JobIndex job, const Program& program, std::int64_t iterations,
                   const std::vector<std::int32_t>& columns, std::int32_t row, Ns now);

  /// The decision for a processor's slot. REQUIRES: everything up to `now` has been handled.
  void set_mode(std::int32_t processor, ModeId mode, ProcessId own, Ns now);

  /// Counts a wait that is over by `now` of the process that runs there, before it is looked at. The same condition.
  void bring_up(std::int32_t processor, Ns now) {
    Processor& c = processor_at(processor);
    if (c.running == kNoProcess) return;
    if (watch_) tell_switch(c, now);
    settle(at(c.running), now);
  }

  /// The process in a row of a processor that is not done, or kNoProcess.
  ProcessId resident(std::int32_t processor, std::int32_t row) const { return seats_[slot_of(processor, row)].process; }
  /// Applies a verdict, at the end of a slot.
  void set_class(ProcessId process, const Classification& verdict);
  /// Counts a slot of its own for a process that had one.
  void count_slot(ProcessId process);
  ProcessFacts facts(ProcessId process) const;

  /// When the next event is due; kUnknown if none is.
  Ns next_event() { return tree_.time(); }
  /// Handles the events up to and at `until`, but stops after an instant in which the last process of a job ended.
  /// Returns that instant, or `until`.
  Ns run_until(Ns until);
  /// Groups whose last process ended since the last call, in order.
  std::vector<std::int32_t> take_finished();

  const ProcessGroup& group(std::int32_t g) const { return groups_[static_cast<std::size_t>(g)]; }
  const Process& process(ProcessId p) const { return processes_[static_cast<std::size_t>(p)]; }
  const Processor& processor(std::int32_t c) const { return processors_[static_cast<std::size_t>(c)]; }
  const std::vector<Processor>& all() const { return processors_; }
  ProcessId processes() const { return static_cast<ProcessId>(processes_.size()); }
  std::int64_t events() const { return events_; }
  /// Another number whenever a process comes, ends, or is given another class or a fresh start.
  std::int64_t version() const { return version_; }
  /// How long a processor has been idle by `now` while processes that may run waited for messages.
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
  /// Moves the clocks of a process, a job, a processor on by `span`, and their accounts by what is said. To be called for
  /// all of them at the same instant, up to which everything has been handled.
  void skip_process(ProcessId process, Ns span, const BulkWork& done);
  void skip_group(std::int32_t group, Ns span);
  void skip_processor(std::int32_t processor, Ns span, Ns switching, Ns blocked);

 private:
  std::size_t slot_of(std::int32_t processor, std::int32_t row) const {
    return static_cast<std::size_t>(processor) * static_cast<std::size_t>(rules_.multiprogramming) +
           static_cast<std::size_t>(row);
  }
  Process& at(ProcessId p) { return processes_[static_cast<std::size_t>(p)]; }
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

  bool may_run(ProcessId p) const { return seats_[process(p).seat].rank != Seat::kMayNot; }
  void rank_seats(Processor& c);
  void compare_ranks(Processor& c);
  int rank_of(const Processor& c, ProcessId p) const;
  Ns quantum_end_from(const Processor& c, Ns time) const;
  void pass_quanta(Processor& c, Ns time);
  Ns rival_from(const Processor& c, std::int32_t rank) const;
  Ns claim_on(const Processor& c) const;
  Ns claimed_from(const Processor& c) const { return c.gaps_yield ? claim_on(c) : kUnknown; }
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
  void suspend_and_resume(std::int32_t processor, Ns now);
  /// A process's clock of communication runs only while it may run.
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
  /// REQUIRES: somebody watches.
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
  std::vector<std::int32_t> finished_;
  std::int64_t events_ = 0, version_ = 0;
};

}  // namespace coslice

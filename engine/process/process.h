// The state of one process and of one processor, in nanoseconds. Inner header of the process-level engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "process/coscheduler.h"
#include "process/program.h"

namespace coslice {

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
  /// By side and parity of the iteration. A neighbour is at most one iteration ahead, so two stamps a side do.
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

/// The progress of a process. While it runs, its burst ends at run_from + remaining; while it spins, it does so from run_from on.
struct alignas(64) ProcessBurst {
  Ns remaining = 0;  ///< processor time left of the burst
  Ns run_from = 0;
  Ns spin_end = kUnknown;  ///< when it yields the processor if the messages have not come
  Ns next_burst = 0;       ///< drawn when the wait before it begins
  std::uint64_t key = 0;   ///< of its jitter
  double deviation = 0;    ///< of a burst, ns
  Ns busy = 0;             ///< mean burst
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
  Ns moved = 0;                  ///< what the imbalance adds to its bursts for so many iterations
  std::int64_t slots = 0, slots_in_class = 0;
  ProcessId self = kNoProcess;
  std::int32_t row = 0, rank = 0;
  ClassId cls = 0;
};

struct Process : ProcessMessages, ProcessBurst, ProcessMeasures, ProcessPlan {
  /// When the messages of this iteration are all there; kUnknown: that is not known yet.
  Ns last_message() const {
    const auto parity = static_cast<std::size_t>(iteration & 1);
    return std::max(arrival[0][parity], arrival[1][parity]);
  }
};

/// A row of a processor, as its local scheduler sees it: what it looks at for each decision, apart from all the rest.
struct Seat {
  static constexpr std::int32_t kMayNot = INT32_MAX;
  static constexpr std::int32_t kFillsGap = kMayNot - 1;  ///< the rank of who runs where no other can
  Ns ready_since =
      kUnknown;  ///< its place in the FIFO; kUnknown while it is blocked for an unknown time, or no process is here
  ProcessId process = kNoProcess;
  std::int32_t rank = kMayNot;  ///< in the processor's mode: lower goes first
};

/// The processes of one job.
struct ProcessGroup {
  JobIndex job = kNoJob;
  ProcessId first = 0;
  std::int32_t size = 0, row = 0;
  std::int32_t live = 0;        ///< processes that are not done
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
  bool gaps_yield = false;   ///< of the mode, as are spin, quantum and dispatch_cost
  bool equals = true;        ///< whether all processes there are of the same rank, and may run
  bool gap_classes = false;  ///< whether processes of some classes are suspended in this mode while they do not run
  Ns quantum_end = kUnknown;
  Ns spin = kUnknown, quantum = kUnknown, dispatch_cost = 0;
  std::uint32_t first_seat = 0;
  std::int32_t rows = 0;       ///< those of its seats that are taken are among so many
  Ns blocked_from = kUnknown;  ///< since when it is idle while processes that may run wait for messages
  Ns blocked = 0;              ///< idle so far like that
  Ns switching = 0;            ///< lost in switches so far
  Ns switch_from = kUnknown;   ///< when the last one began, until it has been told
};

}  // namespace coslice

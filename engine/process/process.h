// The state of one process and of one processor, in nanoseconds. Inner header of the process-level engine.
#pragma once

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

/// What a process does in each iteration, by its program.
struct ProcessWork {
  std::int64_t iterations = 1;
  Ns busy = 0;           ///< mean burst
  Ns overhead = 0;       ///< the part of it that is communication
  double deviation = 0;  ///< of a burst, ns
  double moving = 0;     ///< by how much a burst is longer or shorter at most while its imbalance stays, ns
  std::int64_t moving_iterations = 1;
  Ns latency = 1;
  std::uint64_t key = 0;  ///< of its jitter
  std::uint64_t moving_key = 0;
  Pattern pattern = Pattern::kNone;
};

/// Its neighbours, and where it lies.
struct ProcessPlace {
  ProcessId self = kNoProcess, left = kNoProcess, right = kNoProcess;
  std::int32_t processor = 0, row = 0, group = 0, rank = 0;
  std::uint32_t seat = 0;
};

/// What is measured (ProcessFacts), and accounts that are never reset.
struct ProcessMeasures {
  ClassId cls = 0;
  std::int64_t slots = 0, slots_in_class = 0;
  Ns cpu = 0, comm = 0;
  std::int64_t communications = 0;
  Ns used = 0, spun = 0;  ///< processor time in bursts and in polling
};

/// Its progress. While it runs, its burst ends at run_from + remaining; while it spins, it does so from run_from on.
struct Process : ProcessWork, ProcessPlace, ProcessMeasures {
  ProcessPhase phase = ProcessPhase::kCompute;
  bool running = false;    ///< has its processor (after run_from, if that is in the future)
  bool suspended = false;  ///< may not run in this slot: its clock of communication stands still
  Ns remaining = 0;        ///< processor time left of the burst
  Ns run_from = 0;
  Ns spin_end = kUnknown;  ///< when it yields the processor if the messages have not come
  Ns wake = kUnknown;      ///< when the messages that it waits for are all there
  Ns wait_since = 0;       ///< since when this wait counts as communication
  Ns next_burst = 0;       ///< drawn when the wait before it begins
  std::int64_t iteration = 0;
  /// By side and parity of the iteration. A neighbour is at most one iteration ahead, so two stamps a side do.
  Ns arrival[2][2] = {{kUnknown, kUnknown}, {kUnknown, kUnknown}};

  bool messages_there() const {
    const auto parity = static_cast<std::size_t>(iteration & 1);
    return arrival[0][parity] != kUnknown && arrival[1][parity] != kUnknown;
  }
  Ns last_message() const {
    const auto parity = static_cast<std::size_t>(iteration & 1);
    return arrival[0][parity] < arrival[1][parity] ? arrival[1][parity] : arrival[0][parity];
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
  ModeId mode = 0;
  ProcessId own = kNoProcess;  ///< of this slot
  ProcessId running = kNoProcess;
  ProcessId last = kNoProcess;  ///< whose working set is in the cache
  Ns quantum_end = kUnknown;
  Ns switching = 0;            ///< lost in switches so far
  Ns switch_from = kUnknown;   ///< when the last one began, until it has been told
  Ns blocked = 0;              ///< idle so far while processes that may run waited for messages
  Ns blocked_from = kUnknown;  ///< since when it is idle like that
};

}  // namespace coslice

// What a parallel program does, as far as a coscheduler can see it: a loop of computing and communicating
// (bulk-synchronous, Valiant 1990), with a load for each process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/codec.h"
#include "core/time.h"

namespace coslice {

/// The processes that a process waits for at the end of each iteration.
enum class Pattern : std::uint8_t {
  kNone,     ///< none: the processes do not communicate
  kRing,     ///< the messages of both neighbours in the ring of ranks
  kBarrier,  ///< all processes of the job (barrier, all-to-all)
};

/// What a communication costs. The processor is busy for send and receive, not for the latency.
struct CommunicationCost {
  Duration send{25'000};     ///< o_s
  Duration receive{15'000};  ///< o_r
  Duration latency{20'000};  ///< L, at least 1 ns: from the end of the sending to the arrival
  Duration overhead() const { return send + receive; }
};

/// One application. Loads are given by rank and repeat cyclically: {1 ms, 1 ms, 2 ms, 2 ms} is a program whose ranks
/// alternate in pairs.
struct Program {
  std::string name;
  Pattern pattern = Pattern::kRing;
  std::vector<Duration> compute = {Duration{1'000'000}};  ///< by rank: computing per iteration
  /// By rank: communication per iteration that keeps the processor, e.g. a sequence of waits that are each shorter than
  /// the spin time. Counts as communication where programs are classified. Empty: none.
  std::vector<Duration> polling;
  CommunicationCost communication;
  double jitter = 0.01;  ///< standard deviation of computing and polling, relative to their mean
  /// Imbalance that moves between the processes: each computes and polls by up to this part more or less, drawn again,
  /// uniformly, after `moving_iterations` iterations. Under a barrier, where the slowest of the moment holds up all.
  double moving = 0;
  std::int64_t moving_iterations = 1;
  /// Time to fill the caches again, added to each switch of slots that brings a process of this program in ...
  Duration slot_refill{0};
  /// ... and to each dispatch by a local scheduler.
  Duration dispatch_refill{0};
  /// Processor time per iteration that measuring its communication takes, under policies that classify processes.
  Duration monitoring{0};
  std::int64_t memory_kb = 0;  ///< of a process, resident from its start to its end; 0: not modelled

  Duration compute_of(std::int64_t rank) const { return compute[static_cast<std::size_t>(rank) % compute.size()]; }
  Duration polling_of(std::int64_t rank) const {
    return polling.empty() ? Duration{0} : polling[static_cast<std::size_t>(rank) % polling.size()];
  }
  /// Returns the processor time of one iteration without jitter.
  Duration busy_of(std::int64_t rank) const;
};

/// Returns lambda: nanoseconds per iteration in the steady state, alone on dedicated processors and without jitter. For
/// the ring it is the maximum cycle mean, max_i max(c_i + o, (c_i + c_i+1)/2 + o + L), which can be half a nanosecond.
/// Where imbalance moves, it is the mean over its draws.
double isolated_period(const Program& program, std::int32_t size);

/// Returns the number of iterations that take a job of that size about `runtime` alone: runtime / lambda, rounded, at
/// least 1.
std::int64_t iterations_for(const Program& program, std::int32_t size, Duration runtime);

/// Throws std::invalid_argument with the problem in words: a load below 0, no latency, no work at all, ...
void check_program(const Program& program);

/// One of [[processes.programs]]: a program as a scenario or a script writes it down.
struct ProgramSpec : Program {
  std::int32_t each = 1;  ///< ranks in a row with the same load: those of `compute` and `polling` stand for that number
  double weight = 1;      ///< for jobs that name no program

  /// Returns the program with the loads of all ranks. Throws std::invalid_argument for one that cannot run.
  Program program() const;
};

/// Returns the keys of a program's table. The last one, `weight`, is for programs that are drawn.
const std::vector<Key<ProgramSpec>>& program_keys();
/// Checks that no name appears twice and that each program can run. Throws InputError.
void check_programs(const std::vector<ProgramSpec>& programs, const Value& list, const std::string& path);

}  // namespace coslice

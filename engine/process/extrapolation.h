// Settled phases from measured rates: while no job comes or ends and no process changes its class, what happens in a
// cycle of slots is much the same in each. So a few cycles are simulated event by event, their rates are measured, and
// the run goes on a whole number of cycles later: every process is as it was, its clocks later, its job as many
// iterations further as the rates say. How far off a rate may be is measured by batch means.
#pragma once

#include <cstdint>
#include <vector>

#include "core/portable_math.h"
#include "process/processors.h"

namespace coslice {

class Extrapolation {
 public:
  /// Makes the extrapolation of `processors`, which outlive it. Rates are good enough when the half width of their 99 %
  /// interval is at most that part of them.
  Extrapolation(Processors& processors, double tolerance) : processors_(processors), tolerance_(tolerance) {}

  /// Looks at the processes of these groups (all that run) at the end of a slot. `cycle`: after how long the slots
  /// repeat themselves. Precondition: everything up to `now` has been handled.
  void look(Ns now, Ns cycle, const std::vector<std::int32_t>& groups);
  /// Returns in how many cycles from now on, at the last look, no process ends as far as the rates say; 0 if they are
  /// not known.
  std::int64_t cycles_left() const;
  /// Returns a process of such a group after this many cycles.
  ProcessFacts facts_after(ProcessId process, std::int64_t cycles) const;
  /// Moves all clocks and all work on by this many cycles, at the instant of the last look.
  void skip(std::int64_t cycles);

  Ns skipped() const { return skipped_; }
  std::int64_t skips() const { return skips_; }
  /// Returns by how much the end of the run may be wrong: half widths times skipped times, and the rounding to
  /// iterations.
  Ns error_bound() const { return static_cast<Ns>(error_ + rounding_); }

 private:
  /// A process at the beginning of the window, then what it did in the window.
  struct Account {
    ProcessId process = kNoProcess;
    Ns left = 0;  ///< work without communication that is to be done
    Ns spun = 0, cpu = 0, comm = 0;
    std::int64_t communications = 0, slots = 0;
    double rate = 0;  ///< without communication: processor time per time
  };
  struct Rate {
    std::int32_t group = 0;
    std::vector<double> progress;  ///< at each look: iterations, or work done, a process
    double rate = 0, half_width = 0;
  };
  struct Lost {
    Ns switching = 0, blocked = 0;
  };

  void restart(Ns now, Ns cycle, const std::vector<std::int32_t>& groups);
  void measure_anew();
  void begin_window();
  double progress_of(const ProcessGroup& g) const;
  bool measured(Rate& r) const;
  void end_window();
  void pool_silent();
  Account account_of(ProcessId p) const;
  const Account& account(ProcessId p) const { return *std::ranges::lower_bound(accounts_, p, {}, &Account::process); }
  std::vector<std::int64_t> surroundings(ProcessId p) const;
  /// Returns what happened in the window, for this many cycles.
  std::int64_t part(std::int64_t in_window, std::int64_t cycles) const {
    const double factor = static_cast<double>(cycles * cycle_) / static_cast<double>(window_);
    return truncated<std::int64_t>(static_cast<double>(in_window) * factor);
  }
  Ns left_of(const Process& p) const {
    return p.phase == ProcessPhase::kDone ? 0 : p.remaining - (p.running ? std::max<Ns>(0, now_ - p.run_from) : 0);
  }

  Processors& processors_;
  double tolerance_;
  std::int64_t version_ = -1;
  Ns now_ = 0, since_ = 0, changed_ = 0, cycle_ = 0, window_from_ = 0, window_ = 0;
  std::int64_t looks_ = 0;  ///< cycles of the window at the end of which its rates are looked at next
  bool known_ = false, unfit_ = false;
  std::vector<Rate> rates_;
  std::vector<Account> accounts_;  ///< by process, ascending
  std::vector<Lost> lost_;         ///< by processor
  std::vector<double> carry_;      ///< by group: iterations that rounding has kept back
  double error_ = 0, rounding_ = 0;
  Ns skipped_ = 0;
  std::int64_t skips_ = 0, events_ = 0;
};

}  // namespace coslice

// What a coscheduling policy is to the engine: modes in which a processor may spend a time slot, and two decisions. The
// engine has no policy's name and no class's meaning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"

namespace coslice {

/// Number of a process's class, in the policy's list of classes. New processes are in class 0.
using ClassId = std::uint8_t;
/// Number of a mode, in the policy's list of modes.
using ModeId = std::uint8_t;

/// Longer than every slot: busy-waiting, no quantum, no preemption.
inline constexpr Duration kForever = Duration::max();

/// How a processor spends a slot.
struct SlotMode {
  std::string name;
  /// Whether only the slot's own process may run. Else all processes of the processor may, under its local scheduler: a
  /// FIFO run queue, each runs until it blocks or its quantum is over; one that wakes up goes to the tail.
  bool exclusive = true;
  Duration spin = kForever;     ///< how long a process polls for a message before it yields the processor
  Duration quantum = kForever;  ///< of the local scheduler
  Duration switch_cost{0};      ///< lost at the beginning of a slot that brings another process or mode
  Duration dispatch_cost{0};    ///< lost when the local scheduler dispatches another process
  /// By class: lower goes first, negative may not run. Empty: all are equal.
  std::vector<int> priority;
  /// By class: such processes run only where no other process is ready, and count as suspended while they do not run,
  /// so that the wait for a gap is not taken for communication. Empty: none.
  std::vector<bool> fills_gaps;
  /// Whether a process that becomes ready takes the processor at once from one that fills a gap; else it does when the
  /// quantum is over.
  bool gaps_yield = false;
  bool own_first = false;  ///< the slot's own process goes before all others
  /// Whether it also takes the processor at once from the process there, when it becomes ready and when its slot
  /// begins; else it does when the quantum is over. Only with own_first.
  bool own_preempts = false;
};

/// A process as a policy sees it: FCS's measurements (Frachtenberg et al. 2005, Table 1).
struct ProcessFacts {
  JobIndex job = kNoJob;
  std::int32_t rank = 0, processor = 0;
  ClassId cls = 0;
  std::int64_t slots = 0;           ///< tslots: assigned slots since its start
  std::int64_t slots_in_class = 0;  ///< cslots: since its class was set
  Duration cpu{0};                  ///< T_cpu: computing since the last reset
  Duration comm{0};                 ///< T_comm: in blocking communication since the last reset, unless suspended
  std::int64_t communications = 0;  ///< C_comm: since the last reset
};

/// The answer to a classification. A changed class resets the measurements and slots_in_class.
struct Classification {
  ClassId cls = 0;
  bool reset = false;  ///< resets them also where the class stays
};

/// What a policy is made of, beside its decisions.
struct CoschedulingRules {
  std::vector<std::string> classes = {"process"};
  std::vector<SlotMode> modes = {SlotMode{}};
  Duration slice{0};  ///< length of a slot; 0: there are none, and a processor's mode changes only when jobs come
  std::int32_t multiprogramming = 1;  ///< rows of the Ousterhout matrix
  bool classifies = false;            ///< whether classify is to be asked
};

/// The decisions of a policy. They must be functions of their arguments alone for runs to be reproducible.
class Coscheduler {
 public:
  virtual ~Coscheduler() = default;
  virtual const CoschedulingRules& rules() const = 0;
  /// Returns the mode of a processor's slot. Asked for each processor at the beginning of each slot; `next` is the
  /// slot's own process, null if there is none.
  virtual ModeId slot(const ProcessFacts* next) = 0;
  /// Returns the class of a process. Asked for each process at the end of each slot of its own.
  virtual Classification classify(const ProcessFacts& process) { return {process.cls, false}; }

  /// Returns what slot() would return for all processors, one after the other, in one call: a strobe asks hundreds.
  virtual std::vector<ModeId> slots(const std::vector<const ProcessFacts*>& next) {
    std::vector<ModeId> modes;
    for (const ProcessFacts* p : next) modes.push_back(slot(p));
    return modes;
  }
  virtual std::vector<Classification> classify_all(const std::vector<ProcessFacts>& processes) {
    std::vector<Classification> verdicts;
    for (const ProcessFacts& p : processes) verdicts.push_back(classify(p));
    return verdicts;
  }
};

}  // namespace coslice

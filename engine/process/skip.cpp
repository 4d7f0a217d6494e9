// A span of time goes by whose events are not handled: all clocks go later by it, and work is done in bulk.
#include <utility>

#include "process/processors.h"

namespace coslice {

namespace {

void later(Ns& clock, Ns span) {
  if (clock != kUnknown) clock += span;
}

}  // namespace

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

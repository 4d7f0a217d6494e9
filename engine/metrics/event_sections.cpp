#include "metrics/event_sections.h"

namespace coslice {
namespace {

using Unit = FigureUnit;

template <auto Member>
FigureValue outage(const Summary& s) {
  return (*s.outages).*Member;
}
template <auto Member>
FigureValue power(const Summary& s) {
  return (*s.power).*Member;
}
template <auto Member>
FigureValue energy(const Summary& s) {
  return (*s.energy).*Member;
}
template <auto Member>
FigureValue cost(const Summary& s) {
  return (*s.cost).*Member;
}
template <auto Member>
FigureValue reservation(const Summary& s) {
  return (*s.reservations).*Member;
}
template <auto Member>
FigureValue preemption(const Summary& s) {
  return (*s.preemptions).*Member;
}

}  // namespace

FigureSection outages_section() {
  return {"outages",
          "Only where nodes fail, are drained or have maintenance.",
          [](const Summary& s) { return s.outages.has_value(); },
          {{"availability", "availability", "", Unit::kShare, Better::kHigher,
            "Node-seconds in which nodes were there / (makespan x nodes).", outage<&OutageSummary::availability>},
           {"failures", "failures", "", Unit::kCount, Better::kLower, "Failures, each of a node or of several at once.",
            outage<&OutageSummary::failures>},
           {"interruptions", "interruptions", "", Unit::kCount, Better::kLower, "Runs of jobs that failures ended.",
            outage<&OutageSummary::interruptions>},
           {"lost_jobs", "jobs", "lost", Unit::kCount, Better::kLower, "Interrupted jobs that were not requeued.",
            outage<&OutageSummary::lost_jobs>},
           {"lost", "work lost", "node-seconds", Unit::kNone, Better::kLower,
            "Nodes x seconds of work that had to be done again, or never was.", outage<&OutageSummary::lost>},
           {"checkpointing", "checkpoints", "node-seconds", Unit::kNone, Better::kLower,
            "Nodes x seconds for writing checkpoints and going on from them.", outage<&OutageSummary::checkpointing>},
           {"waste", "waste", "failures", Unit::kShare, Better::kLower,
            "Both, in parts of the node-seconds that jobs ran.", outage<&OutageSummary::waste>}}};
}

FigureSection power_section() {
  return {"power",
          "Only where nodes are powered down.",
          [](const Summary& s) { return s.power.has_value(); },
          {{"boots", "boots", "nodes", Unit::kCount, Better::kLower, "Nodes that came up for a job, each time.",
            power<&PowerSummary::boots>},
           {"delayed", "boots", "jobs delayed", Unit::kCount, Better::kLower,
            "Starts of jobs on nodes that were not all up.", power<&PowerSummary::delayed>},
           {"boot_wait", "boots", "mean wait, s", Unit::kSeconds, Better::kLower,
            "Seconds for which a job had its nodes before all of them were up: mean over all jobs that ran. They count as "
            "running, not as waiting.",
            power<&PowerSummary::boot_wait>},
           {"lost", "boots", "node-seconds", Unit::kNone, Better::kLower,
            "Nodes x seconds that jobs had nodes before all of them were up.", power<&PowerSummary::lost>},
           {"off_share", "powered down", "", Unit::kShare, Better::kNeither,
            "Node-seconds in which nodes were powered down / those in which they were there.",
            power<&PowerSummary::off_share>}}};
}

FigureSection energy_section() {
  return {"energy",
          "Only where it is known what nodes draw (`power.watts`, or `busy_watts` and `idle_watts` of each kind).",
          [](const Summary& s) { return s.energy.has_value(); },
          {{"used", "energy", "kWh", Unit::kNone, Better::kLower,
            "What the nodes drew over the makespan while they were there, kWh.", energy<&EnergySummary::used>, 1},
           {"idle", "energy", "kWh, idle", Unit::kNone, Better::kLower,
            "Of it, what nodes drew that were up and had no job, kWh.", energy<&EnergySummary::idle>, 1},
           {"always_on", "energy", "kWh, always on", Unit::kNone, Better::kNeither,
            "What they would have drawn if nodes that are powered down or come up drew what idle ones do, kWh.",
            energy<&EnergySummary::always_on>, 1}}};
}

FigureSection cost_section() {
  return {"cost",
          "Only where an hour of a node (`price`) or a kWh (`power.kwh_price`) has a price; in its currency.",
          [](const Summary& s) { return s.cost.has_value(); },
          {{"total", "cost", "", Unit::kNone, Better::kLower, "Of nodes and of what they drew, over the makespan.",
            cost<&CostSummary::total>, 2},
           {"nodes", "cost", "nodes", Unit::kNone, Better::kLower,
            "Hours in which nodes were there and not powered down, each at the price of its kind.",
            cost<&CostSummary::nodes>, 2},
           {"idle", "cost", "idle nodes", Unit::kNone, Better::kLower,
            "Of it, hours of nodes that were up and had no job.", cost<&CostSummary::idle>, 2},
           {"energy", "cost", "energy", Unit::kNone, Better::kLower, "kWh that the nodes drew, at the price of one.",
            cost<&CostSummary::energy>, 2}}};
}

FigureSection preemptions_section() {
  return {"preemptions",
          "Only where the policy stopped or suspended running jobs (`view:preempt`, `view:requeue`, `view:kill`).",
          [](const Summary& s) { return s.preemptions.has_value(); },
          {{"stopped", "preemptions", "policy", Unit::kCount, Better::kLower, "Runs of jobs that the policy ended.",
            preemption<&PreemptionSummary::stopped>},
           {"requeued", "preemptions", "requeued", Unit::kCount, Better::kNeither,
            "Of them, of jobs that waited again.", preemption<&PreemptionSummary::requeued>},
           {"cancelled", "jobs", "cancelled", Unit::kCount, Better::kLower, "Of them, of jobs that did not.",
            preemption<&PreemptionSummary::cancelled>},
           {"lost", "work lost", "node-seconds", Unit::kNone, Better::kLower,
            "Nodes x seconds of work that had to be done again, or never was.", preemption<&PreemptionSummary::lost>},
           {"checkpointing", "checkpoints", "node-seconds", Unit::kNone, Better::kLower,
            "Nodes x seconds for writing checkpoints and going on from them.",
            preemption<&PreemptionSummary::checkpointing>},
           {"waste", "waste", "preemptions", Unit::kShare, Better::kLower,
            "Both, in parts of the node-seconds that jobs ran.", preemption<&PreemptionSummary::waste>},
           {"suspended", "suspensions", "", Unit::kCount, Better::kLower,
            "Times that a job was suspended on its nodes.", preemption<&PreemptionSummary::suspended>},
           {"suspended_time", "suspensions", "seconds", Unit::kNone, Better::kLower,
            "Seconds for which jobs were suspended, of all of them together.",
            preemption<&PreemptionSummary::suspended_time>}},
          true};
}

FigureSection reservations_section() {
  return {"reservations",
          "Only where nodes are reserved.",
          [](const Summary& s) { return s.reservations.has_value(); },
          {{"windows", "windows", "", Unit::kCount, Better::kNeither, "Times of reservations that began.",
            reservation<&ReservationSummary::windows>},
           {"late", "windows", "late", Unit::kCount, Better::kLower,
            "Of them, those in which jobs of others stayed on some nodes: they had started before the reservation was "
            "known, or ran longer than the policy believed.",
            reservation<&ReservationSummary::late>},
           {"reserved", "reserved", "node-seconds", Unit::kNone, Better::kNeither, "Nodes x seconds of these times.",
            reservation<&ReservationSummary::reserved>},
           {"used", "used", "node-seconds", Unit::kNone, Better::kHigher,
            "Of them, those that jobs had for which the nodes were reserved.", reservation<&ReservationSummary::used>},
           {"backfilled", "backfilled", "node-seconds", Unit::kNone, Better::kHigher,
            "Of them, those that short jobs of others had (`backfill`).",
            reservation<&ReservationSummary::backfilled>},
           {"withheld", "withheld", "node-seconds", Unit::kNone, Better::kLower,
            "Of them, those that jobs of others had that stayed.", reservation<&ReservationSummary::withheld>}}};
}

}  // namespace coslice

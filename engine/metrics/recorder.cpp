#include "metrics/recorder.h"

#include "core/hash.h"

namespace coslice {

Recorder::Recorder(const Workload& workload, const MachineSpec& machine) {
  result_.workload = &workload;
  result_.machine = machine;
  result_.outcomes.resize(workload.jobs.size());
  result_.timeline.reserve(workload.jobs.size() * 2 + 1);
}

void Recorder::note(Time t, Kind kind, JobIndex j, std::uint64_t nodes) {
  ++result_.events;
  std::uint64_t h = result_.fingerprint;
  h = hash_mix(h, static_cast<std::uint64_t>(t.time_since_epoch().count()));
  h = hash_mix(h, (static_cast<std::uint64_t>(kind) << 32) | j);
  result_.fingerprint = hash_mix(h, nodes);
}

void Recorder::submitted(Time t, JobIndex j) { note(t, Kind::kSubmit, j, 0); }

void Recorder::rejected(Time t, JobIndex j) {
  note(t, Kind::kReject, j, 0);
  result_.outcomes[j].state = FinalState::kRejected;
}

void Recorder::started(Time t, JobIndex j, const NodeRanges& nodes) {
  note(t, Kind::kStart, j, nodes.hash());
  result_.outcomes[j].start = t;
}

void Recorder::ended(Time t, JobIndex j, const NodeRanges& nodes, bool killed) {
  note(t, killed ? Kind::kKill : Kind::kEnd, j, nodes.hash());
  Outcome& outcome = result_.outcomes[j];
  outcome.end = t;
  outcome.nodes = result_.archive.add(nodes);
  outcome.state = killed ? FinalState::kWalltimeReached : FinalState::kCompleted;
}

void Recorder::settled(const InstantState& s) {
  result_.timeline.push_back({s.now, s.waiting, s.used_nodes, s.used_cores});
}

}  // namespace coslice

#include "scenario/machine/outage_spec.h"

#include "scenario/jobs/placed_records.h"

namespace coslice {
namespace {

#define OUTAGE(member) COSLICE_FIELD(Scenario, outages.member)
#define PLANNED(member) COSLICE_FIELD(PlannedOutage, member)
#define FAILURES(member) COSLICE_FIELD(DrawnFailures, member)

const char* const kNodesDoc = "Its nodes: names of kinds, of nodes, or ranges of them; on a machine of equal nodes "
                              "their numbers, as `jobs.csv` has them: `\"0-15\"`. Default: all.";

/// A field that is an instant, in seconds.
template <class S, class Field>
Codec<S> instant(Field field) {
  const std::string words = codec::real_words("seconds", {0, kMaxSubmitSeconds});
  return {words,
          [=](S& s, const Value& v, const std::string& p) {
            field(s) = at_seconds(codec::read_real(v, p, words, {0, kMaxSubmitSeconds}));
          },
          [=](const S& s) -> std::optional<Value> { return Value(to_seconds(field(const_cast<S&>(s)))); }};
}

const std::vector<Key<PlannedOutage>>& planned_keys() {
  using P = PlannedOutage;
  static const std::vector<Key<P>> keys = {
      {"nodes", codec::texts<P>(PLANNED(nodes)), kNodesDoc},
      {"from", instant<P>(PLANNED(from)), "When it begins, s.", true},
      {"length", codec::seconds<P>(PLANNED(length), {0, kMaxSeconds, true}), "For how long the nodes are down, s.",
       true},
      {"every", codec::seconds<P>(PLANNED(every), {0, kMaxSeconds}),
       "It repeats every this many seconds; 604800 is weekly. Default 0: once."},
      {"kind", codec::choice<P>(PLANNED(kind), {"failure", "drain", "maintenance"}),
       "`failure`: without warning, jobs on the nodes are interrupted. `drain`: jobs on them run to their ends, no "
       "others start there; a node is down from the end of its last job on. `maintenance`: known from the beginning, "
       "so that no job is started there that could still run then. Default `drain`."},
  };
  return keys;
}

/// Names of nodes, or their numbers, one of them or a list: a script counts nodes.
Codec<PlannedOutage> names_or_numbers() {
  const std::string words = "a node's number, a name in quotes, or a list of these";
  return {words,
          [=](PlannedOutage& o, const Value& v, const std::string& path) {
            for (const Value& item : v.list() != nullptr ? *v.list() : Value::List{v}) {
              if (item.integer() != nullptr) o.numbers.push_back(*item.integer());
              else if (item.text() != nullptr) o.nodes.push_back(*item.text());
              else codec::wrong(item, path, words);
            }
            if (o.numbers.empty() && o.nodes.empty()) codec::wrong(v, path, words);
          },
          [](const PlannedOutage&) -> std::optional<Value> { return std::nullopt; }};
}

const std::vector<Key<PlannedOutage>>& yielded_outage_keys() {
  static const std::vector<Key<PlannedOutage>> keys = [] {
    std::vector<Key<PlannedOutage>> all = planned_keys();
    for (Key<PlannedOutage>& k : all)
      if (k.name == "nodes") k.codec = names_or_numbers();
    return all;
  }();
  return keys;
}

const std::vector<Key<DrawnFailures>>& failure_keys() {
  using F = DrawnFailures;
  static const std::vector<Key<F>> keys = {
      {"nodes", codec::texts<F>(FAILURES(nodes)), kNodesDoc},
      {"mtbf", codec::real<F>(FAILURES(between.mean), {0, kMaxSeconds, true}),
       "Mean time of a node between the end of a repair and its next failure, s.", true},
      {"distribution", codec::choice<F>(FAILURES(between.shape), {"exponential", "weibull", "lognormal"}),
       "Of that time. Default `exponential`."},
      {"shape", codec::real<F>(FAILURES(between.spread), {0.1, 10}),
       "Weibull: its shape, below 1 where failures come in clusters. Lognormal: sigma. Default 1."},
      {"repair", codec::real<F>(FAILURES(repair.mean), {0, kMaxSeconds, true}), "Mean time of a repair, s.", true},
      {"repair_distribution", codec::choice<F>(FAILURES(repair.shape), {"exponential", "weibull", "lognormal"}),
       "Of that time. Default `exponential`."},
      {"repair_shape", codec::real<F>(FAILURES(repair.spread), {0.1, 10}), "As `shape`. Default 1."},
      {"rack", codec::integer<F>(FAILURES(rack), 1, 100'000),
       "Nodes of a rack: consecutive ones of `nodes`. Default 1."},
      {"rack_share", codec::real<F>(FAILURES(rack_share), {0, 1}),
       "Of a node's failures, those that take its whole rack. Default 0."},
  };
  return keys;
}

/// Means nothing where nodes are always there.
Codec<Scenario> of_outages(Codec<Scenario> codec) {
  codec.write = [write = codec.write](const Scenario& s) { return s.outages.any() ? write(s) : std::nullopt; };
  return codec;
}

/// Means nothing where interrupted jobs are lost.
Codec<Scenario> of_requeued(Codec<Scenario> codec) {
  codec.write = [write = codec.write](const Scenario& s) {
    return s.outages.any() && s.outages.interrupted == AfterFailure::kRequeued ? write(s) : std::nullopt;
  };
  return codec;
}

/// Means nothing where none are written.
Codec<Scenario> of_checkpoints(Codec<Scenario> codec) {
  codec.write = [write = codec.write](const Scenario& s) {
    return s.outages.any() && s.outages.checkpointed() ? write(s) : std::nullopt;
  };
  return codec;
}

Codec<Scenario> checkpoint_interval() {
  const std::string words = "seconds above 0, 0 for no checkpoints, or \"daly\"";
  return {words,
          [=](Scenario& s, const Value& v, const std::string& p) {
            s.outages.daly = v.text() != nullptr && *v.text() == "daly";
            if (!s.outages.daly)
              s.outages.checkpoints.interval = from_seconds(codec::read_real(v, p, words, {0, kMaxSeconds}));
          },
          [](const Scenario& s) -> std::optional<Value> {
            if (s.outages.daly) return Value("daly");
            return Value(to_seconds(s.outages.checkpoints.interval));
          }};
}

}  // namespace

std::vector<Key<Scenario>> keys_of_outages() {
  using T = Scenario;
  return {
      {"outages.planned", placed_records(OUTAGE(planned), planned_keys()), "Outages at given times."},
      {"outages.failures", placed_records(OUTAGE(failures), failure_keys()), "Failures that are drawn, node by node."},
      {"outages.trace", codec::path<T>(OUTAGE(trace)),
       "A CSV file of outages with the columns `node`, `from`, `until` (s) and, where it has it, `kind`."},
      {"outages.script", codec::path<T>(OUTAGE(script)),
       "A Lua file that yields outages ([reference](policy-api/workload.md))."},
      {"outages.params", codec::free_table<T>(OUTAGE(params)), "Free keys."},
      {"outages.interrupted", of_outages(codec::choice<T>(OUTAGE(interrupted), {"requeue", "lose"})),
       "What becomes of a job when a node of it fails: it waits again, or it is lost."},
      {"outages.requeue", of_requeued(codec::choice<T>(OUTAGE(place), {"order", "front", "back"})),
       "Where it waits again: where the policy's order puts it, before all others, or as if submitted then (in the "
       "order of submission)."},
      {"outages.believed_repair", of_outages(codec::seconds<T>(OUTAGE(believed_repair), {0, kMaxSeconds, true})),
       "How long, s, schedulers expect a failed node to stay down; extended by the same time while it is. Absent: they "
       "know when it returns."},
      {"outages.checkpoint_interval", of_requeued(checkpoint_interval()),
       "Work between two checkpoints of a job, s; an interrupted job goes on from its last one. `\"daly\"`: what "
       "wastes least, by the job's nodes (Daly 2006). 0: none."},
      {"outages.checkpoint_cost", of_checkpoints(codec::seconds<T>(OUTAGE(checkpoints.cost), {0, kMaxSeconds})),
       "Time that writing a checkpoint takes, s. It lengthens the run, and the limit as well."},
      {"outages.restart_cost", of_checkpoints(codec::seconds<T>(OUTAGE(checkpoints.restart), {0, kMaxSeconds})),
       "Time that going on from a checkpoint takes, s."},
  };
}

PlannedOutage read_scripted_outage(const Value& yielded, const std::string& path) {
  PlannedOutage outage;
  outage.kind = OutageKind::kFailure;
  outage.place = yielded.place;
  read_record(yielded_outage_keys(), outage, yielded, path);
  return outage;
}

}  // namespace coslice

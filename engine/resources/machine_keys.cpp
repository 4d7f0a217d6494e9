// The keys of [[machine.nodes]], [[machine.partitions]] and [[machine.licences]].
#include "resources/machine_spec.h"
#include "resources/mebibytes.h"

namespace coslice {

namespace {

constexpr std::int64_t kMostMachineNodes = 100'000;
constexpr std::int64_t kMostGpusOfNode = 64;  // NodePart::gpus has a bit for each
constexpr std::int64_t kMostSlices = 16;
constexpr std::int64_t kHighestTier = 65'533;  // of Slurm's PriorityTier
constexpr std::int64_t kMostOfLicence = 1'000'000'000'000;

template <class Field>
Codec<PartitionSpec> numbers(Field field, const std::string& words) {
  return {words,
          [=](PartitionSpec& s, const Value& v, const std::string& p) {
            if (!v.list() || v.list()->empty()) codec::wrong(v, p, words);
            field(s).clear();
            for (const Value& n : *v.list()) field(s).push_back(codec::read_integer(n, p, words, 0, INT32_MAX));
          },
          [=](const PartitionSpec& s) -> std::optional<Value> {
            const std::vector<std::int64_t>& all = field(const_cast<PartitionSpec&>(s));
            if (all.empty()) return std::nullopt;
            return Value(Value::List(all.begin(), all.end()));
          }};
}

}  // namespace

#define KIND(member) COSLICE_FIELD(NodeKindSpec, member)
#define PARTITION(member) COSLICE_FIELD(PartitionSpec, member)
#define LICENCE(member) COSLICE_FIELD(LicenceSpec, member)

const std::vector<Key<NodeKindSpec>>& node_kind_keys() {
  using K = NodeKindSpec;
  static const std::vector<Key<K>> keys = {
      {"name", codec::text<K>(KIND(name)), "The kind's name.", true},
      {"count", codec::integer<K>(KIND(count), 1, kMostMachineNodes, 0),
       "Nodes of this kind. Default: as many as `names` has."},
      {"names", codec::text<K>(KIND(names)),
       "Names of the nodes, e.g. `\"n[001-128]\"`. Default: the kind's name and a number from 1."},
      {"processors", codec::integer<K>(KIND(processors), 1, 1024), "Processors (sockets) per node. Default 1."},
      {"cores", codec::integer<K>(KIND(cores), 1, 1024), "Cores per processor. Default 1."},
      {"memory", mebibytes<K>(KIND(memory_mib)), "Memory per node. Default: not modelled."},
      {"gpus", codec::integer<K>(KIND(gpus), 0, kMostGpusOfNode, 0), "GPUs per node. Default 0."},
      {"gpu_type", codec::text<K>(KIND(gpu_type)), "Their type, e.g. `\"A100\"`. Default: `\"gpu\"`."},
      {"slices", codec::integer<K>(KIND(slices), 2, kMostSlices, 0),
       "Parts into which a policy may divide each of their GPUs (MIG), e.g. 7: a slice has one or several of them. Default: "
       "GPUs are not divided."},
      {"features", codec::texts<K>(KIND(features)), "What jobs may ask for by name."},
      {"speed", codec::real<K>(KIND(speed), {0, 1000, true}),
       "Run times of jobs are divided by it; a job on nodes of several kinds goes at the speed of the slowest. "
       "Default 1."},
      {"price", codec::real<K>(KIND(price), {0, kMostPrice}),
       "Of a node for an hour in which it is there and not powered down, in any currency: what a run costs is among its "
       "figures then. Default: none."},
      {"busy_watts", codec::real<K>(KIND(busy_watts), {0, kMostWatts}),
       "What a node draws that a job has, W. Default: `power.watts.busy`."},
      {"idle_watts", codec::real<K>(KIND(idle_watts), {0, kMostWatts}),
       "What a node draws that is up and that no job has, W. Default: `power.watts.idle`."},
  };
  return keys;
}

const std::vector<Key<PartitionSpec>>& partition_keys() {
  using P = PartitionSpec;
  static const std::vector<Key<P>> keys = {
      {"name", codec::text<P>(PARTITION(name)), "The partition's name.", true},
      {"nodes", codec::texts<P>(PARTITION(nodes)),
       "Its nodes: names of kinds, of nodes, or ranges of them. Default: all nodes."},
      {"default", codec::flag<P>(PARTITION(by_default)),
       "Jobs that name no partition go here. Default: the first partition, unless another one says so."},
      {"max_time", codec::seconds<P>(PARTITION(max_time), {0, kMaxSeconds, true}), "Longest limit of a job."},
      {"default_time", codec::seconds<P>(PARTITION(default_time), {0, kMaxSeconds, true}),
       "Limit of a job that has none."},
      {"over_limit", codec::seconds<P>(PARTITION(over_limit)),
       "For how long its jobs may run on beyond their limits. Default: `engine.over_limit`."},
      {"max_nodes", codec::integer<P>(PARTITION(max_nodes), 1, kMostMachineNodes), "Most nodes of a job."},
      {"tier", codec::integer<P>(PARTITION(tier), 0, kHighestTier, 1),
       "Jobs of a partition with a higher tier stand before all others in the queue, whatever orders these. A job that may "
       "use several has the highest of theirs. Default 1."},
      {"users", numbers(PARTITION(users), "a list of users' numbers"),
       "Numbers of the users who may use it. Default: all."},
      {"numbers", numbers(PARTITION(numbers), "a list of partitions' numbers"),
       "Numbers by which a trace names it (SWF field 16), beside those that the trace's header gives its name."},
  };
  return keys;
}

const std::vector<Key<LicenceSpec>>& licence_keys() {
  using L = LicenceSpec;
  static const std::vector<Key<L>> keys = {
      {"name", codec::text<L>(LICENCE(name)), "Its name.", true},
      {"count", codec::integer<L>(LICENCE(count), 1, kMostOfLicence), "How many there are.", true},
  };
  return keys;
}

}  // namespace coslice

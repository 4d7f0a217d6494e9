// Small random runs in which several features meet: a machine, jobs, what happens to both, and a policy. Plain numbers
// only, so that the twin (loop_twin.h) shares nothing with the simulation; the simulation gets the same as a scenario.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace coslice::loop {

/// Of nodes that are alike.
struct Kind {
  int count = 1, cores = 1, gpus = 0;
  int memory = 0;    ///< GiB; 0: not said
  int halves = 2;    ///< its speed is that many halves
  int on_gpus = 10;  ///< tenths of their run times that jobs take on its GPUs
  bool fast = false;
};

struct Partition {
  std::vector<int> nodes;
  int max_nodes = 0, max_time = 0;  ///< 0: no limit
  int tier = 1;
  int over_limit = -1;      ///< -1: that of the case
  int oversubscribe = 1;    ///< so many of its jobs may have a core
  bool all_share = false;   ///< all of its jobs let others have theirs
  bool for_some = false;    ///< users 1 and 2
  bool by_default = false;  ///< jobs that name none go there
};

/// What a job asks for of each of its nodes; amounts in thousandths where they may be parts.
struct Ask {
  bool given = false;  ///< else it has whole nodes
  bool exclusive = false;
  bool shares = false;  ///< others may have its cores, where its partition says so
  int cores = 1000, memory = 0, gpus = 0, share = 1000;
  int gpu_kind = -1;  ///< the kind of nodes whose type of GPU it wants
  int feature = 0;    ///< 1: fast, 2: not fast
  int licences = 0;   ///< in all
  std::vector<int> partitions;
};

enum class After { kStart, kOk, kNotOk, kAny };
struct Need {
  After what = After::kAny;
  int on = 0;     ///< which job, from 0 on
  int delay = 0;  ///< minutes after its start
};

/// One of several requests of a job that start together, each on nodes of its own.
struct Component {
  int nodes = 1;
  Ask ask;
};

/// One that a moldable job may have, beside its own.
struct Size {
  int nodes = 1, runtime = 1;
};

struct Job {
  int submit = 0, runtime = 1, limit = 1;  ///< of a moldable one the limit is a multiple of the run time
  int nodes = 1, user = 1;
  Ask ask;
  std::vector<Need> needs;
  bool any = false;  ///< one of them is enough
  int begin = -1, held = -1, withdrawn = -1;
  int status = -1;
  int reservation = -1;  ///< which one it names
  int array = -1;        ///< of which it is an element
  std::vector<Size> sizes;
  /// Then `nodes` are those of all, and of `ask` only the licences, which are those of all, too, count.
  std::vector<Component> components{};
  int estimate = -1;  ///< for how long the policy believes that it runs; -1: until its limit
};

enum class Away { kFailure, kDrain, kMaintenance };
struct Outage {
  int from = 0, length = 1;
  std::vector<int> nodes;
  Away kind = Away::kFailure;
};

struct Reserved {
  std::vector<int> nodes;
  int from = 0, length = 1;
  int floating = -1;  ///< instead of these two
  int announced = 0;
  int backfill = 0;
  std::vector<int> users, jobs;
};

enum class Policy { kFcfs, kEasy, kConservative, kFcfsByPartition, kEasyByPartition };
enum class Requeue { kOrder, kFront, kBack };
enum class Molding { kEndsFirst, kFitsNow, kAsked };
/// What the factors of several jobs beside one come to.
enum class Combine { kProduct, kWorst, kSum };
/// Which jobs are stopped first to make way.
enum class Rank { kLeastLost, kNewest, kFewestNodes };

struct Case {
  Policy policy = Policy::kFcfs;
  bool sliced = false;  ///< in time slices that cost nothing, with one class for all jobs
  /// jobs of user 1 come before all others, and stop some where they do not fit otherwise: EASY
  bool preempts = false;
  Rank rank = Rank::kLeastLost;
  bool suspends = false;  ///< these are suspended in place, instead
  Molding molding = Molding::kEndsFirst;
  std::vector<Kind> kinds;
  std::vector<Partition> partitions;
  int licences = 0;
  std::vector<Job> jobs;  ///< in order of submission
  std::vector<Outage> outages;
  bool lose = false;  ///< jobs whose nodes fail
  Requeue requeue = Requeue::kOrder;
  int believed_repair = 0;  ///< 0: it is known
  int interval = 0, cost = 0, restart = 0;
  std::vector<Reserved> reservations;
  bool extend = false;  ///< limits do not kill
  int over_limit = 0, kill_wait = 0;
  int limit_check = 0, first_limit_check = 0;  ///< 0: limits are looked at all the time
  bool power = false;                          ///< nodes are powered down
  int idle = 0, boot = 0, shutdown = 0;
  int always_on = -1;     ///< a node that never is
  bool cancel = false;    ///< jobs that can never come
  bool contends = false;  ///< jobs on one node slow one another down
  bool by_gpu = false;    ///< only those that have the same GPU
  Combine combine = Combine::kProduct;
  int own = 0;  ///< tenths of its run time that a job takes which has several cores of a node; 0: as without them
  /// In tenths, the run time of a job beside another one: which of them is said by their users.
  std::array<int, 4> factors{10, 10, 10, 10};
  std::uint64_t features = 0;

  int node_count() const {
    int n = 0;
    for (const Kind& k : kinds) n += k.count;
    return n;
  }
  const Kind& kind_of(int node) const {
    std::size_t k = 0;
    for (; node >= kinds[k].count; ++k) node -= kinds[k].count;
    return kinds[k];
  }
};

/// The length of a slice.
inline constexpr int kInterval = 13;

/// So many elements of an array may be there at the same time.
inline constexpr int kArrayLimit = 2;

/// What may be in a case, beside jobs with limits: bits of Case::features.
enum class Feature {
  kKinds,
  kGpus,
  kMemory,
  kShares,
  kPartitions,
  kLicences,
  kFailures,
  kDrains,
  kMaintenance,
  kReservations,
  kDependencies,
  kTimes,
  kWithdrawals,
  kCheckpoints,
  kOverlong,
  kLimitChecks,
  kPower,
  kArrays,
  kSharedCores,
  kSlices,
  kMoldable,
  kPreemption,
  kSuspension,
  kContention,
  kEstimates,
  kComponents,
  kCount
};
const char* name_of(Feature f);

/// A case with at least three features.
Case draw(std::uint64_t seed);
/// Cases that are like it but for something that is missing: for the search of the smallest one.
std::vector<Case> smaller(const Case& c);
/// Whether each of its jobs could run on an empty machine.
bool can_run(const Case& c);
/// The script that says how much its jobs slow one another down.
extern const char* const kSlowdownScript;
/// What it names as its policy, where that is none that comes with coslice; "" otherwise.
std::string script_of(const Case& c);
/// It as a scenario, with the path of kSlowdownScript.
std::string scenario_of(const Case& c, const std::string& slowdowns);

/// The job as if it were that component alone.
Job component_of(const Job& job, std::size_t i);
/// Nodes of each of these lists, the first ones as far as all have enough: so many of the i-th, and none of two. Of a
/// list, the order is that in which they are tried. Empty where there are not enough.
std::vector<std::vector<int>> apart(const std::vector<Component>& components,
                                    const std::vector<std::vector<int>>& lists);
/// The nodes on which the job could run if it ran in that partition (-1: in none), for what it asks of a node; none if
/// the partition does not admit it.
std::vector<int> capable_nodes(const Case& c, const Job& job, int partition);
/// The partitions in which it may run, in their order; -1 where that is no question.
std::vector<int> partitions_of(const Case& c, const Job& job);

}  // namespace coslice::loop

// EASY and conservative backfilling on machines whose nodes differ, by brute force: a list of what is held on which node
// from when to when, and every instant and every node tried. Slow, and plain enough to be read as the definition.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "resource_cases.h"
#include "resources/node_pool.h"

namespace coslice::twin {

struct Held {
  JobIndex job;
  Parts parts;
  Time from, to;
};

struct Start {
  Time time = kNever;  ///< kNever: it never started
  Parts parts;
  std::int32_t partition = -1;
  bool operator==(const Start&) const = default;
};

/// How jobs pass others.
enum class Rule { kEasy, kConservative, kFcfsByPartition, kEasyByPartition };

class Twin {
 public:
  /// `whole`: every job has its nodes for itself. Then a reservation names how many nodes of each class it is to have,
  /// and not which; nodes of one class are those between which no job can tell a difference.
  Twin(const cases::Case& c, bool whole, Rule rule);
  std::vector<Start> run();
  /// Of nodes that no job can tell apart, the first one: in runs of whole nodes, nodes are compared by it.
  NodeId class_of(NodeId n) const { return class_of_[static_cast<std::size_t>(n)]; }

 private:
  struct Unit {
    std::int32_t partition;
    std::vector<NodeId> nodes;  ///< in the order in which they are tried
  };
  struct Choice {
    bool found = false;
    Parts parts;
    std::int32_t partition = -1;
  };

  std::vector<Unit> units(JobIndex j) const;
  bool capable(const Request& r, NodeId n) const;
  bool may_use(const Partition& p, const Request& r, const Job& job) const;
  const Request& request(JobIndex j) const { return case_.workload.requests[case_.workload.jobs[j].request]; }
  NodeRoom room(NodeId n, Time t) const;
  NodeRoom room(NodeId n, Time from, Time to) const;
  bool licences(const Request& r, Time from, Time to) const;
  std::vector<Time> instants(Time from, Time to) const;
  /// How many jobs at most have a core of the node throughout [from, to), or all of it, with one of the request there, too.
  std::int32_t rows(const Request& r, NodeId n, Time from, Time to) const;
  bool has_cores(const Request& r, NodeId n, Time from, Time to) const;
  std::vector<NodeId> fitting(const Request& r, const Unit& unit, Time from, Time to) const;
  std::vector<NodeId> whole_fitting(const Request& r, const Unit& unit, Time from, Time to) const;
  static std::uint64_t gpus(const Request& r, const NodeRoom& room);
  void use_mate(std::vector<NodeId>& nodes, const Request& r) const;
  Choice choose(JobIndex j, Time from, Time to) const;
  Duration length(JobIndex j, const Parts& parts) const;
  void start(JobIndex j, const Choice& choice);
  bool end_jobs();
  std::int32_t tier(JobIndex j) const;
  void enter(JobIndex j);
  void easy_pass();
  void pass_by_partition();
  void shield(JobIndex j);
  void conservative_pass(bool ended);
  void drop(JobIndex j);
  Time earliest(JobIndex j, Time before) const;
  std::vector<Time> ends() const;

  const cases::Case& case_;
  bool whole_;
  Rule rule_;
  std::vector<NodeId> class_of_;
  std::vector<std::vector<Unit>> units_;
  Time now_{};
  std::vector<Held> held_;  ///< by running jobs until their limits, and by reservations
  std::vector<JobIndex> queue_;
  std::map<JobIndex, Choice> reserved_;
  std::map<JobIndex, Time> really_ends_;
  std::vector<Start> starts_;
};

}  // namespace coslice::twin

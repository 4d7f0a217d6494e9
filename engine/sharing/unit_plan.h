// What running and waiting jobs are to have, decided from nothing for all of them together: each job in order gets
// units of a kind for itself, or shares those of another job; and the way there from what they have. The decisions are
// the caller's: this counts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sharing/unit_ledger.h"

namespace coslice {

class UnitPlan {
 public:
  using Tenant = UnitLedger::Tenant;

  /// In which order jobs are asked about: by rank, the lowest first, of equals those that came first.
  struct Order {
    bool running_first = false;                ///< running jobs before those that wait, in the order in which they came
    std::function<double(Tenant&)> rank = {};  ///< of a running job, now; empty: they keep theirs
  };
  /// A job that is to have units for itself, and what another one keeps of its speed beside it and it beside that one,
  /// added up.
  struct Host {
    Tenant* job = nullptr;
    double sum = 0;
    std::optional<double> taken;  ///< the sum beside one that would be better, but is to share with another job
  };

  /// Makes a plan for the units of the ledger, which outlives it.
  explicit UnitPlan(UnitLedger& ledger);

  // --- what happens; before the ledger is told of an end, and after it is told of all else
  void submitted() { changed_ = changed_ || !moving_; }
  void started(JobIndex j) { running_.push_back(&ledger_.tenant(j)); }
  void ended(JobIndex j);
  /// Returns whether since the last plan jobs have come or ended, or one that was to start found no room.
  bool changed() const { return changed_; }
  /// Returns whether jobs have been stopped for the plan: they wait in the next pass, and resume() goes on.
  bool moving() const { return moving_; }

  // --- the plan
  /// Begins from nothing: no job is to have anything.
  void begin(const Order& order);
  /// Returns the next job in order that is to be decided about; null: there is none. On the way, jobs that ask for no
  /// units are to run wherever they fit, and so are those for which no kind is large enough; one of these that runs
  /// where others are to be ends the plan.
  Tenant* next();
  /// Returns the kind on which the job is fastest, of those of which enough is left; -1 if there is none.
  std::int32_t fastest(const Tenant& t) const;
  /// Returns the number of units of the kind that are left.
  std::int32_t left(std::int32_t kind) const { return left_[static_cast<std::size_t>(kind)]; }
  /// Plans units of that kind for the job alone.
  void give(Tenant& t, std::int32_t kind);
  /// Gives each next job the fastest kind, until one finds none: that one, or null.
  Tenant* give_fastest();
  /// Returns, of the jobs that are to have a unit for themselves, the one beside which the job and that one keep most
  /// of their speeds. Both ask for at most half of one unit, and say what they run; those that run the same on the same
  /// kind are taken in the order of the plan. Without a job: there is none.
  Host best_host(const Tenant& t);
  /// Plans for the job to share the units of `host`, which is to have some for itself.
  void give_beside(Tenant& t, Tenant& host, std::string reason);
  /// Returns whether the job is to have units for itself.
  bool is_alone(const Tenant& t) const;

  // --- the way there
  /// Stops running jobs that are to have something else, else starts those that wait.
  void carry_out(const StopOrder& order);
  /// Starts the jobs that were stopped for the plan, and those that were to come.
  void resume() {
    moving_ = false;
    start_all();
  }
  /// Stops jobs whose partner has ended since the last plan.
  void stop_widowed(const StopOrder& order);

 private:
  /// What the plan says of a job, and what it has by an earlier one.
  struct Entry {
    std::int64_t given = 0;  ///< number of the plan that gave it something
    std::int32_t to_kind = -1;
    Tenant* to_host = nullptr;
    std::string reason = {};
    std::int64_t stopped = 0;  ///< number of the plan for which it was stopped
    std::int32_t kind = -1;    ///< while it runs
    Tenant* mate = nullptr;    ///< with which it shares its units
    bool is_guest = false;
    std::int32_t group = -1, group_kind = -1;  ///< hosts that are alike
  };
  /// Hosts that run the same on the same kind.
  struct Group {
    std::vector<Tenant*> hosts;
    std::size_t next = 0;
  };

  Entry& entry(const Tenant& t) { return entries_[t.job]; }
  bool before(const Tenant& a, const Tenant& b) const;
  Entry& note(Tenant& t, std::int32_t kind, Tenant* host);
  Tenant* take_next();
  bool give_anywhere(Tenant& t);
  void find_hosts();
  double sum_beside(const Tenant& t, std::size_t group);
  bool stays(const Tenant& t);
  bool start(Tenant& t);
  void start_all();

  UnitLedger& ledger_;
  std::unordered_map<JobIndex, Entry> entries_;
  std::vector<Tenant*> running_;  ///< in order, at the beginning of a plan
  bool running_first_ = false;
  std::int64_t number_ = 0;         ///< of the plan
  std::vector<std::int32_t> left_;  ///< by kind
  std::vector<Tenant*> given_;      ///< in order
  std::size_t next_running_ = 0;
  Tenant* next_waiting_ = nullptr;
  View::Position place_ = 0;  ///< in the queue, behind that one
  bool over_ = true;
  bool changed_ = false, moving_ = false;
  std::vector<Tenant*> widowed_;
  // Hosts of this plan, and what was found out about them in all.
  bool hosts_found_ = false;
  std::vector<Group> groups_;
  std::vector<std::size_t> present_;                                       ///< of these, in this plan
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers_;  ///< of groups, by kind and application
  std::vector<std::vector<double>> sums_;                                  ///< by application and group; NaN: not known
};

}  // namespace coslice

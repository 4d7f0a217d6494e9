// GPUs that are divided into instances: which jobs are on each, or are to be, and on which instance of it. What is the
// best division of a mix of jobs, the caller says; it is asked once for each mix. Jobs that are planned start with
// carry_out(), after those have stopped that are to have another instance.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sharing/unit_ledger.h"

namespace coslice {

class GpuInstances {
 public:
  using Tenant = UnitLedger::Tenant;

  struct Unit;
  /// A job that is on a GPU instance or is to have one, or GPUs for itself.
  struct Record {
    Tenant* job = nullptr;
    /// by kind and parts less 1; 0: it cannot run there. Empty: on no instance of the kind
    std::vector<std::vector<double>> speeds;
    std::uint32_t type = 0;                ///< jobs with the same speeds are of one type
    Unit* unit = nullptr;                  ///< the divided GPU that it is on or is to be on
    std::int32_t slice = 0;                ///< parts of the instance that it has or is to have
    std::int32_t runs_in = 0;              ///< parts of the instance that it runs in; 0: none
    std::int32_t kind = -1;                ///< kind on which it is to be
    std::vector<std::int32_t> holds = {};  ///< GPUs for itself, by kind; empty: none
    bool sliced = false;                   ///< it asks for an instance
    std::string reason = {};
  };
  /// A GPU that is divided, or will be.
  struct Unit {
    std::uint64_t number = 0;  ///< no two have the same
    std::int32_t kind = -1;
    std::vector<Record*> jobs = {};  ///< in the order in which they came
    double sum = 0;                  ///< sum of their speeds
    std::uint32_t mix = 0;           ///< GPUs of one mix have the same divisions
    bool lost = false;               ///< a job of it has ended, and nothing was decided since
  };
  struct Division {
    double sum = 0;  ///< of speeds
    /// parts by job, in the order of the GPU; the last one is that of a job that is to come
    std::vector<std::int32_t> slices;
  };
  /// Returns the parts of the instances that jobs are to have on a GPU of that kind. Speeds by job and parts less 1; 0:
  /// not that instance. Of a job that runs, the instance that it has counts a little more, or is the only one.
  using Divide = std::function<std::optional<std::vector<std::int32_t>>(
      std::int32_t kind, const std::vector<std::vector<double>>& speeds)>;
  /// A GPU that a job could join, and by how much the sum of speeds there would grow.
  struct Choice {
    const Unit* unit = nullptr;
    double gain = 0;
  };

  /// Makes the record of divided GPUs. The ledger is one of GPUs and outlives it.
  explicit GpuInstances(UnitLedger& ledger);

  /// Removes the job, which ends; called before the ledger is told.
  void ended(JobIndex j);

  // --- the plan
  /// Gives each waiting job in order, from the first one or from the one behind `after`, what it asks for to itself:
  /// the fastest GPUs of one kind that are free, and a GPU that can be divided as a whole. A job that asks for none is
  /// to run wherever it fits, and so is one for which no kind is large enough. Returns the first job that finds
  /// nothing; null: all have something.
  Tenant* give_free(const Tenant* after);
  /// Returns the divided GPU on which the sum of speeds grows most with the waiting job; of equals the one with the
  /// fewest jobs. With `keep` running jobs keep their instances. Without a unit: there is none.
  Choice best(Tenant& t, bool keep, const Divide& divide);
  /// Returns the best division for those that are there, and for a guest (null: none); null: there is none.
  const Division* best_with(const Unit& unit, Tenant* guest, bool keep, const Divide& divide);
  /// Returns the unit of that number; null: it is not divided any more.
  Unit* find(std::uint64_t number) const;
  /// Divides the GPU: its jobs get these instances, and so does the guest, if there is one, for that reason.
  void divide(Unit& unit, const Division& division, Tenant* guest, std::string reason);
  /// Returns the next GPU on which a job has ended, and for which nothing was decided since; it counts as decided from
  /// now on. Null: there is none.
  const Unit* next_left_over();
  /// Returns seconds that jobs on the GPU would be done earlier with other instances, less `restart` for each that has
  /// to move.
  double saved(const Unit& unit, const Division& division, double restart) const;

  // --- the way there
  enum class Outcome : std::uint8_t {
    kDone,
    kNoRoom,  ///< some jobs found no room: the plan is to be made again
    kMoving,  ///< jobs were stopped, which wait in the next pass: resume()
  };
  /// Stops the jobs that are to have another instance, else starts those that wait.
  Outcome carry_out(const StopOrder& order);
  /// Starts the jobs that were stopped for the plan in the last pass, and those that were to come.
  void resume();

 private:
  Record& record(Tenant& t);
  void look_at(Unit& unit);
  void add(Unit& unit, Record& r, std::int32_t parts);
  void remove(Record& r);
  void hold(Record& r, std::int32_t kind, std::int32_t units);
  void release(Record& r);
  const Division* known(const Unit& unit, const Record* guest, bool keep, const Divide& divide);
  std::optional<Division> ask(const Unit& unit, const Record* guest, bool keep, const Divide& divide) const;
  bool give_alone(Record& r);
  void start_coming() {
    for (Record* r : std::exchange(coming_, {})) start(*r);
  }
  void start(Record& r);
  StartDirective place_of(const Record& r) const;
  void set_slice(Record& r);
  void refused(Record& r);

  UnitLedger& ledger_;
  std::unordered_map<JobIndex, Record> records_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::uint64_t made_ = 0;          ///< units so far
  std::vector<std::int32_t> used_;  ///< by kind
  std::vector<Unit*> lost_;
  std::vector<Record*> coming_;
  bool leaving_ = false, moving_ = false, again_ = false;
  // What has been found out.
  std::map<std::vector<double>, std::uint32_t> types_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> mixes_;  ///< by kind, and types and slices of those that run
  struct Known {
    bool asked = false;
    std::optional<Division> division = {};
  };
  std::vector<std::vector<Known>> known_[2];  ///< without and with `keep`, by mix and by type of the guest (0: none)
  // Who has tried in vain: on a divided GPU until a job ends, on free ones at this instant.
  std::set<std::pair<JobIndex, std::uint64_t>> refused_beside_;
  std::set<std::pair<JobIndex, std::int32_t>> refused_alone_;
  double refused_at_ = 0;
};

}  // namespace coslice

// The daemon: reads Slurm's state, asks the policy, and gives orders. What it may do to a job: hold it, give it a priority,
// give it back. It does so to jobs that wait and that it was given, and to no others.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "drive/filter.h"
#include "drive/ledger.h"
#include "drive/present.h"
#include "drive/slurm_commands.h"

namespace coslice::drive {

struct DriveOptions {
  Filter filter;
  bool take_held = false;  ///< jobs that their users hold are given to it, too
  bool dry_run = false;    ///< orders are said, not given
};

/// Told what happens: an order with its reason, or a warning.
struct Log {
  std::function<void(std::string_view order, std::string_view why)> order;
  std::function<void(std::string_view)> warn;
};

class Driver {
 public:
  /// All references outlive it.
  Driver(SlurmCommands& slurm, Ledger& ledger, const DriveOptions& options, Log log);

  /// Reads, decides, acts, once. False if Slurm could not be read: a warning says why. Throws SimulationError if the policy
  /// raises an error, and InputError if what Slurm says cannot be understood at all.
  bool tick(Decider& decider);
  /// Gives all jobs back that wait still: those that it holds as their priorities were, those of their users' holds held.
  /// Returns how many orders failed; their jobs stay in the ledger.
  std::size_t give_back();

 private:
  bool read();
  bool ask(const std::vector<std::string>& command, std::string& out);
  const QueuedJob* waiting_job(const Entry& entry) const;
  bool keep(const Entry& entry);
  bool may_take(const QueuedJob& job) const;
  void take_new(const std::string& policy);
  Situation situation() const;
  void carry_out(const Decision& decision, const Situation& now, const std::string& policy);
  bool give_back(const Entry& entry, const std::string& why);
  void give_back_for_good(const QueuedJob& job, const std::string& why);
  bool hold(Entry& entry, const std::string& why);
  bool order(const std::vector<std::string>& command, const std::string& why);
  void warn_once(const std::string& text);

  SlurmCommands& slurm_;
  Ledger& ledger_;
  const DriveOptions& options_;
  Log log_;
  LiveMachine machine_;
  std::map<std::string, QueuedJob> jobs_;                ///< by id
  std::set<std::pair<std::string, std::int64_t>> left_;  ///< jobs that are no longer in its hands, by id and submission
  std::set<std::string> warned_;
};

}  // namespace coslice::drive

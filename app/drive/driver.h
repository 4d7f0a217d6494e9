// The daemon: reads Slurm's state, asks the policy, and gives orders. What it may do to a job: hold it, give it a
// priority, give it back. It does so to jobs that it was given, and to no others.
//
// An order may fail, take effect without an answer, be answered and do nothing, or take effect minutes later; the
// program may be killed before and after it. So no answer is believed: the ledger names a job before the first order to
// it, and until a reading of the machine shows that nothing of ours is on it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "drive/ledger.h"
#include "drive/present_simulation.h"
#include "drive/queued_job.h"
#include "drive/slurm_commands.h"

namespace coslice::drive {

/// Which jobs a drive was given; all others are only something that occupies nodes. All given conditions must hold; at
/// least one is given.
struct Filter {
  std::optional<std::string> comment, wckey, partition, user, account;

  bool empty() const { return !comment && !wckey && !partition && !user && !account; }
  bool takes(const QueuedJob& job) const;
  /// Returns the conditions as "partition=batch user=ann".
  std::string text() const;
};

struct DriveOptions {
  Filter filter;
  bool take_held = false;                                 ///< jobs that their users hold are given to it, too
  bool dry_run = false;                                   ///< orders are said, not given
  std::function<bool()> stopping = [] { return false; };  ///< asked between orders of a pass: whether to leave it
};

/// Told what happens: an order with its reason, or a warning.
struct Log {
  std::function<void(std::string_view order, std::string_view why)> order;
  std::function<void(std::string_view)> warn;
};

/// What gives decisions, and how it is called in reasons.
struct Judge {
  std::string name;
  std::function<Decision(const Situation&)> decide;
};

/// Jobs that are in the ledger still after all were to be given back.
struct NotGivenBack {
  std::size_t failed = 0;  ///< they may be held
  /// they are given back, but an earlier order that was not answered may still take effect
  std::size_t unanswered = 0;
  bool unsaved = false;  ///< the ledger could not be written: it may name others, too
};

class Driver {
 public:
  /// Keeps all references, which outlive it.
  Driver(SlurmCommands& slurm, Ledger& ledger, const DriveOptions& options, Log log);

  /// Reads, decides, acts, once. False if Slurm could not be read: a warning says why. Throws SimulationError if the
  /// policy raises an error or the ledger cannot be written, and InputError if what Slurm says cannot be understood at
  /// all.
  bool tick(const Judge& judge);
  /// Gives all jobs back that wait still: those that it holds as their priorities were, those of their users' holds
  /// held. What a reading does not show to be given back stays in the ledger.
  NotGivenBack give_back();

 private:
  /// What will be ordered for a job. The ledger says so before it is.
  struct Plan {
    Entry before;
    std::string why;
  };

  bool read();
  bool try_to_read();
  bool ask(const std::vector<std::string>& command, std::string& out);
  const QueuedJob* find_job(const Entry& entry) const;

  bool settle(Entry& entry);
  void settle_all();
  bool at_rest(const Entry& entry, const QueuedJob& job) const;
  std::string why_unwanted(const QueuedJob& job) const;

  static Plan plan(Entry& entry, bool held, bool risky, const std::string& why);
  Plan plan_home(Entry& entry, const QueuedJob* job, const std::string& why) const;
  static void conclude(Entry& entry, const Plan& plan, Orders orders);
  void write_ahead(std::vector<Entry> before);
  bool try_to_save();
  bool out_of_reach() const;
  Answer order(const std::vector<std::string>& command, const std::string& why);
  bool hold(const Plan& plan);
  void start(const Plan& plan, std::int64_t priority);
  bool harmless_release(const Entry& entry) const;
  void send_home(const Plan& plan);
  void forget(const Entry& entry);

  void return_unwanted();
  bool may_take(const QueuedJob& job) const;
  void warn_of_partition();
  void take_new(const std::string& policy);
  Situation situation() const;
  void carry_out(const Decision& decision, const Situation& now, const std::string& policy);
  std::vector<Plan> plans_home(bool known);
  void warn_once(const std::string& text);

  SlurmCommands& slurm_;
  Ledger& ledger_;
  const DriveOptions& options_;
  Log log_;
  LiveMachine machine_;
  std::map<std::string, QueuedJob> jobs_;                ///< by id
  Queue lines_;                                          ///< what else was read: lines that were left out
  std::set<std::pair<std::string, std::int64_t>> left_;  ///< jobs that are no longer in its hands, by id and submission
  std::set<std::string> warned_;
  int silence_ = 0;         ///< orders without an answer in a row, since the last reading
  bool finishing_ = false;  ///< gives back, whoever wants it to stop
};

}  // namespace coslice::drive

// A Slurm and a disk for tests of the drive: what is true beside what is believed and ordered, with faults at each
// call. It stands in for squeue, scontrol and the ledger's file, and checks after each call what must never be.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "drive/driver.h"
#include "drive/ledger.h"
#include "drive/slurm_commands.h"

namespace coslice::test {

/// The program was killed at a call.
struct Killed {};

/// What happens to a call.
enum class Fault {
  kNone,
  kLost,           ///< no effect, no answer
  kNoAnswer,       ///< takes effect, but the answer is lost
  kLate,           ///< no answer, takes effect minutes later
  kNothing,        ///< is answered, and does nothing
  kRefused,        ///< Slurm says no
  kKilledBefore,   ///< the program is killed before the call
  kKilledAfter,    ///< the program is killed when it took effect
  kKilledInFlight  ///< the program is killed, the call takes effect minutes later
};
constexpr int kFaults = 9;

struct ModelJob {
  std::string id;
  std::string partition = "batch";
  std::string dependency;
  bool runs = false;
  std::int64_t submitted = 0, started = 0, restarts = 0;
  std::int64_t base = 0;      ///< the priority that the site computes
  std::int64_t priority = 0;  ///< 0: held
  bool by_user = false;       ///< the hold is one of its user's
  bool by_drive = false;      ///< the hold is the drive's
  bool was_held = false;      ///< its user held it when the drive found it, and it has not started since
  bool found_held = false;    ///< that was ever so: to hold it for its user is to give it back
  bool given = false;         ///< the drive has read that it may take it
  bool foreign = false;       ///< another hand has changed its hold or its priority
  /// another hand has held it when an order of the drive's was open: it may pass for the drive's
  bool releasable = false;
  bool unseen = false;  ///< another hand has held it since the drive has read
  bool shown = false;   ///< the last squeue has shown it as it is

  // Orders of the drive's since it has read, and such as were not answered.
  bool ordered = false, unanswered = false;
  std::int64_t unanswered_since = 0;
  bool in_doubt() const { return ordered || unanswered; }
  bool held() const { return priority == 0; }
};

/// All that is true.
class SlurmModel : public drive::SlurmCommands {
 public:
  /// Faults at random, as often as `rate`, or a single one at call `only_at`.
  SlurmModel(std::uint64_t seed, double rate, std::optional<int> only_at);

  drive::CommandResult run(const std::vector<std::string>& command) override;

  /// From now on nothing fails.
  void end_faults() { faults_over_ = true; }
  Fault draw_fault();
  /// So much time passes in which others act: jobs come, start, end and are requeued; people hold and release them.
  void pass(std::int64_t seconds);
  void was_killed();
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return static_cast<double>(random_() >> 11) * 0x1p-53 < p; }

  /// Adds to `wrong` what must not be: what the drive has done and the ledger on the disk does not name.
  void check();
  void check_at_the_end();
  void tell(const std::string& what);

  std::optional<std::string> disk;  ///< the ledger's file
  bool take_held = false, ages = true;
  std::string wrong;     ///< the first thing that must never be
  bool telling = false;  ///< `story` is written: what happened until then
  std::string story;
  int calls = 0, orders = 0, faults = 0;

 private:
  struct Late {
    std::int64_t due;
    std::vector<std::string> command;
  };

  void complain(const std::string& what);
  ModelJob* find(const std::string& id);
  drive::CommandResult apply(const std::vector<std::string>& command);
  drive::CommandResult apply_to(ModelJob& job, const std::vector<std::string>& command);
  void release(ModelJob& job);
  void move_clock(std::int64_t seconds);
  void let_others_act();
  void other_hand(ModelJob& job);
  std::string queue(const std::string& format);
  std::string line_of(const ModelJob& job, const std::string& format, bool unreadable) const;
  void was_read();
  bool is_named(const std::string& id) const;

  std::mt19937_64 random_;
  double rate_;
  std::optional<int> only_at_;
  bool faults_over_ = false;
  std::int64_t now_ = 1'772'445'600;  // 2 March 2026, 10:00
  int next_id_ = 101;
  std::vector<ModelJob> jobs_;
  std::vector<Late> late_;
};

/// The ledger's file on the model's disk.
class ModelFile : public drive::LedgerFile {
 public:
  explicit ModelFile(SlurmModel& model) : model_(model) {}
  const std::string& name() const override { return name_; }
  std::optional<std::string> read() override;
  void replace(const std::string& text) override { write(text); }
  void remove() override { write(std::nullopt); }

 private:
  void write(const std::optional<std::string>& content);

  SlurmModel& model_;
  std::string name_ = "state.toml";
};

}  // namespace coslice::test

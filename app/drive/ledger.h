// What a drive has done to jobs and will have to undo, on disk before it does it: after a crash the next drive finds it
// there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace coslice::drive {

/// Where a ledger is kept. Tests put a disk that fails in its place.
class LedgerFile {
 public:
  virtual ~LedgerFile() = default;
  /// Returns the name of the ledger in errors.
  virtual const std::string& name() const = 0;
  /// Returns the ledger's content; nothing if there is no file. Throws InputError if there is one that cannot be read.
  virtual std::optional<std::string> read() = 0;
  /// Replaces the file's text durably: a crash of the program or the machine does not undo it. Throws SimulationError;
  /// the file then holds the old text or the new one, never half of it.
  virtual void replace(const std::string& text) = 0;
  /// Removes the file. Throws SimulationError.
  virtual void remove() = 0;
};

/// A file that one drive at a time has for itself.
class LockedFile : public LedgerFile {
 public:
  /// Throws InputError: another drive has it, or no file can be written there.
  explicit LockedFile(std::string path);
  ~LockedFile() override;
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  const std::string& name() const override { return path_; }
  std::optional<std::string> read() override;
  void replace(const std::string& text) override;
  void remove() override;

 private:
  void sync_folder() const;
  /// Removes what a write that did not end has left.
  void remove_part() const;

  std::string path_, part_;
  int lock_ = -1;
};

/// How the orders stand that were given to a job. None is trusted: only a later reading of the machine proves that it
/// took effect, and one without an answer may still take effect after that.
enum class Orders : std::uint8_t {
  kSeen,        ///< a reading has shown the job as the entry says
  kAnswered,    ///< the next reading shows how it is
  kUnanswered,  ///< one may have been given that was not answered
};

/// A waiting job that the drive has in its hands. It stays in the ledger until a reading shows that nothing of ours is
/// on it.
struct Entry {
  std::string id;
  std::int64_t submitted = 0;  ///< with the id it names the job: numbers are used again
  std::int64_t priority = 0;   ///< that it had when it was found; 0: it was held then
  bool held = true;  ///< the drive holds it, as far as is known; else the policy started it, or it is given back
  Orders orders = Orders::kSeen;
  std::int64_t since = 0;  ///< of kUnanswered: the controller's time when it was first read after the order; 0: not yet
};

/// The jobs that one drive has in its hands.
class Ledger {
 public:
  /// Opens the ledger with what the file has. Throws InputError: it is no such file, or it cannot be read. Without a
  /// file nothing is kept.
  explicit Ledger(std::unique_ptr<LedgerFile> file);

  /// Returns what an earlier drive left, with the filter that it had; no entries: nothing.
  const std::string& filter() const { return filter_; }
  void set_filter(std::string filter) { filter_ = std::move(filter); }
  std::vector<Entry>& entries() { return entries_; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Returns the entry of that id and submission, or null.
  Entry* find(const std::string& id, std::int64_t submitted);
  /// Writes all entries, if they are others than the last that were written. Without entries there is no file. Throws
  /// SimulationError; then the file is as before or as now.
  void save();

 private:
  bool is_at(std::size_t place, const std::string& id, std::int64_t submitted) const;
  void load(const std::string& text);
  std::string text() const;

  std::unique_ptr<LedgerFile> file_;
  std::string filter_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> places_;  ///< of entries, by id, where they were when last looked for
  std::string written_;                                  ///< what the file has: "" for no file
};

}  // namespace coslice::drive

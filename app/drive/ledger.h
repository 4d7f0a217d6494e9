// What a drive has done to jobs and will have to undo, on disk before it does it: after a crash the next drive finds it there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coslice::drive {

/// A waiting job that the drive has in its hands.
struct Entry {
  std::string id;
  std::int64_t submitted = 0;   ///< with the id it names the job: numbers are used again
  std::int64_t priority = 0;    ///< that it had when it was found; 0: it was held then
  bool released = false;        ///< the policy started it; else the drive holds it
};

/// A file that one drive at a time has for itself.
class Ledger {
 public:
  /// Opens the file, or makes it when something is first written. Throws InputError: it is no such file, another drive has
  /// it, or it cannot be written. Path "": nothing is kept.
  explicit Ledger(std::string path);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// What an earlier drive left, with the filter that it had; no entries: nothing.
  const std::string& filter() const { return filter_; }
  void set_filter(std::string filter) { filter_ = std::move(filter); }
  std::vector<Entry>& entries() { return entries_; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Null if it has none of that id and submission.
  Entry* find(const std::string& id, std::int64_t submitted);
  /// Writes all entries; the file is as before or as now, never half. Without entries there is no file. Throws
  /// SimulationError.
  void save() const;

 private:
  void lock();
  void load(const std::string& text);

  std::string path_, filter_;
  std::vector<Entry> entries_;
  int lock_ = -1;
};

}  // namespace coslice::drive

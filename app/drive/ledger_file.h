// Where a ledger is kept. Tests put a disk that fails in its place.
#pragma once

#include <optional>
#include <string>

namespace coslice::drive {

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

}  // namespace coslice::drive

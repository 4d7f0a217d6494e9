// A file being written, with every error noticed.
#pragma once

#include <string>
#include <string_view>

namespace coslice {

/// Throws errors that name the file and the cause: InputError if it cannot be created (a bad path, no permission),
/// SimulationError if it cannot be written to its end (no space).
class OutputFile {
 public:
  /// Creates or truncates `path`.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Closes without complaint: call close() to learn of errors.
  ~OutputFile();
  /// Writes at once: blocks come buffered already.
  void write(std::string_view text);
  /// What was written so far reaches the disk, and outlives the machine.
  void sync();
  /// A full disk may show only here.
  void close();

 private:
  [[noreturn]] void fail_to_write() const;

  std::string path_;
  int file_;
};

/// Has what was written to the file or folder so far reach the disk. Throws SimulationError that calls it by `name`.
void sync_to_disk(int file, const std::string& name);

}  // namespace coslice

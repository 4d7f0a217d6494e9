// Files: read whole, written with every error noticed, or built into a library (cmake/EmbedFiles.cmake). Through the
// system's own calls: streams take an error while reading for the end of the file, or throw without its name; and tests
// can make any one of them fail.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coslice {

/// Appends the bytes of a file to `text`. Returns 0, or the errno of what failed: EFBIG where there are more than
/// `most`.
[[nodiscard]] int append_file(std::string& text, const std::string& path, std::size_t most = SIZE_MAX);

/// Returns the bytes of a file. Throws InputError, with its name, if it cannot be read.
std::string read_whole_file(const std::string& path);

/// Throws errors that name the file and the cause: InputError if it cannot be created (a bad path, no permission),
/// SimulationError if it cannot be written to its end (no space).
class OutputFile {
 public:
  /// Creates or truncates `path`.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Closes without reporting errors: call close() to learn of them.
  ~OutputFile();
  /// Writes at once: blocks come buffered already.
  void write(std::string_view text);
  /// Makes what was written so far reach the disk, so that it outlives a crash of the machine.
  void sync();
  /// Closes the file. That a disk is full may show only here.
  void close();

 private:
  [[noreturn]] void fail_to_write() const;

  std::string path_;
  int file_;
};

/// Has what was written to the file or folder so far reach the disk. Throws SimulationError that calls it by `name`.
void sync_to_disk(int file, const std::string& name);

/// A file as it was when the library was built.
struct EmbeddedFile {
  std::string_view name;  ///< "lib/prelude.lua", "web/gantt.css"
  std::string_view text;
};

}  // namespace coslice

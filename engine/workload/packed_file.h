// Reading files that are plain or gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct gzFile_s;

namespace coslice {

/// A file for reading, plain or gzip: its bytes tell.
class PackedFile {
 public:
  /// `what` is what the path should be, for messages: "a trace file". About `buffer` bytes are read and unpacked at once.
  /// Throws InputError if it cannot be opened or is a folder.
  explicit PackedFile(const std::string& path, const std::string& what = "a trace file", unsigned buffer = 1 << 18);
  /// Reads up to `room` bytes; 0 at the end. Throws InputError: not readable, damaged gzip data.
  std::size_t read(char* to, std::size_t room);
  /// Whether it is plain.
  bool plain() const;

 private:
  struct Close {
    void operator()(gzFile_s* f) const;
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

/// The first bytes of a plain or gzip file, at most n, for what tells its format. Throws InputError as PackedFile does.
std::string packed_head(const std::string& path, std::size_t n = 4096);

/// The whole text of a plain or gzip file. Throws InputError as PackedFile does.
std::string read_packed(const std::string& path);

}  // namespace coslice

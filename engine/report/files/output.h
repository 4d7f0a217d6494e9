// How results leave the program: writers make text, sinks take it in blocks, so that no file is ever held in memory
// as a whole and writers can be tested without files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/output_file.h"

namespace coslice {

/// Takes the next block of a text. Throws what its target throws.
using Sink = std::function<void(std::string_view)>;

/// A sink that appends to `out`, which must outlive it.
Sink sink_to(std::string& out);

/// Gathers rows and hands them on in blocks of about 64 KB.
class BlockWriter {
 public:
  explicit BlockWriter(Sink sink) : sink_(std::move(sink)) { text_.reserve(kBlock + kBlock / 4); }
  /// Append rows here.
  std::string& text() { return text_; }
  /// Call after each row.
  void row_done() {
    if (text_.size() >= kBlock) flush();
  }
  /// Call after the last row: a destructor could not report that the disk is full.
  void flush();

 private:
  static constexpr std::size_t kBlock = 64 * 1024;
  Sink sink_;
  std::string text_;
};

/// A sink into the file, which must outlive it.
Sink sink_into(OutputFile& file);

/// Writes `text` to `path` through an OutputFile.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace coslice

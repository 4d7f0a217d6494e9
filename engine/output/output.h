// How results leave the program: writers make text, sinks take it in blocks, so that no file is ever held in memory
// as a whole and writers can be tested without files.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/file.h"

namespace coslice {

/// A function that takes the next block of a text. Throws what its target throws.
using Sink = std::function<void(std::string_view)>;

/// Returns a sink that appends to `out`, which must outlive it.
Sink sink_to(std::string& out);

/// Gathers rows and hands them to a sink in blocks of about 64 KiB.
class BlockWriter {
 public:
  explicit BlockWriter(Sink sink) : sink_(std::move(sink)) { text_.reserve(kBlock + kBlock / 4); }
  /// Returns the buffer to which rows are appended.
  std::string& text() { return text_; }
  /// Ends a row, and hands the rows on if they fill a block.
  void row_done() {
    if (text_.size() >= kBlock) flush();
  }
  /// Appends a whole row.
  void add(std::string_view row) {
    text_ += row;
    row_done();
  }
  /// Hands the rest on. Must be called after the last row: a destructor could not report that the disk is full.
  void flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t kBlock = 64 * 1024;
  Sink sink_;
  std::string text_;
};

/// Returns a sink into the file, which must outlive it.
Sink sink_into(OutputFile& file);

/// Writes `text` to `path` through an OutputFile.
void write_text_file(const std::string& path, std::string_view text);

/// Appends an integer in decimal.
inline void append_integer(std::string& out, std::int64_t n) {
  char digits[24];
  const char* const end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));  // by length: a pair of iterators is appended slower
}

/// Appends a comma and an integer.
inline void append_next_integer(std::string& out, std::int64_t n) {
  char text[24];
  text[0] = ',';
  const char* const end = std::to_chars(text + 1, text + sizeof text, n).ptr;
  out.append(text, static_cast<std::size_t>(end - text));
}

/// Appends the shortest decimal that reads back as the same number; never an exponent.
void append_real(std::string& out, double x);

/// Returns a field as CSV has it: quoted where it holds a comma, a quote or a line end (RFC 4180).
std::string csv_field(std::string_view text);

// Bytes as text: digests of what a result was made from, and numbers packed into a page.

/// Returns the SHA-256 of the file's bytes as 64 hex digits. Throws InputError if it cannot be read.
std::string sha256_of_file(const std::string& path);
/// Returns the SHA-256 of the text's bytes as 64 hex digits.
std::string sha256_of_text(std::string_view text);

/// Appends a signed number in LEB128 after zigzag: small ones, of either sign, take one byte.
void append_varint(std::string& out, std::int64_t n);
/// Returns the bytes as a gzip file without a name or a time. Throws std::bad_alloc.
std::string gzip(std::string_view bytes);
/// Returns the bytes in the base64 of RFC 4648.
std::string base64(std::string_view bytes);
/// Returns the SHA-256 of a text as a content security policy has it: "'sha256-...'".
std::string csp_hash(std::string_view text);

}  // namespace coslice

// Bytes as text: digests of what a result was made from, and numbers packed into a page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coslice {

/// SHA-256 of the file's bytes as 64 hex digits. Throws InputError if it cannot be read.
std::string sha256_of_file(const std::string& path);
/// SHA-256 of the text's bytes as 64 hex digits.
std::string sha256_of_text(std::string_view text);

/// Appends a signed number in LEB128 after zigzag: small ones, of either sign, take one byte.
void append_varint(std::string& out, std::int64_t n);
/// The bytes as a gzip file without a name or a time. Throws std::bad_alloc.
std::string gzip(std::string_view bytes);
/// RFC 4648 base64.
std::string base64(std::string_view bytes);
/// The SHA-256 of a text as a content security policy wants it: "'sha256-...'".
std::string csp_hash(std::string_view text);

}  // namespace coslice

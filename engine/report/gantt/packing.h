// How numbers get into a page: columns of variable-length integers, packed and written as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coslice {

/// Appends a signed number in LEB128 after zigzag: small ones, of either sign, take one byte.
void append_varint(std::string& out, std::int64_t n);
/// The bytes as a gzip file without a name or a time. Throws std::bad_alloc.
std::string gzip(std::string_view bytes);
/// RFC 4648 base64.
std::string base64(std::string_view bytes);
/// The SHA-256 of a text as a content security policy wants it: "'sha256-...'".
std::string csp_hash(std::string_view text);

}  // namespace coslice

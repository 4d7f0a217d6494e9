#include "report/gantt/packing.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <new>

#include "report/files/digest.h"

namespace coslice {

void append_varint(std::string& out, std::int64_t n) {
  std::uint64_t rest = (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
  for (; rest >= 0x80; rest >>= 7) out += static_cast<char>(rest | 0x80);
  out += static_cast<char>(rest);
}

std::string gzip(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16;
  constexpr std::size_t kBlock = 1 << 20;
  z_stream z{};
  if (deflateInit2(&z, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (z.avail_in == 0) {  // zlib counts input in 32 bits
      const std::size_t n = std::min(bytes.size(), kBlock);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      z.avail_in = static_cast<uInt>(n);
      bytes.remove_prefix(n);
    }
    const std::size_t done = out.size();
    out.resize(done + kBlock);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    z.avail_out = static_cast<uInt>(kBlock);
    state = deflate(&z, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.resize(done + (kBlock - z.avail_out));
  }
  deflateEnd(&z);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::size_t kBlock = 3 << 20;  // EVP_EncodeBlock counts in an int
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  std::size_t done = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
    const std::string_view part = bytes.substr(at, kBlock);
    done += static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data() + done),
                                                     reinterpret_cast<const unsigned char*>(part.data()),
                                                     static_cast<int>(part.size())));
  }
  out.resize(done);
  return out;
}

std::string csp_hash(std::string_view text) {
  const std::string hex = sha256_of_text(text);
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string raw;
  for (std::size_t i = 0; i < hex.size(); i += 2) raw += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return "'sha256-" + base64(raw) + "'";
}

}  // namespace coslice

#include "output/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <vector>
#include <zlib.h>

#include "core/error.h"

namespace coslice {

Sink sink_to(std::string& out) {
  return [&out](std::string_view text) { out += text; };
}

Sink sink_into(OutputFile& file) {
  return [&file](std::string_view text) { file.write(text); };
}

void write_text_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

void append_real(std::string& out, double x) {
  // Whole numbers are common (a job that did not wait has stretch 1) and ten times cheaper as integers.
  const bool fits = x > -1e15 && x < 1e15;
  if (fits && static_cast<double>(static_cast<std::int64_t>(x)) == x) {
    append_integer(out, static_cast<std::int64_t>(x));
    return;
  }
  char digits[400];  // the largest double has 309 digits before the point
  const char* const end = std::to_chars(digits, digits + sizeof digits, x, std::chars_format::fixed).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

std::string csv_field(std::string_view text) {
  const auto is_special = [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; };
  if (std::ranges::none_of(text, is_special)) return std::string(text);
  std::string out = "\"";
  for (char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

namespace {

// Without EVP, which would start all of OpenSSL (engine/CMakeLists.txt).
class Sha256 {
 public:
  Sha256() { check(SHA256_Init(&state_) == 1); }

  void add(const void* bytes, std::size_t n) { check(SHA256_Update(&state_, bytes, n) == 1); }

  std::string hex() {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    check(SHA256_Final(digest, &state_) == 1);
    std::string out;
    for (const unsigned char byte : digest) {
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    }
    return out;
  }

 private:
  static void check(bool ok) {
    if (!ok) throw std::runtime_error("OpenSSL could not compute SHA-256");
  }

  SHA256_CTX state_;
};

[[noreturn]] void fail_to_read(const std::string& path) {
  throw InputError({path, 0, std::string("cannot be read: ") + std::strerror(errno)});
}

}  // namespace

std::string sha256_of_file(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) fail_to_read(path);
  Sha256 sha;
  std::vector<char> block(256 * 1024);
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), file.get())) sha.add(block.data(), n);
  if (std::ferror(file.get()) != 0) fail_to_read(path);
  return sha.hex();
}

std::string sha256_of_text(std::string_view text) {
  Sha256 sha;
  sha.add(text.data(), text.size());
  return sha.hex();
}

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

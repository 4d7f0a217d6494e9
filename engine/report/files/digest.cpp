#include "report/files/digest.h"

#include <openssl/sha.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "core/error.h"

namespace coslice {
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
  Diagnostic d;
  d.file = path;
  d.problem = std::string("cannot be read: ") + std::strerror(errno);
  throw InputError(d);
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

}  // namespace coslice

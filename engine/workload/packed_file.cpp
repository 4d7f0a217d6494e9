#include "workload/packed_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>

#include "core/error.h"

namespace coslice {
namespace {

constexpr std::size_t kPackedBuffer = 1 << 18;

[[noreturn]] void refuse_packed(const std::string& path, std::string problem, std::string expected = "") {
  throw InputError({path, 0, std::move(problem), std::move(expected), "", ""});
}

}  // namespace

PackedFile::PackedFile(const std::string& path, const std::string& what, unsigned buffer) : path_(path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse_packed(path, "is a folder", what);
  file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) refuse_packed(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  gzbuffer(file_.get(), buffer);
}

void PackedFile::Close::operator()(gzFile_s* f) const { gzclose(f); }

bool PackedFile::plain() const { return gzdirect(file_.get()) != 0; }

std::size_t PackedFile::read(char* to, std::size_t room) {
  const int got = gzread(file_.get(), to, static_cast<unsigned>(room));
  if (got > 0) return static_cast<std::size_t>(got);
  int code = Z_OK;
  const char* const text = gzerror(file_.get(), &code);
  if (code == Z_ERRNO) refuse_packed(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (code == Z_BUF_ERROR) refuse_packed(path_, "the gzip data end too early", "a whole gzip file");
  if (got < 0) refuse_packed(path_, fmt::format("the gzip data are damaged ({})", text), "a whole gzip file");
  return 0;
}

std::string packed_head(const std::string& path, std::size_t n) {
  PackedFile file(path, "a trace file", static_cast<unsigned>(n));
  std::string head(n, '\0');
  head.resize(file.read(head.data(), n));
  return head;
}

std::string read_packed(const std::string& path) {
  PackedFile file(path);
  std::string text;
  for (std::size_t held = 0;;) {
    text.resize(held + kPackedBuffer);
    const std::size_t got = file.read(text.data() + held, kPackedBuffer);
    held += got;
    if (got > 0) continue;
    text.resize(held);
    return text;
  }
}

}  // namespace coslice

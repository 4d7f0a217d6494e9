#include "workload/swf.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <memory>

#include "core/error.h"
#include "workload/swf_builder.h"

namespace coslice {

namespace {

constexpr std::size_t kBuffer = 1 << 18;
// The shortest records seen: a plain one has 18 digits and blanks, gzip brings one down to a few bytes.
constexpr std::size_t kBytesPerPlainRecord = 36;
constexpr std::size_t kBytesPerPackedRecord = 4;

struct CloseGz {
  void operator()(gzFile f) const { gzclose(f); }
};
using GzFile = std::unique_ptr<gzFile_s, CloseGz>;

[[noreturn]] void fail(const std::string& path, std::string problem, std::string expected = "") {
  throw InputError({path, 0, std::move(problem), std::move(expected), "", ""});
}

GzFile open(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail(path, "is a folder", "a trace file");
  GzFile file(gzopen(path.c_str(), "rb"));
  if (!file) fail(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  gzbuffer(file.get(), kBuffer);
  return file;
}

/// Reads up to `room` bytes; 0 at the end.
std::size_t read_some(gzFile file, char* to, std::size_t room, const std::string& path) {
  const int got = gzread(file, to, static_cast<unsigned>(room));
  if (got > 0) return static_cast<std::size_t>(got);
  int code = Z_OK;
  const char* const text = gzerror(file, &code);
  if (code == Z_ERRNO) fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (code == Z_BUF_ERROR) fail(path, "the gzip data end too early", "a whole gzip file");
  if (got < 0) fail(path, fmt::format("the gzip data are damaged ({})", text), "a whole gzip file");
  return 0;
}

}  // namespace

Workload read_swf(const std::string& path, const SwfOptions& options) {
  const GzFile file = open(path);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  const std::size_t record = gzdirect(file.get()) != 0 ? kBytesPerPlainRecord : kBytesPerPackedRecord;
  SwfBuilder builder(path, options, error ? 0 : static_cast<std::size_t>(bytes) / record + 1);
  std::vector<char> buffer(kBuffer);
  std::size_t held = 0;  // bytes of an unfinished line at the front
  for (;;) {
    const std::size_t got = read_some(file.get(), buffer.data() + held, buffer.size() - held, path);
    const std::string_view text(buffer.data(), held + got);
    const std::size_t used = builder.feed(text, got == 0);
    if (got == 0) return builder.finish();
    held = text.size() - used;
    std::memmove(buffer.data(), buffer.data() + used, held);
  }
}

Workload parse_swf(std::string_view text, const std::string& file, const SwfOptions& options) {
  SwfBuilder builder(file, options, text.size() / kBytesPerPlainRecord + 1);
  builder.feed(text, true);
  return builder.finish();
}

std::int64_t drop_larger_than(Workload& workload, std::int64_t size) {
  auto& jobs = workload.jobs;
  const auto end = std::remove_if(jobs.begin(), jobs.end(), [size](const Job& j) { return j.size > size; });
  const auto dropped = static_cast<std::int64_t>(jobs.end() - end);
  jobs.erase(end, jobs.end());
  if (dropped > 0) workload.notes.push_back({fmt::format("larger than the machine ({})", size), dropped, 0, true});
  return dropped;
}

TraceMachine machine_of(const Workload& workload) {
  if (workload.header.max_procs > 0) return {workload.header.max_procs, MachineSource::kMaxProcs};
  if (workload.header.max_nodes > 0) return {workload.header.max_nodes, MachineSource::kMaxNodes};
  std::int64_t largest = 0;
  for (const Job& job : workload.jobs) largest = std::max<std::int64_t>(largest, job.size);
  return {largest, MachineSource::kLargestJob};
}

std::string workload_name_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".swf") name = name.stem();
  return name.string();
}

}  // namespace coslice

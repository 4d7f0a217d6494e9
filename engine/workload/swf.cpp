#include "workload/swf.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>

#include "workload/packed_file.h"
#include "workload/swf_builder.h"

namespace coslice {

namespace {

constexpr std::size_t kBuffer = 1 << 18;
// The shortest records seen: a plain one has 18 digits and blanks, gzip brings one down to a few bytes.
constexpr std::size_t kBytesPerPlainRecord = 36;
constexpr std::size_t kBytesPerPackedRecord = 4;

}  // namespace

Workload read_swf(const std::string& path, const SwfOptions& options) {
  PackedFile file(path);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  const std::size_t record = file.plain() ? kBytesPerPlainRecord : kBytesPerPackedRecord;
  SwfBuilder builder(path, options, error ? 0 : static_cast<std::size_t>(bytes) / record + 1);
  std::vector<char> buffer(kBuffer);
  std::size_t held = 0;  // bytes of an unfinished line at the front
  for (;;) {
    const std::size_t got = file.read(buffer.data() + held, buffer.size() - held);
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
  for (const char* known : {".swf", ".sacct", ".json"})
    if (name.extension() == known) return name.stem().string();
  return name.string();
}

}  // namespace coslice

#include "workload/swf_writer.h"

#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fmt/core.h>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/output_file.h"
#include "workload/attributes.h"
#include "workload/job_extras.h"

namespace coslice {

namespace {

constexpr std::size_t kFlushAt = 1 << 16;
constexpr std::size_t kLongestRecord = 18 * 22;

char* put(char* p, std::int64_t value) {
  p = std::to_chars(p, p + 20, value).ptr;
  *p++ = ' ';
  return p;
}

/// Seconds, exact: decimals only where there are some; -1 for what is not known.
char* put_seconds(char* p, Duration d) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (d < Duration::zero()) return put(p, -1);
  p = std::to_chars(p, p + 20, d.count() / kSecond).ptr;
  std::int64_t rest = d.count() % kSecond;
  if (rest != 0) {
    *p++ = '.';
    for (std::int64_t unit = kSecond / 10; rest != 0; unit /= 10) {
      *p++ = static_cast<char>('0' + rest / unit);
      rest %= unit;
    }
  }
  *p++ = ' ';
  return p;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// A header line that counts jobs would be wrong after a selection.
bool counts_jobs(std::string_view line) {
  return line.find("MaxJobs:") != line.npos || line.find("MaxRecords:") != line.npos;
}

/// What stands in a field, or null.
constexpr const Attribute* attribute_of(int field) {
  for (const Attribute& a : kAttributes)
    if (a.swf == field) return &a;
  return nullptr;
}

/// Calls f<field>() for each field in turn.
template <class F>
void each_field(F&& f) {
  [&]<int... field>(std::integer_sequence<int, field...>) { (f.template operator()<field>(), ...); }
  (std::make_integer_sequence<int, kSwfFields>());
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw SimulationError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace

void append_swf_record(std::string& out, const Job& job, const SwfOutcome& outcome) {
  char record[kLongestRecord];
  char* p = record;
  each_field([&]<int field>() {
    constexpr const Attribute* a = attribute_of(field);
    if constexpr (field == kSwfWait) p = put_seconds(p, outcome.wait);
    else if constexpr (field == kSwfRunTime)
      p = put_seconds(p, outcome.runtime < Duration::zero() ? job.runtime : outcome.runtime);
    else if constexpr (field == kSwfAllocated) p = put(p, job.size);
    else if constexpr (field == kSwfStatus) p = put(p, outcome.status < -1 ? job.status : outcome.status);
    else if constexpr (a == nullptr) p = put(p, -1);
    else if constexpr (a->is_time()) p = put_seconds(p, a->span(job));
    else p = put(p, a->whole(job));
  });
  out.append(record, static_cast<std::size_t>(p - record - 1));
  append_texts(out, job);
  out += '\n';
}

/// A plain or a gzip file behind one interface.
class SwfWriter::File {
 public:
  explicit File(const std::string& path) {
    if (path == "-") return;
    if (!ends_with(path, ".gz")) {
      plain_.emplace(path);
      return;
    }
    packed_ = gzopen(path.c_str(), "wb");
    if (packed_ == nullptr)
      throw InputError({path, 0, fmt::format("cannot be created: {}", std::strerror(errno)), "", "", ""});
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (packed_ != nullptr) gzclose(packed_);
  }

  /// False if a gzip file or standard output cannot be written; a plain file says so itself.
  bool write(const std::string& text) {
    if (text.empty()) return true;
    if (packed_ != nullptr) return gzwrite(packed_, text.data(), static_cast<unsigned>(text.size())) > 0;
    if (!plain_) return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    plain_->write(text);
    return true;
  }

  bool close() {
    if (packed_ != nullptr) return gzclose(std::exchange(packed_, nullptr)) == Z_OK;
    if (!plain_) return std::fflush(stdout) == 0;
    plain_->close();
    return true;
  }

 private:
  gzFile packed_ = nullptr;
  std::optional<OutputFile> plain_;  ///< neither: standard output
};

SwfWriter::SwfWriter(const std::string& path)
    : path_(path == "-" ? "standard output" : path), file_(std::make_unique<File>(path)) {
  buffer_.reserve(kFlushAt + kLongestRecord);
}

SwfWriter::~SwfWriter() = default;

void SwfWriter::flush() {
  if (!file_->write(buffer_)) fail_to_write(path_);
  buffer_.clear();
}

void SwfWriter::comment(std::string_view text) {
  if (text.empty() || text.front() != ';') buffer_ += text.empty() ? ";" : "; ";
  buffer_ += text;
  buffer_ += '\n';
  if (buffer_.size() >= kFlushAt) flush();
}

void SwfWriter::header(const Workload& workload) {
  const auto& head = workload.header;
  const auto count = workload.jobs.size();
  if (head.lines.empty()) {
    comment("Version: 2.2");
    if (!workload.name.empty()) comment("Computer: " + workload.name);
    if (head.unix_start_time > 0) comment(fmt::format("UnixStartTime: {}", head.unix_start_time));
    if (head.max_nodes > 0) comment(fmt::format("MaxNodes: {}", head.max_nodes));
    if (head.max_procs > 0) comment(fmt::format("MaxProcs: {}", head.max_procs));
  }
  for (const auto& line : head.lines)
    if (!counts_jobs(line)) comment(line);
  comment(fmt::format("MaxJobs: {}", count));
  comment(fmt::format("MaxRecords: {}", count));
}

void SwfWriter::record(const Job& job, const SwfOutcome& outcome) {
  append_swf_record(buffer_, job, outcome);
  if (buffer_.size() >= kFlushAt) flush();
}

void SwfWriter::close() {
  flush();
  if (!file_->close()) fail_to_write(path_);
}

void write_swf(const std::string& path, const Workload& workload) {
  SwfWriter writer(path);
  writer.header(workload);
  for (const Job& job : workload.jobs) writer.record(job);
  writer.close();
}

}  // namespace coslice

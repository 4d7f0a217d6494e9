#include "formats/slurm_fields.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/core.h>

#include "core/text.h"
#include "core/time.h"

namespace coslice {
namespace {

constexpr std::int64_t kMostCounted = 2'000'000'000;

/// "250" -> 250,000,000: decimals of a second in nanoseconds.
std::optional<std::int64_t> decimals(std::string_view text) {
  if (text.empty() || text.size() > 9) return {};
  auto value = whole_number(text);
  for (std::size_t k = text.size(); value && k < 9; ++k) *value *= 10;
  return value;
}

constexpr std::string_view kFreeTexts[] = {"JobName",      "Comment", "AdminComment", "SystemComment",
                                           "SubmitLine",   "WorkDir", "Constraints",  "Reason",
                                           "FailedReason", "Extra",   "WCKey",        "Container"};
constexpr std::size_t kMostDelimiters = 24;  // in the free texts of one line
constexpr std::size_t kMostFreeTexts = 3;

template <class List>
bool is_one_of(std::string_view word, const List& list) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether the value can stand in that column; of columns that may hold anything, it can.
bool fits_column(std::string_view column, std::string_view value) {
  constexpr std::string_view kTimes[] = {"Submit", "Start", "End", "Eligible"};
  constexpr std::string_view kSpans[] = {"Elapsed", "Timelimit", "Suspended", "Planned", "Reserved"};
  constexpr std::string_view kSpanWords[] = {"UNLIMITED", "Partition_Limit", "INVALID"};
  constexpr std::string_view kCounts[] = {"NNodes",  "AllocNodes", "ReqNodes", "NCPUS",    "AllocCPUS",
                                          "ReqCPUS", "ElapsedRaw", "NTasks",   "JobIDRaw", "UID"};
  constexpr std::string_view kResourceLists[] = {"AllocTRES", "ReqTRES"};
  if (is_one_of(column, kTimes))
    return value.empty() || value == "Unknown" || value == "None" || slurm_instant(value).has_value();
  if (is_one_of(column, kSpans)) return value.empty() || is_one_of(value, kSpanWords) || slurm_duration(value);
  if (is_one_of(column, kCounts)) return all_digits(value.substr(0, value.find_first_of(".+_")));
  if (is_one_of(column, kResourceLists)) return value.empty() || slurm_tres(value).has_value();
  if (column == "State") return value.empty() || slurm_end(value);
  if (column == "JobID") return !value.empty() && value[0] >= '0' && value[0] <= '9';
  return true;
}

/// Tries every way to give the delimiters that are too many to the free texts.
class Alignment {
 public:
  Alignment(const std::vector<std::string_view>& fields, const std::vector<std::string>& columns)
      : fields_(fields), columns_(columns) {}

  int find() {
    place(0, 0, fields_.size() - columns_.size());
    return ways_;
  }
  const std::vector<std::string_view>& best() const { return best_; }

 private:
  /// Fills column c from field f on; `extra` fields are still to be joined.
  void place(std::size_t c, std::size_t f, std::size_t extra) {
    if (c == columns_.size()) {
      if (extra == 0) found();
      return;
    }
    const std::size_t most = is_one_of(columns_[c], kFreeTexts) ? extra : 0;
    for (std::size_t joined = 0; joined <= most; ++joined) {
      const std::string_view first = fields_[f], last = fields_[f + joined];
      const std::string_view value(first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
      if (!fits_column(columns_[c], value)) continue;
      taken_.push_back(value);
      place(c + 1, f + joined + 1, extra - joined);
      taken_.pop_back();
    }
  }

  /// Ways that differ in free texts only are one way: nothing else depends on them.
  void found() {
    if (ways_ > 0)
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (!is_one_of(columns_[c], kFreeTexts) && taken_[c] != best_[c]) {
          ++ways_;
          return;
        }
    if (ways_ == 0) ways_ = 1;
    best_ = taken_;
  }

  const std::vector<std::string_view>& fields_;
  const std::vector<std::string>& columns_;
  std::vector<std::string_view> taken_, best_;
  int ways_ = 0;
};

}  // namespace

std::optional<std::int64_t> slurm_instant(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto seconds = iso_seconds(text.substr(0, point));
  if (!seconds || point == text.npos) return seconds ? outside_instant(*seconds) : std::nullopt;
  const auto part = decimals(text.substr(point + 1));
  return part ? std::optional(*outside_instant(*seconds) + *part) : std::nullopt;
}

std::optional<std::int64_t> slurm_duration(std::string_view text) {
  std::int64_t days = 0, nanoseconds = 0;
  if (const std::size_t dash = text.find('-'); dash != text.npos) {
    const auto part = whole_number(text.substr(0, dash));
    if (!part || *part > kMostDays) return {};
    days = *part;
    text.remove_prefix(dash + 1);
  }
  if (const std::size_t point = text.find('.'); point != text.npos) {
    const auto part = decimals(text.substr(point + 1));
    if (!part) return {};
    nanoseconds = *part;
    text = text.substr(0, point);
  }
  const auto clock = clock_seconds(text);
  if (!clock) return {};
  return outside_span(days * kSecondsPerDay + *clock).count() + nanoseconds;
}

std::string slurm_duration_text(std::int64_t nanoseconds) {
  const std::int64_t seconds = (nanoseconds + kNsPerSecond - 1) / kNsPerSecond;
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return seconds < kSecondsPerDay ? clock : fmt::format("{}-{}", seconds / kSecondsPerDay, clock);
}

std::optional<SlurmMemory> slurm_memory(std::string_view text) {
  SlurmMemory memory;
  if (!text.empty() && (text.back() == 'n' || text.back() == 'c')) {
    memory.per = text.back() == 'n' ? SlurmMemoryPer::kNode : SlurmMemoryPer::kCpu;
    text.remove_suffix(1);
  }
  std::int64_t unit = 1024;  // megabytes, if no unit stands there
  if (!text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0) {
    switch (text.back()) {
      case 'K': unit = 1; break;
      case 'M': unit = 1024; break;
      case 'G': unit = 1024 * 1024; break;
      case 'T': unit = 1024 * 1024 * 1024; break;
      default: return {};
    }
    text.remove_suffix(1);
  }
  const std::size_t point = text.find('.');
  const auto number = whole_number(text.substr(0, point));
  if (!number || *number > 1'000'000'000) return {};
  memory.kilobytes = *number * unit;
  if (point != text.npos) {
    const auto part = decimals(text.substr(point + 1));
    if (!part) return {};
    memory.kilobytes += static_cast<std::int64_t>(static_cast<double>(*part) * 1e-9 * static_cast<double>(unit));
  }
  return memory.kilobytes > 0 ? std::optional(memory) : std::nullopt;
}

std::optional<SlurmTres> slurm_tres(std::string_view text) {
  constexpr std::string_view kGpu = "gres/gpu", kLicence = "license/";
  SlurmTres tres;
  std::int64_t typed = 0;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const std::size_t equals = item.find('=');
    if (equals == item.npos || equals == 0) return {};
    const std::string_view name = item.substr(0, equals), value = item.substr(equals + 1);
    const bool typed_gpu = name.substr(0, kGpu.size() + 1) == "gres/gpu:";
    const bool licence = name.substr(0, kLicence.size()) == kLicence;
    if (name == "mem") {
      const auto memory = slurm_memory(value);
      tres.memory_kb = memory ? memory->kilobytes : 0;
    } else if (name == "cpu" || name == "node" || name == kGpu || typed_gpu || licence) {
      const auto count = value.empty() ? std::nullopt : whole_number(value);
      if (!count || *count > kMostCounted) return {};
      if (name == "cpu") tres.cpus = *count;
      else if (name == "node") tres.nodes = *count;
      else if (name == kGpu) tres.gpus = *count;
      else if (licence && *count > 0) tres.licences.emplace_back(name.substr(kLicence.size()), *count);
      else if (typed_gpu && *count > 0) typed += *count, tres.gpu_types.emplace_back(name.substr(kGpu.size() + 1));
    }
  }
  tres.gpus = std::max(tres.gpus, typed);
  return tres;
}

std::optional<SlurmEnd> slurm_end(std::string_view state) {
  struct Word {
    std::string_view word;
    SlurmEnd end;
  };
  constexpr std::array<Word, 22> kWords = {{
      {"COMPLETED", SlurmEnd::kCompleted},  {"CD", SlurmEnd::kCompleted},
      {"FAILED", SlurmEnd::kFailed},        {"F", SlurmEnd::kFailed},
      {"TIMEOUT", SlurmEnd::kFailed},       {"TO", SlurmEnd::kFailed},
      {"NODE_FAIL", SlurmEnd::kFailed},     {"NF", SlurmEnd::kFailed},
      {"OUT_OF_MEMORY", SlurmEnd::kFailed}, {"OOM", SlurmEnd::kFailed},
      {"BOOT_FAIL", SlurmEnd::kFailed},     {"DEADLINE", SlurmEnd::kFailed},
      {"PREEMPTED", SlurmEnd::kFailed},     {"REQUEUED", SlurmEnd::kFailed},
      {"REVOKED", SlurmEnd::kCancelled},    {"CANCELLED", SlurmEnd::kCancelled},
      {"CA", SlurmEnd::kCancelled},         {"PENDING", SlurmEnd::kNotEnded},
      {"RUNNING", SlurmEnd::kNotEnded},     {"SUSPENDED", SlurmEnd::kNotEnded},
      {"RESIZING", SlurmEnd::kNotEnded},    {"COMPLETING", SlurmEnd::kNotEnded},
  }};
  const std::string_view word = state.substr(0, state.find_first_of(" +"));
  const auto* found = std::ranges::find_if(kWords, [&](const Word& w) { return w.word == word; });
  return found == kWords.end() ? std::nullopt : std::optional(found->end);
}

std::string_view sacct_delimiter(std::string_view header) {
  header.remove_prefix(std::min(header.find_first_of(kSacctLetters), header.size()));
  std::size_t at = header.find_first_not_of(kSacctLetters);
  if (at != header.npos && header[at] == '%') at = header.find_first_not_of("%-0123456789", at);  // a column's width
  if (at == header.npos) return "|";
  const std::size_t end = header.find_first_of(kSacctLetters, at);
  return end == header.npos ? "|" : header.substr(at, end - at);
}

std::vector<std::string_view> sacct_fields(std::string_view line, std::string_view delimiter) {
  std::vector<std::string_view> fields;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (std::size_t end; (end = line.find(delimiter)) != line.npos; line.remove_prefix(end + delimiter.size()))
    fields.push_back(line.substr(0, end));
  fields.push_back(line);
  return fields;
}

int align_sacct_fields(std::vector<std::string_view>& fields, const std::vector<std::string>& columns) {
  const auto free_texts = static_cast<std::size_t>(
      std::ranges::count_if(columns, [](const std::string& c) { return is_one_of(c, kFreeTexts); }));
  if (free_texts == 0 || free_texts > kMostFreeTexts || fields.size() < columns.size() ||
      fields.size() - columns.size() > kMostDelimiters)
    return 0;
  Alignment alignment(fields, columns);
  const int ways = alignment.find();
  if (ways == 1) fields = alignment.best();
  return ways;
}

}  // namespace coslice

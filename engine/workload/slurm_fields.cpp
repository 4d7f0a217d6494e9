#include "workload/slurm_fields.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fmt/core.h>

#include "core/outside_time.h"

namespace coslice {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kNanoseconds = whole_seconds(1).count();
constexpr std::int64_t kMostCounted = 2'000'000'000;
constexpr std::int64_t kMostDays = 100'000;  // of a span: no sum of seconds comes near 64 bits

/// The whole text as a number without a sign.
std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || text.front() == '-') return {};
  return value;
}

/// Days from 1970-01-01 in the Gregorian calendar: years begin in March, so that leap days come last.
std::int64_t days_since_1970(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2;
  const std::int64_t era = year / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

std::string date_text(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = days / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
  const std::int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  return fmt::format("{:04}-{:02}-{:02}", year_of_era + era * 400 + (month <= 2), month, day);
}

/// "hh:mm:ss" or "mm:ss" in seconds; Slurm's hours may have more than two digits.
std::optional<std::int64_t> clock_seconds(std::string_view text) {
  std::int64_t seconds = 0;
  int parts = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const auto part = whole(text.substr(0, colon));
    if (!part || *part > kMostDays * 24 || (parts > 0 && *part >= 60)) return {};
    seconds = seconds * 60 + *part;
    ++parts;
    if (colon == text.npos) break;
    text.remove_prefix(colon + 1);
  }
  return parts == 2 || parts == 3 ? std::optional(seconds) : std::nullopt;
}

/// "250" -> 250,000,000: decimals of a second in nanoseconds.
std::optional<std::int64_t> decimals(std::string_view text) {
  if (text.empty() || text.size() > 9) return {};
  auto value = whole(text);
  for (std::size_t k = text.size(); value && k < 9; ++k) *value *= 10;
  return value;
}

}  // namespace

std::optional<std::int64_t> slurm_time(std::string_view text) {
  if (text.find('-') == text.npos) {
    const auto seconds = whole(text);
    return seconds && *seconds > 0 && outside_instant(*seconds) ? seconds : std::nullopt;
  }
  if (text.size() != 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T') return {};
  const auto year = whole(text.substr(0, 4)), month = whole(text.substr(5, 2)), day = whole(text.substr(8, 2));
  const auto clock = clock_seconds(text.substr(11));
  if (!year || !month || !day || !clock || *clock >= kDay) return {};
  if (*year < 1970 || *month < 1 || *month > 12 || *day < 1 || *day > 31) return {};
  const std::int64_t seconds = days_since_1970(*year, *month, *day) * kDay + *clock;
  return outside_instant(seconds) ? std::optional(seconds) : std::nullopt;
}

std::optional<std::int64_t> slurm_instant(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto seconds = slurm_time(text.substr(0, point));
  if (!seconds || point == text.npos) return seconds ? outside_instant(*seconds) : std::nullopt;
  const auto part = decimals(text.substr(point + 1));
  return part ? std::optional(*outside_instant(*seconds) + *part) : std::nullopt;
}

std::string slurm_time_text(std::int64_t seconds) {
  const std::int64_t clock = seconds % kDay;
  return fmt::format("{}T{:02}:{:02}:{:02}", date_text(seconds / kDay), clock / 3600, clock / 60 % 60, clock % 60);
}

std::optional<std::int64_t> slurm_duration(std::string_view text) {
  std::int64_t days = 0, nanoseconds = 0;
  if (const std::size_t dash = text.find('-'); dash != text.npos) {
    const auto part = whole(text.substr(0, dash));
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
  return outside_span(days * kDay + *clock).count() + nanoseconds;
}

std::string slurm_duration_text(std::int64_t nanoseconds) {
  const std::int64_t seconds = (nanoseconds + kNanoseconds - 1) / kNanoseconds;
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return seconds < kDay ? clock : fmt::format("{}-{}", seconds / kDay, clock);
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
  const auto number = whole(text.substr(0, point));
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
      const auto count = value.empty() ? std::nullopt : whole(value);
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
  const auto* found = std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.word == word; });
  return found == kWords.end() ? std::nullopt : std::optional(found->end);
}

}  // namespace coslice

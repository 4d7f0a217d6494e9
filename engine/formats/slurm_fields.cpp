#include "formats/slurm_fields.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/core.h>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "jobs/workflow.h"

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

/// "+01:00", "-0530", "+01" or "Z" at the end of a time, in seconds; the text is what stands before.
std::optional<std::int64_t> take_ahead(std::string_view& text) {
  constexpr std::size_t kClockAt = 11;  // behind "2026-03-01T"
  if (text.size() <= kClockAt) return {};
  if (text.back() == 'Z' || text.back() == 'z') return text.remove_suffix(1), 0;
  const std::size_t sign = text.find_last_of("+-");
  if (sign == text.npos || sign < kClockAt) return {};
  std::string digits(text.substr(sign + 1));
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if (digits.size() == 2) digits += "00";
  const auto number = digits.size() == 4 ? whole_number(digits) : std::nullopt;
  if (!number || *number % 100 > 59 || *number > 1800) return {};
  const std::int64_t seconds = *number / 100 * 3600 + *number % 100 * 60, direction = text[sign] == '-' ? -1 : 1;
  text = text.substr(0, sign);
  return direction * seconds;
}

}  // namespace

std::optional<SlurmTime> slurm_time(std::string_view text) {
  SlurmTime time;
  time.ahead = take_ahead(text);
  const std::size_t point = text.find('.');
  const auto seconds = iso_seconds(text.substr(0, point));
  const auto whole = seconds ? outside_instant(*seconds) : std::nullopt;
  if (!whole) return {};
  const auto part = point == text.npos ? std::optional<std::int64_t>(0) : decimals(text.substr(point + 1));
  if (!part) return {};
  time.shown = *whole + *part;
  return time;
}

std::optional<std::int64_t> slurm_instant(std::string_view text) {
  const auto time = slurm_time(text);
  if (!time) return {};
  const std::int64_t instant = time->shown - time->ahead.value_or(0) * kNsPerSecond;
  return instant < 0 ? std::nullopt : std::optional(instant);
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
  constexpr std::array<Word, 48> kWords = {{
      {"COMPLETED", SlurmEnd::kCompleted},
      {"CD", SlurmEnd::kCompleted},
      {"FAILED", SlurmEnd::kFailed},
      {"F", SlurmEnd::kFailed},
      {"TIMEOUT", SlurmEnd::kFailed},
      {"TO", SlurmEnd::kFailed},
      {"NODE_FAIL", SlurmEnd::kFailed},
      {"NF", SlurmEnd::kFailed},
      {"OUT_OF_MEMORY", SlurmEnd::kFailed},
      {"OOM", SlurmEnd::kFailed},
      {"BOOT_FAIL", SlurmEnd::kFailed},
      {"DEADLINE", SlurmEnd::kFailed},
      {"PREEMPTED", SlurmEnd::kFailed},
      {"REQUEUED", SlurmEnd::kFailed},
      {"REVOKED", SlurmEnd::kCancelled},
      {"CANCELLED", SlurmEnd::kCancelled},
      {"CA", SlurmEnd::kCancelled},
      {"PENDING", SlurmEnd::kNotEnded},
      {"RUNNING", SlurmEnd::kNotEnded},
      {"SUSPENDED", SlurmEnd::kNotEnded},
      {"RESIZING", SlurmEnd::kFailed},
      {"COMPLETING", SlurmEnd::kNotEnded},
      {"BF", SlurmEnd::kFailed},
      {"DL", SlurmEnd::kFailed},
      {"PR", SlurmEnd::kFailed},
      {"RQ", SlurmEnd::kFailed},
      {"RV", SlurmEnd::kCancelled},
      {"RS", SlurmEnd::kFailed},
      {"PD", SlurmEnd::kNotEnded},
      {"R", SlurmEnd::kNotEnded},
      {"S", SlurmEnd::kNotEnded},
      {"CG", SlurmEnd::kNotEnded},
      {"LAUNCH_FAILED", SlurmEnd::kFailed},
      {"RECONFIG_FAIL", SlurmEnd::kFailed},
      {"CONFIGURING", SlurmEnd::kNotEnded},
      {"CF", SlurmEnd::kNotEnded},
      {"STAGE_OUT", SlurmEnd::kNotEnded},
      {"SO", SlurmEnd::kNotEnded},
      {"REQUEUE_FED", SlurmEnd::kNotEnded},
      {"REQUEUE_HOLD", SlurmEnd::kNotEnded},
      {"RH", SlurmEnd::kNotEnded},
      {"SPECIAL_EXIT", SlurmEnd::kNotEnded},
      {"STOPPED", SlurmEnd::kNotEnded},
      {"SIGNALING", SlurmEnd::kNotEnded},
      {"RESV_DEL_HOLD", SlurmEnd::kNotEnded},
      {"POWER_UP_NODE", SlurmEnd::kNotEnded},
      {"EXPEDITING", SlurmEnd::kNotEnded},
      {"UPDATE_DB", SlurmEnd::kNotEnded},
  }};
  constexpr std::size_t kFewestLetters = 5;
  const std::string_view word = state.substr(0, state.find_first_of(" +"));
  const auto* found = std::ranges::find_if(kWords, [&](const Word& w) { return w.word == word; });
  // A column that was too narrow ends its texts with a plus.
  if (found == kWords.end() && word.size() >= kFewestLetters && state.substr(word.size()) == "+")
    found = std::ranges::find_if(kWords, [&](const Word& w) { return w.word.starts_with(word); });
  return found == kWords.end() ? std::nullopt : std::optional(found->end);
}

namespace {

/// Without the last number, which may have had more digits: a range goes as far as it says, or farther, unless it says
/// less than where it begins.
std::string_view without_cut_number(std::string_view list) {
  const std::size_t last = list.find_last_of(',') + 1, dash = list.find('-', last);
  if (dash == list.npos) return list.substr(0, last);
  const auto from = whole_number(list.substr(last, dash - last)), to = whole_number(list.substr(dash + 1));
  return from && to && *to >= *from ? list : list.substr(0, dash);
}

}  // namespace

std::optional<SlurmTasks> slurm_tasks(std::string_view text) {
  if (!text.starts_with('[')) return {};
  const std::size_t end = text.find_first_of("%]");
  if (end != text.npos && text.find(']') + 1 < text.size() && text.find(']') != text.npos) return {};
  std::string_view list = text.substr(1, end == text.npos ? end : end - 1);
  SlurmTasks out;
  const std::size_t dots = std::min(list.find('.'), list.size());
  if (list.find_first_not_of('.', dots) != list.npos) return {};
  out.cut = end == text.npos || dots != list.size();
  list = list.substr(0, dots);
  if (out.cut && !list.ends_with(',')) list = without_cut_number(list);
  if (out.cut && list.ends_with(',')) list.remove_suffix(1);
  try {
    out.indices = array_indices(std::string(list));
  } catch (const InputError&) {
    return {};
  }
  return out;
}

}  // namespace coslice

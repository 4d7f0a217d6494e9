#include "slurm/written_conf.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "slurm/setting_table.h"

namespace coslice::slurm {
namespace {

constexpr std::int64_t kSecondsOfMinute = 60;

const SettingRow* row_of(std::string_view name, const SettingRow* (*find)(std::string_view)) {
  const SettingRow* const row = find(name);
  return row != nullptr && row->name == name && is_policy_parameter(row->kind) ? row : nullptr;
}

std::int64_t whole(const Value& v) {
  return v.integer() != nullptr ? *v.integer() : v.real() != nullptr ? std::llround(*v.real()) : 0;
}

bool is_on(const Value& v) { return v.flag() != nullptr && *v.flag(); }

std::string text_of(SettingKind kind, const Value& v) {
  switch (kind) {
    case SettingKind::kText: return v.text() != nullptr ? *v.text() : "";
    case SettingKind::kFlag: return is_on(v) ? "YES" : "NO";
    case SettingKind::kSpan: {  // minutes, and seconds behind them
      const std::int64_t s = whole(v);
      return s % kSecondsOfMinute == 0 ? fmt::format("{}", s / kSecondsOfMinute)
                                       : fmt::format("{}:{:02}", s / kSecondsOfMinute, s % kSecondsOfMinute);
    }
    default: return fmt::format("{}", whole(v));
  }
}

}  // namespace

bool is_conf_parameter(std::string_view name) {
  return row_of(name, find_scheduler_parameter) != nullptr || row_of(name, find_setting) != nullptr;
}

std::string conf_lines(const std::vector<std::pair<std::string, Value>>& params) {
  std::string out;
  std::vector<std::string> words, gone;
  for (const auto& [name, value] : params) {
    if (const SettingRow* word = row_of(name, find_scheduler_parameter)) {
      if (word->kind != SettingKind::kFlag) words.push_back(fmt::format("{}={}", name, text_of(word->kind, value)));
      else (is_on(value) ? words : gone).push_back(name);
    } else if (const SettingRow* row = row_of(name, find_setting)) {
      const bool as_number = name == "JobRequeue";  // the one flag that is a number in slurm.conf
      out += fmt::format("{}={}\n", name, as_number ? (is_on(value) ? "1" : "0") : text_of(row->kind, value));
    }
  }
  if (words.empty() && gone.empty()) return out;
  return out + fmt::format("SchedulerParameters={}  # beside what stands there{}\n", fmt::join(words, ","),
                           gone.empty() ? "" : fmt::format(", without {}", fmt::join(gone, ", ")));
}

}  // namespace coslice::slurm

#include "jobs/workload.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include <boost/container_hash/hash.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "jobs/attributes.h"

namespace coslice {

std::size_t JobExtrasStore::Hash::operator()(const JobExtras& extras) const {
  std::size_t seed = boost::hash_value(extras.texts);
  boost::hash_combine(seed, extras.preceding);
  for (const Duration d : {extras.think_time, extras.begin, extras.held_until, extras.withdrawn_at})
    boost::hash_combine(seed, d.count());
  return seed;
}

void JobExtrasStore::set(Job& job, const Attribute& a, std::string text) {
  if (a.text(job) == text) return;
  JobExtras all = *job.extras;
  const auto place = static_cast<std::uint32_t>(&a - kAttributes.data());
  const auto at = std::ranges::lower_bound(all.texts, place, {}, [](const auto& said) { return said.first; });
  if (at == all.texts.end() || at->first != place) all.texts.emplace(at, place, std::move(text));
  else if (text.empty()) all.texts.erase(at);
  else at->second = std::move(text);
  set(job, std::move(all));
}

void JobExtrasStore::set(Job& job, JobExtras extras) {
  job.extras = &kNoExtras;
  if (extras == kNoExtras) return;
  if (!rows_ || rows_.use_count() > 1) rows_ = std::make_shared<Rows>(Rows{rows_, {}});
  job.extras = &*rows_->extras.insert(std::move(extras)).first;
}

bool JobExtrasStore::may_have(const Attribute& a) const {
  const auto place = static_cast<std::uint32_t>(&a - kAttributes.data());
  const auto is_of = [=](const auto& said) { return said.first == place; };
  for (const Rows* rows = rows_.get(); rows != nullptr; rows = rows->older.get())
    for (const JobExtras& extras : rows->extras)
      if (std::ranges::any_of(extras.texts, is_of)) return true;
  return false;
}

void JobExtrasStore::move_instants(Job& job, Duration by) {
  if (!job.has_extras()) return;
  JobExtras all = *job.extras;
  for (Duration JobExtras::*at : kInstantsOfJobs)
    if (Duration& t = all.*at; t >= Duration{0}) t = std::max(t + by, Duration{0});
  set(job, std::move(all));
}

namespace {

constexpr std::int64_t kQuarter = 900;
constexpr std::int64_t kEastmost = 14 * 3600;  // local time is at most so far ahead of UTC

/// What stands behind that key in the header, or "".
std::string_view header_value(const TraceHeader& header, std::string_view key) {
  for (const std::string& line : header.lines)
    if (const auto value = header_entry(line, key)) return *value;
  return {};
}

/// Seconds since midnight out of "Sat May 01 00:04:55 JST 2010".
std::optional<std::int64_t> clock_in(std::string_view text) {
  for (std::size_t i = 0; i + 8 <= text.size(); ++i) {
    int part[3] = {};
    bool good = text[i + 2] == ':' && text[i + 5] == ':';
    for (std::size_t k = 0; k < 3 && good; ++k) {
      const char* p = text.data() + i + 3 * k;
      good = std::from_chars(p, p + 2, part[k]).ptr == p + 2;
    }
    if (good && part[0] >= 0 && part[0] < 24 && part[1] >= 0 && part[2] >= 0)
      return part[0] * 3600 + part[1] * 60 + part[2];
  }
  return std::nullopt;
}

/// The first attribute in which the jobs differ; their recorded outcomes do not count.
std::string differs(const Job& a, const Job& b) {
  const auto say = [&](const Attribute& of, const std::string& in_a, const std::string& in_b) {
    return fmt::format("job {} differs in {}: {} in a, {} in b", a.id, of.name, in_a, in_b);
  };
  for (const Attribute& at : kAttributes) {
    if (at.has(Attribute::kOutcome)) continue;
    if (at.is_text()) {
      if (at.text(a) != at.text(b)) return say(at, "'" + at.text(a) + "'", "'" + at.text(b) + "'");
    } else if (at.is_time()) {
      if (at.span(a) != at.span(b))
        return say(at, format_seconds(at.span(a)) + " s", format_seconds(at.span(b)) + " s");
    } else if (at.whole(a) != at.whole(b)) {
      return say(at, std::to_string(at.whole(a)), std::to_string(at.whole(b)));
    }
  }
  return "";
}

}  // namespace

std::optional<std::string_view> header_entry(std::string_view line, std::string_view key) {
  line.remove_prefix(std::min(line.find_first_not_of("; \t"), line.size()));
  if (!line.starts_with(key) || line.substr(key.size(), 1) != ":") return {};
  line.remove_prefix(key.size() + 1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

std::int64_t second_of_day_at_0(const TraceHeader& header, HourSource& source) {
  const auto start = clock_in(header_value(header, "StartTime"));
  source = HourSource::kLocal;
  if (start) return *start;
  if (header.unix_start_time == 0) return source = HourSource::kTrace, 0;
  std::string_view zone = header_value(header, "TimeZone");
  const auto offset = take_number<std::int64_t>(zone);
  if (!offset || *offset < -kSecondsPerDay || *offset > kSecondsPerDay)
    return source = HourSource::kUtc, header.unix_start_time % kSecondsPerDay;
  return (header.unix_start_time % kSecondsPerDay + *offset + kSecondsPerDay) % kSecondsPerDay;
}

std::optional<TraceClock> trace_clock(const TraceHeader& header) {
  if (header.unix_start_time <= 0) return {};
  HourSource source;
  const std::int64_t of_day = second_of_day_at_0(header, source);
  std::int64_t offset = (of_day - header.unix_start_time % kSecondsPerDay + kSecondsPerDay) % kSecondsPerDay;
  if (offset > kEastmost) offset -= kSecondsPerDay;
  const std::int64_t quarters = (offset + kSecondsPerDay + kQuarter / 2) / kQuarter - kSecondsPerDay / kQuarter;
  return TraceClock{header.unix_start_time, quarters * kQuarter};
}

CalendarDate calendar_date(const TraceClock& clock, Time t) {
  namespace chr = std::chrono;
  const chr::seconds local(clock.unix_at_0 + clock.offset + chr::floor<chr::seconds>(t.time_since_epoch()).count());
  const chr::sys_days day = chr::floor<chr::days>(chr::sys_seconds(local));
  const chr::year_month_day date(day);
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
          static_cast<std::int64_t>(chr::weekday(day).iso_encoding()), (chr::sys_seconds(local) - day).count()};
}

std::string date_text(const TraceClock& clock, Time t) {
  std::string text = iso_text(clock.unix_at_0 + clock.offset + t.time_since_epoch().count() / kNsPerSecond);
  text[text.find('T')] = ' ';
  return text;
}

std::string zone_text(const TraceClock& clock) {
  const std::int64_t minutes = (clock.offset < 0 ? -clock.offset : clock.offset) / 60;
  if (minutes == 0) return "UTC";
  return fmt::format("UTC{}{:02}:{:02}", clock.offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string dates_text(const TraceClock& clock, Time first, Time last) {
  return fmt::format("{} to {}, {}", date_text(clock, first), date_text(clock, last), zone_text(clock));
}

std::optional<std::int64_t> calendar_seconds(std::string_view text) {
  std::string full(text);
  if (full.size() > 10 && full[10] == ' ') full[10] = 'T';
  if (full.size() == 10) full += "T00:00:00";
  if (full.size() == 16) full += ":00";
  const auto seconds = full.find('-') == full.npos ? std::nullopt : iso_seconds(full);
  if (!seconds || iso_text(*seconds) != full) return {};  // a 31st of February is not a date
  return seconds;
}

std::string calendar_text(std::int64_t seconds) { return iso_text(seconds); }

std::int64_t trace_second(const TraceClock& clock, std::int64_t calendar) {
  return calendar - clock.offset - clock.unix_at_0;
}

std::string first_difference(const Workload& a, const Workload& b) {
  const std::size_t both = std::min(a.jobs.size(), b.jobs.size());
  for (std::size_t i = 0; i != both; ++i) {
    if (a.jobs[i].id != b.jobs[i].id)
      return fmt::format("job number {} in order of submission is {} in a, {} in b", i + 1, a.jobs[i].id, b.jobs[i].id);
    if (std::string text = differs(a.jobs[i], b.jobs[i]); !text.empty()) return text;
  }
  if (a.jobs.size() == b.jobs.size()) return "";
  return fmt::format("a has {} jobs, b has {}", a.jobs.size(), b.jobs.size());
}

std::int64_t drop_larger_than(Workload& workload, std::int64_t size) {
  return leave_out(workload, fmt::format("larger than the machine ({})", size),
                   [size](const Job& j) { return j.size > size; });
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

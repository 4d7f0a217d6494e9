#include "workload/same_jobs.h"

#include <algorithm>

#include <fmt/format.h>

namespace coslice {

namespace {

std::string seconds(Duration d) { return format_seconds(d) + " s"; }

std::string differs(const Job& a, const Job& b) {
  const auto say = [&](const char* what, const std::string& in_a, const std::string& in_b) {
    return fmt::format("job {} {} {} in a, {} in b", a.id, what, in_a, in_b);
  };
  const auto number = [&](const char* what, std::int64_t in_a, std::int64_t in_b) {
    return say(what, std::to_string(in_a), std::to_string(in_b));
  };
  if (a.submit != b.submit)
    return say("is submitted at", seconds(a.submit.time_since_epoch()), seconds(b.submit.time_since_epoch()));
  if (a.size != b.size) return number("has the size", a.size, b.size);
  if (a.runtime != b.runtime) return say("runs for", seconds(a.runtime), seconds(b.runtime));
  if (a.limit != b.limit) return say("has the limit", seconds(a.limit), seconds(b.limit));
  if (a.user != b.user) return number("has the user", a.user, b.user);
  if (a.group != b.group) return number("has the group", a.group, b.group);
  if (a.executable != b.executable) return number("has the executable", a.executable, b.executable);
  if (a.queue != b.queue) return number("has the queue", a.queue, b.queue);
  if (a.partition != b.partition) return number("has the partition", a.partition, b.partition);
  if (a.used_memory_kb != b.used_memory_kb) return number("uses memory,", a.used_memory_kb, b.used_memory_kb);
  if (a.requested_memory_kb != b.requested_memory_kb)
    return number("asks for memory,", a.requested_memory_kb, b.requested_memory_kb);
  if (a.preceding != b.preceding) return number("follows job", a.preceding, b.preceding);
  if (a.think_time != b.think_time) return say("has the think time", seconds(a.think_time), seconds(b.think_time));
  return "";
}

}  // namespace

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

}  // namespace coslice

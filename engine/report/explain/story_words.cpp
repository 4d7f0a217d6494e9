#include "report/explain/story_words.h"

#include <fmt/format.h>

#include "jobs/attributes.h"
#include "report/markup.h"

namespace coslice::words {

namespace {

std::string id(const RunResult& result, JobIndex j) { return std::to_string(result.workload->jobs[j].id); }

std::string depends_text(const Job& job) {
  const std::string& text = find_attribute("depends")->text(job);
  return text.empty() ? "" : fmt::format(" (depends = \"{}\")", text);
}

}  // namespace

std::string job(const RunResult& result, JobIndex j) { return "job " + id(result, j); }

std::string jobs(const RunResult& result, const std::vector<JobIndex>& list, std::size_t all) {
  if (list.empty()) return "no job";
  if (list.size() == 1 && all <= 1) return job(result, list.front());
  const std::size_t more = all > list.size() ? all - list.size() : 0;
  std::string out = "jobs ";
  for (std::size_t i = 0; i != list.size(); ++i) {
    if (i != 0) out += i + 1 == list.size() && more == 0 ? " and " : ", ";
    out += id(result, list[i]);
  }
  if (more != 0) out += fmt::format(" and {} more", grouped(static_cast<std::int64_t>(more)));
  return out;
}

std::string nodes(std::int64_t n) { return counted(n, "node"); }

std::string instant(Time t) {
  if (t == kNever) return "an unknown time";
  const std::int64_t ns = t.time_since_epoch().count();
  if (ns % 1'000'000'000 == 0) return grouped(ns / 1'000'000'000) + " s";
  std::string text =
      grouped(static_cast<double>(ns / 1'000'000'000) + static_cast<double>(ns % 1'000'000'000) * 1e-9, 3);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::string instant(const std::optional<TraceClock>& clock, Time t) {
  if (!clock || t == kNever) return instant(t);
  const std::int64_t thousandths = t.time_since_epoch().count() % 1'000'000'000 / 1'000'000;
  return date_text(*clock, t) + (thousandths == 0 ? "" : fmt::format(".{:03}", thousandths));
}

std::string zone(const TraceClock& clock) {
  return fmt::format("Times are {}; second 0 is {}.", zone_text(clock), date_text(clock, Time{}));
}

std::string times(std::int64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : grouped(n) + " times"; }

const char* name(WaitReason why) {
  static const char* const names[] = {"nodes", "slice",    "reservation", "order", "rule",
                                      "depth", "reserved", "policy",      "aside", "maintenance"};
  return names[static_cast<std::size_t>(why)];
}

const char* name(StartReason reason) {
  static const char* const names[] = {"in-order", "backfilled", "reservation", "policy", "guest"};
  return names[static_cast<std::size_t>(reason)];
}

const char* name(GroupRefusal why) {
  static const char* const names[] = {"low-gain", "nodes", "reservation", "unfair", "less-gain", "policy"};
  return names[static_cast<std::size_t>(why)];
}

const char* name(JobEvent::Kind kind) {
  static const char* const names[] = {"slice-ended", "evicted",   "resumed", "guest", "loading", "loaded",
                                      "swapped",     "rate",      "group",   "alone", "failed",  "stopped",
                                      "suspended",   "continued", "booting", "shared"};
  return names[kind];
}

std::string kept(const JobStory& s, const RunResult& result, const std::optional<TraceClock>& clock) {
  const std::vector<Job>& jobs = result.workload->jobs;
  const Job& job = jobs[s.job];
  const std::string kept = fmt::format("submitted at {}, came into the queue at {}: ", instant(clock, job.submit),
                                       instant(clock, s.submitted));
  switch (s.release->what) {
    case Release::kBegin: return kept + "it was not to come before";
    case Release::kHold: return kept + "it was held until then";
    case Release::kArray:
      return kept + fmt::format("no more of its array may be there, and job {} of it ended", jobs[s.release->by].id);
    case Release::kJob: break;
  }
  return kept + fmt::format("it waited for job {}{}", jobs[s.release->by].id, depends_text(job));
}

std::string never(const JobStory& s, const RunResult& result, const std::optional<TraceClock>& clock) {
  const std::vector<Job>& jobs = result.workload->jobs;
  const Job& job = jobs[s.job];
  return fmt::format(
      "submitted at {} and never came into the queue: since {} what it needs of job {} can not happen any "
      "more{}",
      instant(clock, job.submit), instant(clock, s.given_up), jobs[s.unfulfilled_by].id, depends_text(job));
}

}  // namespace coslice::words

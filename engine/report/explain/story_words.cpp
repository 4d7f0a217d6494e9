#include "report/explain/story_words.h"

#include <fmt/format.h>

#include "report/number.h"

namespace coslice::words {

namespace {

std::string id(const RunResult& result, JobIndex j) { return std::to_string(result.workload->jobs[j].id); }

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

std::string times(std::int64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : grouped(n) + " times"; }

const char* name(Hold why) {
  switch (why) {
    case Hold::kNodes: return "nodes";
    case Hold::kSlice: return "slice";
    case Hold::kReservation: return "reservation";
    case Hold::kOrder: return "order";
    case Hold::kRule: return "rule";
    case Hold::kDepth: return "depth";
    case Hold::kPolicy: break;
  }
  return "policy";
}

const char* name(StartReason reason) {
  switch (reason) {
    case StartReason::kInOrder: return "in-order";
    case StartReason::kBackfilled: return "backfilled";
    case StartReason::kReservation: return "reservation";
    case StartReason::kForeignSlice: return "guest";
    case StartReason::kPolicy: break;
  }
  return "policy";
}

const char* name(GroupRefusal why) {
  switch (why) {
    case GroupRefusal::kLowGain: return "low-gain";
    case GroupRefusal::kNodes: return "nodes";
    case GroupRefusal::kReservation: return "reservation";
    case GroupRefusal::kUnfair: return "unfair";
    case GroupRefusal::kLessGain: return "less-gain";
    case GroupRefusal::kPolicy: break;
  }
  return "policy";
}

const char* name(JobEvent::Kind kind) {
  static const char* const names[] = {"slice-ended", "evicted", "resumed", "guest", "loading",
                                      "loaded",      "swapped", "rate",    "group", "alone", "failed", "stopped"};
  return names[kind];
}

}  // namespace coslice::words

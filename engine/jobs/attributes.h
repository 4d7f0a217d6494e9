// What a trace says of a job, declared once. Readers and writers of traces, literal jobs, scripts, policies, jobs.csv,
// comparisons and the reference pages take names, ranges and texts from this table. Who adds an attribute adds a row
// here, and a member to Job, or to JobExtras where few jobs have it, unless it is a text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "jobs/job.h"

namespace coslice {

/// The 18 fields of SWF 2.2, counted from 0 (the standard counts from 1).
enum SwfField : int {
  kSwfId,
  kSwfSubmit,
  kSwfWait,
  kSwfRunTime,
  kSwfAllocated,
  kSwfCpuTime,
  kSwfUsedMemory,
  kSwfRequested,
  kSwfRequestedTime,
  kSwfRequestedMemory,
  kSwfStatus,
  kSwfUser,
  kSwfGroup,
  kSwfExecutable,
  kSwfQueue,
  kSwfPartition,
  kSwfPreceding,
  kSwfThinkTime,
  kSwfFields
};

struct Attribute {
  enum class Kind : std::uint8_t {
    kId,         ///< a whole number of its own; -1: not known
    kCount,      ///< a whole number from 1 on
    kNumber,     ///< the number of a name: a user, a queue; -1: not known
    kKilobytes,  ///< -1: not known
    kSeconds,    ///< a span; below 0: not known
    kInstant,    ///< seconds since the trace's second 0
    kText,       ///< a word; "": not known. Few traces have one, so it lies beside the jobs
  };
  /// Who has it, beside the trace itself.
  enum Use : unsigned {
    kSaid = 1,      ///< jobs that a scenario or a script writes down may say it; scripts that see whole jobs see it
    kPolicy = 2,    ///< policies see it under this name
    kColumn = 4,    ///< jobs.csv has a column; of texts, where the trace has some
    kOutcome = 8,   ///< what the record says became of the job, not what it is
    kRequired = 16  ///< a job that is written down must say it
  };
  using Member = std::variant<std::monostate, std::int64_t Job::*, std::int32_t Job::*, Duration Job::*, Time Job::*,
                              std::int64_t JobExtras::*, Duration JobExtras::*>;

  std::string_view name;
  Kind kind = Kind::kNumber;
  Member member{};
  int swf = -1;                             ///< field (SwfField); -1: the format has none
  std::array<std::string_view, 2> sacct{};  ///< columns of names or texts: the first that says something counts
  std::string_view word{};                  ///< of a number whose name is not known, in sacct: "user" makes "user3"
  unsigned uses = 0;
  double low = -1, high = 2e9;  ///< what may be said
  std::string_view doc{};       ///< without a full stop
  std::string_view absent{};    ///< what holds where it is not said
  std::string_view former{};    ///< an older name, which is still read

  constexpr bool has(unsigned use) const { return (uses & use) != 0; }
  constexpr bool is_text() const { return kind == Kind::kText; }
  constexpr bool is_time() const { return kind == Kind::kSeconds || kind == Kind::kInstant; }
  /// Returns a whole number that the job has; -1: not known. Precondition: it is neither a text nor a time.
  constexpr std::int64_t whole(const Job& job) const {
    if (const auto* id = std::get_if<std::int64_t Job::*>(&member)) return job.**id;
    if (const auto* id = std::get_if<std::int64_t JobExtras::*>(&member)) return job.extras->**id;
    return job.*std::get<std::int32_t Job::*>(member);
  }
  /// Returns a time in nanoseconds; below 0: not known. Precondition: is_time().
  constexpr Duration span(const Job& job) const {
    if (const auto* instant = std::get_if<Time Job::*>(&member)) return (job.**instant).time_since_epoch();
    if (const auto* extra = std::get_if<Duration JobExtras::*>(&member)) return job.extras->**extra;
    return job.*std::get<Duration Job::*>(member);
  }
  /// Returns the job's text. Precondition: is_text().
  const std::string& text(const Job& job) const;
};

namespace attributes {

using Kind = Attribute::Kind;
inline constexpr unsigned kSaid = Attribute::kSaid, kPolicy = Attribute::kPolicy, kColumn = Attribute::kColumn;
inline constexpr unsigned kName = kSaid | kPolicy | kColumn;
inline constexpr double kAbove0 = 1e-9;  // a nanosecond is the shortest span

}  // namespace attributes

/// All attributes, in the order in which pages list them and jobs.csv has its columns. What sacct says of times, sizes,
/// memory and states takes more than one column each (formats/sacct.cpp).
// clang-format off
inline constexpr auto kAttributes = [] {
  using namespace attributes;
  return std::to_array<Attribute>({
      {.name = "submit", .kind = Kind::kInstant, .member = &Job::submit, .swf = kSwfSubmit, .uses = kSaid, .low = 0,
       .high = kMaxSubmitSeconds, .doc = "Arrival", .absent = "0"},
      {.name = "processes", .kind = Kind::kCount, .member = &Job::size, .swf = kSwfRequested, .uses = kSaid | kPolicy,
       .low = 1, .doc = "Processes that it runs", .former = "size"},
      {.name = "runtime", .kind = Kind::kSeconds, .member = &Job::runtime, .swf = kSwfRunTime,
       .uses = kSaid | Attribute::kRequired, .low = kAbove0, .high = kMaxSeconds,
       .doc = "Run time alone on dedicated nodes"},
      {.name = "limit", .kind = Kind::kSeconds, .member = &Job::limit, .swf = kSwfRequestedTime,
       .uses = kSaid | kPolicy, .low = kAbove0, .high = kMaxSeconds,
       .doc = "What its user asked for; at this time it may be killed", .absent = "the run time"},
      {.name = "id", .kind = Kind::kId, .member = &Job::id, .swf = kSwfId, .uses = kSaid | kPolicy,
       .doc = "The trace's own number", .absent = "counted from 1"},
      {.name = "user", .member = &Job::user, .swf = kSwfUser, .sacct = {"User", "UID"}, .word = "user", .uses = kName,
       .doc = "User's number"},
      {.name = "group", .member = &Job::group, .swf = kSwfGroup, .sacct = {"Account", "Group"}, .word = "account",
       .uses = kName, .doc = "Group's number"},
      {.name = "executable", .member = &Job::executable, .swf = kSwfExecutable, .sacct = {"JobName"}, .word = "job",
       .uses = kName, .doc = "Application's number"},
      {.name = "queue", .member = &Job::queue, .swf = kSwfQueue, .sacct = {"QOS"}, .word = "qos", .uses = kName,
       .doc = "Queue's number"},
      {.name = "partition", .member = &Job::partition, .swf = kSwfPartition, .sacct = {"Partition"},
       .word = "partition", .uses = kName, .doc = "Partition's number"},
      {.name = "qos", .kind = Kind::kText, .sacct = {"QOS"}, .uses = kName, .doc = "Quality of service, by its name"},
      {.name = "reservation", .kind = Kind::kText, .sacct = {"Reservation"}, .uses = kName,
       .doc = "Reservation of nodes in which it is to run, by its name"},
      {.name = "application", .kind = Kind::kText, .uses = kSaid | kColumn,
       .doc = "What it runs, by its name in the file of `slowdown.table`"},
      {.name = "memory", .kind = Kind::kKilobytes, .member = &Job::requested_memory_kb, .swf = kSwfRequestedMemory,
       .uses = kSaid | kPolicy, .doc = "Memory asked for per process"},
      {.name = "used_memory", .kind = Kind::kKilobytes, .member = &Job::used_memory_kb, .swf = kSwfUsedMemory,
       .doc = "Memory used per process"},
      {.name = "status", .member = &Job::status, .swf = kSwfStatus, .uses = kSaid | Attribute::kOutcome,
       .doc = "How it ended: 1 completed, 0 failed, 5 cancelled"},
      {.name = "after", .kind = Kind::kId, .member = &JobExtras::preceding, .swf = kSwfPreceding, .uses = kSaid,
       .doc = "The job with this `id` must end first (`engine.dependencies`)"},
      {.name = "depends", .kind = Kind::kText, .uses = kName,
       .doc = "What it waits for, in Slurm's notation: `\"afterok:3:4,afterany:7\"` ([workflows.md](workflows.md))"},
      {.name = "array", .kind = Kind::kText, .uses = kName,
       .doc = "Of an array: its indices and how many may run at the same time, `\"1-10%3\"`; of an element, "
              "`\"12_7%3\"`"},
      {.name = "sizes", .kind = Kind::kText, .uses = kName,
       .doc = "Of a moldable job: nodes and run time of each size, `\"2:3600,4:2000\"`, or a range of nodes and a "
              "model, `\"2-8 downey 12 0.5\"`"},
      {.name = "elastic", .kind = Kind::kText, .uses = kName,
       .doc = "Of a job with `sizes`: where it may change its number of nodes while it runs, and at what cost, "
              "`\"any\"`, `\"steps 20 cost 10\"` ([elastic.md](elastic.md))"},
      {.name = "begin", .kind = Kind::kSeconds, .member = &JobExtras::begin, .uses = kSaid, .low = 0,
       .high = kMaxSubmitSeconds, .doc = "It may not come before this time"},
      {.name = "held_until", .kind = Kind::kSeconds, .member = &JobExtras::held_until, .uses = kSaid, .low = 0,
       .high = kMaxSubmitSeconds, .doc = "It is submitted held, and released at this time"},
      {.name = "withdrawn_at", .kind = Kind::kSeconds, .member = &JobExtras::withdrawn_at, .uses = kSaid, .low = 0,
       .high = kMaxSubmitSeconds, .doc = "Its user cancels it at this time, unless it has started"},
      {.name = "think_time", .kind = Kind::kSeconds, .member = &JobExtras::think_time, .swf = kSwfThinkTime,
       .uses = kSaid, .low = 0, .high = kMaxSeconds,
       .doc = "Time between that end and this submission", .former = "think"},
  });
}();
// clang-format on

// What the table cannot say of an attribute: the reader of sacct numbers names, and jobs.csv writes whole numbers and
// texts.
static_assert([] {
  for (const Attribute& a : kAttributes) {
    if (!a.sacct[0].empty() && !a.is_text() && !std::holds_alternative<std::int32_t Job::*>(a.member)) return false;
    if (a.has(Attribute::kColumn) && a.is_time()) return false;
  }
  return true;
}());

/// Returns the attribute of that name, or null.
constexpr const Attribute* find_attribute(std::string_view name) {
  for (const Attribute& a : kAttributes)
    if (a.name == name) return &a;
  return nullptr;
}

namespace attributes {

// Those that code asks for by name.
inline constexpr const Attribute& kArray = *find_attribute("array");
inline constexpr const Attribute& kDepends = *find_attribute("depends");
inline constexpr const Attribute& kElastic = *find_attribute("elastic");
inline constexpr const Attribute& kReservation = *find_attribute("reservation");
inline constexpr const Attribute& kSizes = *find_attribute("sizes");

}  // namespace attributes

/// Calls f<i>() with the index of each attribute, so that what it does with one is compiled for that one.
template <class F>
constexpr void each_attribute(F&& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (f.template operator()<i>(), ...); }
  (std::make_index_sequence<kAttributes.size()>());
}

inline const std::string& Attribute::text(const Job& job) const {
  static const std::string none;
  for (const auto& [place, text] : job.extras->texts)
    if (&kAttributes[place] == this) return text;
  return none;
}

/// "integer", "number" or "string": what scripts get.
constexpr std::string_view script_type(const Attribute& a) {
  if (a.is_text()) return "string";
  return a.is_time() || a.kind == Attribute::Kind::kKilobytes ? "number" : "integer";
}
/// "s", "KB" or "".
constexpr std::string_view unit_of(const Attribute& a) {
  if (a.kind == Attribute::Kind::kKilobytes) return "KB";
  return a.is_time() ? "s" : "";
}

}  // namespace coslice

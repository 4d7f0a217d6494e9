#include "drive/queued_job.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "core/time.h"
#include "machine/node_names.h"
#include "slurm/values.h"

namespace coslice::drive {
namespace {

/// What stands behind each column: no text that Slurm prints for the columns before the last two has it.
constexpr char kSeparator = '\x1f';

/// A column of squeue -O: what it is called and the characters that it may have. What users write freely comes last, so
/// that it cannot pass for another column.
struct Column {
  const char* name;
  int width;
};
constexpr std::array<Column, 22> kColumns = {{
    {"jobarrayid", 60},     {"state", 20},      {"reason", 60},        {"dependency", 40},   {"username", 60},
    {"account", 60},        {"qos", 60},        {"reservation", 80},   {"partition", 400},   {"submittime", 20},
    {"starttime", 20},      {"restartcnt", 20}, {"timelimit", 20},     {"prioritylong", 20}, {"tres-alloc", 300},
    {"tres-per-node", 100}, {"minmemory", 20},  {"oversubscribe", 20}, {"feature", 200},     {"nodelist", 3000},
    {"wckey", 100},         {"comment", 200},
}};
enum {
  kId,
  kState,
  kReason,
  kDependency,
  kUser,
  kAccount,
  kQos,
  kReservation,
  kPartition,
  kSubmit,
  kStart,
  kRestarts,
  kLimit,
  kPriority,
  kTres,
  kPerNode,
  kMemory,
  kSharing,
  kFeatures,
  kNodes,
  kWckey,
  kComment
};

constexpr std::int64_t kElements = 1'000'000'000;  // more than an array has elements

std::string unpadded(std::string_view text) {
  const std::size_t from = text.find_first_not_of(' ');
  if (from == text.npos) return "";
  const std::string word(text.substr(from, text.find_last_not_of(' ') - from + 1));
  return word == "(null)" || word == "N/A" ? "" : word;
}

std::optional<std::array<std::string, kColumns.size()>> columns_of(std::string_view line) {
  std::array<std::string, kColumns.size()> out;
  for (std::size_t i = 0; i != kColumns.size(); ++i) {
    const std::size_t end = i + 1 == kColumns.size() ? line.rfind(kSeparator) : line.find(kSeparator);
    if (end == line.npos) return {};
    out[i] = unpadded(line.substr(0, end));
    line.remove_prefix(end + 1);
  }
  return out;
}

/// The number of a job or an element; nothing for parts of heterogeneous jobs ("17+0") and what is none.
std::optional<std::int64_t> number_of_id(const std::string& id) {
  const std::size_t bar = id.find('_');
  const auto job = slurm::whole_number(id.substr(0, bar));
  if (!job || *job < 1 || *job > INT32_MAX) return {};
  if (bar == id.npos) return job;
  const auto element = slurm::whole_number(id.substr(bar + 1));
  if (!element || *element >= kElements) return {};
  return *job * kElements + *element;
}

[[noreturn]] void unreadable(const char* column, const std::string& text) {
  throw InputError({"", 0, fmt::format("{} is '{}'", column, printable(shortened(text, 40)))});
}

std::int64_t instant(const std::array<std::string, kColumns.size()>& row, int column) {
  const auto t = iso_seconds(row[static_cast<std::size_t>(column)]);
  if (!t) unreadable(kColumns[static_cast<std::size_t>(column)].name, row[static_cast<std::size_t>(column)]);
  return *t;
}

std::vector<slurm::Gres> gpus_of(std::string text) {
  for (std::size_t at; (at = text.find("gres:")) != text.npos || (at = text.find("gres/")) != text.npos;)
    text.erase(at, 5);
  std::vector<slurm::Gres> all;
  for (slurm::Gres& g : slurm::read_gres(text, {}))
    if (g.name == "gpu") all.push_back(std::move(g));
  return all;
}

QueuedJob job_of_row(const std::array<std::string, kColumns.size()>& row) {
  QueuedJob job;
  const auto number = number_of_id(row[kId]);
  if (!number) unreadable("its number", row[kId]);
  job.id = row[kId], job.number = *number;
  job.state = row[kState], job.reason = row[kReason], job.dependency = row[kDependency];
  job.user = row[kUser], job.account = row[kAccount], job.qos = row[kQos], job.reservation = row[kReservation];
  job.partitions = slurm::list_items(row[kPartition]);
  job.wckey = row[kWckey], job.comment = row[kComment];
  job.submitted = instant(row, kSubmit);
  const bool runs = !job.waits() && !(job.has_ended() && row[kNodes].empty());  // else it was cancelled while it waited
  if (runs) job.started = instant(row, kStart);
  job.restarts = slurm::whole_number(row[kRestarts]).value_or(0);
  if (const auto limit = slurm_duration(row[kLimit])) job.limit_s = *limit / 1'000'000'000;
  const auto priority = slurm::whole_number(row[kPriority]);
  if (!priority) unreadable("prioritylong", row[kPriority]);
  job.priority = *priority;
  const auto tres = slurm_tres(row[kTres]);
  if (!tres || tres->cpus < 1 || tres->nodes < 1) unreadable("tres-alloc", row[kTres]);
  job.tres = *tres;
  job.gpus = gpus_of(row[kPerNode]);
  job.features = row[kFeatures];
  job.exclusive = row[kSharing] == "NO";
  job.all_memory = row[kMemory] == "0";
  if (runs) {
    job.nodes = expand_node_names(row[kNodes], {});
    if (std::ssize(job.nodes) != job.tres.nodes) unreadable("nodelist", row[kNodes]);
  }
  return job;
}

}  // namespace

bool QueuedJob::has_ended() const {
  static const std::set<std::string> ends = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                             "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT"};
  return ends.count(state) != 0;
}

std::vector<std::string> squeue_command() {
  std::string format;
  for (const Column& c : kColumns)
    format += fmt::format("{}{}:{}{}", format.empty() ? "" : ",", c.name, c.width, kSeparator);
  return {"squeue",
          "--noheader",
          "--array",
          "--all",
          "--states=PENDING,RUNNING,SUSPENDED,COMPLETING,CONFIGURING",
          "--Format=" + format};
}

Queue read_queue(std::string_view text) {
  Queue queue;
  std::map<std::string, int> seen;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto problem = [&](const std::string& what) {
      queue.problems.push_back(fmt::format("line {} of squeue is left out: {}", number, what));
    };
    const auto row = columns_of(line);
    if (row && !(*row)[kId].empty()) ++seen[(*row)[kId]];
    if (!row || (*row)[kId].empty()) queue.complete = false;
    if (!row) {
      problem(fmt::format("'{}' has not the {} columns that were asked for",
                          printable(shortened(std::string(line), 40)), kColumns.size()));
      continue;
    }
    try {
      queue.jobs.push_back(job_of_row(*row));
    } catch (const InputError& e) {
      problem(fmt::format("of job {}, {}", printable((*row)[kId]), e.diagnostic().problem));
      queue.unread.insert((*row)[kId]);
    }
  }
  for (const auto& [id, times] : seen) {
    if (times == 1) continue;
    queue.problems.push_back(fmt::format("job {} is left out: squeue has {} lines of it", printable(id), times));
    queue.unread.insert(id);
  }
  std::erase_if(queue.jobs, [&](const QueuedJob& j) { return seen[j.id] > 1; });
  return queue;
}

}  // namespace coslice::drive

#include "slurm/queue.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "formats/slurm_fields.h"
#include "formats/trace_file.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// Of jobs that are over, or not yet or no more in a queue: what they are does not matter here.
const std::vector<std::string> kOver = {"BF",
                                        "BOOT_FAIL",
                                        "CA",
                                        "CANCELLED",
                                        "CD",
                                        "COMPLETED",
                                        "DL",
                                        "DEADLINE",
                                        "F",
                                        "FAILED",
                                        "NF",
                                        "NODE_FAIL",
                                        "OOM",
                                        "OUT_OF_MEMORY",
                                        "PR",
                                        "PREEMPTED",
                                        "RD",
                                        "RESV_DEL_HOLD",
                                        "RF",
                                        "REQUEUE_FED",
                                        "RH",
                                        "REQUEUE_HOLD",
                                        "RQ",
                                        "REQUEUED",
                                        "RS",
                                        "RESIZING",
                                        "RV",
                                        "REVOKED",
                                        "SE",
                                        "SPECIAL_EXIT",
                                        "SI",
                                        "SIGNALING",
                                        "SO",
                                        "STAGE_OUT",
                                        "ST",
                                        "STOPPED",
                                        "TO",
                                        "TIMEOUT",
                                        "UPDATE_DB",
                                        "LAUNCH_FAILED",
                                        "RECONFIG_FAIL",
                                        "POWER_UP_NODE",
                                        "EXPEDITING"};

const std::array<const char*, 8> kRunning = {"R", "RUNNING", "CG", "COMPLETING", "CF", "CONFIGURING", "S", "SUSPENDED"};

[[noreturn]] void fail_in_queue(const std::string& file, int line, std::string problem, std::string expected,
                                std::string suggestion = "") {
  throw InputError({file, line, std::move(problem), std::move(expected), std::move(suggestion), ""});
}

/// What stands for nothing in Slurm's output.
std::string said(const std::string& text) {
  const std::string t(trimmed(text));
  return t == "N/A" || t == "(null)" || t == "NONE" || t == "None" || t == "Unknown" ? "" : t;
}

/// "4", "1-4" (the least), "2K".
std::int64_t count_of_field(const std::string& text) {
  std::int64_t n = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && n < 1'000'000'000; ++i) n = 10 * n + (text[i] - '0');
  return i < text.size() && (text[i] == 'K' || text[i] == 'k') ? n * 1024 : n;
}

using Setter = void (*)(QueuedJob&, const std::string&);

/// "n[1-3]" of a job that runs; "(Resources)" of one that waits.
void set_nodes_or_reason(QueuedJob& job, const std::string& text) {
  if (!text.empty() && text[0] == '(') job.reason = text.substr(1, text.find_last_of(')') - 1);
  else job.nodes = text;
}

/// Names of columns of squeue (-o and -O), and of fields of scontrol.
const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = [] {
    std::map<std::string, Setter> m;
    const auto add = [&](std::initializer_list<const char*> names, Setter set) {
      for (const char* name : names) m[name] = set;
    };
    add({"JOBID", "JobId"}, [](QueuedJob& j, const std::string& t) { j.id = t; });
    add({"USER", "UserId"}, [](QueuedJob& j, const std::string& t) { j.user = t.substr(0, t.find('(')); });
    add({"ACCOUNT", "Account"}, [](QueuedJob& j, const std::string& t) { j.account = t; });
    add({"PARTITION", "Partition"}, [](QueuedJob& j, const std::string& t) { j.partition = t; });
    add({"QOS"}, [](QueuedJob& j, const std::string& t) { j.qos = t; });
    add({"ST", "STATE", "JobState"}, [](QueuedJob& j, const std::string& t) { j.state = t; });
    add({"REASON", "Reason"}, [](QueuedJob& j, const std::string& t) { j.reason = t; });
    add({"NODELIST", "NodeList"}, [](QueuedJob& j, const std::string& t) { j.nodes = t; });
    add({"NODELIST(REASON)"}, set_nodes_or_reason);
    add({"FEATURES", "Features"}, [](QueuedJob& j, const std::string& t) { j.features = t; });
    add({"DEPENDENCY", "Dependency"}, [](QueuedJob& j, const std::string& t) { j.dependency = t; });
    add({"TRES", "ReqTRES", "TRES_ALLOC"}, [](QueuedJob& j, const std::string& t) {
      if (!t.empty()) j.tres = t;
    });
    add({"TRES_PER_NODE", "GRES", "TresPerNode"}, [](QueuedJob& j, const std::string& t) { j.gres = t; });
    add({"MIN_MEMORY", "MinMemoryNode"}, [](QueuedJob& j, const std::string& t) { j.memory = t; });
    add({"MinMemoryCPU"}, [](QueuedJob& j, const std::string& t) { j.memory = t + "c"; });
    add({"OVER_SUBSCRIBE", "OVERSUBSCRIBE", "OverSubscribe"},
        [](QueuedJob& j, const std::string& t) { j.oversubscribe = t; });
    add({"RESERVATION", "Reservation"}, [](QueuedJob& j, const std::string& t) { j.reservation = t; });
    add({"SUBMIT_TIME", "SubmitTime"}, [](QueuedJob& j, const std::string& t) { j.submit = slurm_instant(t); });
    add({"START_TIME", "StartTime"}, [](QueuedJob& j, const std::string& t) { j.start = slurm_instant(t); });
    add({"TIME_LIMIT", "TimeLimit"}, [](QueuedJob& j, const std::string& t) { j.limit = slurm_duration(t); });
    add({"TIME", "RunTime"}, [](QueuedJob& j, const std::string& t) { j.elapsed = slurm_duration(t); });
    add({"NODES", "NumNodes"}, [](QueuedJob& j, const std::string& t) { j.node_count = count_of_field(t); });
    add({"CPUS", "NumCPUs"}, [](QueuedJob& j, const std::string& t) { j.cpus = count_of_field(t); });
    return m;
  }();
  return all;
}

void set_field(QueuedJob& job, const std::string& name, const std::string& text) {
  const auto found = setters().find(name);
  if (found != setters().end()) found->second(job, said(text));
}

/// "MinMemoryNode=4G" and "NodeList=n1" as names and values: values may have blanks, names have none.
std::vector<std::pair<std::string, std::string>> assignments_in(const std::string& line) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t at = line.find_first_not_of(" \t\r"); at < line.size(); at = line.find_first_not_of(" \t\r", at)) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size()), eq = line.find('=', at);
    if (eq < end) out.emplace_back(line.substr(at, eq - at), line.substr(eq + 1, end - eq - 1));
    at = end;
  }
  return out;
}

std::vector<std::string> split_columns(const std::string& line, bool bars, std::size_t columns) {
  std::vector<std::string> out;
  if (bars) {
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find('|', at), line.size());
      out.emplace_back(trimmed(std::string_view(line).substr(at, end - at)));
      at = end + 1;
    }
    return out;
  }
  for (std::size_t at = line.find_first_not_of(" \t\r"); at < line.size(); at = line.find_first_not_of(" \t\r", at)) {
    const bool last = columns != 0 && out.size() + 1 == columns;  // which may have blanks in it
    const std::size_t end = last ? line.size() : std::min(line.find_first_of(" \t\r", at), line.size());
    out.emplace_back(trimmed(std::string_view(line).substr(at, end - at)));
    at = end;
  }
  return out;
}

void each_line(const std::string& text, const std::function<void(const std::string&, int)>& take) {
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    ++number;
    if (!trimmed(line).empty()) take(line, number);
    at = end + 1;
  }
}

/// A job that runs or waits; others are over.
void keep_job(QueuedJob job, QueueSnapshot& out) {
  if (job.id.empty()) return;
  refuse_unknown_state(job);
  if (job.runs() || job.waits()) out.jobs.push_back(std::move(job));
}

}  // namespace

bool QueuedJob::runs() const { return std::find(kRunning.begin(), kRunning.end(), state) != kRunning.end(); }
bool QueuedJob::waits() const { return state == "PD" || state == "PENDING"; }

void refuse_unknown_state(const QueuedJob& job) {
  if (job.state.empty() || job.runs() || job.waits()) return;
  if (std::find(kOver.begin(), kOver.end(), job.state) != kOver.end()) return;
  std::vector<std::string> known(kRunning.begin(), kRunning.end());
  known.insert(known.end(), kOver.begin(), kOver.end());
  known.insert(known.end(), {"PD", "PENDING"});
  fail_in_queue(job.file, job.line,
                fmt::format("job {} has the state '{}'", job.id, printable(shortened(job.state, 40))),
                "a state of Slurm, e.g. PENDING or RUNNING", did_you_mean(job.state, known));
}

bool is_down(const std::string& state) {
  const std::string s = lower_case(state);
  for (const char* word :
       {"down", "drain", "fail", "maint", "not_responding", "powered_down", "powering_down", "inval"})
    if (s.find(word) != std::string::npos) return true;
  return s.find('*') != std::string::npos;  // it does not respond
}

void read_scontrol(const std::string& text, const std::string& file, QueueSnapshot& out) {
  QueuedJob job;
  std::string node;
  each_line(text, [&](const std::string& line, int number) {
    for (const auto& [name, value] : assignments_in(line)) {
      if (name == "JobId") {
        keep_job(std::exchange(job, {}), out);
        job.file = file;
        job.line = number;
        node.clear();
      }
      if (name == "NodeName") node = value;
      if (name == "State" && !node.empty() && is_down(value)) out.down.push_back(node);
      if (node.empty()) set_field(job, name, value);
    }
  });
  keep_job(std::move(job), out);
}

void read_squeue_columns(const std::string& text, const std::string& file, QueueSnapshot& out) {
  std::vector<std::string> head;
  bool bars = false;
  each_line(text, [&](const std::string& line, int number) {
    if (head.empty()) {
      bars = line.find('|') != std::string::npos;
      head = split_columns(line, bars, 0);
      for (const char* needed : {"JOBID"})
        if (std::find(head.begin(), head.end(), needed) == head.end())
          fail_in_queue(file, number, fmt::format("no column {}", needed), "the head of squeue, without --noheader");
      if (std::find(head.begin(), head.end(), "ST") == head.end() &&
          std::find(head.begin(), head.end(), "STATE") == head.end())
        fail_in_queue(file, number, "no column says which jobs run and which wait",
                      "ST or STATE: %t or %T of squeue -o");
      return;
    }
    const std::vector<std::string> fields = split_columns(line, bars, head.size());
    if (fields.size() != head.size())
      fail_in_queue(file, number, fmt::format("the line has {} fields", fields.size()),
                    fmt::format("{}, as in the head", head.size()),
                    "squeue -o with '|' between columns tells empty ones apart");
    QueuedJob job;
    job.file = file;
    job.line = number;
    for (std::size_t c = 0; c != head.size(); ++c) set_field(job, head[c], fields[c]);
    keep_job(std::move(job), out);
  });
  if (head.empty()) fail_in_queue(file, 0, "is empty", "what squeue printed");
}

QueueSnapshot read_queue(const std::vector<std::string>& paths) {
  QueueSnapshot out;
  for (const std::string& path : paths) {
    const std::string text(without_byte_order_mark(read_packed(path)));
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && text[first] == '{') read_queue_json(text, path, out);
    else if (text.compare(std::min(first, text.size()), 6, "JobId=") == 0 ||
             text.compare(std::min(first, text.size()), 9, "NodeName=") == 0)
      read_scontrol(text, path, out);
    else read_squeue_columns(text, path, out);
  }
  return out;
}

}  // namespace coslice::slurm

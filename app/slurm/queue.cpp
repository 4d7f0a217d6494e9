#include "slurm/queue.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "formats/sacct_columns.h"
#include "formats/slurm_fields.h"
#include "formats/trace_file.h"
#include "formats/trace_format.h"
#include "machine/node_names.h"
#include "slurm/queue_words.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

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

/// "2-4" and "4" (the most).
std::int64_t most_of_field(const std::string& text) {
  const std::size_t dash = text.find('-');
  return count_of_field(dash == std::string::npos ? text : text.substr(dash + 1));
}

/// As squeue and scontrol print a limit; nothing for that of the partition.
std::optional<std::int64_t> limit_of_field(const std::string& text) {
  if (same_word(text, "UNLIMITED") || same_word(text, "INFINITE")) return kNoEnd;
  return slurm_duration(text);
}

using Setter = void (*)(QueuedJob&, const std::string&);

/// "n[1-3]" of a job that runs; "(Resources)" of one that waits.
void set_nodes_or_reason(QueuedJob& job, const std::string& text) {
  if (!text.empty() && text[0] == '(') job.reason = text.substr(1, text.find_last_of(')') - 1);
  else job.nodes = text;
}

/// A priority of 0 is what Slurm gives jobs that are held: "0", "0.00000000000000".
bool is_zero(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0.") == std::string::npos && text.find('0') != std::string::npos;
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
    add({"TIME_LIMIT", "TimeLimit"}, [](QueuedJob& j, const std::string& t) { j.limit = limit_of_field(t); });
    add({"TIME", "RunTime"}, [](QueuedJob& j, const std::string& t) { j.elapsed = slurm_duration(t); });
    add({"ELIGIBLE_TIME", "EligibleTime"}, [](QueuedJob& j, const std::string& t) { j.eligible = slurm_instant(t); });
    add({"PRIORITY", "Priority"}, [](QueuedJob& j, const std::string& t) { j.held = j.held || is_zero(t); });
    add({"ARRAY_JOB_ID", "ArrayJobId", "HET_JOB_ID", "HetJobId"}, [](QueuedJob& j, const std::string& t) {
      if (!t.empty()) j.array = t;
    });
    add({"ARRAY_TASK_ID", "ArrayTaskId"}, [](QueuedJob& j, const std::string& t) { j.elements = t; });
    add({"ArrayTaskThrottle"}, [](QueuedJob& j, const std::string& t) { j.throttle = count_of_field(t); });
    add({"HET_JOB_OFFSET", "HetJobOffset"}, [](QueuedJob& j, const std::string& t) { j.offset = t; });
    add({"NODES", "NumNodes", "ReqNodes"}, [](QueuedJob& j, const std::string& t) {
      j.node_count = count_of_field(t);
      j.most_nodes = std::max(j.most_nodes, most_of_field(t));
    });
    add({"MAX_NODES"},
        [](QueuedJob& j, const std::string& t) { j.most_nodes = std::max(j.most_nodes, count_of_field(t)); });
    add({"SEGMENT_SIZE", "SegmentSize"}, [](QueuedJob& j, const std::string& t) { j.segment = count_of_field(t); });
    add({"CPUS", "NumCPUs"}, [](QueuedJob& j, const std::string& t) { j.cpus = count_of_field(t); });
    return m;
  }();
  return all;
}

void set_field(QueuedJob& job, const std::string& name, const std::string& text) {
  const auto found = setters().find(name);
  if (found != setters().end()) found->second(job, said(text));
}

/// Whether any text may stand behind this name, up to the line's end.
bool is_text(const std::string& name) {
  static constexpr std::string_view kTexts[] = {"Command",       "SubmitLine", "WorkDir", "Comment", "AdminComment",
                                                "SystemComment", "Extra",      "StdErr",  "StdIn",   "StdOut"};
  return std::ranges::find(kTexts, name) != std::end(kTexts);
}

/// Where the name of a job ends, which may be any text: before its user and group on the same line (scontrol -o), else
/// at the line's end.
std::size_t end_of_job_name(const std::string& line, std::size_t from) {
  for (std::size_t at = line.find(" UserId=", from); at != line.npos; at = line.find(" UserId=", at + 1)) {
    const std::size_t behind = line.find(' ', at + 1);
    if (behind != line.npos && line.compare(behind, 9, " GroupId=") == 0) return at;
  }
  return line.size();
}

/// "MinMemoryNode=4G" and "NodeList=n1" as names and values: names have no blanks, and values of which more is asked
/// have none. In the texts of a job nothing is looked for; behind the first, on the same line (scontrol -o), stand only
/// its GPUs and segments.
std::vector<std::pair<std::string, std::string>> assignments_in(const std::string& line) {
  std::vector<std::pair<std::string, std::string>> out;
  bool in_texts = false;
  for (std::size_t at = line.find_first_not_of(" \t\r"); at < line.size(); at = line.find_first_not_of(" \t\r", at)) {
    std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    const std::size_t eq = line.find('=', at);
    if (eq < end) {
      const std::string name = line.substr(at, eq - at);
      if (name == "JobName") end = end_of_job_name(line, eq);
      in_texts = in_texts || is_text(name);
      if (!in_texts || name == "TresPerNode" || name == "SegmentSize")
        out.emplace_back(name, line.substr(eq + 1, end - eq - 1));
    }
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

/// The id that squeue prints for a job of an array, or for a component of a heterogeneous one.
std::string id_in_full(const QueuedJob& job) {
  if (job.id.find_first_of("_+") != std::string::npos) return job.id;
  const std::string& of = job.array.empty() || job.array == "0" ? job.id : job.array;
  if (!job.offset.empty()) return of + "+" + job.offset;
  if (job.elements.empty()) return job.id;
  const bool one = job.elements.find_first_not_of("0123456789") == std::string::npos;
  const bool limited = job.throttle > 0 && job.waits() && job.elements.find('%') == std::string::npos;
  if (one && !limited) return of + "_" + job.elements;
  return fmt::format("{}_[{}{}]", of, job.elements, limited ? fmt::format("%{}", job.throttle) : "");
}

std::string place_of(const QueuedJob& job) {
  return job.line == 0 ? job.file : fmt::format("{}:{}", job.file, job.line);
}

}  // namespace

bool QueuedJob::runs() const { return stands_as(state) == JobStands::kRuns; }

bool QueuedJob::waits() const {
  const JobStands as = stands_as(state);
  return as == JobStands::kWaits || as == JobStands::kHeld;
}

bool QueuedJob::is_held() const {
  if (held || stands_as(state) == JobStands::kHeld) return true;
  switch (waits_for(reason)) {
    case WaitsFor::kRelease:
    case WaitsFor::kChange: return true;
    case WaitsFor::kTime: return !begins();
    default: return false;
  }
}

std::optional<std::int64_t> QueuedJob::begins() const {
  if (!waits() || waits_for(reason) != WaitsFor::kTime) return {};
  return eligible ? eligible : start;
}

void keep_job(QueuedJob job, QueueSnapshot& out) {
  if (job.id.empty()) return;
  job.id = id_in_full(job);
  if (!job.state.empty() && stands_as(job.state) == JobStands::kUnknown)
    fail_in_queue(job.file, job.line,
                  fmt::format("job {} has the state '{}'", job.id, printable(shortened(job.state, 40))),
                  "a state of Slurm, e.g. PENDING or RUNNING", did_you_mean(job.state, job_state_words()));
  if (!job.runs() && !job.waits()) return;
  if (job.waits() && waits_for(job.reason) == WaitsFor::kUnknown)
    out.warnings.push_back(fmt::format("{}: job {} waits for '{}', a reason that is not known: as if for its turn",
                                       place_of(job), job.id, printable(shortened(job.reason, 60))));
  out.jobs.push_back(std::move(job));
}

void keep_node(const std::string& name, const std::string& state, const std::string& place, QueueSnapshot& out) {
  const NodeTakes takes = node_takes(state);
  if (takes == NodeTakes::kUnknown)
    out.warnings.push_back(fmt::format("{}: node {} has the state '{}', which is not known: as if it took no jobs",
                                       place, name, printable(shortened(state, 40))));
  if (takes == NodeTakes::kJobs) return;
  std::vector<std::string>& list = takes == NodeTakes::kReserved ? out.reserved : out.down;
  if (std::ranges::find(list, name) == list.end()) list.push_back(name);
}

void read_scontrol(const std::string& text, const std::string& file, QueueSnapshot& out) {
  QueuedJob job;
  std::string node;
  bool says_state = false;  // of a node the first State counts: any text may stand in its Reason, which comes behind
  each_line(text, [&](const std::string& line, int number) {
    const bool begins = line.starts_with("JobId=") || line.starts_with("NodeName=");
    if (!begins && line[0] != ' ' && line[0] != '\t') return;  // a text that goes on in a second line
    if (begins) {
      keep_job(std::exchange(job, {}), out);
      job.file = file;
      job.line = number;
      node.clear();
      says_state = false;
    }
    for (const auto& [name, value] : assignments_in(line)) {
      if (name == "NodeName" && begins && node.empty()) node = value;
      if (name == "State" && !node.empty() && !std::exchange(says_state, true))
        keep_node(node, value, fmt::format("{}:{}", file, number), out);
      if (node.empty()) set_field(job, name, value);
    }
  });
  keep_job(std::move(job), out);
}

namespace {

constexpr int kMostLines = 20;  ///< of one job

/// The column of sacct that holds what this one of squeue does; itself where there is none.
std::string as_in_sacct(const std::string& column) {
  static const std::map<std::string, std::string> kAlike = {{"JOBID", "JobID"},
                                                            {"SUBMIT_TIME", "Submit"},
                                                            {"START_TIME", "Start"},
                                                            {"END_TIME", "End"},
                                                            {"ELIGIBLE_TIME", "Begin"},
                                                            {"TIME_LIMIT", "Timelimit"},
                                                            {"TIME", "Elapsed"},
                                                            {"CPUS", "NCPUS"},
                                                            {"USER", "User"},
                                                            {"ACCOUNT", "Account"},
                                                            {"PARTITION", "Partition"},
                                                            {"QOS", "QOS"},
                                                            {"ST", "NodeList"},
                                                            {"STATE", "NodeList"},
                                                            {"NODES", "NodeList"},
                                                            {"NODELIST", "NodeList"},
                                                            {"MIN_MEMORY", "NodeList"},
                                                            {"ARRAY_JOB_ID", "NodeList"},
                                                            {"PRIORITY", "Priority"},
                                                            {"NAME", "JobName"},
                                                            {"COMMENT", "Comment"},
                                                            {"ADMIN_COMMENT", "Comment"},
                                                            {"COMMAND", "JobName"},
                                                            {"REASON", "Reason"},
                                                            {"WORK_DIR", "WorkDir"},
                                                            {"STDOUT", "WorkDir"},
                                                            {"STDERR", "WorkDir"},
                                                            {"STDIN", "WorkDir"},
                                                            {"FEATURES", "Constraints"},
                                                            {"RESERVATION", "Reservation"},
                                                            {"WCKEY", "WCKey"},
                                                            {"", ""}};
  const auto found = kAlike.find(column);
  return found == kAlike.end() ? column : found->second;
}

/// The lines of one table of squeue or sinfo.
class ColumnReader {
 public:
  ColumnReader(const std::string& file, QueueSnapshot& out) : file_(file), out_(out) {}

  void take(const std::string& line, int number) {
    if (head_.empty()) return take_head(line, number);
    if (!open_.empty()) return go_on(line, number);
    const std::vector<std::string> fields = fields_of(line);
    if (bars_ && fields.size() < head_.size()) {
      open_ = line;
      opened_ = number;
      return;
    }
    take_fields(fields, number);
  }

  /// The table is over.
  void finish() {
    if (!open_.empty()) take_fields(split_columns(std::exchange(open_, ""), bars_, 0), opened_);
  }

  bool has_head() const { return !head_.empty(); }

 private:
  bool has_column(std::string_view name) const { return std::ranges::find(head_, name) != head_.end(); }

  /// A name may have line ends.
  void go_on(const std::string& line, int number) {
    const std::string longer = open_ + "\n" + line;
    const bool is_row = is_sound(split_columns(line, bars_, 0));
    if (is_row || (texts_apart(longer).empty() && number - opened_ >= kMostLines)) {
      finish();
      return take(line, number);
    }
    open_ = longer;
    if (const std::vector<std::string> fields = texts_apart(open_); !fields.empty()) {
      open_.clear();
      take_fields(fields, opened_);
    }
  }

  /// The fields of a line with more bars than columns, or of several lines, where only free texts have these; else
  /// nothing.
  std::vector<std::string> texts_apart(const std::string& line) const {
    std::vector<std::string> names;
    for (const std::string& column : head_) names.push_back(as_in_sacct(column));
    const auto read =
        SacctColumns(std::move(names), "|").read(line, [](std::size_t, std::string_view) { return true; });
    if (!read || read->ambiguous) return {};
    std::vector<std::string> out;
    for (const std::string_view field : read->fields) out.emplace_back(trimmed(field));
    return is_sound(out) ? out : std::vector<std::string>{};
  }

  void take_fields(const std::vector<std::string>& fields, int number) {
    if (fields.size() != head_.size())
      fail_in_queue(file_, number, fmt::format("the line has {} fields", fields.size()),
                    fmt::format("{}, as in the head", head_.size()),
                    bars_ ? "a '|' or a line end in a text such as a job's name: leave that column out of squeue -o"
                          : "squeue -o with '|' between columns tells empty ones apart");
    if (of_nodes_) return take_nodes(fields, number);
    QueuedJob job;
    job.file = file_;
    job.line = number;
    for (std::size_t c = 0; c != head_.size(); ++c) set_field(job, head_[c], fields[c]);
    keep_job(std::move(job), out_);
  }

  void take_head(const std::string& line, int number) {
    bars_ = line.find('|') != std::string::npos;
    head_ = split_columns(line, bars_, 0);
    head_line_ = line;
    of_nodes_ = !has_column("JOBID") && has_column("NODELIST") && has_column("STATE");
    if (of_nodes_) return;
    if (!has_column("JOBID") && has_column("ARRAY_JOB_ID"))
      std::ranges::replace(head_, std::string("ARRAY_JOB_ID"), std::string("JOBID"));
    if (!has_column("JOBID")) fail_in_queue(file_, number, "no column JOBID", "the head of squeue, without --noheader");
    if (!has_column("ST") && !has_column("STATE"))
      fail_in_queue(file_, number, "no column says which jobs run and which wait",
                    "ST or STATE: %t or %T of squeue -o");
  }

  void take_nodes(const std::vector<std::string>& fields, int number) {
    std::string nodes, state;
    for (std::size_t c = 0; c != head_.size(); ++c) {
      if (head_[c] == "NODELIST") nodes = fields[c];
      if (head_[c] == "STATE") state = fields[c];
    }
    if (nodes.empty()) return;
    const Place place{std::make_shared<const Source>(Source{file_, ""}), number};
    for (const std::string& node : expand_node_names(nodes, place))
      keep_node(node, state, fmt::format("{}:{}", file_, number), out_);
  }

  /// Names with blanks, and columns without anything in them, are told by where they stand.
  std::vector<std::string> fields_of(const std::string& line) const {
    std::vector<std::string> fields = split_columns(line, bars_, head_.size());
    const bool all_told = split_columns(line, false, 0).size() == head_.size() && is_sound(fields);
    if (bars_ && fields.size() > head_.size())
      if (std::vector<std::string> apart = texts_apart(line); !apart.empty()) return apart;
    if (bars_ || all_told) return fields;
    for (const bool right : {true, false})
      if (std::vector<std::string> placed = by_place(line, right); is_sound(placed)) return placed;
    return fields;
  }

  /// Columns that end where their heads do (`right`), or begin there; empty if something stands across.
  std::vector<std::string> by_place(const std::string& line, bool right) const {
    std::vector<std::string> out;
    std::size_t from = 0;
    for (std::size_t at = head_line_.find_first_not_of(' '), c = 0; c != head_.size(); ++c) {
      const std::size_t end = std::min(head_line_.find(' ', at), head_line_.size());
      const std::size_t next = std::min(head_line_.find_first_not_of(' ', end), head_line_.size());
      std::size_t to = c + 1 == head_.size() ? line.size() : right ? end : next;
      to = std::min(to, line.size());
      const bool across = to < line.size() && c + 1 != head_.size() && line[right ? to : to - 1] != ' ';
      if (across || from > to) return {};
      out.emplace_back(trimmed(std::string_view(line).substr(from, to - from)));
      from = to;
      at = next;
    }
    return out;
  }

  bool is_sound(const std::vector<std::string>& fields) const {
    if (fields.size() != head_.size()) return false;
    for (std::size_t c = 0; c != head_.size(); ++c) {
      if (head_[c] == "JOBID" && (fields[c].empty() || fields[c][0] < '0' || fields[c][0] > '9')) return false;
      if (!of_nodes_ && (head_[c] == "ST" || head_[c] == "STATE") && stands_as(fields[c]) == JobStands::kUnknown)
        return false;
    }
    return true;
  }

  const std::string& file_;
  QueueSnapshot& out_;
  std::vector<std::string> head_;
  std::string head_line_;
  bool bars_ = false, of_nodes_ = false;
  std::string open_;  ///< lines that lack columns
  int opened_ = 0;
};

}  // namespace

void read_squeue_columns(const std::string& text, const std::string& file, QueueSnapshot& out) {
  ColumnReader reader(file, out);
  each_line(text, [&](const std::string& line, int number) { reader.take(line, number); });
  reader.finish();
  if (!reader.has_head()) fail_in_queue(file, 0, "is empty", "what squeue printed");
}

QueueSnapshot read_queue(const std::vector<std::string>& paths) {
  QueueSnapshot out;
  for (const std::string& path : paths) {
    const std::string text(without_byte_order_mark(read_packed(path)));
    refuse_unread_queue(std::string_view(text).substr(0, kTellingBytes), path);
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) read_queue_json(text, path, out);
    else if (text.compare(std::min(first, text.size()), 6, "JobId=") == 0 ||
             text.compare(std::min(first, text.size()), 9, "NodeName=") == 0)
      read_scontrol(text, path, out);
    else read_squeue_columns(text, path, out);
  }
  return out;
}

}  // namespace coslice::slurm

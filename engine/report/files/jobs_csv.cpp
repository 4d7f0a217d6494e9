#include "report/files/jobs_csv.h"

#include <algorithm>
#include <optional>

#include "report/files/csv_text.h"
#include "report/files/place_columns.h"
#include "resources/layout.h"
#include "workload/attributes.h"

namespace coslice {
namespace {

void append_known(std::string& out, std::int64_t number) {
  if (number >= 0) append_next_integer(out, number);
  else out += ',';
}

void append_time(std::string& out, Duration d) { append_seconds(out, d, ','); }

bool any_has(const std::vector<Job>& jobs, const Attribute& a) {
  return std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return job.has_extras() && !a.text(job).empty(); });
}

/// Rows of one run.
class JobRows {
 public:
  JobRows(const RunResult& result, const MetricsOptions& options)
      : result_(result), options_(options), workload_name_("," + csv_field(result.workload->name) + ",") {
    for (const auto& c : options.classes) class_names_.push_back(csv_field(c.name));
    class_names_.push_back("other");
    if (with_interruptions()) count_interruptions();
    if (names_kinds(result.machine)) names_.emplace(result.machine.layout->node_names());
    for (const SuspendedSpan& span : result.suspended) {
      suspensions_.resize(result.outcomes.size());
      ++suspensions_[span.job].count;
      if (span.to != kNever) suspensions_[span.job].lost += span.to - span.from;
    }
    if (result.power) boots_.resize(result.outcomes.size());
    if (result.power)
      for (const JobBoot& boot : result.power->boots)
        if (boot.from == result.outcomes[boot.job].start) boots_[boot.job] = boot.wait;
    for (const Attribute& a : kAttributes)
      if (a.has(Attribute::kColumn) && a.is_text() && any_has(result.workload->jobs, a)) texts_.push_back(&a);
  }

  /// The columns behind Batsim's, as the header has them.
  std::string columns() const {
    std::string out = own_columns();
    if (!result_.sliced.empty()) out.append(",").append(kSliceColumns);
    if (with_interruptions()) out.append(",").append(kOutageColumns);
    if (!suspensions_.empty()) out.append(",").append(kSuspendedColumns);
    if (result_.power) out.append(",").append(kPowerColumns);
    if (result_.sharing) out.append(",").append(kSharingColumns);
    if (names_kinds(result_.machine)) out.append(",").append(kPlaceColumns);
    for (const Attribute* a : texts_) out.append(",").append(a->name);
    return out;
  }

  void append(std::string& out, JobIndex index) const {
    const Job& job = result_.workload->jobs[index];
    const Outcome& outcome = result_.outcomes[index];
    const NodeRanges nodes = started(outcome) ? result_.archive.get(outcome.nodes) : NodeRanges{};
    const Time submitted = result_.submitted_at(index);
    append_request(out, job, submitted, job.size);
    append_outcome(out, index);
    nodes.append_to(out);
    out += ",-1,,";
    append_own(out, index);
    append_where(out, job, nodes);
    if (!result_.sliced.empty()) append_slices(out, index);
    if (with_interruptions()) append_losses(out, interruptions_[index]);
    if (!suspensions_.empty()) append_losses(out, suspensions_[index]);
    if (result_.power) append_boot(out, index);
    if (result_.sharing) append_sharing(out, result_.sharing->jobs[index]);
    if (names_kinds(result_.machine)) append_place(out, result_, index, nodes, *names_);
    for (const Attribute* a : texts_) out.append(",").append(csv_field(a->text(job)));
    out += '\n';
  }

  /// Batsim's columns of a job that ran to its end, its nodes being the resources.
  void append_run(std::string& out, JobIndex index) const {
    const Job& job = result_.workload->jobs[index];
    const Outcome& outcome = result_.outcomes[index];
    const NodeRanges nodes = result_.archive.get(outcome.nodes);
    const Time submitted = result_.submitted_at(index);
    append_request(out, job, submitted, nodes.count());
    append_outcome(out, index);
    nodes.append_to(out);
    out += ",-1,\n";
  }

  static bool ran(const Outcome& o) { return ended(o) && started(o); }

 private:
  static bool ended(const Outcome& o) { return o.end != kNever && o.state != FinalState::kRejected; }
  static bool started(const Outcome& o) { return o.start != kNever && o.state != FinalState::kRejected; }

  bool with_interruptions() const { return result_.outages.has_value() || !result_.interrupted.empty(); }

  void count_interruptions() {
    interruptions_.resize(result_.outcomes.size());
    for (const InterruptedRun& run : result_.interrupted) {
      ++interruptions_[run.job].count;
      interruptions_[run.job].lost += run.lost;
    }
  }

  void append_request(std::string& out, const Job& job, Time submitted, std::int64_t resources) const {
    append_integer(out, job.id);
    out += workload_name_;
    append_time(out, job.runtime);
    append_time(out, submitted.time_since_epoch());
    append_integer(out, resources);
    out += ',';
    append_time(out, job.limit);
  }

  void append_outcome(std::string& out, JobIndex j) const {
    const Outcome& o = result_.outcomes[j];
    out += o.state == FinalState::kCompleted ? "1," : "0,";
    out += batsim_state(o);
    out += ',';
    if (ended(o)) {
      append_times(out, j);
    } else if (started(o)) {
      append_time(out, o.start.time_since_epoch());
      out += ",,";
      append_time(out, result_.waited(j));
      out += ",,";
    } else {
      out += ",,,,,,";
    }
  }

  void append_times(std::string& out, JobIndex j) const {
    const Outcome& o = result_.outcomes[j];
    append_time(out, o.start.time_since_epoch());
    append_time(out, o.end - o.start);
    append_time(out, o.end.time_since_epoch());
    append_time(out, result_.waited(j));
    append_time(out, o.end - result_.submitted_at(j));
    append_real(out, stretch(result_, j));
    out += ',';
  }

  void append_own(std::string& out, JobIndex j) const {
    const Job& job = result_.workload->jobs[j];
    out += class_names_[class_of(job.runtime, options_.classes)];
    out += ',';
    append_time(out, job.runtime);
    if (ended(result_.outcomes[j])) append_real(out, bounded_slowdown(result_, j, options_.bound));
    out += ',';
  }

  static void append_where(std::string& out, const Job& job, const NodeRanges& nodes) {
    if (!nodes.empty()) append_integer(out, nodes.count());
    [&]<std::size_t... i>(std::index_sequence<i...>) { (append_column<i>(out, job), ...); }
    (std::make_index_sequence<kAttributes.size()>());
  }

  template <std::size_t i>
  static void append_column(std::string& out, const Job& job) {
    constexpr const Attribute& a = kAttributes[i];
    if constexpr (a.has(Attribute::kColumn) && !a.is_text()) append_known(out, a.whole(job));
  }

  void append_slices(std::string& out, JobIndex j) const {
    append_next_integer(out, result_.sliced[j].preemptions);
    out += ',';
    append_seconds(out, result_.overhead_of(j));
  }

  struct Losses {
    std::int64_t count = 0;
    Duration lost{0};
  };

  void append_losses(std::string& out, const Losses& losses) const {
    append_next_integer(out, losses.count);
    out += ',';
    append_seconds(out, losses.lost);
  }

  void append_boot(std::string& out, JobIndex j) const {
    out += ',';
    append_seconds(out, boots_[j]);
  }

  void append_sharing(std::string& out, const SharedJob& job) const {
    append_next_integer(out, job.ppn);
    append_next_integer(out, job.groups);
    out += ',';
    out += layout_of(job);
  }

  /// Where the processes are on a node.
  std::string_view layout_of(const SharedJob& job) const {
    if (job.ppn == 0) return "";
    if (job.ppn == 1) return "one";
    if (job.ppn == result_.machine.cores_per_node()) return "all";
    return result_.sharing->layout == Layout::kAcross ? "across" : "within";
  }

  const RunResult& result_;
  const MetricsOptions& options_;
  std::string workload_name_;
  std::vector<std::string> class_names_;
  std::vector<Losses> interruptions_;  ///< by JobIndex; empty where there are no outages
  std::vector<Losses> suspensions_;    ///< by JobIndex; empty where no job was suspended
  std::vector<Duration> boots_;        ///< by JobIndex; empty where nodes are not powered down
  std::optional<NodeNameList> names_;  ///< of the nodes, where these are told apart
  std::vector<const Attribute*> texts_;  ///< with columns: some job has one
};

}  // namespace

std::string own_columns() {
  std::string out = "job_class,run_time,bounded_slowdown,allocated_nodes";
  for (const Attribute& a : kAttributes)
    if (a.has(Attribute::kColumn) && !a.is_text()) out.append(",").append(a.name);
  return out;
}

std::string_view batsim_state(FinalState state) {
  switch (state) {
    case FinalState::kCompleted: return "COMPLETED_SUCCESSFULLY";
    case FinalState::kWalltimeReached: return "COMPLETED_WALLTIME_REACHED";
    case FinalState::kRejected: return "REJECTED";
    case FinalState::kLost: return "COMPLETED_FAILED";
    case FinalState::kCancelled: return "COMPLETED_KILLED";
    case FinalState::kUnfulfilled: return "DEPENDENCY_NEVER_SATISFIED";
    case FinalState::kWithdrawn: return "WITHDRAWN";
    case FinalState::kNotRun: break;
  }
  return "";
}

std::string_view batsim_state(const Outcome& outcome) {
  if (outcome.state != FinalState::kNotRun) return batsim_state(outcome.state);
  return outcome.start == kNever ? "SUBMITTED" : "RUNNING";
}

void write_jobs_csv(const RunResult& result, const MetricsOptions& options, const Sink& sink) {
  BlockWriter out(sink);
  const JobRows rows(result, options);
  out.text().append(kBatsimColumns).append(",").append(rows.columns()).append("\n");
  for (JobIndex i = 0; i < result.outcomes.size(); ++i) {
    rows.append(out.text(), i);
    out.row_done();
  }
  out.flush();
}

void write_evalys_csv(const RunResult& result, const Sink& sink) {
  BlockWriter out(sink);
  out.text().append(kBatsimColumns).append("\n");
  const MetricsOptions options;
  const JobRows rows(result, options);
  for (JobIndex i = 0; i < result.outcomes.size(); ++i) {
    if (!JobRows::ran(result.outcomes[i])) continue;
    rows.append_run(out.text(), i);
    out.row_done();
  }
  out.flush();
}

}  // namespace coslice

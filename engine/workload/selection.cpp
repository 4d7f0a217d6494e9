#include "workload/selection.h"

#include <algorithm>

#include "core/error.h"
#include "workload/describe.h"
#include "workload/trace_clock.h"

namespace coslice {

namespace {

constexpr std::int64_t kNanoPerSecond = 1'000'000'000;
constexpr std::int64_t kDayLength = 86'400;

[[noreturn]] void refuse_selection(const char* what, const char* expected) {
  throw InputError({"", 0, what, expected, "choose by seconds of the trace instead: workload.window", ""});
}

/// A selection with the log's calendar at hand.
class Judge {
 public:
  Judge(const Selection& selection, const TraceHeader& header) : s_(selection) {
    if (s_.hours) read_clock(header);
    if (s_.dates) read_dates(header);
  }

  /// Whether all conditions hold.
  bool all(const Job& job) const {
    return in_list(s_.users, job.user, true) && in_list(s_.groups, job.group, true) &&
           in_list(s_.executables, job.executable, true) && in_list(s_.queues, job.queue, true) &&
           in_list(s_.partitions, job.partition, true) && in_list(s_.statuses, job.status, true) &&
           (!s_.sizes || of_size(job)) && (!s_.runtimes || of_runtime(job)) && (!s_.hours || of_hour(job)) &&
           (!s_.dates || of_date(job));
  }

  /// Whether one condition holds at least.
  bool any(const Job& job) const {
    return in_list(s_.users, job.user, false) || in_list(s_.groups, job.group, false) ||
           in_list(s_.executables, job.executable, false) || in_list(s_.queues, job.queue, false) ||
           in_list(s_.partitions, job.partition, false) || in_list(s_.statuses, job.status, false) ||
           (s_.sizes && of_size(job)) || (s_.runtimes && of_runtime(job)) || (s_.hours && of_hour(job)) ||
           (s_.dates && of_date(job));
  }

 private:
  void read_clock(const TraceHeader& header) {
    HourSource source;
    of_day_at_0_ = second_of_day_at_0(header, source);
    if (source == HourSource::kTrace)
      refuse_selection("a time of day is asked for, which this workload does not have", "a trace with UnixStartTime");
  }

  void read_dates(const TraceHeader& header) {
    const auto clock = trace_clock(header);
    if (!clock) refuse_selection("a date is asked for, and this workload has none", "a trace with UnixStartTime");
    for (std::size_t i = 0; i < 2; ++i) dates_[i] = trace_second(*clock, (*s_.dates)[i]);
  }

  static bool in_list(const std::vector<std::int32_t>& list, std::int32_t value, bool if_empty) {
    return list.empty() ? if_empty : std::find(list.begin(), list.end(), value) != list.end();
  }
  bool of_size(const Job& job) const { return job.size >= (*s_.sizes)[0] && job.size <= (*s_.sizes)[1]; }
  bool of_runtime(const Job& job) const { return job.runtime >= (*s_.runtimes)[0] && job.runtime < (*s_.runtimes)[1]; }
  static std::int64_t second(const Job& job) { return job.submit.time_since_epoch().count() / kNanoPerSecond; }
  bool of_hour(const Job& job) const {
    const double hour = static_cast<double>((second(job) + of_day_at_0_) % kDayLength) / 3600;
    const auto [from, to] = *s_.hours;
    return from < to ? hour >= from && hour < to : hour >= from || hour < to;
  }
  bool of_date(const Job& job) const { return second(job) >= dates_[0] && second(job) < dates_[1]; }

  const Selection& s_;
  std::int64_t of_day_at_0_ = 0;
  std::array<std::int64_t, 2> dates_{};
};

template <class Out>
void leave_out(Workload& w, const std::string& reason, Out out) {
  const auto end = std::remove_if(w.jobs.begin(), w.jobs.end(), out);
  const auto dropped = static_cast<std::int64_t>(w.jobs.end() - end);
  w.jobs.erase(end, w.jobs.end());
  if (dropped > 0) w.notes.push_back({reason, dropped, 0, true});
}

}  // namespace

std::string Selection::conditions() const {
  std::string names;
  const auto add = [&](bool there, const char* name) {
    if (there) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  add(!users.empty(), "users");
  add(!groups.empty(), "groups");
  add(!executables.empty(), "executables");
  add(!queues.empty(), "queues");
  add(!partitions.empty(), "partitions");
  add(!statuses.empty(), "statuses");
  add(sizes.has_value(), "sizes");
  add(runtimes.has_value(), "runtimes");
  add(hours.has_value(), "hours");
  add(dates.has_value(), "dates");
  return names;
}

void select_jobs(Workload& workload, const Selection& keep, const Selection& drop) {
  if (const std::string names = keep.conditions(); !names.empty()) {
    const Judge judge(keep, workload.header);
    leave_out(workload, "not among the chosen (" + names + ")", [&](const Job& j) { return !judge.all(j); });
  }
  if (const std::string names = drop.conditions(); !names.empty()) {
    const Judge judge(drop, workload.header);
    leave_out(workload, "left out by choice (" + names + ")", [&](const Job& j) { return judge.any(j); });
  }
}

}  // namespace coslice

// Records of jobs that come one by one, put together as a workload.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "workload/job_extras.h"
#include "workload/name_numbers.h"
#include "workload/recorded.h"

namespace coslice {

/// Job numbers of a trace are below this: larger ones are left for jobs that have none.
inline constexpr std::int64_t kLargestJobNumber = 1'000'000'000'000'000'000;

/// A job as a record has it. Its time of submission is `submitted`; a run time of 0 counts as 1 s.
struct RecordedJob {
  Job job;
  std::string site_id;   ///< as the site writes it; the job's number where that is whole
  Duration submitted{};  ///< since 1970, or since the trace's second 0
  Duration wait{-1};     ///< negative: not known
  RecordedRequest request;
};

class RecordedJobs {
 public:
  /// `dated`: times count from 1970.
  RecordedJobs(std::string file, bool dated) : file_(std::move(file)), dated_(dated) {}

  void add(RecordedJob job);
  /// Counts a record that is left out, or altered.
  void drop(const std::string& reason, int line) { note(reason, line, true); }
  void alter(const std::string& reason, int line) { note(reason, line, false); }
  /// The number of a name that an attribute of jobs has (workload/attributes.h): "user", "partition".
  std::int32_t number(const std::string& attribute, std::string_view name) {
    return names_[attribute].number(attribute, name);
  }

  /// What a job says in words (Attribute::text).
  void set_text(Job& job, const std::string& attribute, std::string text);

  /// The workload: jobs in the order of their submission, where they are dated from the first one's whole second on.
  /// Numbers that are not whole, or stand before, are made anew. Throws InputError if there is no job, or their
  /// history is too long.
  RecordedWorkload finish();

 private:
  void note(const std::string& reason, int line, bool dropped);
  RequestId interned(const RecordedRequest& request);

  std::string file_;
  bool dated_;
  std::vector<RecordedJob> jobs_;
  std::vector<TraceNote> notes_;
  std::int64_t records_ = 0;
  std::map<std::string, NameNumbers> names_;
  std::unordered_map<std::string, RequestId> request_by_key_;
  std::vector<RecordedRequest> requests_;
  JobExtrasStore extras_;
};

}  // namespace coslice

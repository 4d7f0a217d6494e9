// Heterogeneous jobs of Slurm: one submission of several components, "123+0" and "123+1", which start together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "formats/trace_requests.h"

namespace coslice {

/// Returns the id of the submission that a component belongs to, "123" of "123+1"; "" for the id of another job.
std::string_view het_job_of(std::string_view site_id);

/// Returns the request of one job that has the nodes of all these components. There is none where their nodes are not
/// of one kind: other partitions, features or GPUs, or other memory of each node and of each CPU. Nodes may have other
/// numbers of CPUs (RecordedRequest::spread); licences add up.
std::optional<RecordedRequest> joined_request(const std::vector<const RecordedRequest*>& components);

/// Returns the request of one job of several components, whose nodes are not of one kind.
RecordedRequest request_of_components(const std::vector<const RecordedRequest*>& components);

/// Counts the submissions that have several components.
class HetJobCounts {
 public:
  /// Notes the id of a job as the site writes it.
  void add(std::string_view site_id);
  std::int64_t jobs() const { return static_cast<std::int64_t>(seen_.size()); }
  std::int64_t components() const { return components_; }
  /// Returns what it means for a simulation that these were left jobs by themselves, one sentence; "" if there are
  /// none.
  std::string text() const;
  /// Returns the same of components that are to be joined.
  std::string text_before_joining() const;

 private:
  std::string counted() const;

  std::unordered_set<std::string> seen_;
  std::int64_t components_ = 0;
};

}  // namespace coslice

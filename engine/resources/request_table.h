// The distinct requests of a workload. Jobs that ask alike share one, so that what is found out about a request is found
// out once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "resources/request.h"

namespace coslice {

class RequestTable {
 public:
  /// The number of this request; equal requests have the same one. Numbers are dense, in the order of first use.
  RequestId intern(const Request& request);
  const Request& operator[](RequestId id) const { return requests_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return requests_.size(); }
  bool empty() const { return requests_.empty(); }

 private:
  std::vector<Request> requests_;
  std::unordered_multimap<std::uint64_t, RequestId> by_hash_;
};

}  // namespace coslice

// The memory of nodes: a job enters only where the processes of all jobs that share its nodes fit together.
#pragma once

#include <cstdint>
#include <vector>

namespace coslice {

class ProcessRoom {
 public:
  /// `memory_kb` of each node; 0: no limit.
  ProcessRoom(std::int32_t processors, std::int32_t processors_per_node, std::int64_t memory_kb);

  bool limited() const { return memory_ > 0; }
  /// How many processes of that memory a node holds beside those that are there.
  std::int64_t more(std::int32_t node, std::int64_t memory_kb) const {
    return memory_kb == 0 ? INT64_MAX : free_[static_cast<std::size_t>(node)] / memory_kb;
  }
  /// The most processes of that memory that fit onto the empty machine, one to a processor.
  std::int64_t most(std::int64_t memory_kb) const;
  std::int32_t node_of(std::int32_t processor) const { return processor / per_node_; }
  void take(const std::vector<std::int32_t>& processors, std::int64_t memory_kb) { change(processors, -memory_kb); }
  void release(const std::vector<std::int32_t>& processors, std::int64_t memory_kb) { change(processors, memory_kb); }

 private:
  void change(const std::vector<std::int32_t>& processors, std::int64_t kb) {
    for (const std::int32_t p : processors) free_[static_cast<std::size_t>(node_of(p))] += kb;
  }

  std::int32_t processors_, per_node_;
  std::int64_t memory_;
  std::vector<std::int64_t> free_;  ///< by node, KB
};

}  // namespace coslice

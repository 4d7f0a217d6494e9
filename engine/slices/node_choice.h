// Which of the admissible nodes a job gets. (Esbaugh 2010, Section 3.4 and Chapter 4.)
#pragma once

#include <functional>

#include "slices/node_ledger.h"
#include "slices/slices.h"

namespace coslice {

/// What a choice is made from.
struct NodeQuestion {
  const View* view = nullptr;  ///< the job's
  JobIndex job = kNoJob;
  std::int32_t count = 0;               ///< nodes that the job needs
  const NodeSet* admissible = nullptr;  ///< at least `count` of them
  Duration need{0};                     ///< memory that the job needs on each, as transfer time
};

/// Estimated completion of a started job.
using CompletionEstimate = std::function<Time(StartedJob&)>;

/// Chooses nodes as the options say.
NodeRanges choose_nodes(const NodeQuestion& question, const SliceOptions& options, const NodeLedger& ledger,
                        const CompletionEstimate& completion);

}  // namespace coslice

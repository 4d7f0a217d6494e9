// Which jobs a drive was given. All others are only something that occupies nodes.
#pragma once

#include <optional>
#include <string>

#include "drive/queued_job.h"

namespace coslice::drive {

/// All given conditions must hold; at least one is given.
struct Filter {
  std::optional<std::string> comment, wckey, partition, user, account;

  bool empty() const { return !comment && !wckey && !partition && !user && !account; }
  bool takes(const QueuedJob& job) const;
  /// Returns the conditions as "partition=batch user=ann".
  std::string text() const;
};

}  // namespace coslice::drive

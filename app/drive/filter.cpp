#include "drive/filter.h"

#include "core/text.h"

namespace coslice::drive {

bool Filter::takes(const QueuedJob& job) const {
  const auto holds = [](const std::optional<std::string>& wanted, const std::string& has) {
    return !wanted || *wanted == has;
  };
  // A job that names several partitions may start in one that was not given.
  const bool in_partition = !partition || (job.partitions.size() == 1 && job.partitions.front() == *partition);
  return !empty() && holds(comment, job.comment) && holds(wckey, job.wckey) && holds(user, job.user) &&
         holds(account, job.account) && in_partition;
}

std::string Filter::text() const {
  std::string out;
  const auto add = [&](const char* what, const std::optional<std::string>& value) {
    if (value) out += (out.empty() ? "" : " ") + std::string(what) + "=" + printable(*value);
  };
  add("comment", comment);
  add("wckey", wckey);
  add("partition", partition);
  add("user", user);
  add("account", account);
  return out;
}

}  // namespace coslice::drive

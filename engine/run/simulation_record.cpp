// Runs that begin as recorded: when there are passes because of that.
#include <algorithm>

#include "run/simulation.h"

namespace coslice {

void Simulation::take_record(const RecordedHistory& history) {
  recorded_until_ = history.until;
  record_ = {history.until};
  for (const RecordedStart& s : history.starts)
    if (s.start < history.until) record_.push_back(s.start);
  std::ranges::sort(record_, std::greater<>());
}

/// There is a pass when the next job starts by the record, and when schedulers decide.
void Simulation::wake_for_record() {
  while (!record_.empty() && record_.back() <= now()) record_.pop_back();
  if (!record_.empty()) wake_ = std::min(wake_, record_.back());
}

}  // namespace coslice

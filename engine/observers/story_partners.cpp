// Stories of jobs that share GPUs.
#include <algorithm>
#include <limits>
#include <utility>

#include "observers/story_recorder.h"
#include "sched/contention.h"
#include "sched/job_demands.h"

namespace coslice {

/// On nodes of several kinds it is as fast as on the slowest.
double StoryRecorder::speed_alone(JobIndex j, const Parts& parts) const {
  const View* const view = states_.empty() ? nullptr : states_.front().view;
  if (view == nullptr || view->demands() == nullptr) return 1;
  const MachineLayout& layout = view->demands()->layout();
  double slowest = std::numeric_limits<double>::infinity();
  for (const NodePart& part : parts) {
    const std::int32_t kind = layout.kind_index(part.node);
    const Contention* const contention = view->host().contention();
    const std::int32_t slices = layout.kinds[static_cast<std::size_t>(kind)].slices;
    double slowdown = 0;  // where GPUs are divided, alone is on a whole one
    if (contention != nullptr && slices != 0) slowdown = contention->expected_on_slice(j, kind, slices);
    if (contention != nullptr && slowdown == 0) slowdown = contention->expected_on(j, kind, kNoJob);
    slowest = std::min(slowest, slowdown > 0 ? 1 / slowdown : layout.kind_of(part.node).speed);
  }
  return slowest;
}

void StoryRecorder::placed(Time t, JobIndex j, const Parts& parts, std::int32_t) {
  if (!parts.empty()) partners_.placed(t, j, parts, speed_alone(j, parts));
}

void StoryRecorder::loading(Time t, JobIndex j, Duration time) {
  partners_.pauses(t, j);
  note_event(j, {JobEvent::kLoading, t, kNoJob, time});
}

void StoryRecorder::loaded(Time t, JobIndex j) {
  partners_.goes_on(t, j);
  note_event(j, {JobEvent::kLoaded, t});
}

/// The job's run is over.
void StoryRecorder::note_shared(Time t, JobIndex j) {
  for (GpuTogether both : partners_.left(t, j)) {
    for (int i = 0; i < 2; ++i) {
      JobEvent event{JobEvent::kShared, t, both.other, both.time};
      event.lost = both.lost;
      event.other_lost = both.other_lost;
      note_event(both.job, std::move(event));
      std::swap(both.job, both.other);
      std::swap(both.lost, both.other_lost);
    }
  }
}

}  // namespace coslice

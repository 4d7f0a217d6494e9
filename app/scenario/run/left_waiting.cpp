#include "scenario/run/left_waiting.h"

#include <fmt/format.h>

#include "observe/story_resources.h"
#include "report/explain/story_text.h"

namespace coslice {
namespace {

WaitPhase phase_of(const View& view, View::Position p, const std::string& asks) {
  const WaitingQueue& queue = view.queue();
  WaitPhase phase;
  phase.needed = queue.nodes(p);
  phase.planned = queue.duration(p);
  phase.least = phase.most = view.free_now();
  note_lack(phase, view, queue.job(p), 0, {});
  if (phase.reserved != WaitPhase::Reserved::kNo) phase.why = WaitReason::kReserved;
  else if (phase.lack == Lack::kNothing && phase.needed <= view.free_now()) {
    phase.why = WaitReason::kPolicy;
    phase.words = fmt::format("its {} would fit, and the policy does not start it",
                              asks.empty() ? words::nodes(phase.needed) : asks);
  }
  return phase;
}

}  // namespace

std::string left_text(const View& view, const RunResult& result, JobIndex j) {
  const StoryContext context{&result, "", {}, "", asks_text(result, j), j};
  const View::Position p = view.queue().find(j);
  WaitPhase phase;
  phase.why = WaitReason::kAside;
  if (p != view.queue().end()) phase = phase_of(view, p, context.asks);
  return fmt::format("{}, came at {}: {}", words::job(result, j), words::instant(result.submitted_at(j)),
                     wait_reason_text(phase, context));
}

}  // namespace coslice

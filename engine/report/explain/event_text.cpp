#include "report/explain/event_text.h"

#include <fmt/format.h>

#include "report/explain/story_text.h"
#include "report/explain/story_words.h"
#include "report/number.h"

namespace coslice {

namespace {

using words::times;

std::string class_name(const StoryContext& c, std::size_t i) { return i < c.classes.size() ? c.classes[i] : ""; }

std::string lost_text(const JobEvent& e) {
  return human_duration(e.time) + " of work are lost" + (e.value > 0 ? ", and it waits again" : ", and so is the job");
}

/// "lost 1 min 05 s (1.28 times as slow)".
std::string slower_text(double lost, Duration time) {
  const double all = to_seconds(time), rest = all - lost;
  if (lost < 0.0005 * all || rest <= 0) return "lost nothing";
  return fmt::format("lost {} ({:.2f} times as slow)", human_duration(from_seconds(lost)), all / rest);
}

}  // namespace

std::string event_text(const JobEvent& e, const JobStory& s, const StoryContext& c) {
  switch (e.kind) {
    case JobEvent::kSliceEnded: return "stopped: the slice was over";
    case JobEvent::kEvicted: return fmt::format("stopped to make way for {}", words::job(*c.result, e.other));
    case JobEvent::kResumed: return "went on in a slice of its class";
    case JobEvent::kForeign:
      return fmt::format("{} as a foreign job in a slice of class {}", e.at == s.started ? "runs" : "went on",
                         class_name(c, e.slice));
    case JobEvent::kLoading: return fmt::format("its memory was loaded, for {}", human_duration(e.time));
    case JobEvent::kLoaded: return "loaded";
    case JobEvent::kSwapped:
      return fmt::format("its memory was displaced, which adds {} to its work", human_duration(e.time));
    case JobEvent::kRate: return fmt::format("ran at {:.3f} of its speed", e.value);
    case JobEvent::kGroup:
      return e.other == s.job
                 ? fmt::format("shared its nodes with {}, promised gain {:.3f}", words::jobs(*c.result, e.members),
                               e.value)
                 : fmt::format("ran on the nodes of {}, promised gain {:.3f}", words::job(*c.result, e.other), e.value);
    case JobEvent::kAlone: return "had its nodes for itself again";
    case JobEvent::kFailed: return "a node of it failed: " + lost_text(e);
    case JobEvent::kStopped:
      return fmt::format("stopped by its policy{}: {}",
                         e.other == kNoJob ? "" : " to make way for " + words::job(*c.result, e.other), lost_text(e));
    case JobEvent::kSuspended: return fmt::format("suspended on its nodes, on which {} runs", words::job(*c.result, e.other));
    case JobEvent::kContinued: return "went on where it had stopped";
    case JobEvent::kBooting:
      return fmt::format("{}: {} until all are up",
                         e.value > 0 ? fmt::format("{} of its nodes were powered down", e.value)
                                     : std::string("some of its nodes were still coming up"),
                         human_duration(e.time));
    case JobEvent::kShared:
      return fmt::format("had shared a GPU with {} for {}: {}, {} {}", words::job(*c.result, e.other), human_duration(e.time),
                         slower_text(e.lost, e.time), words::job(*c.result, e.other), slower_text(e.other_lost, e.time));
  }
  return "";
}

std::string sum_text(JobEvent::Kind kind, std::int64_t n, Duration time) {
  const std::string often = times(n);
  switch (kind) {
    case JobEvent::kSliceEnded: return "stopped at the end of a slice " + often;
    case JobEvent::kEvicted: return "stopped to make way for a job of the slice's class " + often;
    case JobEvent::kResumed: return "went on in a slice of its class " + often;
    case JobEvent::kForeign: return "ran as a foreign job in a slice of another class " + often;
    case JobEvent::kLoading: return fmt::format("its memory was loaded {}, for {} in all", often, human_duration(time));
    case JobEvent::kSwapped:
      return fmt::format("its memory was displaced {}, which added {} to its work", often, human_duration(time));
    case JobEvent::kRate: return "changed its speed " + often;
    case JobEvent::kGroup: return "was in a group on shared nodes " + often;
    case JobEvent::kFailed:
    case JobEvent::kStopped:
      return fmt::format("{} {}, which cost {} of work",
                         kind == JobEvent::kFailed ? "a node of it failed" : "stopped by its policy", often,
                         human_duration(time));
    case JobEvent::kSuspended: return "suspended on its nodes " + often;
    case JobEvent::kContinued: return "went on where it had stopped " + often;
    case JobEvent::kBooting:
      return fmt::format("waited {} for nodes that were powered down, for {} in all", often, human_duration(time));
    case JobEvent::kShared: return fmt::format("shared GPUs {}, for {} in all", often, human_duration(time));
    case JobEvent::kLoaded:
    case JobEvent::kAlone: break;
  }
  return "";
}

}  // namespace coslice

#include "report/explain/rejected_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/explain/story_words.h"
#include "report/number.h"
#include "resources/eligibility.h"
#include "resources/layout.h"

namespace coslice {
namespace {

Request request_of(const RunResult& result, const Job& job) {
  if (job.request != kNoRequest) return result.workload->requests[job.request];
  const std::int32_t cores = std::max(result.machine.cores, 1);
  return whole_nodes((job.size - 1) / cores + 1, std::min(job.size, cores));
}

/// Of a job that runs in this reservation only.
std::string of_own(const NodeReservation& own, const JobStory& story, const Job& job, const Request& request) {
  if (own.last_end() <= story.given_up) return fmt::format("its reservation {} was over for good", own.name);
  if (job.limit > own.longest())
    return fmt::format("it may run for {}, and its reservation {} is never longer than {}", human_duration(job.limit),
                       own.name, human_duration(own.longest()));
  if (request.nodes > own.nodes.count())
    return fmt::format("it needs {}, and its reservation {} has {}", words::nodes(request.nodes), own.name,
                       grouped(std::int64_t{own.nodes.count()}));
  return fmt::format("its reservation {} has not what it asks for in partitions that it may use", own.name);
}

/// Of the nodes that floating reservations do not leave to the job; "" if there are none.
std::string of_floating(const NodeReservations& all, const NodeAccess& access, NodeSet left, const Job& job,
                        const Request& request) {
  NodeSet closed(left.size());
  std::string names;
  for (std::size_t r = 0; r != all.size(); ++r) {
    if (!all[r].floating || access.to[r] != NodeAccess::To::kClosed) continue;
    closed.insert(all[r].nodes);
    names += (names.empty() ? "" : ", ") + all[r].name;
  }
  if (names.empty()) return "";
  left -= closed;
  return fmt::format("it needs {} and may run for {}: beside floating reservations of nodes ({}), {} that it can have {} left",
                     words::nodes(request.nodes), human_duration(job.limit), names, words::nodes(left.count()),
                     left.count() == 1 ? "is" : "are");
}

/// Of a job that could never run when it came.
std::string never_fits(const JobStory& story, const StoryContext& c) {
  const RunResult& result = *c.result;
  const Job& job = result.workload->jobs[story.job];
  const auto layout = kinds_of(result.machine);
  const Request request = request_of(result, job);
  if (names_kinds(result.machine))
    if (const std::string why = why_never(*layout, request, {job.limit, job.user}); !why.empty()) return "it " + why;
  if (request.nodes <= result.machine.nodes) {
    const NodeAccess access = access_of(result.reservations, job);
    if (access.only >= 0)
      return of_own(result.reservations[static_cast<std::size_t>(access.only)], story, job, request);
    const NodeSet able = capable_nodes(*layout, request);
    if (const std::string why = of_floating(result.reservations, access, able, job, request); !why.empty()) return why;
  }
  return fmt::format("it needs more than the machine has, {}", words::nodes(result.machine.nodes));
}

}  // namespace

std::string rejected_text(const JobStory& story, const StoryContext& c) {
  switch (story.rejection) {
    case Rejection::kPolicy: return "its policy refused it" + (story.refusal.empty() ? "" : ": " + story.refusal);
    case Rejection::kNotAtOnce: return "it could not start when it came";
    case Rejection::kRanBefore:
      return "on record it ended before the policy decides (workload.recorded_until), and here it had no room when it started there";
    case Rejection::kOver:
    case Rejection::kNeverFits: break;
  }
  if (story.rejection == Rejection::kNeverFits) return never_fits(story, c);
  const RunResult& result = *c.result;
  const NodeAccess access = access_of(result.reservations, result.workload->jobs[story.job]);
  return fmt::format("its reservation {} is over for good", result.reservations[static_cast<std::size_t>(access.only)].name);
}

}  // namespace coslice

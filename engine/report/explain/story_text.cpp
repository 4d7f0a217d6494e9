#include "report/explain/story_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "jobs/attributes.h"
#include "machine/eligibility.h"
#include "machine/layout.h"
#include "machine/request_spec.h"
#include "report/markup.h"

namespace coslice::words {
namespace {

std::string id(const RunResult& result, JobIndex j) { return std::to_string(result.workload->jobs[j].id); }

std::string depends_text(const Job& job) {
  const std::string& text = find_attribute("depends")->text(job);
  return text.empty() ? "" : fmt::format(" (depends = \"{}\")", text);
}

}  // namespace

std::string job(const RunResult& result, JobIndex j) { return "job " + id(result, j); }

std::string jobs(const RunResult& result, const std::vector<JobIndex>& list, std::size_t all) {
  if (list.empty()) return "no job";
  if (list.size() == 1 && all <= 1) return job(result, list.front());
  const std::size_t more = all > list.size() ? all - list.size() : 0;
  std::string out = "jobs ";
  for (std::size_t i = 0; i != list.size(); ++i) {
    if (i != 0) out += i + 1 == list.size() && more == 0 ? " and " : ", ";
    out += id(result, list[i]);
  }
  if (more != 0) out += fmt::format(" and {} more", grouped(static_cast<std::int64_t>(more)));
  return out;
}

std::string nodes(std::int64_t n) { return counted(n, "node"); }

std::string instant(Time t) {
  if (t == kNever) return "an unknown time";
  const std::int64_t ns = t.time_since_epoch().count();
  if (ns % 1'000'000'000 == 0) return grouped(ns / 1'000'000'000) + " s";
  std::string text =
      grouped(static_cast<double>(ns / 1'000'000'000) + static_cast<double>(ns % 1'000'000'000) * 1e-9, 3);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::string instant(const std::optional<TraceClock>& clock, Time t) {
  if (!clock || t == kNever) return instant(t);
  const std::int64_t thousandths = t.time_since_epoch().count() % 1'000'000'000 / 1'000'000;
  return date_text(*clock, t) + (thousandths == 0 ? "" : fmt::format(".{:03}", thousandths));
}

std::string zone(const TraceClock& clock) {
  return fmt::format("Times are {}; second 0 is {}.", zone_text(clock), date_text(clock, Time{}));
}

std::string times(std::int64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : grouped(n) + " times"; }

const char* name(WaitReason why) {
  static const char* const names[] = {"nodes",  "slice", "reservation", "order", "rule", "depth",    "reserved",
                                      "policy", "aside", "maintenance", "limit", "time", "own-start"};
  return names[static_cast<std::size_t>(why)];
}

const char* name(StartReason reason) {
  static const char* const names[] = {"in-order", "backfilled", "reservation", "policy", "guest"};
  return names[static_cast<std::size_t>(reason)];
}

const char* name(GroupRefusal why) {
  static const char* const names[] = {"low-gain", "nodes", "reservation", "unfair", "less-gain", "policy"};
  return names[static_cast<std::size_t>(why)];
}

const char* name(JobEvent::Kind kind) {
  static const char* const names[] = {"slice-ended", "evicted",   "resumed", "guest",   "loading", "loaded",
                                      "swapped",     "rate",      "group",   "alone",   "failed",  "stopped",
                                      "suspended",   "continued", "booting", "resized", "shared"};
  return names[kind];
}

std::string kept(const JobStory& s, const RunResult& result, const std::optional<TraceClock>& clock) {
  const std::vector<Job>& jobs = result.workload->jobs;
  const Job& job = jobs[s.job];
  const std::string kept = fmt::format("submitted at {}, came into the queue at {}: ", instant(clock, job.submit),
                                       instant(clock, s.submitted));
  switch (s.release->what) {
    case Release::kBegin: return kept + "it was not to come before";
    case Release::kHold: return kept + "it was held until then";
    case Release::kArray:
      return kept + fmt::format("its array was at its limit until job {} ended", jobs[s.release->by].id);
    case Release::kJob: break;
  }
  return kept + fmt::format("it waited for job {}{}", jobs[s.release->by].id, depends_text(job));
}

std::string never(const JobStory& s, const RunResult& result, const std::optional<TraceClock>& clock) {
  const std::vector<Job>& jobs = result.workload->jobs;
  const Job& job = jobs[s.job];
  return fmt::format(
      "submitted at {} and never came into the queue: since {} its dependency on job {} can no longer be satisfied{}",
      instant(clock, job.submit), instant(clock, s.given_up), jobs[s.unfulfilled_by].id, depends_text(job));
}

}  // namespace coslice::words

namespace coslice {
namespace {

using words::instant;
using words::times;
using Line = StoryText::Line;

std::string amount_text(const WaitPhase& p, const StoryContext& c, const Request& r) {
  const MachineLayout& layout = *c.result->machine.layout;
  const std::int64_t nodes = r.nodes;
  const std::string kind =
      p.lack_of < 0 ? "" : fmt::format(" of kind {}", layout.kinds[static_cast<std::size_t>(p.lack_of)].name);
  const std::string where =
      nodes == 1 ? " on a node" + kind : fmt::format(" on each of {}{}", words::nodes(nodes), kind);
  switch (p.lack) {
    case Lack::kLicence: {
      const std::string& name = layout.licences[static_cast<std::size_t>(p.lack_of)].name;
      for (const LicenceUse& use : r.licences)
        if (use.licence == p.lack_of) return fmt::format("{} {}", counted(use.count, "licence"), name);
      return name;
    }
    case Lack::kGpus:
      if (r.gpu_share < kWholeGpu) {
        const std::string of = r.gpus == 1 ? "a GPU" : fmt::format("each of {} GPUs", r.gpus);
        return fmt::format("{:g} of {}{}", static_cast<double>(r.gpu_share) / kWholeGpu, of, where);
      }
      return counted(std::int64_t{r.gpus}, "GPU") + where;
    case Lack::kMemory: return fmt::format("{} MiB{}", grouped(r.memory_mib), where);
    case Lack::kCores: {
      const double cores = static_cast<double>(r.cores) / kWholeCore;
      return fmt::format("{:g} core{}{}", cores, cores == 1 ? "" : "s", where);
    }
    default: return (nodes == 1 ? "a node" : words::nodes(nodes)) + kind + " without other jobs";
  }
}

/// What the job asked for then: one of several sizes may have waited with another one than it got.
Request asked_then(const WaitPhase& p, const StoryContext& c) {
  const Job& job = c.result->workload->jobs[c.job];
  if (job.request == kNoRequest) return whole_nodes(p.needed, 0);
  Request request = c.result->workload->requests[job.request];
  if (!attributes::kSizes.text(job).empty() && p.needed > 0) {
    if (request.spread.cores != 0) request.spread.nodes = std::max(request.spread.nodes, p.needed);
    request.nodes = p.needed;
  }
  return request;
}

/// The same in words.
std::string asks_then(const WaitPhase& p, const StoryContext& c) {
  const bool sized = c.result->workload->jobs[c.job].request != kNoRequest;
  return sized ? request_text(asked_then(p, c), *c.result->machine.layout) : c.asks;
}

std::string lack_text(const WaitPhase& p, const StoryContext& c) {
  const Request request = asked_then(p, c);
  const bool of_one = p.component >= 0 && static_cast<std::size_t>(p.component) < request.components.size();
  const Request& lacking = of_one ? request.components[static_cast<std::size_t>(p.component)] : request;
  std::string text = fmt::format("needed {}: waited for {}{}", asks_then(p, c), amount_text(p, c, lacking),
                                 of_one ? fmt::format(" for component {}", p.component) : "");
  for (std::size_t i = 0; i != std::min(p.holders.size(), p.holder_ends.size()); ++i)
    text += fmt::format("{}{}{} until {}", i == 0 ? "; " : ", ", words::job(*c.result, p.holders[i]),
                        i == 0 ? " held it" : "", instant(c.clock, p.holder_ends[i]));
  if (p.holder_count > p.holders.size() && !p.holders.empty())
    text += fmt::format(", and {} more", grouped(static_cast<std::int64_t>(p.holder_count - p.holders.size())));
  return text;
}

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
  return fmt::format(
      "it needs {} and may run for {}: beside floating reservations of nodes ({}), {} that it can have {} left",
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

std::string reserved_text(const WaitPhase& p, const StoryContext& c) {
  const std::string& name = c.result->reservations[static_cast<std::size_t>(p.reservation)].name;
  const std::string when = instant(c.clock, p.by_start);
  switch (p.reserved) {
    case WaitPhase::Reserved::kNow: return fmt::format("waits: the nodes are reserved for {} until {}", name, when);
    case WaitPhase::Reserved::kSoon:
      return fmt::format("waits: the nodes are reserved for {} from {} on, and it may run longer ({})", name, when,
                         human_duration(p.planned));
    case WaitPhase::Reserved::kOwnLater:
      return fmt::format("waits for its reservation {}, which begins at {}", name, when);
    default:
      return fmt::format("waits: its reservation {} ends at {}, and it may run longer ({})", name, when,
                         human_duration(p.planned));
  }
}

/// "course, 3,600 s to 7,200 s".
std::string beside_text(const WaitPhase::Beside& b, const StoryContext& c) {
  return fmt::format("{}, {} to {}", c.result->reservations[static_cast<std::size_t>(b.reservation)].name,
                     instant(c.clock, b.times.from), instant(c.clock, b.times.to));
}

/// Free nodes that a reservation of nodes keeps for others, or that are not of the job's own one; "" if there are none.
std::string kept_text(const WaitPhase& p, const StoryContext& c) {
  if (p.beside.reservation < 0) return "";
  if (p.beside.own) return fmt::format("; it runs on the nodes of its reservation only ({})", beside_text(p.beside, c));
  return fmt::format("; {} {} kept for a reservation ({})",
                     p.beside.nodes == 1 ? "1 free node" : grouped(std::int64_t{p.beside.nodes}) + " free nodes",
                     p.beside.nodes == 1 ? "is" : "are", beside_text(p.beside, c));
}

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
    case JobEvent::kResized:
      return "changed its nodes " + often +
             (time > Duration{0} ? ", which took " + human_duration(time) + " in all" : "");
    case JobEvent::kShared: return fmt::format("shared GPUs {}, for {} in all", often, human_duration(time));
    case JobEvent::kLoaded:
    case JobEvent::kAlone: break;
  }
  return "";
}

/// How many lines of a kind are shown; more are summed up.
constexpr std::size_t kLines = 10;

/// Processors where several jobs share them, else nodes.
std::string room(const StoryContext& c, std::int64_t n) {
  return c.result->processes ? counted(n, "processor") : words::nodes(n);
}

std::string free_text(const WaitPhase& p) {
  if (p.most == 0) return "none was free";
  if (p.least == p.most) return fmt::format("{} {} free", grouped(std::int64_t{p.most}), p.most == 1 ? "was" : "were");
  return fmt::format("{} to {} were free", grouped(std::int64_t{p.least}), grouped(std::int64_t{p.most}));
}

/// Nodes that nothing could run on, and why; "" if all were there.
std::string down_text(const WaitPhase& p) {
  std::string text;
  static const char* const kWhy[] = {"had failed", "were drained", "were down for maintenance"};
  for (std::size_t k = 0; k != p.down.size(); ++k)
    if (p.down[k] > 0)
      text += fmt::format("; {} {}", words::nodes(p.down[k]),
                          p.down[k] > 1 || k == 0 ? kWhy[k] : std::string("was") + (kWhy[k] + 4));
  return text;
}

/// Why a job that starts now does not delay the one at the head: it ends in time, or takes what is left over.
std::string bound_text(const StoryContext& c, Time at, Duration planned, std::int32_t nodes, std::int32_t extra,
                       Time head_start, const std::string& head) {
  const Time end = later(at, planned);
  if (planned == Duration{0}) return fmt::format("without delaying {}, due at {}", head, instant(c.clock, head_start));
  if (end <= head_start)
    return fmt::format("believed to end by {}, no later than {} is due to start ({})", instant(c.clock, end), head,
                       instant(c.clock, head_start));
  if (!c.asks.empty())
    return fmt::format("takes nothing that {} needs when it starts at {}", head, instant(c.clock, head_start));
  return fmt::format("takes {} of the {} that {} leaves over when it starts at {}", grouped(std::int64_t{nodes}),
                     room(c, extra), head, instant(c.clock, head_start));
}

/// When the policy decides next; "" where it does not say.
std::string next_text(const WaitPhase& p, const StoryContext& c) {
  if (p.next == kNever) return "";
  return fmt::format("; {} at {}", p.next_what.empty() ? "the policy looks again" : p.next_what,
                     instant(c.clock, p.next));
}

/// Where the job could have started, and the policy has not said why it did not.
std::string unsaid_text(const WaitPhase& p, const StoryContext& c) {
  return p.next == kNever ? "; its policy did not start it, and says nothing about it (hook 'reason')"
                          : next_text(p, c);
}

/// Where the job could have started, and its reservation is for later.
std::string own_start_text(const WaitPhase& p, const StoryContext& c) {
  const std::string free = c.asks.empty() ? fmt::format("needed {}, {}", room(c, p.needed), free_text(p))
                                          : fmt::format("needed {}, and enough was free", asks_then(p, c));
  return fmt::format("{}, but its own reservation was for {} and had not been moved up yet{}{}", free,
                     instant(c.clock, p.by_start), p.words.empty() ? "" : ": " + p.words, next_text(p, c));
}

Time until(const JobStory& s) {
  if (s.started != kNever) return s.started;
  const Time waited = s.phases.empty() ? s.submitted : s.phases.back().to;
  return s.earlier.empty() ? waited : std::max(waited, s.earlier.back().to);
}

/// Earlier runs as one.
StoryRun sum_of(const std::vector<StoryRun>& runs) {
  StoryRun sum;
  for (const StoryRun& run : runs) {
    sum.to += run.to - run.from;
    sum.still += run.still;
    sum.lost += run.lost;
  }
  return sum;
}

Duration moving(const StoryRun& run) { return run.to - run.from - run.still; }

/// " and stood still for 5 min 00 s", if it did.
std::string still_text(const StoryRun& run) {
  return run.still > Duration{0} ? " and stood still for " + human_duration(run.still) : "";
}

/// "50 s in a run that was interrupted".
std::string earlier_text(const JobStory& s) {
  const StoryRun sum = sum_of(s.earlier);
  return fmt::format("{} in {}{}", human_duration(moving(sum)),
                     s.earlier.size() == 1
                         ? "a run that was interrupted"
                         : grouped(static_cast<std::int64_t>(s.earlier.size())) + " runs that were interrupted",
                     still_text(sum));
}

std::vector<std::string> head_of(const JobStory& s, const StoryContext& c) {
  const Job& job = c.result->workload->jobs[s.job];
  std::string size = c.result->processes ? counted(job.size, "process") : counted(job.size, "processor");
  if (c.result->processes && job.size != 1) size = grouped(std::int64_t{job.size}) + " processes";
  if (s.where.count() > 0) size = words::nodes(s.where.count());
  if (!c.asks.empty()) size = c.asks;
  std::string first = fmt::format("job {} of {}: {}", job.id, c.run, size);
  if (!never_ran(job)) first += fmt::format("{} for {}", c.asks.empty() ? "" : ",", human_duration(job.runtime));
  if (job.limit != job.runtime) first += fmt::format(", at most {}", human_duration(job.limit));
  if (!c.class_name.empty()) first += ", class " + c.class_name;
  std::vector<std::string> head{first};
  if (never_ran(job))
    head.push_back("Its record says that it was cancelled while it waited, and not how long it would have run: it is "
                   "in no figure of jobs.");
  if (c.clock) head.push_back(words::zone(*c.clock));
  if (s.unfulfilled) {
    head.push_back(words::never(s, *c.result, c.clock));
    return head;
  }
  const std::string withdrawn = fmt::format("withdrawn at {}", instant(c.clock, s.given_up));
  if (s.withdrawn && s.submitted == kNever) {
    head.push_back(fmt::format("submitted at {} and {}, before it could come into the queue",
                               instant(c.clock, job.submit), withdrawn));
    return head;
  }
  std::string second = fmt::format("submitted at {}", instant(c.clock, s.submitted));
  if (s.release) second = words::kept(s, *c.result, c.clock);
  if (s.rejected) {
    const std::string when = s.given_up > s.submitted ? " at " + instant(c.clock, s.given_up) : "";
    head.push_back(fmt::format("{} and rejected{}: {}", second, when, rejected_text(s, c)));
    return head;
  }
  if (s.withdrawn)
    second += fmt::format(" and {} after {} of waiting", withdrawn, human_duration(s.given_up - s.submitted));
  else if (s.started == kNever)
    second += s.earlier.empty() ? ", never started" : ", did not start again after " + earlier_text(s);
  else if (s.started == s.submitted) second += ", started at once";
  else
    second += fmt::format(", started at {} after {} of waiting{}", instant(c.clock, s.started),
                          human_duration(s.waited()), s.earlier.empty() ? "" : " and " + earlier_text(s));
  if (s.ended != kNever)
    second += fmt::format(", {} at {}", s.killed ? "killed at its limit" : "ended", instant(c.clock, s.ended));
  head.push_back(second);
  return head;
}

/// Only where the order of the queue is not that of arrival: else the number of jobs that passed it says the same.
std::string place_text(const JobStory& s) {
  if (s.later_ahead == 0) return "";
  const auto number = [](std::size_t n) { return grouped(static_cast<std::int64_t>(n)); };
  const std::string where = s.best_place == s.worst_place
                                ? "place " + number(s.best_place)
                                : fmt::format("places {} to {}", number(s.best_place), number(s.worst_place));
  return fmt::format("stood at {} of the queue: by its order up to {} that came later {} before it", where,
                     counted(static_cast<std::int64_t>(s.later_ahead), "job"), s.later_ahead == 1 ? "was" : "were");
}

/// Whether it is known from the last pass of the run alone what the job waits for then.
bool only_at_the_end(const WaitPhase& p, const JobStory& s) {
  return s.started == kNever && p.from == p.to && &p == &s.phases.back();
}

StoryText::Line phase_line(const WaitPhase& p, const JobStory& s, const StoryContext& c) {
  const std::string how_long = only_at_the_end(p, s) ? "to the end" : "for " + human_duration(p.to - p.from);
  return {instant(c.clock, p.from), fmt::format("{}: {}", how_long, wait_reason_text(p, c))};
}

StoryText::Part waiting_part(const JobStory& s, const StoryContext& c) {
  StoryText::Part part{"waited", {}};
  // Where jobs have parts of nodes, those without jobs are counted.
  const std::string free = c.asks.empty() ? "free" : "without jobs";
  const std::string had = s.free != 0      ? room(c, s.free) + (s.free == 1 ? " was " : " were ") + free
                          : c.asks.empty() ? "nothing was free"
                                           : "no node was without jobs";
  part.lines.push_back(
      {instant(c.clock, s.submitted),
       fmt::format("came; {} before it in the queue, {}",
                   s.ahead_count == 0 ? "no job" : words::jobs(*c.result, s.ahead, s.ahead_count), had)});
  if (const std::string place = place_text(s); !place.empty()) part.lines.push_back({"", place});
  if (s.phases.size() + s.earlier.size() <= kLines) {
    auto run = s.earlier.begin();
    const auto runs_until = [&](Time t) {
      for (; run != s.earlier.end() && run->to <= t; ++run)
        part.lines.push_back(
            {instant(c.clock, run->from),
             fmt::format("ran for {}{}, until it was interrupted", human_duration(moving(*run)), still_text(*run))});
    };
    for (const WaitPhase& p : s.phases) {
      runs_until(p.from);
      part.lines.push_back(phase_line(p, s, c));
    }
    runs_until(kNever);
    return part;
  }
  struct Sum {
    Duration time{0};
    std::int64_t count = 0;
    const WaitPhase* longest = nullptr;
    WaitPhase merged;
  };
  std::vector<Sum> sums;
  for (const WaitPhase& p : s.phases) {
    if (only_at_the_end(p, s)) continue;
    const auto same = [&](const Sum& sum) {
      return sum.longest->why == p.why && sum.longest->by == p.by && sum.longest->words == p.words;
    };
    auto it = std::ranges::find_if(sums, same);
    if (it == sums.end()) it = sums.insert(sums.end(), {Duration{0}, 0, &p, p});
    it->time += p.to - p.from;
    ++it->count;
    it->merged.least = std::min(it->merged.least, p.least);
    it->merged.most = std::max(it->merged.most, p.most);
    if (p.to - p.from > it->longest->to - it->longest->from) it->longest = &p;
  }
  std::ranges::stable_sort(sums, std::ranges::greater{}, &Sum::time);
  Duration rest{0};
  for (std::size_t i = kLines; i < sums.size(); ++i) rest += sums[i].time;
  for (std::size_t i = 0; i != std::min(sums.size(), kLines); ++i) {
    WaitPhase shown = *sums[i].longest;
    shown.least = sums[i].merged.least;
    shown.most = sums[i].merged.most;
    if (sums[i].count > 1) shown.holders.clear(), shown.holder_ends.clear();
    part.lines.push_back(
        {human_duration(sums[i].time),
         fmt::format("{}{}", sums[i].count > 1 ? times(sums[i].count) + ": " : "", wait_reason_text(shown, c))});
  }
  if (rest > Duration{0})
    part.lines.push_back({human_duration(rest), fmt::format("for {} other reasons", sums.size() - kLines)});
  if (only_at_the_end(s.phases.back(), s)) part.lines.push_back(phase_line(s.phases.back(), s, c));
  if (!s.earlier.empty()) part.lines.push_back({"", "beside " + earlier_text(s)});
  return part;
}

/// The first of a list, and how many are left out.
template <class List, class F>
StoryText::Part listed(const std::string& title, const List& list, std::size_t more, F&& line) {
  StoryText::Part part{title, {}};
  for (std::size_t i = 0; i != std::min(list.size(), kLines); ++i) part.lines.push_back(line(list[i]));
  const std::size_t left = list.size() - std::min(list.size(), kLines) + more;
  if (left > 0) part.lines.push_back({"", fmt::format("and {} more", grouped(static_cast<std::int64_t>(left)))});
  return part;
}

/// Foreign jobs are summed up: they make way for jobs of this class.
StoryText::Part passings_part(const JobStory& s, const StoryContext& c) {
  std::vector<const Passing*> others;
  for (const Passing& p : s.passings)
    if (p.reason != StartReason::kForeignSlice) others.push_back(&p);
  StoryText::Part part = listed("passed by", others, 0, [&](const Passing* p) {
    return Line{instant(c.clock, p->at), passing_text(*p, s, c)};
  });
  const auto ordered =
      static_cast<std::int64_t>(std::ranges::count_if(others, [](const Passing* p) { return p->by_order; }));
  if (others.size() > kLines && ordered > 0)
    part.lines.push_back({"", fmt::format("of all {}, {} stood before it by the order of the queue when they started",
                                          grouped(static_cast<std::int64_t>(others.size())), grouped(ordered))});
  const auto foreign = static_cast<std::int64_t>(s.passings.size() - others.size());
  if (foreign > 0)
    part.lines.push_back(
        {"", fmt::format("{} in its slices, which make way for jobs of this one", counted(foreign, "foreign job"))});
  return part;
}

StoryText::Part promises_part(const JobStory& s, const StoryContext& c) {
  std::vector<PromisedStart> shown = s.promises;
  std::size_t left = 0;
  if (shown.size() > kLines) {  // the first ones and the last one tell most
    left = shown.size() - kLines;
    shown.erase(shown.begin() + kLines - 1, shown.end() - 1);
  }
  StoryText::Part part{"was to start", {}};
  for (std::size_t i = 0; i != shown.size(); ++i) {
    const PromisedStart& p = shown[i];
    std::string text = fmt::format("{} {}{}", p.held ? "reserved:" : "expected:", c.class_name.empty() ? "" : "about ",
                                   instant(c.clock, p.start));
    if (p.after != kNoJob && i > 0) text += fmt::format(", as {} had ended", words::job(*c.result, p.after));
    if (left > 0 && i + 1 == shown.size())
      part.lines.push_back({"", fmt::format("and {} in between", times(static_cast<std::int64_t>(left)))});
    part.lines.push_back({instant(c.clock, p.at), text});
  }
  return part;
}

/// A slice that was over at once did nothing for the job.
bool is_brief(const JobStory& s, const JobEvent& e) {
  const auto goes_on = [](const JobEvent& x) { return x.kind == JobEvent::kForeign || x.kind == JobEvent::kResumed; };
  const JobEvent* const first = s.events.data();
  if (e.kind == JobEvent::kSliceEnded) return &e != first && goes_on(*(&e - 1)) && (&e - 1)->at == e.at;
  return goes_on(e) && &e + 1 != first + s.events.size() && (&e + 1)->kind == JobEvent::kSliceEnded &&
         (&e + 1)->at == e.at;
}

/// What happened in its runs from that event on, before that other one.
StoryText::Part events_part(const std::string& title, std::size_t from, std::size_t to, const JobStory& s,
                            const StoryContext& c) {
  StoryText::Part part{title, {}};
  std::vector<const JobEvent*> shown;
  std::map<JobEvent::Kind, std::pair<std::int64_t, Duration>> sums;
  for (std::size_t i = from; i != to; ++i) {
    const JobEvent& e = s.events[i];
    auto& sum = sums[e.kind];
    ++sum.first;
    sum.second += e.time;
    const bool said = is_brief(s, e) || e.kind == JobEvent::kLoaded ||
                      (e.kind == JobEvent::kGroup && e.at == s.started) ||
                      (e.kind == JobEvent::kRate && e.value == 1 && e.at == s.started);
    if (!said) shown.push_back(&e);
  }
  if (shown.size() <= kLines) {
    for (const JobEvent* e : shown) part.lines.push_back({instant(c.clock, e->at), event_text(*e, s, c)});
  } else {
    // What a job lost beside several others does not add up.
    const bool each_partner = static_cast<std::size_t>(sums[JobEvent::kShared].first) <= kLines;
    for (const auto& [kind, sum] : sums)
      if (const std::string text = sum_text(kind, sum.first, sum.second); !text.empty() && sum.first != 0)
        if (kind != JobEvent::kShared || !each_partner) part.lines.push_back({"", text});
    for (const JobEvent* e : shown)
      if (e->kind == JobEvent::kShared && each_partner)
        part.lines.push_back({instant(c.clock, e->at), event_text(*e, s, c)});
  }
  return part;
}

/// Where it did more than to wait and to run: what its time came to, which adds up.
StoryText::Part totals_part(const JobStory& s) {
  StoryText::Part part{"in all", {}};
  if (s.ended == kNever || (s.earlier.empty() && s.still == Duration{0})) return part;
  const StoryRun before = sum_of(s.earlier);
  const Duration still = s.still + before.still;
  const auto add = [&](Duration time, const std::string& what) { part.lines.push_back({human_duration(time), what}); };
  add(s.ended - s.submitted, "from its submission to its end:");
  if (s.waited() > Duration{0}) add(s.waited(), "waited");
  if (!s.earlier.empty())
    add(moving(before), fmt::format("ran in {} that {} interrupted; {} of work were lost",
                                    counted(static_cast<std::int64_t>(s.earlier.size()), "run"),
                                    s.earlier.size() == 1 ? "was" : "were", human_duration(before.lost)));
  if (still > Duration{0}) add(still, "stood still");
  add(s.ended - s.started - s.still, s.earlier.empty() ? "ran" : "ran in its last run");
  return part;
}

StoryText::Part foreign_part(const JobStory& s) {
  StoryText::Part part{"looked at for the rest of other classes' slices", {}};
  static const char* const why[] = {"not enough nodes for as long as it would have been there",
                                    "would not have finished in the slice, and would have used nodes of its own class",
                                    "would have delayed a job of its own class"};
  for (int i = 0; i != 3; ++i)
    if (s.foreign_refusals[i] > 0) part.lines.push_back({times(s.foreign_refusals[i]), why[i]});
  return part;
}

}  // namespace

std::string rejected_text(const JobStory& story, const StoryContext& c) {
  switch (story.rejection) {
    case Rejection::kPolicy: return "its policy refused it" + (story.refusal.empty() ? "" : ": " + story.refusal);
    case Rejection::kNotAtOnce: return "it could not start when it came";
    case Rejection::kRanBefore:
      return "in the trace it ended before workload.recorded_until; here it did not fit at its recorded start";
    case Rejection::kOver:
    case Rejection::kNeverFits: break;
  }
  if (story.rejection == Rejection::kNeverFits) return never_fits(story, c);
  const RunResult& result = *c.result;
  const NodeAccess access = access_of(result.reservations, result.workload->jobs[story.job]);
  return fmt::format("its reservation {} is over for good",
                     result.reservations[static_cast<std::size_t>(access.only)].name);
}

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
    case JobEvent::kRate: return fmt::format("ran at {} of its speed", ratio(e.value, 3));
    case JobEvent::kGroup:
      return e.other == s.job ? fmt::format("shared its nodes with {}, promised gain {}",
                                            words::jobs(*c.result, e.members), ratio(e.value, 3))
                              : fmt::format("ran on the nodes of {}, promised gain {}", words::job(*c.result, e.other),
                                            ratio(e.value, 3));
    case JobEvent::kResized:
      return fmt::format("had {} from then on{}", counted(static_cast<std::int64_t>(e.value), "node"),
                         e.time > Duration{0} ? ", and stood still for " + human_duration(e.time) : "");
    case JobEvent::kAlone: return "had its nodes for itself again";
    case JobEvent::kFailed: return "a node of it failed: " + lost_text(e);
    case JobEvent::kStopped:
      return fmt::format("stopped by its policy{}: {}",
                         e.other == kNoJob ? "" : " to make way for " + words::job(*c.result, e.other), lost_text(e));
    case JobEvent::kSuspended:
      if (e.other == kNoJob) return "suspended on its nodes by its policy";
      return fmt::format("suspended on its nodes, on which {} runs", words::job(*c.result, e.other));
    case JobEvent::kContinued: return "went on where it had stopped";
    case JobEvent::kBooting:
      return fmt::format("{}: {} until all are up",
                         e.value > 0 ? fmt::format("{} of its nodes were powered down", e.value)
                                     : std::string("some of its nodes were still coming up"),
                         human_duration(e.time));
    case JobEvent::kShared:
      if (e.other == kNoJob)
        return fmt::format("had had a slice of a GPU for {}, beside {}: {}", human_duration(e.time),
                           words::jobs(*c.result, e.members), slower_text(e.lost, e.time));
      return fmt::format("had shared a GPU with {} for {}: {}, {} {}", words::job(*c.result, e.other),
                         human_duration(e.time), slower_text(e.lost, e.time), words::job(*c.result, e.other),
                         slower_text(e.other_lost, e.time));
  }
  return "";
}

std::string asks_text(const RunResult& result, JobIndex j) {
  if (!names_kinds(result.machine)) return "";
  const Job& job = result.workload->jobs[j];
  if (job.request == kNoRequest)
    return words::nodes((std::int64_t{job.size} + result.machine.cores - 1) / result.machine.cores) + " for itself";
  return request_text(result.workload->requests[job.request], *result.machine.layout);
}

std::string wait_reason_text(const WaitPhase& p, const StoryContext& c) {
  if (p.why == WaitReason::kReserved) return reserved_text(p, c);
  if (p.why == WaitReason::kMaintenance)
    return fmt::format("waits: maintenance of nodes that it needs begins at {}, and it may run longer ({})",
                       instant(c.clock, p.by_start), human_duration(p.planned));
  if (p.why == WaitReason::kOwnStart) return own_start_text(p, c);
  // Counts of nodes say little on a heterogeneous machine: what is free may be of another kind or partition.
  if (!c.asks.empty() && p.words.empty()) {
    const std::string asks = asks_then(p, c);
    if (p.why == WaitReason::kNodes && p.lack != Lack::kNothing)
      return lack_text(p, c) + kept_text(p, c) + down_text(p);
    if (p.why == WaitReason::kNodes)
      return fmt::format("needed {}: the free resources were not enough", asks) + down_text(p);
    if (p.why == WaitReason::kPolicy) return fmt::format("needed {}, and enough was free{}", asks, unsaid_text(p, c));
    if (p.why == WaitReason::kTime)
      return fmt::format("needed {}: enough was free, but not for as long as it may run ({}){}", asks,
                         human_duration(p.planned), next_text(p, c));
    if (p.why == WaitReason::kReservation && p.kept)
      return fmt::format("needed {}: it fitted, but only on nodes that were kept for {}, due to start at {}", asks,
                         words::job(*c.result, p.by), instant(c.clock, p.by_start));
    if (p.why == WaitReason::kReservation)
      return fmt::format("needed {}: it fitted, but would have delayed {}, due to start at {}", asks,
                         words::job(*c.result, p.by), instant(c.clock, p.by_start));
  }
  const std::string needs = room(c, p.needed);
  switch (p.why) {
    case WaitReason::kNodes: {
      const std::string where = c.result->processes ? " in one row of the matrix"
                                : p.beside.own      ? " of its reservation"
                                                    : "";
      std::string text = fmt::format("needed {}{}, {}", needs, where, free_text(p));
      if (!p.holders.empty())
        text += fmt::format("; {} held {}", words::jobs(*c.result, p.holders),
                            p.holder_count > p.holders.size() ? "most" : "the others");
      return text + kept_text(p, c) + down_text(p);
    }
    case WaitReason::kSlice: return fmt::format("its class ({}) had no slice", c.class_name);
    case WaitReason::kReservation:
      if (p.kept)
        return fmt::format("could have had its {}, but only some that were kept for {}, due to start at {}", needs,
                           words::job(*c.result, p.by), instant(c.clock, p.by_start));
      if (p.extra < 0)
        return fmt::format("could have had its {}, but would have delayed {}, due to start at {}", needs,
                           words::job(*c.result, p.by), instant(c.clock, p.by_start));
      return fmt::format("could have had its {}, but would have delayed {}, due to start at {} with {} to spare: it is "
                         "believed to run for {}",
                         needs, words::job(*c.result, p.by), instant(c.clock, p.by_start), room(c, p.extra),
                         human_duration(p.planned));
    case WaitReason::kOrder:
      return fmt::format("{} was first in the queue and could not start; no job may pass it",
                         words::job(*c.result, p.by));
    case WaitReason::kRule: return "the policy's rule (may_start) held it back";
    case WaitReason::kAside: return "its policy had set it aside";
    case WaitReason::kOwnStart:
    case WaitReason::kReserved:
    case WaitReason::kMaintenance: break;
    case WaitReason::kDepth:
      return p.by == kNoJob
                 ? "stood too far behind in the queue for its policy's plan" + next_text(p, c)
                 : fmt::format("stood too far behind {} in the queue to be looked at", words::job(*c.result, p.by));
    case WaitReason::kLimit:
      return "its policy's plan had as many jobs that are like it as its limits allow" + next_text(p, c);
    case WaitReason::kTime:
      return fmt::format("needed {}, {}, but not for as long as it may run ({}){}", needs, free_text(p),
                         human_duration(p.planned), next_text(p, c));
    case WaitReason::kPolicy: break;
  }
  if (!p.words.empty()) return p.words + next_text(p, c);
  return fmt::format("needed {}, {}{}", needs, free_text(p), unsaid_text(p, c));
}

std::string start_text(const JobStory& story, const StoryContext& c) {
  const StartFacts& f = story.start;
  std::string text;
  const bool passes = f.passed_count > 0;
  const std::string past = passes ? " past " + words::jobs(*c.result, f.passed, f.passed_count) : "";
  switch (f.reason) {
    case StartReason::kInOrder: text = passes ? "in order," + past : "in order, as the first in the queue"; break;
    case StartReason::kBackfilled: text = "backfilled" + past; break;
    case StartReason::kReservation:
      text = "at its reservation" + (passes ? "," + past + ", whose reservations are later" : "");
      break;
    case StartReason::kPolicy: text = "by the policy" + (passes ? "," + past : ", as the first in the queue"); break;
    case StartReason::kForeignSlice:
      text = "as a foreign job in a slice of another class, where it delays no job";
      break;
  }
  if (f.head != kNoJob && f.head_start != kNever)
    text +=
        ": " + bound_text(c, story.started, f.planned, f.nodes, f.extra, f.head_start, words::job(*c.result, f.head));
  else if (f.reason == StartReason::kBackfilled) text += ": it fits beside the starts that are kept free";
  if (!f.words.empty()) text += ": " + f.words;
  for (const JobEvent& e : story.events) {
    if (e.kind != JobEvent::kGroup || e.at != story.started) continue;
    text += e.other == story.job ? fmt::format("; shares its nodes with {}", words::jobs(*c.result, e.members))
                                 : fmt::format("; placed on the nodes of {}", words::job(*c.result, e.other));
    if (e.value != 0) text += fmt::format(", promised gain {}", ratio(e.value, 3));
  }
  if (f.slice_began && !c.class_name.empty()) text += "; a slice began";
  if (!f.ended.empty()) text += fmt::format("; {} had just ended", words::jobs(*c.result, f.ended));
  return text;
}

std::string passing_text(const Passing& p, const JobStory& story, const StoryContext& c) {
  std::string text = words::job(*c.result, p.job);
  if (p.nodes > 0) text += fmt::format(" ({})", words::nodes(p.nodes));
  if (p.by_order) return text + ": came later, but stood before it in the order of the queue";
  if (p.reason == StartReason::kForeignSlice) return text + ", a foreign job: makes way for jobs of this one";
  text += p.reason == StartReason::kBackfilled    ? ", backfilled"
          : p.reason == StartReason::kReservation ? ", at its reservation"
          : p.reason == StartReason::kInOrder     ? ", in order"
                                                  : ", by the policy";
  if (p.moved_to != kNever)
    return text + fmt::format(": the start reserved for this job moved from {} to {}", instant(c.clock, p.promised),
                              instant(c.clock, p.moved_to));
  if (p.promised != kNever)
    return text + fmt::format(": the start reserved for this job, {}, stood", instant(c.clock, p.promised));
  if (p.head != kNoJob && p.head_start != kNever) {
    const bool own = p.head == story.job;
    text += ": " + bound_text(c, p.at, p.planned, p.nodes, p.extra, p.head_start,
                              own ? "this job" : words::job(*c.result, p.head));
    if (!own) text += "; only that one is protected";
  } else if (p.reason == StartReason::kBackfilled) {
    text += ": fits beside the starts that are kept free";
  }
  return p.words.empty() ? text : text + ": " + p.words;
}

std::string refused_text(const RefusedGroup& g, const StoryContext& c) {
  std::string text = fmt::format("{} over {}", words::jobs(*c.result, g.matched), words::job(*c.result, g.primary));
  if (g.why != GroupRefusal::kPolicy) text += fmt::format(", gain {}", ratio(g.gain, 3));  // else it was not reckoned
  text += ": ";
  switch (g.why) {
    case GroupRefusal::kLowGain: text += "less than is wanted"; break;
    case GroupRefusal::kNodes: text += fmt::format("{} more would have to be idle", words::nodes(g.fresh)); break;
    case GroupRefusal::kReservation: text += "a reservation would be delayed"; break;
    case GroupRefusal::kUnfair: text += "unfair"; break;
    case GroupRefusal::kLessGain: text += "another one gains more"; break;
    case GroupRefusal::kPolicy: text += g.words; break;
  }
  if (g.hurt != kNoJob) text += fmt::format(", to {}", words::job(*c.result, g.hurt));
  if (g.times > 1) text += fmt::format(" ({}, until {})", times(g.times), instant(c.clock, g.last));
  return text;
}

StoryText story_text(const JobStory& s, const StoryContext& c) {
  StoryText text{head_of(s, c), {}};
  if (s.unfulfilled || (s.withdrawn && s.submitted == kNever)) return text;
  const auto add = [&](StoryText::Part part) {
    if (!part.lines.empty()) text.parts.push_back(std::move(part));
  };
  if (until(s) > s.submitted || (s.started == kNever && !s.phases.empty())) {
    add(waiting_part(s, c));
    add(events_part("in its earlier runs", 0, s.first_event(), s, c));
    add(promises_part(s, c));
    add(passings_part(s, c));
    add(listed("sharing nodes was tried", s.refused, s.refused_more, [&](const RefusedGroup& g) {
      return Line{instant(c.clock, g.first), refused_text(g, c)};
    }));
    add(foreign_part(s));
  }
  if (s.started != kNever) add({"started", {{instant(c.clock, s.started), start_text(s, c)}}});
  add(events_part("then", s.first_event(), s.events.size(), s, c));
  add(totals_part(s));
  return text;
}

}  // namespace coslice

#include "lab/forecast/forecast_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobs/workload.h"
#include "output/output.h"
#include "output/summary_json.h"
#include "report/markup.h"
#include "report/tables/table.h"

namespace coslice {

JobNames names_of_job(const ForecastBase& base, const ForecastNames& names, JobIndex j) {
  const Job& job = base.workload.jobs[j];
  const auto name = [&](const std::vector<std::string>& of, std::int64_t number) {
    if (j < of.size() && !of[j].empty()) return of[j];
    return number < 0 ? std::string() : std::to_string(number);
  };
  return {name(names.ids, job.id), name(names.users, job.user), name(names.accounts, job.group),
          name(names.partitions, job.partition)};
}

std::int64_t nodes_of_job(const ForecastBase& base, const Job& job) {
  if (job.request != kNoRequest) return base.workload.requests[job.request].nodes;
  return nodes_for(job.size, base.scenario.engine.ppn(base.scenario.machine));
}

std::string span_text(Time now, Time t, Duration horizon) {
  if (t == kNever) return "> " + span_text(now, later(now, horizon), horizon);
  const std::int64_t minutes = std::max<std::int64_t>((t - now + whole_seconds(30)) / whole_seconds(60), 0);
  if (minutes >= 24 * 60) return fmt::format("{} d {:02}:{:02}", minutes / 1440, minutes / 60 % 24, minutes % 60);
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

namespace {

/// "2026-03-01 08:30", or seconds where the log has no calendar.
std::string instant_text(const ForecastBase& base, Time t) {
  const auto clock = trace_clock(base.workload.header);
  if (clock) return date_text(*clock, t);
  return format_seconds(t.time_since_epoch()) + " s";
}

Value seconds_from(Time now, Time t) { return t == kNever ? Value() : Value(to_seconds(t - now)); }

std::string head_line(const ForecastBase& base, const Forecast& f) {
  return fmt::format("{} at {}, {} running; {}{}\n", counted(std::ssize(f.jobs), "waiting job"),
                     instant_text(base, f.state.now), f.state.count(KnownAs::kRunning),
                     counted(f.options.runs, "simulation"),
                     f.expected == 0 ? ", no new jobs expected"
                                     : fmt::format(" with {} to come in the mean",
                                                   counted(static_cast<std::int64_t>(f.expected), "job")));
}

/// Number of them that are named.
constexpr std::size_t kNamed = 5;
constexpr std::size_t kNamedHeld = 20;  ///< each with its reason

/// Many are told by their reasons, in the order of the queue.
std::string held_text(const ForecastBase& base, const Forecast& f, const ForecastNames& names) {
  std::vector<std::pair<std::string, std::vector<JobIndex>>> by_reason;
  std::size_t all = 0;
  std::string each;
  for (JobIndex j = 0; j != f.state.jobs.size(); ++j) {
    const KnownJob& known = f.state.jobs[j];
    if (known.as != KnownAs::kHeld) continue;
    if (++all <= kNamedHeld)
      each += fmt::format("{}{}{}", each.empty() ? "" : ", ", names_of_job(base, names, j).id,
                          known.reason.empty() ? "" : " (" + known.reason + ")");
    const auto known_reason =
        std::ranges::find(by_reason, known.reason, &std::pair<std::string, std::vector<JobIndex>>::first);
    if (known_reason != by_reason.end()) known_reason->second.push_back(j);
    else by_reason.push_back({known.reason, {j}});
  }
  if (all == 0) return "";
  if (all <= kNamedHeld) return "held, no forecast: " + each + "\n";
  std::string out = fmt::format("held, no forecast: {}\n", counted(static_cast<std::int64_t>(all), "job"));
  for (const auto& [reason, jobs] : by_reason) {
    out += fmt::format("  {}:", reason.empty() ? "no reason is said" : reason);
    for (std::size_t i = 0; i != std::min(jobs.size(), kNamed); ++i)
      out += fmt::format("{} {}", i == 0 ? "" : ",", names_of_job(base, names, jobs[i]).id);
    if (jobs.size() > kNamed)
      out += fmt::format(" and {} more", grouped(static_cast<std::int64_t>(jobs.size() - kNamed)));
    out += "\n";
  }
  return out;
}

std::string kept_text(const ForecastBase& base, const Forecast& f, const ForecastNames& names) {
  if (f.kept.empty()) return "";
  std::string jobs;
  for (std::size_t i = 0; i != std::min(f.kept.size(), kNamed); ++i) {
    const KnownJob& known = f.state.jobs[f.kept[i]];
    const Duration waited = f.state.now - base.workload.jobs[f.kept[i]].submit;
    jobs += fmt::format("{}{} (for {}{})", i == 0 ? "" : ", ", names_of_job(base, names, f.kept[i]).id,
                        human_duration(waited), known.reason.empty() ? "" : ", " + known.reason);
  }
  if (f.kept.size() > kNamed) jobs += fmt::format(" and {} more", f.kept.size() - kNamed);
  return fmt::format(
      "{} waited beside free nodes, on which the twin starts {} at once: {}. So it is not the real machine: a limit, a "
      "reservation or what {} for is missing in it\n",
      f.kept.size() == 1 ? "1 job has" : fmt::format("{} jobs have", grouped(std::ssize(f.kept))),
      f.kept.size() == 1 ? "it" : "them", jobs, f.kept.size() == 1 ? "it waits" : "they wait");
}

/// Until when it is known that the job does not start, where no start of it was seen.
Duration looked_at(const Forecast& f, const JobForecast& said) {
  return said.earliest == kNever ? f.options.horizon : std::max(f.options.horizon, said.earliest - f.state.now);
}

/// Jobs that what is reserved keeps waiting for longer than was simulated.
std::string kept_off_text(const ForecastBase& base, const Forecast& f, const ForecastNames& names) {
  std::map<Time, std::vector<std::string>> until;
  for (const JobForecast& said : f.jobs)
    if (said.earliest > later(f.state.now, f.options.horizon))
      until[said.earliest].push_back(names_of_job(base, names, said.job).id);
  std::string out;
  for (auto& [t, jobs] : until) {
    const std::size_t more = jobs.size() - std::min(jobs.size(), kNamed);
    jobs.resize(jobs.size() - more);
    const std::string who =
        fmt::format("{}{}", fmt::join(jobs, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
    out += t == kNever
               ? fmt::format("cannot start beside what is reserved: {}\n", who)
               : fmt::format("cannot end before nodes are reserved or under maintenance, so not before {}: {}\n",
                             instant_text(base, t), who);
  }
  return out;
}

/// How far was looked, where that is less than was wanted.
std::string cut_text(const Forecast& f) {
  if (!f.cut) return "";
  return fmt::format("simulated {} ahead, as far as a minute of a processor goes for all simulations; --horizon DAYS "
                     "looks further\n",
                     span_text(f.state.now, later(f.state.now, f.options.horizon), f.options.horizon));
}

std::string correction_text(const Forecast& f) {
  if (f.no_time) return "not corrected by earlier instants, which would take too long: --past 5 simulates some\n";
  if (f.options.past == 0 && !f.cannot_correct) return "";
  if (f.corrected_by == 0)
    return "intervals are as simulated: the history has no waits by which they could be corrected, or is no longer "
           "than the waits\n";
  return fmt::format("starts are corrected by what forecasts at {} would have said\n",
                     counted(static_cast<std::int64_t>(f.corrected_by), "earlier instant"));
}

}  // namespace

std::string forecast_table(const ForecastBase& base, const Forecast& f, const ForecastNames& names, std::size_t most,
                           bool colour) {
  std::string text = head_line(base, f);
  const std::string interval = fmt::format("{:g} % from", 100 * f.options.level);
  Table table({{"job", false},
               {"user", false},
               {"partition", false},
               {"nodes"},
               {"waited"},
               {"median", true, "starts in"},
               {interval, true, "starts in"},
               {"to", true, "starts in"},
               {"within 1 h", true, "chance"},
               {"today", true, "chance"},
               {"place"}});
  const Time now = f.state.now;
  const auto span = [&](Time from, Time to) { return span_text(from, to, f.options.horizon); };
  std::size_t shown = 0;
  for (const JobForecast& said : f.jobs) {
    if (most != 0 && shown++ == most) break;
    const Job& job = base.workload.jobs[said.job];
    const JobNames called = names_of_job(base, names, said.job);
    const auto starts = [&](Time t) { return span_text(now, t, looked_at(f, said)); };
    table.add_row({called.id, called.user, called.partition, grouped(nodes_of_job(base, job)), span(job.submit, now),
                   starts(said.median), starts(said.low), starts(said.high),
                   fmt::format("{:.0f} %", 100 * said.within_hour), fmt::format("{:.0f} %", 100 * said.today),
                   readable(said.position)});
  }
  if (!f.jobs.empty()) text += "\n" + table.render(TableStyle::kBox, colour);
  if (most != 0 && f.jobs.size() > most) text += fmt::format("and {} more\n", f.jobs.size() - most);
  text += held_text(base, f, names) + kept_text(base, f, names) + kept_off_text(base, f, names) + cut_text(f);
  if (!f.jobs.empty()) text += correction_text(f);
  if (f.history < 10 && !f.jobs.empty())
    text += fmt::format("run times are drawn from {} only: they are unreliable\n",
                        counted(static_cast<std::int64_t>(f.history), "ended job"));
  return text;
}

std::string forecast_csv(const ForecastBase& base, const Forecast& f, const ForecastNames& names) {
  std::string out =
      "id,user,partition,nodes,processes,submitted,waited,earliest,median,low,high,within_1h,today,position\n";
  const Time now = f.state.now;
  const auto seconds = [&](Time t) { return t == kNever ? std::string() : format_seconds(t - now); };
  for (const JobForecast& said : f.jobs) {
    const Job& job = base.workload.jobs[said.job];
    const JobNames called = names_of_job(base, names, said.job);
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g}\n", csv_field(called.id),
                       csv_field(called.user), csv_field(called.partition), nodes_of_job(base, job), job.size,
                       format_seconds(job.submit.time_since_epoch()), format_seconds(now - job.submit),
                       seconds(said.earliest), seconds(said.median), seconds(said.low), seconds(said.high),
                       said.within_hour, said.today, said.position);
  }
  return out;
}

std::string forecast_json(const ForecastBase& base, const Forecast& f, const ForecastNames& names) {
  const Time now = f.state.now;
  Value out = Value::table();
  out.set("now", to_seconds(now));
  if (trace_clock(base.workload.header)) out.set("date", instant_text(base, now));
  out.set("runs", f.options.runs);
  out.set("horizon", to_seconds(f.options.horizon));
  out.set("seed", f.options.seed);
  out.set("interval", f.options.level);
  out.set("running", static_cast<std::int64_t>(f.state.count(KnownAs::kRunning)));
  out.set("ended", static_cast<std::int64_t>(f.history));
  out.set("arrivals", static_cast<std::int64_t>(f.expected));
  out.set("corrected_by", static_cast<std::int64_t>(f.corrected_by));
  Value::List jobs, held, kept;
  for (const JobForecast& said : f.jobs) {
    const Job& job = base.workload.jobs[said.job];
    const JobNames called = names_of_job(base, names, said.job);
    jobs.push_back(Value::table({{"id", called.id},
                                 {"user", called.user},
                                 {"partition", called.partition},
                                 {"nodes", nodes_of_job(base, job)},
                                 {"processes", std::int64_t{job.size}},
                                 {"submitted", to_seconds(job.submit)},
                                 {"waited", to_seconds(now - job.submit)},
                                 {"earliest", seconds_from(now, said.earliest)},
                                 {"median", seconds_from(now, said.median)},
                                 {"low", seconds_from(now, said.low)},
                                 {"high", seconds_from(now, said.high)},
                                 {"within_1h", said.within_hour},
                                 {"today", said.today},
                                 {"position", said.position}}));
  }
  for (JobIndex j = 0; j != f.state.jobs.size(); ++j) {
    if (f.state.jobs[j].as != KnownAs::kHeld) continue;
    held.push_back(Value::table({{"id", names_of_job(base, names, j).id}, {"reason", f.state.jobs[j].reason}}));
  }
  for (const NeverJob& one : f.never) held.push_back(Value::table({{"id", one.id}, {"reason", one.why}}));
  out.set("jobs", std::move(jobs));
  for (const JobIndex j : f.kept) kept.push_back(names_of_job(base, names, j).id);
  out.set("held", std::move(held));
  out.set("kept_beside_free_nodes", std::move(kept));
  return json_from_value(out) + "\n";
}

}  // namespace coslice

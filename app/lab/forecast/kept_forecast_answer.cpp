// Which jobs of a kept forecast a question is about, and the answer as a table.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "formats/slurm_fields.h"
#include "jobs/workload.h"
#include "lab/forecast/kept_forecast.h"
#include "report/markup.h"
#include "report/tables/table.h"

namespace coslice {
namespace {

Time instant(std::int64_t seconds) { return Time{whole_seconds(seconds)}; }

/// "2026-03-01 08:30:00", by the clock of the queue.
std::string date(std::int64_t seconds) { return date_text(TraceClock{}, instant(seconds)); }

/// "17" of "17_4" and "17+1", whose other parts are elements of an array and components of a job.
std::string whole_of(const std::string& id) { return id.substr(0, id.find_first_of("_+")); }

bool is_id(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// The ids that the text stands for: an array's elements may be a range, "17_[1-3,7%2]", as squeue shows them.
std::vector<std::string> ids_of(const std::string& text) {
  const std::size_t open = text.find("_[");
  if (text.find('[') == std::string::npos) return {text};
  const auto tasks = open == std::string::npos ? std::nullopt : slurm_tasks(std::string_view(text).substr(open + 1));
  if (!tasks || !text.ends_with(']'))
    throw InputError({"--job " + text, 0, "is not a range of an array", "e.g. 1234_[1-3,7]"});
  std::vector<std::string> ids;
  for (const std::int64_t index : tasks->indices) ids.push_back(fmt::format("{}_{}", text.substr(0, open), index));
  return ids;
}

std::vector<std::string> distinct(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

class Chooser {
 public:
  Chooser(const KeptForecast& state, const std::string& name) : state_(state), name_(name) {
    for (std::size_t i = 0; i != state.jobs.size(); ++i) {
      const std::string& id = state.jobs[i].id;
      by_id_[id].push_back(i);
      if (const std::string whole = whole_of(id); whole != id) by_id_[whole].push_back(i);
    }
  }

  void job(const std::string& text) {
    if (!is_id(whole_of(text)))
      throw InputError({"--job " + text, 0, "is not the id of a job", "e.g. 1234, or 1234_7 of an array",
                        did_you_mean(text, all_ids())});
    bool any = false;
    for (const std::string& id : ids_of(text)) {
      const auto found = by_id_.find(id);
      if (found == by_id_.end()) continue;
      any = true;
      chosen_.insert(found->second.begin(), found->second.end());
    }
    if (!any) fail_job(text);
  }

  void user(const std::string& user) {
    const std::size_t before = chosen_.size();
    for (std::size_t i = 0; i != state_.jobs.size(); ++i)
      if (state_.jobs[i].user == user) chosen_.insert(i);
    if (chosen_.size() != before) return;
    std::vector<std::string> users;
    for (const KeptJob& job : state_.jobs) users.push_back(job.user);
    throw InputError({"--user " + user, 0, fmt::format("has no job in {}", name_), expected("a user whose job"),
                      did_you_mean(user, distinct(std::move(users)))});
  }

  void all_that_wait() {
    for (std::size_t i = 0; i != state_.jobs.size(); ++i)
      if (state_.jobs[i].as != KnownAs::kRunning) chosen_.insert(i);
  }

  std::vector<KeptJob> jobs() const {
    std::vector<KeptJob> out;
    for (std::size_t i = 0; i != state_.jobs.size(); ++i)
      if (chosen_.count(i) != 0) out.push_back(state_.jobs[i]);
    return out;
  }

 private:
  std::vector<std::string> all_ids() const {
    std::vector<std::string> ids;
    for (const KeptJob& job : state_.jobs) ids.push_back(job.id);
    return ids;
  }

  std::string expected(const char* who) const {
    return fmt::format("{} waited, was held or ran when the queue was looked at, at {}", who, date(state_.queue));
  }

  [[noreturn]] void fail_job(const std::string& text) const {
    const std::string whole = whole_of(text);
    std::vector<std::string> near;
    // Of an array that is there, only an element is wrong. Else numbers next to one another are other people's jobs: a
    // slip is worth a word, but what is likely comes first.
    for (const KeptJob& job : state_.jobs) {
      if (whole_of(job.id) == whole) near.push_back(job.id);
    }
    std::string hint;
    if (!near.empty()) {
      const bool many = near.size() > kNamed;
      if (many) near.resize(kNamed);
      hint = fmt::format("of {} it has {}{}", whole, fmt::join(near, ", "), many ? " and more" : "");
    } else if (const std::string meant = misspelt_name(text, all_ids()); !meant.empty()) {
      hint = fmt::format("did you mean '{}'?", meant);
    }
    throw InputError({"--job " + text, 0, fmt::format("is not in {}", name_), expected("a job that"),
                      fmt::format("it has ended, came later, or can never run there: `squeue --jobs {}` tells{}{}",
                                  whole, hint.empty() ? "" : "; ", hint)});
  }

  static constexpr std::size_t kNamed = 5;
  const KeptForecast& state_;
  const std::string& name_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_id_;
  std::unordered_set<std::size_t> chosen_;
};

std::string state_text(const KeptJob& job) {
  return job.reason.empty() || job.reason == "None" ? known_as_name(job.as)
                                                    : fmt::format("{} ({})", known_as_name(job.as), job.reason);
}

}  // namespace

std::vector<KeptJob> jobs_asked_for(const KeptForecast& state, const ForecastQuestion& question,
                                    const std::string& name) {
  Chooser chooser(state, name);
  for (const std::string& id : question.jobs) chooser.job(id);
  for (const std::string& user : question.users) chooser.user(user);
  if (question.jobs.empty() && question.users.empty()) chooser.all_that_wait();
  return chooser.jobs();
}

std::string forecast_answer_table(const KeptForecast& state, const std::vector<KeptJob>& jobs, std::int64_t asked,
                                  std::size_t most, bool colour) {
  const std::string corrected = state.calibration.corrected_by == 0
                                    ? std::string("as simulated")
                                    : "corrected by " + counted(state.calibration.corrected_by, "earlier instant");
  std::string text = fmt::format("queue of {}, {} ago; {}, {}\n", date(state.queue),
                                 human_duration(whole_seconds(std::max<std::int64_t>(asked - state.queue, 0))),
                                 counted(state.calibration.runs, "simulation"), corrected);
  Table table({{"job", false},
               {"user", false},
               {"account", false},
               {"partition", false},
               {"state", false},
               {"nodes"},
               {"median", true, "starts in"},
               {fmt::format("{:g} % from", 100 * state.interval), true, "starts in"},
               {"to", true, "starts in"},
               {"start", false}});
  const auto span = [&](const KeptJob& job, const std::optional<std::int64_t>& t) {
    if (job.as != KnownAs::kWaiting) return std::string();
    const std::int64_t seen = std::max(state.queue + state.horizon, job.earliest.value_or(state.queue));
    return span_text(instant(asked), t ? instant(*t) : kNever, whole_seconds(std::max<std::int64_t>(seen - asked, 0)));
  };
  std::size_t shown = 0;
  for (const KeptJob& job : jobs) {
    if (most != 0 && shown++ == most) break;
    const std::optional<std::int64_t>& start = job.as == KnownAs::kRunning ? job.started : job.median;
    table.add_row({job.id, job.user, job.account, job.partition, state_text(job), grouped(job.nodes),
                   span(job, job.median), span(job, job.low), span(job, job.high), start ? date(*start) : ""});
  }
  if (jobs.empty()) return text + "no job waits\n";
  text += "\n" + table.render(TableStyle::kBox, colour);
  if (most != 0 && jobs.size() > most) text += fmt::format("and {} more\n", jobs.size() - most);
  return text;
}

}  // namespace coslice

#include "cli/site/kept_forecast.h"

#include <chrono>

#include <fmt/format.h>

#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "core/error.h"
#include "jobs/workload.h"
#include "lab/forecast/forecast_state.h"
#include "report/tables/terminal.h"
#include "scenario/text_file.h"

namespace coslice::cli {
namespace {

/// Clocks of two machines may differ by so much.
constexpr std::int64_t kClocksDiffer = 60;

std::string span(std::int64_t seconds) { return human_duration(whole_seconds(seconds)); }

/// An answer of long ago looks like any other one.
void check_age(const KeptQuestion& question, const ForecastState& state, std::int64_t asked) {
  const std::int64_t age = asked - state.queue;
  const std::string looked_at =
      fmt::format("the queue was looked at at {}", date_text(TraceClock{}, Time{whole_seconds(state.queue)}));
  if (question.max_age && age > *question.max_age / whole_seconds(1))
    throw InputError({question.file, 0, fmt::format("is {} old: {}", span(age), looked_at),
                      fmt::format("{} at most (--max-age)", human_duration(*question.max_age)),
                      "see whether what makes it still runs"});
  if (age > state.valid)
    report_warning(fmt::format("{} is {} old, and was good for {}: {}; jobs have started and come since", question.file,
                               span(age), span(state.valid), looked_at));
  if (age < -kClocksDiffer)
    report_warning(fmt::format("{}: {}, which is {} from now; expected UTC: TZ=UTC for squeue, sacct and --now",
                               question.file, looked_at, span(-age)));
}

}  // namespace

std::int64_t seconds_by_the_clock() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void answer(const KeptQuestion& question) {
  require_file(question.file);
  const ForecastState state = forecast_state_from_json(read_text_file(question.file, "kept forecast"), question.file);
  const std::int64_t asked = question.now.value_or(seconds_by_the_clock());
  check_age(question, state, asked);
  const std::vector<KeptJob> jobs = jobs_asked_for(state, {question.jobs, question.users}, question.file);
  print(question.json ? forecast_answer_json(state, jobs, asked)
                      : forecast_answer_table(state, jobs, asked, question.lines, wants_colour(stdout)));
}

}  // namespace coslice::cli

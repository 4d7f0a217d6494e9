#include "lab/forecast/kept_forecast.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/record_json.h"
#include "output/summary_json.h"

namespace coslice {
namespace {

const RecordFormat kKeptFormat{"coslice forecast 1", "a kept forecast", "what `coslice forecast --out` writes",
                               "make it anew with `coslice forecast SITE --queue FILE --out FILE`"};

std::int64_t nearest_second(Duration d) { return std::llround(to_seconds(d)); }

/// What the clocks of this program can count with: about a year before 1970 to 2160; spans and counts are below it,
/// too.
constexpr std::int64_t kEarliest = -31'536'000, kLatest = 6'000'000'000;

template <class S, class Field>
Codec<S> instant(Field field) {
  return codec::integer<S>(field, kEarliest, kLatest);
}

template <class S, class Field>
Codec<S> count(Field field) {
  return codec::integer<S>(field, 0, kLatest);
}

constexpr std::array kStates = {KnownAs::kWaiting, KnownAs::kHeld, KnownAs::kRunning};

Codec<KeptJob> state_of_job() {
  std::vector<std::string> names;
  for (const KnownAs as : kStates) names.emplace_back(known_as_name(as));
  const std::string words = codec::choice_words(names);
  return {
      words,
      [=](KeptJob& j, const Value& v, const std::string& p) { j.as = kStates[codec::read_choice(v, p, words, names)]; },
      [](const KeptJob& j) { return std::optional<Value>(known_as_name(j.as)); }};
}

Codec<KeptJob> of_running(Codec<KeptJob> c) {
  return codec::where<KeptJob>([](const KeptJob& j) { return j.as == KnownAs::kRunning; }, std::move(c));
}

Codec<KeptJob> of_waiting(Codec<KeptJob> c) {
  return codec::where<KeptJob>([](const KeptJob& j) { return j.as == KnownAs::kWaiting; }, std::move(c));
}

#define FIELD(member) COSLICE_FIELD(KeptJob, member)
const std::vector<Key<KeptJob>>& job_keys() {
  using S = KeptJob;
  using codec::nullable, codec::number, codec::any_text;
  static const std::vector<Key<S>> keys = {
      {"id", any_text<S>(FIELD(id)), "", true},
      {"user", any_text<S>(FIELD(user)), ""},
      {"account", any_text<S>(FIELD(account)), ""},
      {"partition", any_text<S>(FIELD(partition)), ""},
      {"state", state_of_job(), "", true},
      {"reason", any_text<S>(FIELD(reason)), ""},
      {"nodes", count<S>(FIELD(nodes)), "", true},
      {"submitted", instant<S>(FIELD(submitted)), "", true},
      {"started", of_running(nullable(instant<S>(FIELD(started)))), ""},
      {"earliest", of_waiting(instant<S>(FIELD(earliest))), ""},
      {"median", of_waiting(nullable(instant<S>(FIELD(median)))), ""},
      {"low", of_waiting(nullable(instant<S>(FIELD(low)))), ""},
      {"high", of_waiting(nullable(instant<S>(FIELD(high)))), ""},
      {"within_1h", of_waiting(number<S>(FIELD(within_hour))), ""},
      {"today", of_waiting(number<S>(FIELD(today))), ""},
  };
  return keys;
}
#undef FIELD

#define FIELD(member) COSLICE_FIELD(KeptCalibration, member)
std::vector<Key<KeptCalibration>> calibration_keys() {
  using S = KeptCalibration;
  return {{"runs", count<S>(FIELD(runs)), "", true},
          {"ended", count<S>(FIELD(ended)), "", true},
          {"corrected_by", count<S>(FIELD(corrected_by)), "", true}};
}
#undef FIELD

#define FIELD(member) COSLICE_FIELD(KeptForecast, member)
const std::vector<Key<KeptForecast>>& forecast_keys() {
  using S = KeptForecast;
  static const std::vector<Key<S>> keys = {
      {"queue", instant<S>(FIELD(queue)), "", true},
      {"made", instant<S>(FIELD(made)), "", true},
      {"valid", count<S>(FIELD(valid)), "", true},
      {"horizon", count<S>(FIELD(horizon)), "", true},
      {"interval", codec::real<S>(FIELD(interval), Range{0, 1}), "", true},
      {"calibration", codec::table_of<S>(FIELD(calibration), calibration_keys()), "", true},
      {"jobs", codec::records<S>(FIELD(jobs), job_keys()), "", true},
  };
  return keys;
}
#undef FIELD

}  // namespace

const char* known_as_name(KnownAs as) {
  if (as == KnownAs::kRunning) return "running";
  return as == KnownAs::kHeld ? "held" : "waiting";
}

KeptForecast state_of_forecast(const ForecastBase& base, const Forecast& f, const ForecastNames& names) {
  KeptForecast out;
  const std::int64_t origin = base.workload.header.unix_start_time;
  const auto instant = [&](Time t) { return origin + nearest_second(t.time_since_epoch()); };
  const auto instant_or_none = [&](Time t) { return t == kNever ? std::nullopt : std::optional(instant(t)); };
  out.queue = instant(f.state.now);
  out.horizon = nearest_second(f.options.horizon);
  out.interval = f.options.level;
  out.calibration = {f.options.runs, static_cast<std::int64_t>(f.history), static_cast<std::int64_t>(f.corrected_by)};
  const auto kept = [&](JobIndex j) {
    const Job& job = base.workload.jobs[j];
    const KnownJob& known = f.state.jobs[j];
    const JobNames called = names_of_job(base, names, j);
    KeptJob k;
    k.id = called.id;
    k.user = called.user;
    k.account = called.account;
    k.partition = called.partition;
    k.as = known.as;
    if (k.as != KnownAs::kRunning) k.reason = known.reason;
    k.nodes = nodes_of_job(base, job);
    k.submitted = instant(job.submit);
    if (k.as == KnownAs::kRunning) k.started = instant_or_none(known.start);
    return k;
  };
  for (const JobForecast& said : f.jobs) {
    KeptJob k = kept(said.job);
    if (said.earliest > f.state.now) k.earliest = instant_or_none(said.earliest);
    k.median = instant_or_none(said.median);
    k.low = instant_or_none(said.low);
    k.high = instant_or_none(said.high);
    k.within_hour = codec::with_digits(said.within_hour, 4);
    k.today = codec::with_digits(said.today, 4);
    out.jobs.push_back(std::move(k));
  }
  for (const KnownAs as : {KnownAs::kHeld, KnownAs::kRunning})
    for (JobIndex j = 0; j != f.state.jobs.size(); ++j)
      if (f.state.jobs[j].as == as) out.jobs.push_back(kept(j));
  return out;
}

std::string kept_forecast_json(const KeptForecast& state) {
  return record_json(kKeptFormat, write_record(forecast_keys(), state));
}

KeptForecast kept_forecast_from_json(const std::string& text, const std::string& name) {
  return record_from_json(kKeptFormat, forecast_keys(), text, name);
}

std::string forecast_answer_json(const KeptForecast& state, const std::vector<KeptJob>& jobs, std::int64_t asked) {
  KeptForecast answer = state;
  answer.jobs = jobs;
  Value out = write_record(forecast_keys(), answer);
  const std::int64_t age = asked - state.queue;
  out.set("asked", asked);
  out.set("age", age);
  out.set("old", age > state.valid);
  for (std::size_t i = 0; i != jobs.size(); ++i) {
    if (jobs[i].as != KnownAs::kWaiting) continue;
    const auto starts_in = [&](std::int64_t start) { return Value(std::max<std::int64_t>(start - asked, 0)); };
    (*out.find("jobs")->list())[i].set("starts_in", jobs[i].median ? starts_in(*jobs[i].median) : Value());
  }
  return json_from_value(out) + "\n";
}

}  // namespace coslice

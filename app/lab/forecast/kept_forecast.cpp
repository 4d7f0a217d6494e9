#include "lab/forecast/kept_forecast.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace coslice {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kKind = "coslice forecast ", kFormat = "coslice forecast 1";
constexpr const char* kExpected = "what `coslice forecast --out` writes";
constexpr const char* kMakeAnew = "make it anew with `coslice forecast SITE --queue FILE --out FILE`";

std::int64_t nearest_second(Duration d) { return std::llround(to_seconds(d)); }

double rounded(double x) { return std::round(x * 1e4) / 1e4; }

OrderedJson instant_or_null(const std::optional<std::int64_t>& t) { return t ? OrderedJson(*t) : OrderedJson(nullptr); }

/// What is wrong with a value that is there.
struct WrongValue {
  std::string what;
};

/// What the clocks of this program can count with: about a year before 1970 to 2160; spans and counts are below it,
/// too.
constexpr std::int64_t kEarliest = -31'536'000, kLatest = 6'000'000'000;

std::int64_t whole_in(const OrderedJson& at, const char* key, std::int64_t low = 0) {
  const OrderedJson& v = at.at(key);
  if (!v.is_number_integer()) throw WrongValue{fmt::format("'{}' is not a whole number", key)};
  const bool large = v.is_number_unsigned() && v.get<std::uint64_t>() > static_cast<std::uint64_t>(kLatest);
  if (large || v.get<std::int64_t>() < low) throw WrongValue{fmt::format("'{}' is out of range", key)};
  return v.get<std::int64_t>();
}

std::optional<std::int64_t> instant_in(const OrderedJson& at, const char* key) {
  return at.at(key).is_null() ? std::nullopt : std::optional(whole_in(at, key, kEarliest));
}

OrderedJson json_of(const KeptJob& job) {
  OrderedJson out = {{"id", job.id},
                     {"user", job.user},
                     {"account", job.account},
                     {"partition", job.partition},
                     {"state", known_as_name(job.as)},
                     {"reason", job.reason},
                     {"nodes", job.nodes},
                     {"submitted", job.submitted}};
  if (job.as == KnownAs::kRunning) out["started"] = instant_or_null(job.started);
  if (job.as != KnownAs::kWaiting) return out;
  if (job.earliest) out["earliest"] = *job.earliest;
  out["median"] = instant_or_null(job.median);
  out["low"] = instant_or_null(job.low);
  out["high"] = instant_or_null(job.high);
  out["within_1h"] = rounded(job.within_hour);
  out["today"] = rounded(job.today);
  return out;
}

OrderedJson head_of(const KeptForecast& s) {
  return {{"format", kFormat},
          {"queue", s.queue},
          {"made", s.made},
          {"valid", s.valid},
          {"horizon", s.horizon},
          {"interval", s.interval},
          {"calibration", {{"runs", s.runs}, {"ended", s.ended}, {"corrected_by", s.corrected_by}}}};
}

std::string line_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

KnownAs known_as_of(const std::string& name) {
  for (const KnownAs as : {KnownAs::kWaiting, KnownAs::kHeld, KnownAs::kRunning})
    if (name == known_as_name(as)) return as;
  throw WrongValue{fmt::format("there is no state '{}'", name)};
}

KeptJob job_of(const OrderedJson& json) {
  KeptJob job;
  job.id = json.at("id");
  job.user = json.at("user");
  job.account = json.at("account");
  job.partition = json.at("partition");
  job.as = known_as_of(json.at("state"));
  job.reason = json.at("reason");
  job.nodes = whole_in(json, "nodes");
  job.submitted = whole_in(json, "submitted", kEarliest);
  if (job.as == KnownAs::kRunning) job.started = instant_in(json, "started");
  if (job.as != KnownAs::kWaiting) return job;
  if (json.contains("earliest")) job.earliest = instant_in(json, "earliest");
  job.median = instant_in(json, "median");
  job.low = instant_in(json, "low");
  job.high = instant_in(json, "high");
  job.within_hour = json.at("within_1h");
  job.today = json.at("today");
  return job;
}

/// What nlohmann says, without its own name and number: "[json.exception.type_error.302] type must be string, but is
/// null".
std::string said_by(const nlohmann::json::exception& e) {
  const std::string text = e.what();
  const auto bracket = text.find("] ");
  return bracket == std::string::npos ? text : text.substr(bracket + 2);
}

/// Throws InputError for another kind of file, and with another message for one of another version.
void check_format(const OrderedJson& json, const std::string& name) {
  const std::string format = json.at("format");
  if (format == kFormat) return;
  if (format.rfind(kKind, 0) != 0) throw InputError({name, 0, fmt::format("is of the format '{}'", format), kExpected});
  throw InputError({name, 0, fmt::format("is of the format '{}'", format),
                    fmt::format("'{}', which this version of coslice writes", kFormat), kMakeAnew});
}

KeptJob job_at(const OrderedJson& jobs, std::size_t i, const std::string& name) {
  const auto fail = [&](const std::string& problem) {
    throw InputError({name, 0, fmt::format("job {} of its list: {}", i + 1, problem), kExpected, kMakeAnew});
  };
  try {
    return job_of(jobs[i]);
  } catch (const WrongValue& e) {
    fail(e.what);
  } catch (const nlohmann::json::exception& e) {
    fail(said_by(e));
  }
  return {};
}

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
  out.runs = f.options.runs;
  out.ended = static_cast<std::int64_t>(f.history);
  out.corrected_by = static_cast<std::int64_t>(f.corrected_by);
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
    k.within_hour = said.within_hour;
    k.today = said.today;
    out.jobs.push_back(std::move(k));
  }
  for (const KnownAs as : {KnownAs::kHeld, KnownAs::kRunning})
    for (JobIndex j = 0; j != f.state.jobs.size(); ++j)
      if (f.state.jobs[j].as == as) out.jobs.push_back(kept(j));
  return out;
}

std::string kept_forecast_json(const KeptForecast& state) {
  std::string out = line_of(head_of(state));
  out.back() = ',';
  out += "\"jobs\":[";
  for (std::size_t i = 0; i != state.jobs.size(); ++i) out += (i == 0 ? "\n" : ",\n") + line_of(json_of(state.jobs[i]));
  return out + "\n]}\n";
}

KeptForecast kept_forecast_from_json(const std::string& text, const std::string& name) {
  try {
    const OrderedJson json = OrderedJson::parse(text);
    check_format(json, name);
    KeptForecast s;
    s.queue = whole_in(json, "queue", kEarliest);
    s.made = whole_in(json, "made", kEarliest);
    s.valid = whole_in(json, "valid");
    s.horizon = whole_in(json, "horizon");
    s.interval = json.at("interval");
    const OrderedJson& calibration = json.at("calibration");
    s.runs = whole_in(calibration, "runs");
    s.ended = whole_in(calibration, "ended");
    s.corrected_by = whole_in(calibration, "corrected_by");
    const OrderedJson& jobs = json.at("jobs");
    if (!jobs.is_array()) throw WrongValue{"'jobs' is not a list"};
    for (std::size_t i = 0; i != jobs.size(); ++i) s.jobs.push_back(job_at(jobs, i, name));
    return s;
  } catch (const nlohmann::json::parse_error& e) {
    const auto to = std::min(text.size(), std::max<std::size_t>(e.byte, 1) - 1);
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(to), '\n') + 1;
    throw InputError({name, static_cast<int>(line), "is not JSON, or is cut off", kExpected, kMakeAnew});
  } catch (const WrongValue& e) {
    throw InputError({name, 0, fmt::format("is not a kept forecast: {}", e.what), kExpected, kMakeAnew});
  } catch (const nlohmann::json::exception& e) {
    throw InputError({name, 0, fmt::format("is not a kept forecast: {}", said_by(e)), kExpected, kMakeAnew});
  }
}

std::string forecast_answer_json(const KeptForecast& state, const std::vector<KeptJob>& jobs, std::int64_t asked) {
  OrderedJson out = head_of(state);
  out.erase("format");
  const std::int64_t age = asked - state.queue;
  out["asked"] = asked;
  out["age"] = age;
  out["old"] = age > state.valid;
  out["jobs"] = OrderedJson::array();
  for (const KeptJob& job : jobs) {
    OrderedJson j = json_of(job);
    if (job.as == KnownAs::kWaiting)
      j["starts_in"] = job.median ? OrderedJson(std::max<std::int64_t>(*job.median - asked, 0)) : OrderedJson(nullptr);
    out["jobs"].push_back(std::move(j));
  }
  return line_of(out) + "\n";
}

}  // namespace coslice

#include "batsim/messages.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace coslice::batsim {
namespace {

using nlohmann::json;
using What = Decision::What;

constexpr std::size_t kMostShown = 60;
constexpr std::size_t kDeepest = 32;

std::string shown(const json& v) {
  return printable(shortened(v.dump(-1, ' ', false, json::error_handler_t::replace), kMostShown));
}

/// Numbers of jobs and the like, as messages show them.
std::string shown_name(const std::string& name) { return printable(shortened(name, kMostShown)); }

const json& member(const json& object, const char* name, const char* of) {
  const auto at = object.find(name);
  if (at == object.end()) throw BadAnswer(fmt::format("{} has no '{}'", of, name));
  return *at;
}

const json& object_in(const json& object, const char* name, const char* of) {
  const json& v = member(object, name, of);
  if (!v.is_object()) throw BadAnswer(fmt::format("'{}' of {} is {}; expected an object", name, of, shown(v)));
  return v;
}

std::string text_in(const json& object, const char* name, const char* of) {
  const json& v = member(object, name, of);
  if (!v.is_string()) throw BadAnswer(fmt::format("'{}' of {} is {}; expected a text", name, of, shown(v)));
  return v.get<std::string>();
}

double number_in(const json& object, const char* name, const char* of) {
  const json& v = member(object, name, of);
  const double x = v.is_number() ? v.get<double>() : NAN;
  if (!(std::abs(x) <= kMaxSubmitSeconds))
    throw BadAnswer(fmt::format("'{}' of {} is {}; expected seconds", name, of, shown(v)));
  return x;
}

/// The instant that a message calls `x`, not before `now`: seconds in doubles are not exact to the nanosecond.
Time instant(double x, Time now, const char* what) {
  const double at = seconds_of(now);
  if (x == at) return now;
  const double slack = 1e-6 + 1e-12 * std::abs(at);
  if (x < at - slack) throw BadAnswer(fmt::format("{} {} s lies in the past", what, x));
  return std::max(now, at_seconds(x));
}

struct Type {
  const char* name;
  What what;
};
constexpr Type kTypes[] = {
    {"EXECUTE_JOB", What::kExecute},
    {"REJECT_JOB", What::kReject},
    {"KILL_JOB", What::kKill},
    {"CALL_ME_LATER", What::kCallMeLater},
    {"SET_RESOURCE_STATE", What::kSetState},
    {"QUERY", What::kQueryEnergy},
    {"NOTIFY", What::kNotify},
    {"SET_JOB_METADATA", What::kSetMetadata},
    {"REGISTER_JOB", What::kRegister},
    {"REGISTER_PROFILE", What::kRegister},
};

void read_job(const json& data, Decision& d) {
  d.jobs = {text_in(data, "job_id", "data")};
  d.name += " of job " + shown_name(d.jobs.front());
}

void read_kill(const json& data, Decision& d) {
  const json& ids = member(data, "job_ids", "data");
  if (!ids.is_array()) throw BadAnswer(fmt::format("'job_ids' is {}; expected a list", shown(ids)));
  for (const json& id : ids) {
    if (!id.is_string()) throw BadAnswer(fmt::format("'job_ids' has {}; expected texts", shown(id)));
    d.jobs.push_back(id.get<std::string>());
  }
  if (d.jobs.empty()) throw BadAnswer("'job_ids' is empty");
  d.name += fmt::format(" of {} {}", d.jobs.size() == 1 ? "job" : "jobs, among them", shown_name(d.jobs.front()));
}

void read_query(const json& data) {
  const json& requests = object_in(data, "requests", "data");
  if (requests.size() != 1 || !requests.contains("consumed_energy"))
    throw BadAnswer(fmt::format("it asks for {}; only \"consumed_energy\" is answered", shown(requests)));
}

void read_notification(const json& data, Decision& d) {
  const std::string type = text_in(data, "type", "data");
  d.name += " " + shown_name(type);
  if (type != "continue_registration" && type != "registration_finished")
    throw BadAnswer("expected registration_finished or continue_registration");
}

void read_data(const json& data, Time now, Decision& d) {
  switch (d.what) {
    case What::kExecute:
      read_job(data, d);
      d.nodes = read_nodes(text_in(data, "alloc", "data"), INT32_MAX);
      if (data.contains("additional_io_job")) throw BadAnswer("'additional_io_job' is not supported");
      break;
    case What::kReject: read_job(data, d); break;
    case What::kKill: read_kill(data, d); break;
    case What::kCallMeLater: d.call = instant(number_in(data, "timestamp", "data"), now, "the call at"); break;
    case What::kQueryEnergy: read_query(data); break;
    case What::kNotify: read_notification(data, d); break;
    case What::kSetState:
      d.nodes = read_nodes(text_in(data, "resources", "data"), INT32_MAX);
      d.state = text_in(data, "state", "data");
      d.name += fmt::format(" of nodes {}", shown_name(d.nodes.str()));
      break;
    case What::kSetMetadata: read_job(data, d); break;
    case What::kRegister: throw BadAnswer("jobs are those of the scenario; a scheduler cannot register others");
  }
}

Decision read_decision(const json& event, std::size_t number, Time now) {
  Decision d;
  d.number = number;
  d.name = "which has no type";
  try {
    if (!event.is_object()) throw BadAnswer(fmt::format("is {}; expected an object", shown(event)));
    const std::string type = text_in(event, "type", "the event");
    d.name = shown_name(type);
    const auto* const known = std::ranges::find(kTypes, type, [](const Type& t) { return std::string_view(t.name); });
    if (known == std::end(kTypes)) throw BadAnswer("is no event that is understood");
    d.what = known->what;
    d.at = instant(number_in(event, "timestamp", "the event"), now, "its timestamp");
    read_data(object_in(event, "data", "the event"), now, d);
  } catch (const BadAnswer& e) {
    throw BadAnswer(fmt::format("event {}, {}: {}", number, d.name, e.what()));
  }
  return d;
}

/// What is nested without end would be too much for whatever goes through it level by level.
void check_depth(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    else if (quoted) i += c == '\\' ? 1 : 0;
    else if (c == '[' || c == '{') ++depth;
    else if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > kDeepest) throw BadAnswer(fmt::format("it is nested more than {} deep", kDeepest));
  }
}

/// The first event beyond `now` of its message, or before the one ahead of it.
void check_order(const Answer& answer) {
  Time last{};
  for (const Decision& d : answer.decisions) {
    if (d.at > answer.now) throw BadAnswer(fmt::format("event {}, {}, is later than 'now'", d.number, d.name));
    if (d.at < last) throw BadAnswer(fmt::format("event {}, {}, is earlier than the one before it", d.number, d.name));
    last = d.at;
  }
}

}  // namespace

double seconds_of(Time t) { return to_seconds(t); }

NodeRanges read_nodes(std::string_view text, std::int32_t count) {
  const std::string all(shortened(text, kMostShown));
  const auto wrong = [&](const char* what) {
    throw BadAnswer(fmt::format("the nodes \"{}\" {}", printable(all), what));
  };
  std::vector<NodeRange> ranges;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    std::string_view part = take_before(text, ' ');
    const auto first = take_number<NodeId>(part);
    std::optional<NodeId> last = first;
    if (take_char(part, '-')) last = take_number<NodeId>(part);
    if (!first || !last || !part.empty() || *first < 0 || *last < *first) wrong("are no list such as \"0-3 5\"");
    if (*last >= count) wrong(fmt::format("have one that is not there: there are {}, from 0 on", count).c_str());
    ranges.push_back({*first, *last});
  }
  if (ranges.empty()) wrong("are none");
  std::ranges::sort(ranges, {}, &NodeRange::first);
  NodeRanges out;
  for (std::size_t i = 0; i != ranges.size(); ++i) {
    if (i != 0 && ranges[i].first <= ranges[i - 1].last) wrong("have one twice");
    out.append(ranges[i].first, ranges[i].last);
  }
  return out;
}

Answer read_answer(std::string_view text, Time now) {
  check_depth(text);
  const json answer = json::parse(text, nullptr, false);
  if (answer.is_discarded())
    throw BadAnswer(fmt::format("it is not JSON: \"{}\"", printable(shortened(text, kMostShown))));
  if (!answer.is_object()) throw BadAnswer(fmt::format("it is {}; expected an object", shown(answer)));
  const json& events = member(answer, "events", "the answer");
  if (!events.is_array()) throw BadAnswer(fmt::format("'events' is {}; expected a list", shown(events)));
  Answer out;
  out.now = instant(number_in(answer, "now", "the answer"), now, "'now',");
  std::size_t number = 0;
  for (const json& event : events) out.decisions.push_back(read_decision(event, ++number, now));
  check_order(out);
  return out;
}

struct Message::Event {
  Time at;
  const char* type;
  json data;
  const char* of_nodes = nullptr;  ///< the type of a notification about nodes
  NodeRanges nodes{};
};

Message::Message() = default;
Message::~Message() = default;

void Message::add(Time at, const char* type, json data) { events_.push_back({at, type, std::move(data)}); }

void Message::add_nodes(Time at, const char* notify_type, NodeId node) {
  const bool joins = !events_.empty() && events_.back().at == at && events_.back().of_nodes == notify_type;
  if (!joins) events_.push_back({at, "NOTIFY", json::object(), notify_type});
  events_.back().nodes = together(events_.back().nodes, as_ranges({node}));
}

std::string Message::take(Time now) {
  json events = json::array();
  for (Event& e : events_) {
    if (e.of_nodes != nullptr) e.data = {{"type", e.of_nodes}, {"resources", e.nodes.str()}};
    events.push_back({{"timestamp", seconds_of(e.at)}, {"type", e.type}, {"data", std::move(e.data)}});
  }
  events_.clear();
  return json{{"now", seconds_of(now)}, {"events", std::move(events)}}.dump(-1, ' ', false,
                                                                            json::error_handler_t::replace);
}

}  // namespace coslice::batsim

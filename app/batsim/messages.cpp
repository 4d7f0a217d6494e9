#include "batsim/messages.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"

namespace coslice::batsim {
namespace {

constexpr std::size_t kDeepest = 32;

/// Reads the members of an object, as its declaration lists them.
class Reader {
 public:
  /// `called` is the object in messages: "data", "'job'".
  Reader(const Json& object, std::string called) : object_(object), called_(std::move(called)) {}

  template <class T>
  void operator()(const char* name, T& value) {
    const auto at = object_.find(name);
    if (at == object_.end()) throw BadMessage(fmt::format("{} has no '{}'", called_, name));
    read(name, *at, value);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    const auto at = object_.find(name);
    value.reset();
    if (at == object_.end() || at->is_null()) return;
    read(name, *at, value.emplace());
  }
  /// Where it is not there, the value stays as it is.
  template <class T>
  void maybe(const char* name, T& value) {
    const auto at = object_.find(name);
    if (at != object_.end() && !at->is_null()) read(name, *at, value);
  }
  /// What the protocol does not know may be anything; it is taken where it is a number of ours.
  void hint(const char* name, std::optional<std::int32_t>& value) {
    const auto at = object_.find(name);
    const double x = at != object_.end() && at->is_number() ? at->get<double>() : NAN;
    value.reset();
    if (x == std::floor(x) && std::abs(x) <= INT32_MAX) value = static_cast<std::int32_t>(x);
  }
  /// Nobody here wants to know it.
  template <class T>
  void constant(const char*, const T&) {}
  void never(const char* name) {
    if (object_.contains(name)) throw BadMessage(fmt::format("'{}' is not supported", name));
  }

 private:
  [[noreturn]] void is_no(const char* name, const Json& v, const char* expected) const {
    throw BadMessage(fmt::format("'{}' of {} is {}; expected {}", name, called_, shown_value(v), expected));
  }
  void read(const char* name, const Json& v, std::string& out) const {
    if (!v.is_string()) is_no(name, v, "a text");
    out = v.get<std::string>();
  }
  void read(const char* name, const Json& v, bool& out) const {
    if (!v.is_boolean()) is_no(name, v, "true or false");
    out = v.get<bool>();
  }
  void read(const char* name, const Json& v, double& out) const {
    out = v.is_number() ? v.get<double>() : NAN;
    if (!(std::abs(out) <= kMaxSubmitSeconds)) is_no(name, v, "seconds");
  }
  /// Some write whole numbers as 4.0.
  template <class Whole>
  void read_whole(const char* name, const Json& v, Whole& out) const {
    const double x = v.is_number() ? v.get<double>() : NAN;
    constexpr double kMost = sizeof(Whole) == 8 ? 9e15 : double{INT32_MAX};
    if (!(std::abs(x) <= kMost) || x != std::floor(x)) is_no(name, v, "a whole number");
    out = static_cast<Whole>(x);
  }
  void read(const char* name, const Json& v, std::int32_t& out) const { read_whole(name, v, out); }
  void read(const char* name, const Json& v, std::int64_t& out) const { read_whole(name, v, out); }
  void read(const char* name, const Json& v, NodeRanges& out) const {
    if (!v.is_string()) is_no(name, v, "a text");
    out = read_nodes(v.get_ref<const std::string&>(), INT32_MAX);
  }
  void read(const char* name, const Json& v, Object& out) const {
    if (!v.is_object()) is_no(name, v, "an object");
    out.value = v;
  }
  template <class T>
  void read(const char* name, const Json& v, std::vector<T>& out) const {
    if (!v.is_array()) is_no(name, v, "a list");
    out.clear();
    for (const Json& one : v) read(name, one, out.emplace_back());
  }
  template <class Declared>
  void read(const char* name, const Json& v, Declared& out) const {
    if (!v.is_object()) is_no(name, v, "an object");
    Reader reader(v, fmt::format("'{}'", name));
    out.fields(reader);
  }

  const Json& object_;
  std::string called_;
};

/// Writes them.
class Writer {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    object_[name] = written(value);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    if (value) object_[name] = written(*value);
  }
  template <class T>
  void maybe(const char* name, T& value) {
    object_[name] = written(value);
  }
  void hint(const char* name, std::optional<std::int32_t>& value) { (*this)(name, value); }
  template <class T>
  void constant(const char* name, T& value) {
    object_[name] = written(value);
  }
  void never(const char*) {}
  Json take() { return std::move(object_); }

 private:
  static Json written(Json& v) { return std::move(v); }
  static Json written(std::string& v) { return std::move(v); }
  static Json written(bool v) { return v; }
  static Json written(double v) { return v; }
  static Json written(std::int32_t v) { return v; }
  static Json written(std::int64_t v) { return v; }
  static Json written(NodeRanges& v) { return v.str(); }
  static Json written(Object& v) { return std::move(v.value); }
  template <class T>
  static Json written(std::vector<T>& list) {
    Json out = Json::array();
    for (T& one : list) out.push_back(written(one));
    return out;
  }
  template <class Declared>
  static Json written(Declared& v) {
    Writer writer;
    v.fields(writer);
    return writer.take();
  }

  Json object_ = Json::object();
};

/// Makes the event of that type; false if none has it.
template <class Says, std::size_t I = 0>
bool begin_event(const std::string& type, Says& out) {
  if constexpr (I == std::variant_size_v<Says>) {
    return false;
  } else {
    using One = std::variant_alternative_t<I, Says>;
    if (type != One::kType) return begin_event<Says, I + 1>(type, out);
    out.template emplace<One>();
    return true;
  }
}

const Json& member(const Json& object, const char* name, const char* of) {
  const auto at = object.find(name);
  if (at == object.end()) throw BadMessage(fmt::format("{} has no '{}'", of, name));
  return *at;
}

double seconds_of_member(const Json& object, const char* name, const char* of) {
  const Json& v = member(object, name, of);
  const double x = v.is_number() ? v.get<double>() : NAN;
  if (!(std::abs(x) <= kMaxSubmitSeconds))
    throw BadMessage(fmt::format("'{}' of {} is {}; expected seconds", name, of, shown_value(v)));
  return x;
}

/// A scheduler decides nothing about the past. What Batsim says happened since its last message.
template <class Says>
Time read_timestamp(double x, Time asked, Time now) {
  if (std::is_same_v<Says, SchedulerSays>) return instant_of(x, asked, "its timestamp");
  return x < seconds_of(now) ? std::min(at_seconds(x), now) : instant_of(x, now, "its timestamp");
}

/// Of a message that was asked for at `asked` and is of `now`.
template <class Says>
void read_event(const Json& event, Time asked, Time now, Heard<Says>& out) {
  out.name = "which has no type";
  if (!event.is_object()) throw BadMessage(fmt::format("is {}; expected an object", shown_value(event)));
  const Json& type = member(event, "type", "the event");
  if (!type.is_string()) throw BadMessage(fmt::format("'type' of the event is {}; expected a text", shown_value(type)));
  out.name = shown_text(type.get<std::string>());
  if (!begin_event(type.get<std::string>(), out.what)) throw BadMessage("is no event that is understood");
  out.at = read_timestamp<Says>(seconds_of_member(event, "timestamp", "the event"), asked, now);
  static const Json kNothing = Json::object();  // of events that say nothing but their type
  const auto found = event.find("data");
  if (found == event.end() && std::is_same_v<Says, SchedulerSays>) throw BadMessage("the event has no 'data'");
  const Json& data = found == event.end() || found->is_null() ? kNothing : *found;
  if (!data.is_object())
    throw BadMessage(fmt::format("'data' of the event is {}; expected an object", shown_value(data)));
  std::visit(
      [&](auto& what) {
        const std::string type_name = out.name;
        const auto name = [&] { out.name = type_name + what.of(); };
        try {
          Reader reader(data, "data");
          what.fields(reader);
        } catch (const BadMessage&) {
          name();
          throw;
        }
        name();
      },
      out.what);
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
    if (depth > kDeepest) throw BadMessage(fmt::format("it is nested more than {} deep", kDeepest));
  }
}

/// The first event beyond `now` of its message, or before the one ahead of it.
template <class Says>
void check_order(const HeardMessage<Says>& message) {
  Time last = Time::min();
  for (const Heard<Says>& e : message.events) {
    if (e.at > message.now) throw BadMessage(fmt::format("event {}, {}, is later than 'now'", e.number, e.name));
    if (e.at < last) throw BadMessage(fmt::format("event {}, {}, is earlier than the one before it", e.number, e.name));
    last = e.at;
  }
}

}  // namespace

double seconds_of(Time t) { return to_seconds(t); }

/// Some print times with three decimals or with six digits: what they mean is the present, and Batsim takes it so.
Time instant_of(double x, Time now, const char* what) {
  const double at = seconds_of(now);
  if (x == at) return now;
  const double slack = 1e-3 + 5e-6 * std::abs(at);
  if (x < at - slack) throw BadMessage(fmt::format("{} {} s lies in the past", what, x));
  return std::max(now, at_seconds(x));
}

NodeRanges read_nodes(std::string_view text, std::int32_t count) {
  const std::string all = shown_text(std::string(text));
  const auto wrong = [&](const char* what) { throw BadMessage(fmt::format("the nodes \"{}\" {}", all, what)); };
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

template <class Says>
HeardMessage<Says> read_message(std::string_view text, Time now) {
  constexpr bool kAnswer = std::is_same_v<Says, SchedulerSays>;
  const char* const called = kAnswer ? "the answer" : "the message";
  check_depth(text);
  const Json message = Json::parse(text, nullptr, false);
  if (message.is_discarded())
    throw BadMessage(fmt::format("it is not JSON: \"{}\"", shown_text(std::string(text.substr(0, 200)))));
  if (!message.is_object()) throw BadMessage(fmt::format("it is {}; expected an object", shown_value(message)));
  const Json& events = member(message, "events", called);
  if (!events.is_array()) throw BadMessage(fmt::format("'events' is {}; expected a list", shown_value(events)));
  HeardMessage<Says> out;
  out.seconds = seconds_of_member(message, "now", called);
  out.now = instant_of(out.seconds, now, "'now',");
  for (const Json& event : events) {
    Heard<Says>& heard = out.events.emplace_back();
    heard.number = out.events.size();
    try {
      read_event(event, now, out.now, heard);
    } catch (const BadMessage& e) {
      throw BadMessage(fmt::format("event {}, {}: {}", heard.number, heard.name, e.what()));
    }
  }
  check_order(out);
  return out;
}

template <class Says>
std::string Message<Says>::take(Time now, double seconds) {
  Json events = Json::array();
  for (Event& e : events_)
    std::visit(
        [&](auto& what) {
          Writer writer;
          what.fields(writer);
          const double at = e.at == now ? seconds : seconds_of(e.at);
          events.push_back({{"timestamp", at}, {"type", what.kType}, {"data", writer.take()}});
        },
        e.what);
  events_.clear();
  return Json{{"now", seconds}, {"events", std::move(events)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template HeardMessage<SchedulerSays> read_message(std::string_view, Time);
template HeardMessage<BatsimSays> read_message(std::string_view, Time);
template std::string Message<SchedulerSays>::take(Time, double);
template std::string Message<BatsimSays>::take(Time, double);

void add_node(Message<BatsimSays>& message, Time at, const char* notify_type, NodeId node) {
  Notify* const last = message.last() != nullptr ? std::get_if<Notify>(message.last()) : nullptr;
  const bool joins = last != nullptr && last->nodes && last->type == notify_type && message.last_at() == at;
  Notify& said =
      joins ? *last : (message.add(at, Notify{notify_type, NodeRanges{}}), std::get<Notify>(*message.last()));
  said.nodes = together(*said.nodes, as_ranges({node}));
}

}  // namespace coslice::batsim

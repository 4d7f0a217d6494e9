#include "scenario/jobs/change_workload.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "jobs/elasticity.h"
#include "jobs/workload.h"
#include "scenario/key_tables.h"

namespace coslice {
namespace {

constexpr std::int64_t kMaxNumber = 2'000'000'000;
constexpr double kMostHours = 24;
const char* const kMissingWords = "\"run-time\", seconds, { factor = a number of at least 1 } or { partitions = { "
                                  "NUMBER = seconds, others = seconds } }";

const Range kSpan{0, kMaxSeconds, true};

void read_partitions(MissingLimits& out, const Value& table, const std::string& path) {
  const std::string words = "a table of seconds by numbers of partitions, and 'others'";
  if (!table.is_table() || table.members()->empty()) codec::wrong(table, path, words);
  for (const Member& m : *table.members()) {
    const std::string where = path + "." + m.key;
    const Duration limit = codec::read_seconds(m.value, where, codec::real_words("seconds", kSpan), kSpan);
    if (m.key == "others") {
      out.others = limit;
      continue;
    }
    const auto number = parse_number<std::int32_t>(m.key);
    if (!number || *number < 0) unknown_key(m.value, path, m.key, {"others"});
    out.partitions[*number] = limit;
  }
}

std::optional<Value> missing_limits_value(const std::optional<MissingLimits>& m) {
  if (!m) return std::nullopt;
  Value table = Value::table();
  switch (m->rule) {
    case MissingLimits::Rule::kRunTime: return Value("run-time");
    case MissingLimits::Rule::kFixed: return codec::seconds_value(m->fixed);
    case MissingLimits::Rule::kFactor: table.set("factor", m->factor); return table;
    case MissingLimits::Rule::kPartition: break;
  }
  Value partitions = Value::table();
  for (const auto& [number, limit] : m->partitions) partitions.set(std::to_string(number), codec::seconds_value(limit));
  if (m->others) partitions.set("others", codec::seconds_value(*m->others));
  table.set("partitions", std::move(partitions));
  return table;
}

Codec<Scenario> missing_limits() {
  return {
      kMissingWords,
      [](Scenario& s, const Value& v, const std::string& p) { s.workload.missing_limits = read_missing_limits(v, p); },
      [](const Scenario& s) { return missing_limits_value(s.workload.missing_limits); }};
}

/// Numbers, or a single one; -1 is what is not known.
template <class Field>
Codec<Scenario> numbers(Field field) {
  const std::string one = codec::integer_words(-1, kMaxNumber), words = "a list of whole numbers from -1 on";
  return {words,
          [=](Scenario& s, const Value& v, const std::string& p) {
            const Value::List list = v.list() != nullptr ? *v.list() : Value::List{v};
            if (list.empty()) codec::wrong(v, p, words + ", not an empty one");
            std::vector<std::int32_t> out;
            for (const Value& item : list)
              out.push_back(static_cast<std::int32_t>(codec::read_integer(item, p, one, -1, kMaxNumber)));
            field(s) = std::move(out);
          },
          [=](const Scenario& s) -> std::optional<Value> {
            const auto& content = field(const_cast<Scenario&>(s));
            if (content.empty()) return std::nullopt;
            Value::List list;
            for (const std::int32_t n : content) list.push_back(Value(std::int64_t{n}));
            return Value(std::move(list));
          }};
}

/// Two values [from, to] of a kind; `read` and `write` are for one of them.
template <class T, class Field, class Read, class Write>
Codec<Scenario> pair_of(Field field, const std::string& words, Read read, Write write) {
  return {words,
          [=](Scenario& s, const Value& v, const std::string& p) {
            if (v.list() == nullptr || v.list()->size() != 2) codec::wrong(v, p, words);
            const T from = read((*v.list())[0], p + "[1]"), to = read((*v.list())[1], p + "[2]");
            field(s) = std::array<T, 2>{from, to};
          },
          [=](const Scenario& s) -> std::optional<Value> {
            const auto& content = field(const_cast<Scenario&>(s));
            if (!content) return std::nullopt;
            return Value(Value::List{write((*content)[0]), write((*content)[1])});
          }};
}

/// Of two whole numbers or two texts: whether the first comes later.
bool after(const Value& a, const Value& b) {
  if (a.integer() != nullptr) return *a.integer() > *b.integer();
  return *a.text() > *b.text();
}

/// The same, and the first must be below the second, or equal to it where `equal`.
Codec<Scenario> in_order(const Codec<Scenario>& c, bool equal) {
  Codec<Scenario> checked = c;
  checked.read = [=](Scenario& s, const Value& v, const std::string& p) {
    c.read(s, v, p);
    const Value written = *c.write(s);
    const Value &from = (*written.list())[0], &to = (*written.list())[1];
    if (after(from, to) || (!equal && !after(to, from))) codec::wrong(v, p, c.type);
  };
  return checked;
}

template <class Field>
Codec<Scenario> sizes(Field field) {
  const std::string one = codec::integer_words(1, kMaxNumber);
  return in_order(
      pair_of<std::int64_t>(
          field, "[from, to] in processes, both within",
          [=](const Value& v, const std::string& p) { return codec::read_integer(v, p, one, 1, kMaxNumber); },
          [](std::int64_t n) { return Value(n); }),
      true);
}

template <class Field>
Codec<Scenario> hours(Field field) {
  const Range range{0, kMostHours};
  const std::string one = codec::real_words("hours", range), words = "[from, to] in hours of the day";
  Codec<Scenario> c = pair_of<double>(
      field, words, [=](const Value& v, const std::string& p) { return codec::read_real(v, p, one, range); },
      [](double h) { return Value(h); });
  c.read = [read = c.read, field, words](Scenario& s, const Value& v, const std::string& p) {
    read(s, v, p);
    if ((*field(s))[0] == (*field(s))[1]) codec::wrong(v, p, words + ", with different ends");
  };
  return c;
}

template <class Field>
Codec<Scenario> dates(Field field) {
  const std::string one = "a date such as \"2026-03-01\" or \"2026-03-01T08:30\"";
  Codec<Scenario> c = pair_of<std::int64_t>(
      field, "[from, to], two dates such as \"2026-03-01\" or \"2026-03-01T08:30\", from before to",
      [=](const Value& v, const std::string& p) {
        const auto seconds = calendar_seconds(codec::read_text(v, p, one));
        if (!seconds) codec::wrong(v, p, one);
        return *seconds;
      },
      [](std::int64_t t) { return Value(calendar_text(t)); });
  return in_order(c, false);  // the texts stand in the order of the dates
}

/// The conditions of one of the two selections.
std::vector<Key<Scenario>> selection_keys(const std::string& table, Selection WorkloadSpec::*which) {
#define SELECTION(member)                                                                                              \
  [which](Scenario & s) -> auto& { return (s.workload.*which).member; }
  Key<Scenario> keys[] = {
      {table + ".users", numbers(SELECTION(users)), "Users. -1 is what the log does not say, in all of these lists."},
      {table + ".groups", numbers(SELECTION(groups)), "Groups."},
      {table + ".executables", numbers(SELECTION(executables)), "Applications."},
      {table + ".queues", numbers(SELECTION(queues)), "Queues."},
      {table + ".partitions", numbers(SELECTION(partitions)), "Partitions."},
      {table + ".statuses", numbers(SELECTION(statuses)),
       "How jobs ended: 1 completed, 0 failed, 5 cancelled (SWF field 11)."},
      {table + ".sizes", sizes(SELECTION(sizes)), "Sizes."},
      {table + ".runtimes", codec::interval<Scenario>(SELECTION(runtimes)), "Run times, below `to`."},
      {table + ".hours", hours(SELECTION(hours)),
       "Time of day of the submission, before `to`; over midnight where `from` is above `to`. Local time of the log's "
       "begin, by UnixStartTime, StartTime and TimeZone in its header."},
      {table + ".dates", dates(SELECTION(dates)),
       "Time of the submission, before `to`, on the calendar of the log: it must have UnixStartTime."},
  };
  return moved(keys);
#undef SELECTION
}

}  // namespace

MissingLimits read_missing_limits(const Value& v, const std::string& path) {
  MissingLimits out;
  if (v.text() != nullptr) {
    codec::read_choice(v, path, kMissingWords, {"run-time"});
  } else if (v.is_table()) {
    const Value *factor = v.find("factor"), *partitions = v.find("partitions");
    for (const Member& m : *v.members())
      if (m.key != "factor" && m.key != "partitions") unknown_key(m.value, path, m.key, {"factor", "partitions"});
    if ((factor == nullptr) == (partitions == nullptr)) codec::wrong(v, path, kMissingWords);
    const Range range{1, 1e6};
    out.rule = factor != nullptr ? MissingLimits::Rule::kFactor : MissingLimits::Rule::kPartition;
    if (factor != nullptr)
      out.factor = codec::read_real(*factor, path + ".factor", codec::real_words("a number", range), range);
    else read_partitions(out, *partitions, path + ".partitions");
  } else {
    out.rule = MissingLimits::Rule::kFixed;
    out.fixed = codec::read_seconds(v, path, kMissingWords, kSpan);
  }
  return out;
}

namespace {

Codec<Scenario> date_at_0() {
  Codec<Scenario> c;
  const std::string words = "a date such as \"2026-03-01\" or \"2026-03-01T08:30\", after 1970";
  c.type = words;
  c.read = [words](Scenario& s, const Value& v, const std::string& p) {
    const auto seconds = calendar_seconds(codec::read_text(v, p, words));
    if (!seconds || *seconds <= 0) codec::wrong(v, p, words);
    s.workload.date = *seconds;
  };
  c.write = [](const Scenario& s) {
    return s.workload.date ? std::optional<Value>(Value(calendar_text(*s.workload.date))) : std::nullopt;
  };
  return c;
}

Codec<Scenario> changes() {
  Codec<Scenario> c = codec::text<Scenario>(COSLICE_FIELD(Scenario, workload.elastic.changes));
  c.read = [read = c.read](Scenario& s, const Value& v, const std::string& p) {
    read(s, v, p);
    try {
      elasticity_of_text(s.workload.elastic.changes);
    } catch (const InputError& e) {
      codec::wrong(v, p, e.diagnostic().expected);
    }
  };
  return c;
}

/// How jobs become elastic that do not say it themselves.
std::vector<Key<Scenario>> elastic_keys() {
  using T = Scenario;
  Key<Scenario> keys[] = {
      {"workload.elastic.share", codec::real<T>(COSLICE_FIELD(T, workload.elastic.share), {0, 1}),
       "The part of the jobs that may change their nodes while they run ([elastic.md](elastic.md)), drawn with the "
       "seed: "
       "those of a smaller share are among those of a larger one. Jobs with `sizes` keep theirs."},
      {"workload.elastic.smallest", codec::real<T>(COSLICE_FIELD(T, workload.elastic.smallest), {0, 1, true}),
       "Their fewest nodes, in parts of those that the job asks for; at least 1."},
      {"workload.elastic.largest", codec::real<T>(COSLICE_FIELD(T, workload.elastic.largest), {1, 100000}),
       "Their most nodes, likewise; at most those of the machine."},
      {"workload.elastic.efficiency", codec::real<T>(COSLICE_FIELD(T, workload.elastic.efficiency), {0, 1, true}),
       "Their speedup over their nodes with the nodes that they ask for, which by Amdahl's law says how fast they are "
       "with others; of a job of one node, with two."},
      {"workload.elastic.changes", changes(),
       "Where they may change and at what cost, as `elastic` of a job says it: `\"any cost 10\"`, `\"steps 20\"`."},
  };
  return moved(keys);
}

}  // namespace

std::vector<Key<Scenario>> with_workload_changes(std::vector<Key<Scenario>> keys) {
  using T = Scenario;
  insert_before(
      keys, "workload.first",
      {{"workload.date", date_at_0(),
        "Date and time of day at second 0, where the workload has none: for `view:clock()`, hours of slices and dates "
        "in tables."},
       {"workload.job_script", codec::path<T>(COSLICE_FIELD(T, workload.job_script)),
        "A Lua file whose function sees each job and gives it back, changed or as it is, leaves it out, or makes "
        "several of it; see `[workload.job_params]`."},
       {"workload.missing_limit", missing_limits(),
        "What stands in for a limit that the log does not have: the run time (the default, with a warning, because a "
        "policy that plans with it knows the future), this many seconds, the run time times a factor, or the limit of "
        "the job's partition. Never less than the run time."}});
  std::vector<Key<Scenario>> last = {
      {"workload.target_load", codec::real<T>(COSLICE_FIELD(T, workload.target_load), {0, 100, true}),
       "Offered load on the scenario's machine, instead of `load_factor`: presses the arrivals together or pulls them "
       "apart, after everything else. What jobs ask for times their run times / (what the machine has times the time "
       "from the first submission to the last): of all its cores, hardware threads as well, however many of them "
       "`engine.processes_per_node` lets jobs have (0.93 of nodes with two threads is 1.86 of these nodes with a "
       "process "
       "on each); where nodes differ, of the scarcest of cores, memory, GPUs, a type of GPUs and licences. `coslice "
       "run` "
       "says which and both loads."}};
  for (auto& k : elastic_keys()) last.push_back(std::move(k));
  for (auto& k : selection_keys("workload.keep", &WorkloadSpec::keep)) last.push_back(std::move(k));
  for (auto& k : selection_keys("workload.drop", &WorkloadSpec::drop)) last.push_back(std::move(k));
  last.push_back({"workload.job_params", codec::free_table<T>(COSLICE_FIELD(T, workload.job_params)), "Free keys."});
  insert_before(keys, "workload.lublin.jobs", std::move(last));
  return keys;
}

}  // namespace coslice

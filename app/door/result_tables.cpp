#include "door/result_tables.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"
#include "output/jobs_csv.h"

namespace coslice::door {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Columns that some runs have and that are numbers; the others of these are texts.
const std::set<std::string, std::less<>> kWholeNumbers = {"preemptions",        "interruptions", "suspensions",
                                                          "processes_per_node", "groups",        "switches"};
const std::set<std::string, std::less<>> kNumbers = {"overhead", "lost_work", "boot", "suspended"};

/// The double nearest to the exact decimal, also where nanoseconds do not fit into one.
double exact_seconds(Duration d) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (d.count() > -kExact && d.count() < kExact) return static_cast<double>(d.count()) / 1e9;
  const std::int64_t whole = d.count() / kNsPerSecond;
  if (d.count() % kNsPerSecond == 0) return static_cast<double>(whole);
  return static_cast<double>(static_cast<long double>(d.count()) / 1e9L);
}
double exact_seconds(Time t) { return exact_seconds(t.time_since_epoch()); }

bool has_started(const Outcome& o) { return o.start != kNever && o.state != FinalState::kRejected; }
bool has_ended(const Outcome& o) { return o.end != kNever && o.state != FinalState::kRejected; }

/// The first line that a writer of CSV writes.
struct FirstBlock {
  std::string text;
};

std::string header_of(const RunResult& result, const MetricsOptions& options) {
  try {
    write_jobs_csv(result, options, [](std::string_view block) { throw FirstBlock{std::string(block)}; });
  } catch (const FirstBlock& first) {
    return first.text.substr(0, first.text.find('\n'));
  }
  return "";
}

/// The fields of a row of CSV, as csv_field() writes them. `at` is where the row begins, then where the next one does.
std::vector<std::string> next_row(std::string_view csv, std::size_t& at) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  while (at < csv.size()) {
    const char c = csv[at++];
    if (quoted && c == '"' && at < csv.size() && csv[at] == '"') fields.back() += csv[at++];
    else if (c == '"') quoted = !quoted;
    else if (!quoted && c == ',') fields.emplace_back();
    else if (!quoted && c == '\n') break;
    else fields.back() += c;
  }
  return fields;
}

template <class Number>
Number number_in(const std::string& text, Number otherwise) {
  Number n = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

void append_field(ColumnData& to, const std::string& text) {
  switch (to.type) {
    case COSLICE_INT64: to.integers.push_back(number_in<std::int64_t>(text, -1)); break;
    case COSLICE_FLOAT64: to.reals.push_back(number_in<double>(text, kUnknown)); break;
    default: to.bytes += text; to.integers.push_back(static_cast<std::int64_t>(to.bytes.size()));
  }
}

coslice_column shown(const std::string& name, ColumnData& data) {
  coslice_column c{name.c_str(), data.type, nullptr, 0, nullptr, nullptr, 0};
  switch (data.type) {
    case COSLICE_INT64: c.data = data.integers.data(), c.length = data.integers.size(); break;
    case COSLICE_FLOAT64: c.data = data.reals.data(), c.length = data.reals.size(); break;
    case COSLICE_CODES:
      c.data = data.codes.data(), c.length = data.codes.size();
      data.name_texts.clear();
      for (const std::string& n : data.names) data.name_texts.push_back(n.c_str());
      c.names = data.name_texts.data(), c.name_count = data.names.size();
      break;
    default: c.data = data.bytes.data(), c.length = data.integers.size() - 1; c.offsets = data.integers.data();
  }
  return c;
}

void make_room(ColumnData& for_column, std::size_t rows) {
  switch (for_column.type) {
    case COSLICE_INT64: for_column.integers.resize(rows); break;
    case COSLICE_FLOAT64: for_column.reals.resize(rows); break;
    case COSLICE_CODES: for_column.codes.resize(rows); break;
    default: for_column.integers.reserve(rows + 1), for_column.integers.push_back(0);
  }
}

/// Rows that are made at once: what the engine knows of their jobs stays in a processor's cache meanwhile.
constexpr std::size_t kBlock = 4096;

}  // namespace

ResultTables::ResultTables(const RunResult& result, const MetricsOptions& options)
    : result_(result), options_(options), job_columns_(split(header_of(result, options), ',')) {
  add_batsim_columns();
  add_own_columns();
  add_columns_of_text();
  for (const std::string& name : job_columns_)
    if (makers_.count("jobs " + name) == 0) rest_.push_back(name);
  timeline_columns_ = {"time", "queue_length", "used_nodes", "used_cores"};
  if (result_.outages) timeline_columns_.emplace_back("available_nodes");
  add_timeline();
}

const std::vector<std::string>* ResultTables::columns(std::string_view table) const {
  if (table == "jobs") return &job_columns_;
  return table == "timeline" ? &timeline_columns_ : nullptr;
}

const std::vector<std::string>& ResultTables::required_columns(std::string_view table) const {
  const std::vector<std::string>* const names = columns(table);
  if (names == nullptr) throw InputError({std::string(table), 0, "is no table of a result", "'jobs' or 'timeline'"});
  return *names;
}

coslice_column ResultTables::column(std::string_view table, std::string_view name) {
  const std::vector<std::string>& names = required_columns(table);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) {
    throw InputError({"", 0, fmt::format("the table '{}' has no column '{}'", table, name),
                      fmt::format("one of {}", fmt::join(names, ", ")), did_you_mean(name, names)});
  }
  const std::string key = fmt::format("{} {}", table, name);
  make({key});
  return shown(*at, made_.at(key));
}

const std::vector<coslice_column>& ResultTables::all(std::string_view table, bool texts) {
  const std::vector<std::string>& names = required_columns(table);
  std::string all_key = fmt::format("{} {}", table, texts);
  if (const auto known = all_.find(all_key); known != all_.end()) return known->second;
  if (table == "jobs" && !rest_.empty()) make({"jobs " + rest_.front()});
  std::vector<std::string> keys;
  for (const std::string& name : names) {
    std::string key = fmt::format("{} {}", table, name);
    const auto maker = makers_.find(key);
    const coslice_type type = maker != makers_.end() ? maker->second.type : made_.at(key).type;
    if (texts || type != COSLICE_TEXT) keys.push_back(std::move(key));
  }
  make(keys);
  std::vector<coslice_column> all;
  for (const std::string& name : names)
    if (const auto at = made_.find(fmt::format("{} {}", table, name));
        at != made_.end() && (texts || at->second.type != COSLICE_TEXT))
      all.push_back(shown(name, at->second));
  return all_.emplace(std::move(all_key), std::move(all)).first->second;
}

/// Makes those of the columns, all of one table, that are not there yet.
void ResultTables::make(const std::vector<std::string>& keys) {
  std::map<std::string, ColumnData, std::less<>> fresh;
  std::vector<std::pair<const Maker*, ColumnData*>> missing;
  for (const std::string& key : keys) {
    if (made_.count(key) != 0) continue;
    const auto maker = makers_.find(key);
    if (maker == makers_.end()) {
      read_rest();
      continue;
    }
    ColumnData& to = fresh[key];
    to.type = maker->second.type;
    to.names = maker->second.names;
    missing.emplace_back(&maker->second, &to);
  }
  if (missing.empty()) return;
  const std::size_t rows = keys.front().starts_with("jobs ") ? result_.outcomes.size() : result_.timeline.size();
  for (const auto& [maker, to] : missing) make_room(*to, rows);
  for (std::size_t from = 0; from < rows; from += kBlock)
    for (const auto& [maker, to] : missing) maker->fill(*to, from, std::min(from + kBlock, rows));
  made_.merge(fresh);
}

/// `value` says what stands in a row; of a text, it appends it.
template <class Value>
void ResultTables::add(std::string table, const std::string& name, coslice_type type, Value value,
                       std::vector<std::string> names) {
  makers_.emplace(std::move(table) + " " + name,
                  Maker{type, std::move(names), [value](ColumnData& to, std::size_t from, std::size_t until) {
                          for (std::size_t row = from; row != until; ++row) value(to, row);
                        }});
}

template <class Value>
void ResultTables::add_real(const std::string& name, Value value) {
  add("jobs", name, COSLICE_FLOAT64, [value](ColumnData& to, std::size_t j) { to.reals[j] = value(j); });
}

template <class Value>
void ResultTables::add_whole(const std::string& name, Value value) {
  add("jobs", name, COSLICE_INT64, [value](ColumnData& to, std::size_t j) { to.integers[j] = value(j); });
}

void ResultTables::add_batsim_columns() {
  const RunResult& r = result_;
  const std::vector<Job>& jobs = r.workload->jobs;
  add_whole("job_id", [&](std::size_t j) { return jobs[j].id; });
  for (const char* const name : {"profile", "run_time"})
    add_real(name, [&](std::size_t j) { return exact_seconds(jobs[j].runtime); });
  add_real("submission_time", [&](std::size_t j) { return exact_seconds(r.submitted_at(j)); });
  add_whole("requested_number_of_resources", [&](std::size_t j) { return jobs[j].size; });
  add_real("requested_time", [&](std::size_t j) { return exact_seconds(jobs[j].limit); });
  add_whole("success", [&](std::size_t j) { return r.outcomes[j].state == FinalState::kCompleted ? 1 : 0; });
  // Of a job that has started and not ended, two times are known; of others, all or none.
  const auto once_ended = [&](const char* name, auto value) {
    add_real(name, [&r, value](std::size_t j) { return has_ended(r.outcomes[j]) ? value(j) : kUnknown; });
  };
  const auto once_started = [&](const char* name, auto value) {
    add_real(name, [&r, value](std::size_t j) {
      return has_ended(r.outcomes[j]) || has_started(r.outcomes[j]) ? value(j) : kUnknown;
    });
  };
  once_started("starting_time", [&](std::size_t j) { return exact_seconds(r.outcomes[j].start); });
  once_ended("execution_time", [&](std::size_t j) { return exact_seconds(r.outcomes[j].end - r.outcomes[j].start); });
  once_ended("finish_time", [&](std::size_t j) { return exact_seconds(r.outcomes[j].end); });
  once_started("waiting_time", [&](std::size_t j) { return exact_seconds(r.waited(j)); });
  once_ended("turnaround_time", [&](std::size_t j) { return exact_seconds(r.outcomes[j].end - r.submitted_at(j)); });
  once_ended("stretch", [&](std::size_t j) { return stretch(r, j); });
  once_ended("bounded_slowdown", [&, this](std::size_t j) { return bounded_slowdown(r, j, options_.bound); });
  add_real("consumed_energy",
           [&](std::size_t j) { return r.joules.empty() ? -1 : std::nearbyint(r.joules[j] * 1000) / 1000; });
}

void ResultTables::add_own_columns() {
  const RunResult& r = result_;
  add_whole("allocated_nodes", [&](std::size_t j) -> std::int64_t {
    const Outcome& o = r.outcomes[j];
    return has_started(o) && o.nodes.count != 0 ? r.archive.count(o.nodes) : -1;
  });
  for (const Attribute& a : kAttributes) {
    if (!a.has(Attribute::kColumn) || a.is_text()) continue;
    add_whole(std::string(a.name),
              [&](std::size_t j) { return std::max<std::int64_t>(-1, a.whole(r.workload->jobs[j])); });
  }
}

void ResultTables::add_timeline() {
  const RunResult& r = result_;
  const auto whole = [&](const char* name, auto value) {
    add("timeline", name, COSLICE_INT64, [value](ColumnData& to, std::size_t i) { to.integers[i] = value(i); });
  };
  add("timeline", "time", COSLICE_FLOAT64,
      [&](ColumnData& to, std::size_t i) { to.reals[i] = exact_seconds(r.timeline[i].time); });
  whole("queue_length", [&](std::size_t i) { return r.timeline[i].queue; });
  whole("used_nodes", [&](std::size_t i) { return r.timeline[i].used_nodes; });
  whole("used_cores", [&](std::size_t i) { return r.timeline[i].used_cores; });
  whole("available_nodes", [&](std::size_t i) { return r.machine.nodes - r.extras_at(i).down_nodes; });
}

void ResultTables::add_columns_of_text() {
  const RunResult& r = result_;
  const auto codes = [&](const char* name, std::vector<std::string> names, auto code) {
    add(
        "jobs", name, COSLICE_CODES, [code](ColumnData& to, std::size_t j) { to.codes[j] = code(j); },
        std::move(names));
  };
  codes("workload_name", {r.workload->name}, [](std::size_t) { return 0; });
  std::vector<std::string> classes;
  for (const JobClass& job_class : options_.classes) classes.push_back(job_class.name);
  classes.emplace_back("other");
  codes("job_class", std::move(classes), [this](std::size_t j) {
    return static_cast<std::int32_t>(class_of(result_.workload->jobs[j].runtime, options_.classes));
  });
  // SUBMITTED and RUNNING stand in the place of kNotRun.
  constexpr int kStates = static_cast<int>(FinalState::kWithdrawn) + 1;
  std::vector<std::string> states;
  for (int s = 0; s != kStates; ++s) states.emplace_back(batsim_state(static_cast<FinalState>(s)));
  states.front() = "SUBMITTED";
  states.emplace_back("RUNNING");
  codes("final_state", std::move(states), [&r](std::size_t j) -> std::int32_t {
    const Outcome& o = r.outcomes[j];
    return o.state == FinalState::kNotRun && o.start != kNever ? kStates : static_cast<std::int32_t>(o.state);
  });
  const auto texts = [&](const char* name, auto append) {
    add("jobs", name, COSLICE_TEXT, [append](ColumnData& to, std::size_t j) {
      append(to.bytes, j);
      to.integers.push_back(static_cast<std::int64_t>(to.bytes.size()));
    });
  };
  texts("allocated_resources", [&r](std::string& out, std::size_t j) {
    if (has_started(r.outcomes[j])) r.archive.get(r.outcomes[j].nodes).append_to(out);
  });
  texts("metadata", [](std::string&, std::size_t) {});
}

/// Columns that few runs have are read from the text of jobs.csv, so that nothing computes them twice.
void ResultTables::read_rest() {
  std::string csv;
  write_jobs_csv(result_, options_, sink_to(csv));
  std::map<std::string, ColumnData, std::less<>> fresh;
  std::vector<std::pair<std::size_t, ColumnData*>> wanted;
  for (std::size_t i = 0; i != job_columns_.size(); ++i) {
    const std::string& name = job_columns_[i];
    if (std::find(rest_.begin(), rest_.end(), name) == rest_.end()) continue;
    ColumnData& to = fresh["jobs " + name];
    to.type = kWholeNumbers.count(name) != 0 ? COSLICE_INT64
              : kNumbers.count(name) != 0    ? COSLICE_FLOAT64
                                             : COSLICE_TEXT;
    if (to.type == COSLICE_TEXT) to.integers.push_back(0);
    wanted.emplace_back(i, &to);
  }
  std::size_t at = csv.find('\n') + 1;
  while (at < csv.size()) {
    const std::vector<std::string> row = next_row(csv, at);
    for (const auto& [i, to] : wanted) append_field(*to, row[i]);
  }
  made_.merge(fresh);
}

}  // namespace coslice::door

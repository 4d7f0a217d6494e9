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
  const std::int64_t whole = d.count() / kNsPerSecond, rest = d.count() % kNsPerSecond;
  if (rest == 0) return static_cast<double>(whole);
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
}

const std::vector<std::string>* ResultTables::columns(std::string_view table) const {
  if (table == "jobs") return &job_columns_;
  return table == "timeline" ? &timeline_columns_ : nullptr;
}

coslice_column ResultTables::column(std::string_view table, std::string_view name) {
  const std::vector<std::string>* const names = columns(table);
  if (names == nullptr) throw InputError({std::string(table), 0, "is no table of a result", "'jobs' or 'timeline'"});
  const auto at = std::find(names->begin(), names->end(), name);
  if (at == names->end()) {
    throw InputError({"", 0, fmt::format("the table '{}' has no column '{}'", table, name),
                      fmt::format("one of {}", fmt::join(*names, ", ")), did_you_mean(name, *names)});
  }
  const std::string key = fmt::format("{} {}", table, name);
  auto found = made_.find(key);
  if (found == made_.end()) {
    if (const auto maker = makers_.find(key); maker != makers_.end()) {
      ColumnData fresh;
      maker->second(fresh);
      found = made_.emplace(key, std::move(fresh)).first;
    } else {
      read_rest();
      found = made_.find(key);
    }
  }
  return shown(*at, found->second);
}

void ResultTables::add(const std::string& name, Make make) { makers_.emplace("jobs " + name, std::move(make)); }

void ResultTables::each_job(ColumnData& to, const std::function<double(JobIndex)>& value) const {
  to.type = COSLICE_FLOAT64;
  to.reals.resize(result_.outcomes.size());
  for (JobIndex j = 0; j != to.reals.size(); ++j) to.reals[j] = value(j);
}

void ResultTables::each_number(ColumnData& to, const std::function<std::int64_t(JobIndex)>& value) const {
  to.type = COSLICE_INT64;
  to.integers.resize(result_.outcomes.size());
  for (JobIndex j = 0; j != to.integers.size(); ++j) to.integers[j] = value(j);
}

void ResultTables::add_batsim_columns() {
  const auto& r = result_;
  const auto& jobs = r.workload->jobs;
  add("job_id", [&](ColumnData& c) { each_number(c, [&](JobIndex j) { return jobs[j].id; }); });
  for (const char* const name : {"profile", "run_time"})
    add(name, [&](ColumnData& c) { each_job(c, [&](JobIndex j) { return exact_seconds(jobs[j].runtime); }); });
  add("submission_time",
      [&](ColumnData& c) { each_job(c, [&](JobIndex j) { return exact_seconds(r.submitted_at(j)); }); });
  add("requested_number_of_resources",
      [&](ColumnData& c) { each_number(c, [&](JobIndex j) { return jobs[j].size; }); });
  add("requested_time", [&](ColumnData& c) { each_job(c, [&](JobIndex j) { return exact_seconds(jobs[j].limit); }); });
  add("success", [&](ColumnData& c) {
    each_number(c, [&](JobIndex j) { return r.outcomes[j].state == FinalState::kCompleted ? 1 : 0; });
  });
  // Of a job that has started and not ended, two times are known; of others, all or none.
  const auto time = [&](const char* name, bool (*known)(const Outcome&), auto value) {
    add(name, [&, known, value](ColumnData& c) {
      each_job(c, [&](JobIndex j) { return known(r.outcomes[j]) ? value(j) : kUnknown; });
    });
  };
  const auto started_or_ended = [](const Outcome& o) { return has_ended(o) || has_started(o); };
  time("starting_time", started_or_ended, [&](JobIndex j) { return exact_seconds(r.outcomes[j].start); });
  time("execution_time", has_ended, [&](JobIndex j) { return exact_seconds(r.outcomes[j].end - r.outcomes[j].start); });
  time("finish_time", has_ended, [&](JobIndex j) { return exact_seconds(r.outcomes[j].end); });
  time("waiting_time", started_or_ended, [&](JobIndex j) { return exact_seconds(r.waited(j)); });
  time("turnaround_time", has_ended, [&](JobIndex j) { return exact_seconds(r.outcomes[j].end - r.submitted_at(j)); });
  time("stretch", has_ended, [&](JobIndex j) { return stretch(r, j); });
  time("bounded_slowdown", has_ended, [&](JobIndex j) { return bounded_slowdown(r, j, options_.bound); });
  add("consumed_energy", [&](ColumnData& c) {
    each_job(c, [&](JobIndex j) { return r.joules.empty() ? -1 : std::nearbyint(r.joules[j] * 1000) / 1000; });
  });
}

void ResultTables::add_own_columns() {
  const auto& r = result_;
  add("allocated_nodes", [&](ColumnData& c) {
    each_number(c, [&](JobIndex j) -> std::int64_t {
      const Outcome& o = r.outcomes[j];
      return has_started(o) && o.nodes.count != 0 ? r.archive.count(o.nodes) : -1;
    });
  });
  for (const Attribute& a : kAttributes) {
    if (!a.has(Attribute::kColumn) || a.is_text()) continue;
    add(std::string(a.name), [&](ColumnData& c) {
      each_number(c, [&](JobIndex j) { return std::max<std::int64_t>(-1, a.whole(r.workload->jobs[j])); });
    });
  }
  const auto timeline = [&](const char* name, std::int64_t (*value)(const RunResult&, std::size_t)) {
    makers_.emplace(std::string("timeline ") + name, [&r, value](ColumnData& c) {
      for (std::size_t i = 0; i != r.timeline.size(); ++i) c.integers.push_back(value(r, i));
    });
  };
  makers_.emplace("timeline time", [&r](ColumnData& c) {
    c.type = COSLICE_FLOAT64;
    for (const TimelinePoint& p : r.timeline) c.reals.push_back(exact_seconds(p.time));
  });
  timeline("queue_length", [](const RunResult& run, std::size_t i) -> std::int64_t { return run.timeline[i].queue; });
  timeline("used_nodes",
           [](const RunResult& run, std::size_t i) -> std::int64_t { return run.timeline[i].used_nodes; });
  timeline("used_cores", [](const RunResult& run, std::size_t i) { return run.timeline[i].used_cores; });
  timeline("available_nodes", [](const RunResult& run, std::size_t i) -> std::int64_t {
    return run.machine.nodes - run.extras_at(i).down_nodes;
  });
}

void ResultTables::add_columns_of_text() {
  const auto& r = result_;
  const auto codes = [&](const char* name, std::vector<std::string> names, auto code) {
    add(name, [&r, names = std::move(names), code](ColumnData& c) {
      c.type = COSLICE_CODES;
      c.names = names;
      c.codes.resize(r.outcomes.size());
      for (JobIndex j = 0; j != c.codes.size(); ++j) c.codes[j] = code(j);
    });
  };
  codes("workload_name", {r.workload->name}, [](JobIndex) { return 0; });
  std::vector<std::string> classes;
  for (const JobClass& job_class : options_.classes) classes.push_back(job_class.name);
  classes.emplace_back("other");
  codes("job_class", std::move(classes), [this](JobIndex j) {
    return static_cast<std::int32_t>(class_of(result_.workload->jobs[j].runtime, options_.classes));
  });
  // SUBMITTED and RUNNING stand in the place of kNotRun.
  constexpr int kStates = static_cast<int>(FinalState::kWithdrawn) + 1;
  std::vector<std::string> states;
  for (int s = 0; s != kStates; ++s) states.emplace_back(batsim_state(static_cast<FinalState>(s)));
  states.front() = "SUBMITTED";
  states.emplace_back("RUNNING");
  codes("final_state", std::move(states), [this](JobIndex j) -> std::int32_t {
    const Outcome& o = result_.outcomes[j];
    return o.state == FinalState::kNotRun && o.start != kNever ? kStates : static_cast<std::int32_t>(o.state);
  });
  const auto texts = [&](const char* name, auto append) {
    add(name, [&r, append](ColumnData& c) {
      c.type = COSLICE_TEXT;
      c.integers.push_back(0);
      for (JobIndex j = 0; j != r.outcomes.size(); ++j) {
        append(c.bytes, j);
        c.integers.push_back(static_cast<std::int64_t>(c.bytes.size()));
      }
    });
  };
  texts("allocated_resources", [&r](std::string& out, JobIndex j) {
    if (has_started(r.outcomes[j])) r.archive.get(r.outcomes[j].nodes).append_to(out);
  });
  texts("metadata", [](std::string&, JobIndex) {});
}

/// Columns that few runs have are read from the text of jobs.csv, so that nothing computes them twice.
void ResultTables::read_rest() {
  std::string csv;
  write_jobs_csv(result_, options_, sink_to(csv));
  std::vector<std::pair<std::size_t, ColumnData*>> wanted;
  for (std::size_t i = 0; i != job_columns_.size(); ++i) {
    const std::string& name = job_columns_[i];
    if (std::find(rest_.begin(), rest_.end(), name) == rest_.end()) continue;
    ColumnData& to = made_["jobs " + name];
    to = {};
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
}

}  // namespace coslice::door

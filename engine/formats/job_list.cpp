#include "formats/job_list.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "formats/json_text.h"
#include "formats/swf.h"
#include "formats/trace_file.h"
#include "jobs/literal_jobs.h"

namespace coslice {
namespace {

constexpr const char* kJobList = "a list of jobs";
constexpr std::string_view kListBlanks = " \t\r\n\"";

const std::vector<Key<JobSpec>>& list_keys() {
  static const std::vector<Key<JobSpec>> keys = [] {
    std::vector<Key<JobSpec>> all = attribute_keys();
    for (const Key<JobSpec>& k : job_spec_keys())
      if (k.name == "nodes") all.push_back(k);
    return all;
  }();
  return keys;
}

const Key<JobSpec>* key_of(std::string_view column) {
  const auto key = std::ranges::find_if(list_keys(), [&](const Key<JobSpec>& k) {
    return k.name == column || (!k.former.empty() && k.former == column);
  });
  return key == list_keys().end() ? nullptr : &*key;
}

/// A number of a name, which sites write as names.
bool is_name(const Attribute* attribute) {
  return attribute != nullptr && attribute->kind == Attribute::Kind::kNumber && !attribute->word.empty();
}

class JobListReader {
 public:
  explicit JobListReader(const std::string& file) : file_(file), source_(std::make_shared<Source>(Source{file, ""})) {}

  /// Begins a job, whose fields follow.
  void begin(int line) {
    row_ = Value::table();
    row_.place = {source_, line};
    partition_.clear();
  }
  /// Reads a field of the job. `whole` texts are none of numbers.
  void field(const std::string& column, Value said) {
    if (key_of(column) == nullptr) return other(column);
    said.place = row_.place;
    const Attribute* const attribute = find_attribute(column);
    if (is_name(attribute) && said.text() != nullptr) {
      if (column == "partition") partition_ = *said.text();
      said = Value(std::int64_t{names_[column].number(column, *said.text())});
      said.place = row_.place;
    }
    row_.set(column, std::move(said));
  }
  void end() {
    JobSpec spec;
    read_record(list_keys(), spec, row_, fmt::format("job {}", specs_.size() + 1));
    RecordedRequest request;
    request.nodes = spec.nodes;
    request.cpus = spec.nodes > 0 ? spec.nodes : spec.job.size;
    request.memory_kb = std::max<std::int64_t>(spec.job.requested_memory_kb, 0) * request.cpus;
    request.partition = partition_;
    if (spec.nodes > 0) request.exclusive = true;
    spec.job.request = static_cast<RequestId>(requests_.size());
    requests_.push_back(std::move(request));
    specs_.push_back(std::move(spec));
    lines_.push_back(row_.place.line);
  }

  RecordedWorkload finish() {
    if (specs_.empty()) throw InputError({file_, 0, "there is no job in it", "at least one"});
    if (const auto problem = literal_problem(specs_))
      throw InputError({file_, lines_[problem->index],
                        fmt::format("job {} {}", literal_job_id(specs_[problem->index], problem->index), problem->what),
                        problem->expected});
    RecordedWorkload recorded;
    recorded.workload = literal_workload(specs_, 1);
    recorded.workload.name = workload_name_of(file_);
    recorded.requests = std::move(requests_);
    for (const auto& [attribute, names] : names_) std::ranges::copy(names.all(), std::back_inserter(recorded.names));
    if (!others_.empty())
      recorded.workload.warnings.push_back(fmt::format("{}: columns that jobs do not have are left out: {}", file_,
                                                       printable(fmt::to_string(fmt::join(others_, ", ")))));
    return recorded;
  }

 private:
  /// A column that jobs do not have.
  void other(const std::string& column) {
    if (!others_.insert(column).second) return;
    std::vector<std::string> known;
    for (const Key<JobSpec>& k : list_keys()) known.push_back(k.name);
    if (const std::string meant = did_you_mean(column, known); !meant.empty())
      throw InputError({file_, row_.place.line, fmt::format("jobs have no column '{}'", printable(column)),
                        "a column of a list of jobs (docs/formats.md)", meant});
  }

  const std::string& file_;
  std::shared_ptr<const Source> source_;
  Value row_;
  std::string partition_;
  std::vector<JobSpec> specs_;
  std::vector<int> lines_;
  std::vector<RecordedRequest> requests_;
  std::map<std::string, NameNumbers> names_;
  std::set<std::string> others_;
};

Value value_of_cell(const std::string& column, std::string_view cell) {
  const Attribute* const attribute = find_attribute(column);
  if (attribute == nullptr || !attribute->is_text()) {
    if (const auto whole = parse_number<std::int64_t>(cell)) return Value(*whole);
    if (const auto real = parse_number<double>(cell); real && std::isfinite(*real)) return Value(*real);
  }
  return Value(std::string(cell));
}

void read_table(JobListReader& reader, std::string text, const std::string& file) {
  const CsvTable table(std::move(text), file, kJobList);
  const std::vector<std::string> columns(table.names().begin(), table.names().end());
  for (std::size_t row = 0; row != table.rows(); ++row) {
    reader.begin(table.line(row));
    for (std::size_t c = 0; c != columns.size(); ++c)
      if (const std::string_view cell = table.cell(row, c); !cell.empty())
        reader.field(columns[c], value_of_cell(columns[c], cell));
    reader.end();
  }
}

void read_objects(JobListReader& reader, std::string_view text, const std::string& file) {
  read_json_list(text, file, "", kJobList, [&](const nlohmann::json& object, int line) {
    reader.begin(line);
    for (const auto& [name, value] : object.items()) {
      if (value.is_number_integer()) reader.field(name, Value(value.get<std::int64_t>()));
      else if (value.is_number()) reader.field(name, Value(value.get<double>()));
      else if (value.is_string()) reader.field(name, Value(value.get<std::string>()));
      else if (!value.is_null())
        throw InputError({file, line, fmt::format("'{}' of a job is a list, a table or a flag", printable(name)),
                          "a number or a text"});
    }
    reader.end();
  });
}

bool is_json_list(std::string_view text) { return trimmed(text, kListBlanks).starts_with('['); }

}  // namespace

bool looks_like_job_list(std::string_view head) {
  const bool json = is_json_list(head);
  std::string_view rest = json ? head.substr(0, head.find('}')) : head.substr(0, head.find('\n'));
  bool runtime = false, size = false;
  while (!rest.empty()) {
    std::string_view name = take_before(rest, ',');
    if (json) name = name.substr(0, name.find(':'));
    name = trimmed(name, json ? std::string_view(" \t\r\n\"[{") : kListBlanks);
    runtime = runtime || name == "runtime";
    size = size || name == "nodes" || name == "processes";
  }
  return runtime && size;
}

RecordedWorkload parse_job_list(std::string text, const std::string& file) {
  JobListReader reader(file);
  if (is_json_list(without_byte_order_mark(text))) read_objects(reader, text, file);
  else read_table(reader, std::move(text), file);
  return reader.finish();
}

}  // namespace coslice

#include "jobs/workflow.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "core/value.h"
#include "jobs/attributes.h"

namespace coslice {
namespace {

constexpr std::array<std::string_view, 5> kDependencyNames = {"after", "afterok", "afternotok", "afterany",
                                                              "singleton"};
constexpr std::int64_t kMostMinutesAfter = 10'000'000;
constexpr const char* kDependencyForms =
    "terms such as afterok:3:4, afternotok:3, afterany:7_2, after:3+5 (minutes) or singleton, between them ',' for all "
    "or '?' for any one";

/// Takes a whole number from 0 to `most` off the front; -1 if there is none.
std::int64_t take_count(std::string_view& rest, std::int64_t most = INT64_MAX) {
  const auto n = take_number<std::int64_t>(rest);
  return n && *n >= 0 && *n <= most ? *n : -1;
}

class DependencyReader {
 public:
  explicit DependencyReader(std::string_view text) : text_(text) {}

  Dependency read() {
    std::string_view rest = text_;
    char between = 0;
    for (;;) {
      const std::size_t end = rest.find_first_of(",?");
      term(rest.substr(0, end));
      if (end == rest.npos) break;
      if (between != 0 && between != rest[end]) fail("has both ',' and '?'");
      between = rest[end];
      rest.remove_prefix(end + 1);
    }
    out_.any = between == '?';
    return std::move(out_);
  }

 private:
  void term(std::string_view term) {
    std::string_view rest = term;
    const std::string_view word = rest.substr(0, rest.find(':'));
    rest.remove_prefix(word.size());
    std::size_t kind = 0;
    while (kind != kDependencyNames.size() && kDependencyNames[kind] != word) ++kind;
    if (kind == kDependencyNames.size()) fail(fmt::format("there is no kind '{}'", word));
    const auto k = static_cast<DependencyKind>(kind);
    if (k == DependencyKind::kSingleton) {
      if (!rest.empty()) fail("a singleton names no job");
      out_.terms.push_back({k, {}, Duration{0}});
      return;
    }
    if (rest.empty()) fail(fmt::format("'{}' names no job", word));
    while (take_char(rest, ':')) job(k, rest);
    if (!rest.empty()) fail(fmt::format("'{}' is not the number of a job", rest));
  }

  void job(DependencyKind kind, std::string_view& rest) {
    DependencyTerm t{kind, {}, Duration{0}};
    const std::string_view whole = rest;
    t.on.id = take_count(rest);
    if (t.on.id < 0) fail(fmt::format("'{}' is not the number of a job", whole));
    if (take_char(rest, '_') && (t.on.element = take_count(rest)) < 0)
      fail(fmt::format("'{}' is not an element of an array", whole));
    if (take_char(rest, '+')) {
      const std::int64_t minutes = take_count(rest, kMostMinutesAfter);
      if (kind != DependencyKind::kAfter) fail("minutes after a start belong to 'after'");
      if (minutes < 0) fail(fmt::format("'{}' has no number of minutes", whole));
      t.delay = whole_seconds(60 * minutes);
    }
    out_.terms.push_back(t);
  }

  [[noreturn]] void fail(const std::string& problem) const {
    fail_at({}, fmt::format("depends = \"{}\": {}", text_, problem), kDependencyForms);
  }

  std::string_view text_;
  Dependency out_;
};

constexpr std::int64_t kMostElements = 10'000'000;
constexpr std::int64_t kHighestIndex = 4'000'000;  // Slurm's MaxArraySize is below 4000001

/// What a text says.
struct ArrayText {
  std::int64_t array = -1;            ///< of an element
  std::vector<std::int64_t> indices;  ///< in growing order
  std::int64_t limit = 0;
};

class ArrayReader {
 public:
  explicit ArrayReader(const std::string& text) : text_(text), rest_(text) {}

  ArrayText read() {
    ArrayText out;
    if (const std::size_t bar = rest_.find('_'); bar != rest_.npos) {
      out.array = number(INT64_MAX);
      take('_') || fail();
      out.indices = {number(kHighestIndex)};
    } else {
      std::set<std::int64_t> indices;
      do range(indices);
      while (take(','));
      out.indices.assign(indices.begin(), indices.end());
    }
    if (take('%') && (out.limit = number(kMostElements)) == 0) fail();
    if (!rest_.empty()) fail();
    return out;
  }

 private:
  [[noreturn]] bool fail() const {
    fail_at(
        {}, fmt::format("array = \"{}\"", text_),
        "indices from 0 to 4000000 such as \"1-10\" or \"0,3,8-20:4\", with a limit \"1-10%3\"; or an element such as "
        "\"12_7\"");
  }
  bool take(char c) { return take_char(rest_, c); }
  std::int64_t number(std::int64_t most) {
    const std::int64_t n = take_count(rest_, most);
    if (n < 0) fail();
    return n;
  }
  void range(std::set<std::int64_t>& out) {
    const std::int64_t from = number(kHighestIndex);
    const std::int64_t to = take('-') ? number(kHighestIndex) : from;
    const std::int64_t step = take(':') ? number(kHighestIndex) : 1;
    if (to < from || step == 0) fail();
    for (std::int64_t i = from; i <= to; i += step) out.insert(i);
  }

  const std::string& text_;
  std::string_view rest_;
};

const std::string& depends_of(const Job& job) { return attributes::kDepends.text(job); }

class WorkflowResolver {
 public:
  WorkflowResolver(const std::vector<Job>& jobs, bool recorded) : jobs_(jobs), recorded_(recorded) {}

  Workflow run() {
    const auto asks = [&](const Job& j) {
      return (recorded_ && j.extras->preceding > 0) || (j.has_extras() && !depends_of(j).empty());
    };
    if (std::ranges::none_of(jobs_, asks)) return {};
    out_.by_job.resize(jobs_.size());
    name_jobs();
    for (JobIndex j = 0; j != jobs_.size() && !out_.problem; ++j) {
      if (recorded_ && jobs_[j].extras->preceding > 0) recorded(j);
      if (!depends_of(jobs_[j]).empty()) written(j);
    }
    if (!out_.problem) find_cycle();
    return std::move(out_);
  }

 private:
  void name_jobs() {
    by_id_.reserve(jobs_.size());
    for (JobIndex j = 0; j != jobs_.size(); ++j) {
      by_id_.emplace(jobs_[j].id, j);
      try {
        if (const auto e = array_element(jobs_[j])) arrays_[e->array].emplace_back(e->index, j);
      } catch (const InputError& e) {
        out_.problem = {j, "has wrong " + e.diagnostic().problem, e.diagnostic().expected};
      }
    }
  }

  void recorded(JobIndex j) {
    const auto found = by_id_.find(jobs_[j].extras->preceding);
    if (found == by_id_.end() || found->second >= j) return;
    need(j, found->second, DependencyKind::kAfterAny, 0, std::max(jobs_[j].extras->think_time, Duration{0}));
  }

  void written(JobIndex j) {
    Dependency d;
    try {
      d = read_dependency(depends_of(jobs_[j]));
    } catch (const InputError& e) {
      out_.problem = {j, e.diagnostic().problem, e.diagnostic().expected};
      return;
    }
    if (!out_.by_job[j].needs.empty() && d.any) {
      out_.problem = {j, "has both a preceding job and a choice in depends", "one of the two"};
      return;
    }
    std::uint32_t group = 0;
    for (const DependencyTerm& t : d.terms) {
      term(j, t, group);
      if (d.any) ++group;
    }
    out_.by_job[j].groups = d.any ? group : 1;
  }

  void term(JobIndex j, const DependencyTerm& t, std::uint32_t group) {
    if (t.kind == DependencyKind::kSingleton) return singleton(j, group);
    bool found = false;
    if (const auto array = arrays_.find(t.on.id); array != arrays_.end()) {
      for (const auto& [index, element] : array->second) {
        if (t.on.element >= 0 && t.on.element != index) continue;
        need(j, element, t.kind, group, t.delay);
        found = true;
      }
    } else if (const auto job = by_id_.find(t.on.id); job != by_id_.end() && t.on.element < 0) {
      need(j, job->second, t.kind, group, t.delay);
      found = true;
    }
    if (!found && !out_.unknown)
      out_.unknown = {j, fmt::format("depends on job {}, which is not there", name_of(t.on)), "the id of a job"};
  }

  void singleton(JobIndex j, std::uint32_t group) {
    const Job& job = jobs_[j];
    if (job.executable < 0) {
      out_.problem = {j, "is a singleton and has no executable", "the number of its application"};
      return;
    }
    if (singletons_.empty())
      for (JobIndex i = 0; i != jobs_.size(); ++i)
        if (jobs_[i].executable >= 0) singletons_[{jobs_[i].executable, jobs_[i].user}].push_back(i);
    const std::vector<JobIndex>& same = singletons_[{job.executable, job.user}];
    // One that is nothing but a singleton ends after all before it, so that those need not be named again.
    for (auto i = std::ranges::lower_bound(same, j); i != same.begin();) {
      need(j, *--i, DependencyKind::kSingleton, group, Duration{0});
      if (depends_of(jobs_[*i]) == name_of(DependencyKind::kSingleton)) break;
    }
  }

  void need(JobIndex j, JobIndex on, DependencyKind kind, std::uint32_t group, Duration delay) {
    out_.by_job[j].needs.push_back({on, kind, group, delay});
    out_.by_job[j].groups = std::max(out_.by_job[j].groups, group + 1);
  }

  /// Removes jobs that need no other that is left, until no such job is left.
  void find_cycle() {
    std::vector<std::uint32_t> open(jobs_.size());
    std::vector<std::vector<JobIndex>> dependents(jobs_.size());
    std::vector<JobIndex> ready;
    for (JobIndex j = 0; j != jobs_.size(); ++j) {
      open[j] = static_cast<std::uint32_t>(out_.by_job[j].needs.size());
      for (const Need& n : out_.by_job[j].needs) dependents[n.on].push_back(j);
      if (open[j] == 0) ready.push_back(j);
    }
    std::size_t left = jobs_.size();
    for (; !ready.empty(); --left) {
      const JobIndex j = ready.back();
      ready.pop_back();
      for (const JobIndex d : dependents[j])
        if (--open[d] == 0) ready.push_back(d);
    }
    if (left == 0) return;
    // Of jobs that are left each needs another one that is left: following them leads into the cycle.
    const auto next = [&](JobIndex j) {
      for (const Need& n : out_.by_job[j].needs)
        if (open[n.on] != 0) return n.on;
      return j;
    };
    JobIndex j = 0;
    while (open[j] == 0) ++j;
    for (std::size_t i = 0; i != left; ++i) j = next(j);
    const JobIndex first = j;
    std::string circle = std::to_string(jobs_[j].id);
    for (j = next(j); j != first; j = next(j)) circle += fmt::format(" on {}", jobs_[j].id);
    out_.problem = {first, fmt::format("depends on itself: job {} on {}", circle, jobs_[first].id),
                    "jobs that do not wait for one another"};
  }

  const std::vector<Job>& jobs_;
  bool recorded_;
  Workflow out_;
  std::unordered_map<std::int64_t, JobIndex> by_id_;
  std::unordered_map<std::int64_t, std::vector<std::pair<std::int64_t, JobIndex>>> arrays_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<JobIndex>> singletons_;
};

}  // namespace

Dependency read_dependency(std::string_view text) { return DependencyReader(text).read(); }

std::string_view name_of(DependencyKind kind) { return kDependencyNames[static_cast<std::size_t>(kind)]; }

std::string name_of(const JobName& job) {
  return job.element < 0 ? std::to_string(job.id) : fmt::format("{}_{}", job.id, job.element);
}

std::vector<std::int64_t> array_indices(const std::string& text) { return ArrayReader(text).read().indices; }

std::optional<ArrayElement> array_element(const Job& job) {
  const std::string& text = attributes::kArray.text(job);
  if (text.empty()) return std::nullopt;
  const ArrayText t = ArrayReader(text).read();
  if (t.array < 0) return std::nullopt;
  return ArrayElement{t.array, t.indices.front(), t.limit};
}

std::int64_t array_size(const Job& job) {
  const std::string& text = attributes::kArray.text(job);
  return text.empty() ? 1 : static_cast<std::int64_t>(ArrayReader(text).read().indices.size());
}

void expand_arrays(Workload& workload) {
  const auto said = [](const Job& j) { return j.has_extras() && !attributes::kArray.text(j).empty(); };
  if (std::ranges::none_of(workload.jobs, said)) return;
  std::int64_t largest = 0;
  for (const Job& job : workload.jobs) largest = std::max(largest, job.id);
  std::vector<Job> jobs;
  for (const Job& job : workload.jobs) {
    const ArrayText t = said(job) ? ArrayReader(attributes::kArray.text(job)).read() : ArrayText{};
    if (t.indices.empty() || t.array >= 0) {
      jobs.push_back(job);
      continue;
    }
    if (static_cast<std::int64_t>(jobs.size() + t.indices.size()) > kMostElements)
      fail_at({}, fmt::format("with the elements of array {} there are more than {} jobs", job.id, kMostElements),
              "fewer");
    for (const std::int64_t index : t.indices) {
      jobs.push_back(job);
      if (index != t.indices.front()) jobs.back().id = ++largest;
      const std::string limit = t.limit == 0 ? "" : fmt::format("%{}", t.limit);
      workload.extras.set(jobs.back(), attributes::kArray, fmt::format("{}_{}{}", job.id, index, limit));
    }
  }
  workload.jobs = std::move(jobs);
}

bool in_limited_array(const Job& job) {
  return job.has_extras() && attributes::kArray.text(job).find('%') != std::string::npos;
}

bool asks_in_time(const Job& job) {
  return job.extras->begin >= Duration{0} || job.extras->held_until >= Duration{0} || in_limited_array(job) ||
         (job.has_extras() && !depends_of(job).empty());
}

bool is_moldable(const Job& job) { return job.has_extras() && !attributes::kSizes.text(job).empty(); }

bool any_moldable(const Workload& workload) {
  return workload.extras.may_have(attributes::kSizes) && std::ranges::any_of(workload.jobs, is_moldable);
}

Workflow workflow_of(const std::vector<Job>& jobs, bool recorded) { return WorkflowResolver(jobs, recorded).run(); }

}  // namespace coslice

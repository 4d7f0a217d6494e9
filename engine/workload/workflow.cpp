#include "workload/workflow.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "workload/attributes.h"
#include "workload/job_array.h"

namespace coslice {

namespace {

const std::string& depends_of(const Job& job) {
  static const Attribute& depends = *find_attribute("depends");
  return depends.text(job);
}

class WorkflowResolver {
 public:
  WorkflowResolver(const std::vector<Job>& jobs, bool recorded) : jobs_(jobs), recorded_(recorded) {}

  Workflow run() {
    const auto asks = [&](const Job& j) {
      return (recorded_ && j.extras->preceding > 0) || (j.has_extras() && !depends_of(j).empty());
    };
    if (std::none_of(jobs_.begin(), jobs_.end(), asks)) return {};
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
    if (singletons_.empty()) {
      for (JobIndex i = 0; i != jobs_.size(); ++i)
        if (jobs_[i].executable >= 0) singletons_[{jobs_[i].executable, jobs_[i].user}].push_back(i);
    }
    const std::vector<JobIndex>& same = singletons_[{job.executable, job.user}];
    // One that is nothing but a singleton ends after all before it, so that those need not be named again.
    for (auto i = std::lower_bound(same.begin(), same.end(), j); i != same.begin();) {
      need(j, *--i, DependencyKind::kSingleton, group, Duration{0});
      if (depends_of(jobs_[*i]) == name_of(DependencyKind::kSingleton)) break;
    }
  }

  void need(JobIndex j, JobIndex on, DependencyKind kind, std::uint32_t group, Duration delay) {
    out_.by_job[j].needs.push_back({on, kind, group, delay});
    out_.by_job[j].groups = std::max(out_.by_job[j].groups, group + 1);
  }

  /// Takes away jobs that need no other that is left, until none is.
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

bool in_limited_array(const Job& job) {
  static const Attribute& array = *find_attribute("array");
  return job.has_extras() && array.text(job).find('%') != std::string::npos;
}

bool asks_in_time(const Job& job) {
  return job.extras->begin >= Duration{0} || job.extras->held_until >= Duration{0} || in_limited_array(job) ||
         (job.has_extras() && !depends_of(job).empty());
}

bool is_moldable(const Job& job) {
  static const Attribute& sizes = *find_attribute("sizes");
  return job.has_extras() && !sizes.text(job).empty();
}

Workflow workflow_of(const std::vector<Job>& jobs, bool recorded) { return WorkflowResolver(jobs, recorded).run(); }

}  // namespace coslice

// Jobs as a dump of sacct.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/time.h"
#include "formats/sacct.h"
#include "formats/sacct_columns.h"
#include "formats/slurm_fields.h"
#include "jobs/attributes.h"
#include "jobs/workflow.h"

namespace coslice {
namespace {

const char* state_of(std::int32_t status) {
  switch (status) {
    case 0: return "FAILED";
    case 5: return "CANCELLED";
    default: return "COMPLETED";
  }
}

/// The names of numbers, as far as they are known; else a word and the number.
class NamesByNumber {
 public:
  explicit NamesByNumber(const RecordedWorkload& recorded) {
    for (const RecordedWorkload::Name& n : recorded.names) names_[{n.kind, n.number}] = n.name;
  }

  /// What stands in the column: of the attributes that it is for, a text where there is one, else a name.
  std::string in_column(std::string_view column, const Job& job) const {
    std::string name;
    for (const Attribute& a : kAttributes) {
      if (a.sacct[0] != column) continue;
      if (a.is_text()) {
        if (!a.text(job).empty()) return a.text(job);
      } else if (const auto number = static_cast<std::int32_t>(a.whole(job)); number >= 0) {
        const auto found = names_.find({std::string(a.name), number});
        name = found != names_.end() ? found->second : fmt::format("{}{}", a.word, number);
      }
    }
    return name;
  }

 private:
  std::map<std::pair<std::string, std::int32_t>, std::string> names_;
};

/// The columns of names and texts.
const std::vector<std::string_view>& name_columns() {
  static const std::vector<std::string_view> columns = [] {
    std::vector<std::string_view> all = {"User", "Account", "Partition", "QOS", "JobName"};
    for (const Attribute& a : kAttributes)
      if (!a.sacct[0].empty() && std::ranges::find(all, a.sacct[0]) == all.end()) all.push_back(a.sacct[0]);
    return all;
  }();
  return columns;
}

/// "cpu=8,mem=16384M,node=2,gres/gpu=4,gres/gpu:a100=4": what the job had on record, or asked for beyond its processes.
std::string tres_text(const RecordedRequest& r) {
  if (!r.allocated && r.gpus == 0) return "";
  std::string out = fmt::format("cpu={}", r.cpus);
  if (r.memory_kb > 0) out += fmt::format(",mem={}K", r.memory_kb);
  if (r.nodes > 0) out += fmt::format(",node={}", r.nodes);
  if (r.gpus > 0) out += fmt::format(",gres/gpu={}", r.gpus);
  for (const std::string& type : r.gpu_types)
    out += fmt::format(",gres/gpu:{}={}", type, r.gpu_types.size() == 1 ? r.gpus : 1);
  for (const auto& [name, count] : r.licences) out += fmt::format(",license/{}={}", name, count);
  return out;
}

/// "20_4" for an element of an array that no site has given an id.
std::string job_id_of(const RecordedWorkload& recorded, std::size_t i) {
  const bool known = i < recorded.site_ids.size() && !recorded.site_ids[i].empty();
  const auto element = known ? std::nullopt : array_element(recorded.workload.jobs[i]);
  return element ? fmt::format("{}_{}", element->array, element->index) : recorded.site_id(i);
}

/// For each of its CPUs; that of a component is its own.
std::string memory_text(const Job& job, const RecordedRequest* component) {
  const std::int64_t kb = component == nullptr                              ? job.requested_memory_kb
                          : component->memory_kb > 0 && component->cpus > 0 ? component->memory_kb / component->cpus
                                                                            : -1;
  return kb < 0 ? "" : fmt::format("{}Kc", kb);
}

bool has_workflow(const Job& job) { return array_element(job) || !submit_line_of(job).empty(); }

}  // namespace

std::string sacct_columns(std::string_view separator) {
  std::string out = "JobID";
  const auto add = [&](std::string_view column) { out.append(separator).append(column); };
  for (const std::string_view column : name_columns()) add(column);
  for (const char* column : {"Submit", "Start", "End", "Elapsed", "State", "NNodes", "NCPUS", "ReqMem", "Timelimit",
                             "AllocTRES", "ReqTRES", "Constraints"})
    add(column);
  return out;
}

std::string sacct_command() { return "sacct --allusers --allocations --parsable2 --format " + sacct_columns(","); }

std::string sacct_text(const RecordedWorkload& recorded) {
  const bool says_exclusive = std::ranges::any_of(recorded.requests, [](const RecordedRequest& r) {
    return r.exclusive || std::ranges::any_of(r.components, [](const auto& c) { return c.exclusive.has_value(); });
  });
  const std::vector<Job>& jobs = recorded.workload.jobs;
  const bool workflow = std::ranges::any_of(jobs, has_workflow);
  std::string out = sacct_columns("|");
  if (says_exclusive) out += "|OverSubscribe";
  out += workflow ? "|JobIDRaw|SubmitLine\n" : "\n";
  const NamesByNumber names(recorded);
  const std::int64_t origin = recorded.workload.header.unix_start_time;
  const auto seconds = [](Duration d) { return d.count() / kNsPerSecond; };
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    const Duration submit = job.submit.time_since_epoch(), wait = recorded.wait(i);
    const bool known = wait >= Duration::zero();
    const auto time = [&](Duration d) { return known ? iso_text(origin + seconds(d)) : "Unknown"; };
    const bool withdrawn = !known && job.extras->withdrawn_at >= Duration{0};
    const std::string end =
        withdrawn ? iso_text(origin + seconds(job.extras->withdrawn_at)) : time(submit + wait + job.runtime);
    const bool asks = job.request != kNoRequest && !recorded.requests.empty();
    const RecordedRequest whole = asks ? recorded.requests[static_cast<std::size_t>(job.request)] : RecordedRequest{};
    const std::size_t rows = std::max<std::size_t>(1, whole.components.size());
    for (std::size_t c = 0; c != rows; ++c) {
      const bool one = whole.components.empty();
      const RecordedRequest& request = one ? whole : whole.components[c];
      const std::int64_t cpus = one ? job.size : std::max<std::int64_t>(1, request.cpus);
      out += job_id_of(recorded, i) + (one ? "|" : fmt::format("+{}|", c));
      for (const std::string_view column : name_columns()) {
        const bool own = !one && column == "Partition" && !request.partition.empty();
        out += escaped_sacct_field(own ? request.partition : names.in_column(column, job), "|") + "|";
      }
      const std::string tres = tres_text(request);
      out += fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", iso_text(origin + seconds(submit)), time(submit + wait),
                         end, slurm_duration_text(withdrawn ? 0 : job.runtime.count()),
                         state_of(withdrawn ? 5 : job.status),
                         request.nodes > 0 && (request.allocated || !one) ? request.nodes : cpus, cpus,
                         memory_text(job, one ? nullptr : &request),
                         job.limit_given ? slurm_duration_text(job.limit.count()) : "UNLIMITED",
                         withdrawn || !request.allocated ? "" : tres, tres, escaped_sacct_field(request.features, "|"));
      if (says_exclusive)
        out += !request.exclusive ? "|" : *request.exclusive ? "|NO" : request.oversubscribe ? "|YES" : "|OK";
      if (workflow) out += fmt::format("|{}|{}", one ? std::to_string(job.id) : "", submit_line_of(job));
      out += '\n';
    }
  }
  return out;
}

bool is_sacct_dump(const std::string& path) { return looks_like_sacct(beginning_of(path)); }

bool looks_like_sacct(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  const std::size_t first = head.find_first_not_of(" \xEF\xBB\xBF");
  return first != head.npos && kSacctLetters.find(head[first]) != kSacctLetters.npos && head.find("JobID") != head.npos;
}

}  // namespace coslice

#include <nlohmann/json.hpp>

#include "cli/jobs/workload_text.h"

namespace coslice::cli {
namespace {

using Json = nlohmann::ordered_json;

Json of(const Distribution& x) {
  return {{"mean", x.mean},     {"min", x.smallest}, {"p05", x.q05}, {"p25", x.q25},
          {"median", x.median}, {"p75", x.q75},      {"p95", x.q95}, {"max", x.largest}};
}

Json sizes_of(const WorkloadDescription& d) {
  Json out = Json::array();
  for (const SizeBin& b : d.sizes) {
    out.push_back({{"from", b.from}, {"to", b.to}, {"jobs", b.jobs}, {"share_of_work", b.share_of_work}});
  }
  return out;
}

Json classes_of(const WorkloadDescription& d) {
  Json out = Json::array();
  for (const RuntimeClass& c : d.classes) {
    out.push_back({{"jobs", c.jobs}, {"share_of_jobs", c.share_of_jobs}, {"share_of_work", c.share_of_work}});
  }
  return out;
}

Json notes_of(const WorkloadDescription& d) {
  Json out = Json::array();
  for (const TraceNote& n : d.notes) {
    out.push_back({{"reason", n.reason}, {"count", n.count}, {"first_line", n.first_line}, {"dropped", n.dropped}});
  }
  return out;
}

Json estimates_of(const WorkloadDescription& d) {
  return {{"mean_accuracy", d.mean_accuracy},
          {"without_limit", d.without_limit},
          {"exact_share", d.exact_share},
          {"killed_share", d.killed_share},
          {"accuracy_tenths", d.accuracy_tenths}};
}

Json statuses_of(const WorkloadDescription& d) {
  Json out = Json::object();
  for (const auto& [status, jobs] : d.jobs_by_status) out[std::to_string(status)] = jobs;
  return out;
}

const char* clock_of(HourSource source) {
  return source == HourSource::kLocal ? "local" : source == HourSource::kUtc ? "utc" : "trace";
}

}  // namespace

Json workload_json(const WorkloadDescription& d) {
  Json out;
  out["name"] = d.name;
  out["jobs"] = d.jobs;
  out["records"] = d.records;
  out["never_ran"] = d.never_ran;
  out["nodes"] = d.nodes;
  out["first_submit"] = to_seconds(d.first_submit);
  out["last_submit"] = to_seconds(d.last_submit);
  out["span"] = to_seconds(d.span);
  out["work"] = d.work;
  out["offered_load"] = d.offered_load;
  out["size"] = of(d.size);
  out["run_time"] = of(d.runtime);
  out["limit"] = of(d.limit);
  out["gap"] = of(d.gap);
  out["serial_share"] = d.serial_share;
  out["power_of_two_share"] = d.pow2_share;
  out["sizes"] = sizes_of(d);
  out["run_time_classes"] = classes_of(d);
  out["arrivals_by_hour"] = d.arrivals_by_hour;
  out["hours"] = clock_of(d.hours);
  out["estimates"] = estimates_of(d);
  out["users"] = d.users;
  out["groups"] = d.groups;
  out["executables"] = d.executables;
  out["queues"] = d.queues;
  out["partitions"] = d.partitions;
  out["busiest_user_share"] = d.busiest_user_share;
  out["with_used_memory"] = d.with_used_memory;
  out["with_requested_memory"] = d.with_requested_memory;
  out["with_dependency"] = d.with_dependency;
  out["jobs_by_status"] = statuses_of(d);
  out["notes"] = notes_of(d);
  return out;
}

}  // namespace coslice::cli

#include "formats/openb.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"
#include "core/random.h"
#include "core/text.h"
#include "formats/trace_file.h"
#include "machine/memory_amount.h"

namespace coslice {
namespace {

constexpr std::int64_t kMostMilli = 1'000'000'000;
constexpr std::int64_t kMostMemory = std::int64_t{1} << 40;
constexpr std::int64_t kMostGpus = 64;
constexpr std::int64_t kMostSeconds = 1'000'000'000;

/// The name of a kind: its GPUs, with a number behind it if there is one of that name already.
std::string kind_name(const MachineLayout& layout, const std::string& model, std::int64_t gpus) {
  const std::string plain = gpus == 0 ? "cpu" : fmt::format("{}x{}", gpus, model);
  std::string name = plain;
  for (int i = 2; std::ranges::any_of(layout.kinds, [&](const NodeKind& k) { return k.name == name; }); ++i)
    name = fmt::format("{}-{}", plain, i);
  return name;
}

std::vector<std::string> split_types(std::string_view text) {
  std::vector<std::string> types;
  while (!text.empty())
    if (const std::string_view type = take_before(text, '|'); !type.empty()) types.emplace_back(type);
  return types;
}

/// The request of a pod with the machine's numbers of GPU types.
Request request_on(const Pod& pod, const MachineLayout& layout, const std::string& file) {
  Request r = pod.request;
  for (const std::string& type : pod.gpu_types) {
    const auto at = std::ranges::find(layout.gpu_types, type);
    if (at == layout.gpu_types.end())
      throw InputError({file, pod.line, fmt::format("no node of the machine has GPUs of type '{}'", printable(type)),
                        "", did_you_mean(type, layout.gpu_types)});
    r.gpu_types.push_back(static_cast<std::int32_t>(at - layout.gpu_types.begin()));
  }
  return r;
}

}  // namespace

ListedNodes read_node_list(const std::string& path) {
  const CsvTable table(path, "a list of nodes");
  const std::size_t name = table.column("sn"), cpu = table.column("cpu_milli"), memory = table.column("memory_mib"),
                    gpu = table.column("gpu"), model = table.column("model");
  ListedNodes listed;
  MachineLayout& layout = listed.layout;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string_view>, std::size_t> kind_of;
  std::vector<std::size_t> kind_of_row;
  std::unordered_map<std::string_view, std::size_t> row_of;
  for (std::size_t row = 0; row != table.rows(); ++row) {
    const std::int64_t cores = table.whole(row, cpu, 0, kMostMilli), mib = table.whole(row, memory, 0, kMostMemory),
                       gpus = table.whole(row, gpu, 0, kMostGpus);
    const std::string_view type = gpus == 0 ? "" : table.cell(row, model);
    if (gpus > 0 && type.empty()) table.fail(row, "the node has GPUs, but no model", "a name in the column 'model'");
    if (cores % kWholeCore != 0) table.fail(row, fmt::format("cpu_milli is {}", cores), "whole cores, of 1000 each");
    const auto [at, is_new] = kind_of.try_emplace({cores, mib, gpus, type}, layout.kinds.size());
    if (is_new)
      layout.kinds.push_back({.name = kind_name(layout, std::string(type), gpus),
                              .count = 0,
                              .cores = static_cast<std::int32_t>(cores / kWholeCore),
                              .memory_mib = mib,
                              .gpus = static_cast<std::int32_t>(gpus),
                              .gpu_type = gpus == 0 ? -1 : number_of(type, layout.gpu_types)});
    NodeKind& kind = layout.kinds[at->second];
    if (const auto [before, fresh] = row_of.try_emplace(table.cell(row, name), row); !fresh)
      table.fail(
          row,
          fmt::format("the node '{}' is in line {}, too", printable(table.cell(row, name)), table.line(before->second)),
          "a name of its own in the column 'sn'");
    kind.names.emplace_back(table.cell(row, name));
    listed.node_of_row.push_back(kind.count++);
    kind_of_row.push_back(at->second);
  }
  if (layout.kinds.empty()) throw InputError({path, 0, "lists no node", "a line for each node"});
  for (std::size_t k = 1; k < layout.kinds.size(); ++k)
    layout.kinds[k].first = layout.kinds[k - 1].first + layout.kinds[k - 1].count;
  for (std::size_t row = 0; row != kind_of_row.size(); ++row)
    listed.node_of_row[row] += layout.kinds[kind_of_row[row]].first;
  return listed;
}

std::vector<Pod> read_pod_list(const std::string& path) {
  const CsvTable table(path, "a list of pods");
  const std::size_t name = table.column("name"), cpu = table.column("cpu_milli"), memory = table.column("memory_mib"),
                    gpus = table.column("num_gpu"), share = table.column("gpu_milli");
  const auto spec = table.find("gpu_spec"), created = table.find("creation_time"),
             scheduled = table.find("scheduled_time"), deleted = table.find("deletion_time");
  const auto time = [&](std::size_t row, const std::optional<std::size_t>& column) -> std::int64_t {
    if (!column || table.cell(row, *column).empty()) return -1;
    return table.whole(row, *column, 0, kMostSeconds);
  };
  std::vector<Pod> pods(table.rows());
  for (std::size_t row = 0; row != table.rows(); ++row) {
    Pod& pod = pods[row];
    pod.name = table.cell(row, name);
    pod.line = table.line(row);
    pod.request.cores = static_cast<CoreShare>(table.whole(row, cpu, 0, kMostMilli));
    pod.request.memory_mib = table.whole(row, memory, 0, kMostMemory);
    pod.request.gpus = static_cast<std::int32_t>(table.whole(row, gpus, 0, kMostGpus));
    pod.created = time(row, created);
    pod.scheduled = time(row, scheduled);
    pod.deleted = time(row, deleted);
    if (pod.request.gpus == 0) continue;
    pod.request.gpu_share = static_cast<GpuShare>(table.whole(row, share, 1, kWholeGpu));
    if (pod.request.gpus > 1 && pod.request.gpu_share != kWholeGpu)
      table.fail(row, fmt::format("gpu_milli is {} of each of {} GPUs", pod.request.gpu_share, pod.request.gpus),
                 "1000: several GPUs are whole ones");
    if (spec) pod.gpu_types = split_types(table.cell(row, *spec));
  }
  if (pods.empty()) throw InputError({path, 0, "lists no pod", "a line for each pod"});
  return pods;
}

bool is_pod_list(const std::string& path) {
  const std::string head = beginning_of(path, 512);
  std::string_view text = head;
  const std::string_view line = take_before(text, '\n');
  return line.find("cpu_milli") != line.npos && line.find("num_gpu") != line.npos;
}

std::vector<std::size_t> read_row_order(const std::string& path, const std::string& column, std::size_t rows) {
  const CsvTable table(path, "an order of rows");
  const std::size_t c = table.column(column);
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row != table.rows(); ++row) {
    if (table.cell(row, c).empty()) break;
    order.push_back(static_cast<std::size_t>(table.whole(row, c, 0, static_cast<std::int64_t>(rows) - 1)));
  }
  return order;
}

std::vector<std::size_t> draw_arrivals(const std::vector<Pod>& pods, const MachineLayout& layout, double demand,
                                       std::uint64_t seed) {
  RandomStream draws(seed, "pods");
  const auto any = [&](std::size_t n) {
    return static_cast<std::size_t>(draws.uniform_int(0, static_cast<std::int64_t>(n) - 1));
  };
  std::vector<std::size_t> rows(pods.size());
  for (std::size_t i = 0; i != rows.size(); ++i) rows[i] = i;
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[any(i)]);
  if (demand <= 0) return rows;
  const auto gpus = [&](std::size_t row) {
    const Request& r = pods[row].request;
    return r.gpus == 0 ? 0.0 : static_cast<double>(r.gpus) * r.gpu_share;
  };
  const double target = demand * static_cast<double>(layout.gpu_count()) * kWholeGpu;
  double sum = 0;
  for (const std::size_t row : rows) sum += gpus(row);
  const bool more = sum < target && sum > 0;
  while (more && sum < target) {
    const std::size_t row = any(pods.size());
    const Request& r = pods[row].request;
    if (sum + (r.gpus == 0 ? 0 : r.gpu_share) > target) break;  // by one of its GPUs, as the study does it
    rows.push_back(row);
    sum += gpus(row);
  }
  while (!more && sum > target) {
    const auto at = rows.begin() + static_cast<std::ptrdiff_t>(any(rows.size()));
    sum -= gpus(*at);
    rows.erase(at);
  }
  return rows;
}

Workload pod_workload(const std::vector<Pod>& pods, const std::vector<std::size_t>& rows, PodTimes times,
                      const MachineLayout& layout, const std::string& file) {
  Workload workload;
  workload.name = workload_name_of(file);
  workload.records = static_cast<std::int64_t>(rows.size());
  std::vector<RequestId> request_of(pods.size(), kNoRequest);
  TraceNote timeless{"no times", 0, 0, true};
  for (const std::size_t row : rows) {
    const Pod& pod = pods[row];
    if (request_of[row] == kNoRequest) request_of[row] = workload.requests.intern(request_on(pod, layout, file));
    Job job;
    job.id = static_cast<std::int64_t>(workload.jobs.size()) + 1;
    job.request = request_of[row];
    job.size = std::max<std::int32_t>(1, (pod.request.cores + kWholeCore - 1) / kWholeCore);
    job.executable = static_cast<std::int32_t>(row) + 1;
    job.requested_memory_kb = static_cast<std::int32_t>(std::min<std::int64_t>(
        kb_of_each_process(pod.request.memory_mib * kKbOfMib, job.size), std::numeric_limits<std::int32_t>::max()));
    if (times == PodTimes::kOneByOne) {
      job.submit = Time{} + whole_seconds(job.id);
      job.runtime = kForEver;
    } else if (pod.created < 0 || pod.deleted < std::max(pod.created, pod.scheduled)) {
      if (timeless.count++ == 0) timeless.first_line = pod.line;
      continue;
    } else {
      job.submit = Time{} + whole_seconds(pod.created);
      job.runtime = std::max(whole_seconds(1), whole_seconds(pod.deleted - std::max(pod.created, pod.scheduled)));
    }
    job.limit = job.runtime;
    job.limit_given = times == PodTimes::kOneByOne;  // a limit is not asked for where no job leaves
    workload.jobs.push_back(job);
  }
  if (timeless.count != 0) workload.notes.push_back(timeless);
  std::ranges::stable_sort(workload.jobs, {}, &Job::submit);
  return workload;
}

std::vector<TypicalRequest> typical_pods(const std::vector<Pod>& pods, const MachineLayout& layout,
                                         const std::string& file) {
  std::vector<Request> requests;
  requests.reserve(pods.size());
  for (const Pod& pod : pods) requests.push_back(request_on(pod, layout, file));
  std::vector<CountedRequest> asked;
  for (const Request& r : requests) asked.emplace_back(&r, 1);
  return typical_requests(asked, layout);
}

}  // namespace coslice

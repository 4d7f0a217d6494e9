#include "formats/het_jobs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace coslice {
namespace {

/// Whether two amounts are the same for each of so many.
bool same_each(std::int64_t a, std::int64_t of_a, std::int64_t b, std::int64_t of_b) {
  return static_cast<double>(a) * static_cast<double>(of_b) == static_cast<double>(b) * static_cast<double>(of_a);
}

bool are_of_one_kind(const RecordedRequest& a, const RecordedRequest& b) {
  if (a.nodes <= 0 || b.nodes <= 0 || a.allocated != b.allocated) return false;
  if (a.partition != b.partition || a.features != b.features || a.exclusive != b.exclusive ||
      a.oversubscribe != b.oversubscribe)
    return false;
  if (a.gpu_types != b.gpu_types || !same_each(a.gpus, a.nodes, b.gpus, b.nodes)) return false;
  return same_each(a.memory_kb, a.nodes, b.memory_kb, b.nodes) || same_each(a.memory_kb, a.cpus, b.memory_kb, b.cpus);
}

}  // namespace

std::string_view het_job_of(std::string_view site_id) {
  const std::size_t plus = site_id.find('+');
  return plus == site_id.npos ? std::string_view{} : site_id.substr(0, plus);
}

std::optional<RecordedRequest> joined_request(const std::vector<const RecordedRequest*>& components) {
  const RecordedRequest& first = *components.front();
  RecordedRequest all = first;
  std::int64_t nodes = 0, unit = 0, most = 0;
  all.cpus = all.asked_cpus = all.memory_kb = all.gpus = 0;
  std::map<std::string, std::int64_t> licences;
  for (const RecordedRequest* r : components) {
    if (!are_of_one_kind(first, *r)) return {};
    nodes += r->nodes;
    all.cpus += r->cpus;
    all.asked_cpus += r->asked_cpus;
    all.memory_kb += r->memory_kb;
    all.gpus += r->gpus;
    for (const auto& [name, count] : r->licences) licences[name] += count;
    const std::int64_t each = (r->cpus + r->nodes - 1) / r->nodes;
    unit = std::gcd(unit, each);
    most = std::max(most, each);
  }
  if (nodes > std::numeric_limits<std::int32_t>::max()) return {};
  all.nodes = static_cast<std::int32_t>(nodes);
  all.licences.assign(licences.begin(), licences.end());
  all.spread.reset();  // the command line is that of all components
  all.wish = {};
  if (most * nodes != all.cpus && all.gpus == 0 && unit > 0)
    all.spread = RecordedSpread{unit, most, all.nodes, all.nodes};
  return all;
}

RecordedRequest request_of_components(const std::vector<const RecordedRequest*>& components) {
  RecordedRequest all = *components.front();
  all.nodes = 0;
  all.cpus = all.asked_cpus = all.memory_kb = all.gpus = 0;
  all.spread.reset();
  all.wish = {};
  std::map<std::string, std::int64_t> licences;
  for (const RecordedRequest* r : components) {
    all.components.push_back(*r);
    all.components.back().spread.reset();  // the command line is that of all components
    all.components.back().wish = {};
    all.nodes += r->nodes;
    all.cpus += r->cpus;
    all.asked_cpus += r->asked_cpus;
    all.memory_kb += r->memory_kb;
    all.gpus += r->gpus;
    for (const auto& [name, count] : r->licences) licences[name] += count;
  }
  all.licences.assign(licences.begin(), licences.end());
  return all;
}

void HetJobCounts::add(std::string_view site_id) {
  const std::string_view whole = het_job_of(site_id);
  if (whole.empty()) return;
  ++components_;
  seen_.emplace(whole);
}

std::string HetJobCounts::counted() const {
  return fmt::format("{} heterogeneous {} of {} components in all ({}+0 ...)", jobs(), jobs() == 1 ? "job" : "jobs",
                     components_, *std::ranges::min_element(seen_));
}

std::string HetJobCounts::text() const {
  if (components_ == 0) return "";
  return counted() + " that are not joined, as some components of one are missing here or were cancelled apart: each "
                     "is a job by itself, and they may start apart, which in Slurm they never do";
}

std::string HetJobCounts::text_before_joining() const {
  if (components_ == 0) return "";
  return counted() + ": each is one job here, with the nodes of all its components, which start together or not at "
                     "all; the limits of users and accounts take it for a job of all these nodes, in the partition of "
                     "its first component";
}

}  // namespace coslice

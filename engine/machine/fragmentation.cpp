#include "machine/fragmentation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace coslice {
namespace {

/// What distinguishes typical requests, in the order in which equally frequent ones are ranked.
using Shape = std::tuple<CoreShare, GpuShare, std::int32_t, std::string>;

std::string names_of(const std::vector<std::int32_t>& types, const MachineLayout& layout) {
  std::string names;
  for (const std::int32_t t : types) {
    if (!names.empty()) names += '|';
    names += layout.gpu_types[static_cast<std::size_t>(t)];
  }
  return names;
}

}  // namespace

std::vector<TypicalRequest> typical_requests(const std::vector<CountedRequest>& requests, const MachineLayout& layout,
                                             double share) {
  struct Counted {
    TypicalRequest request;
    std::int64_t count = 0;
  };
  std::map<Shape, Counted> shapes;
  std::int64_t jobs = 0;
  for (const auto& [r, count] : requests) {
    if (count == 0) continue;
    jobs += count;
    const bool gpus = r->gpus > 0;
    const Shape shape{r->cores, gpus ? r->gpu_share : 0, r->gpus, gpus ? names_of(r->gpu_types, layout) : ""};
    Counted& c = shapes[shape];
    c.request = {r->cores, r->gpus, gpus ? r->gpu_share : 0, gpus ? r->gpu_types : std::vector<std::int32_t>{}, 0};
    c.count += count;
  }
  std::vector<Counted> ranked;
  for (auto s = shapes.rbegin(); s != shapes.rend(); ++s) ranked.push_back(std::move(s->second));
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &Counted::count);
  const double all = static_cast<double>(jobs), enough = share * all;
  std::vector<TypicalRequest> typical;
  std::int64_t covered = 0;
  std::vector<std::int64_t> counts;
  for (Counted& c : ranked) {
    if (static_cast<double>(covered) >= enough) break;
    covered += c.count;
    counts.push_back(c.count);
    typical.push_back(std::move(c.request));
  }
  for (std::size_t i = 0; i != typical.size(); ++i)
    typical[i].weight = static_cast<double>(counts[i]) / all / (static_cast<double>(covered) / all);  // as published
  return typical;
}

Fragmentation::Fragmentation(const MachineLayout& layout, const std::vector<TypicalRequest>& mix) {
  for (std::int32_t type = -1; type != static_cast<std::int32_t>(layout.gpu_types.size()); ++type) {
    std::vector<Wish>& wishes = by_type_.emplace_back();
    for (const TypicalRequest& m : mix) {
      const bool admitted = m.gpu_types.empty() || std::ranges::find(m.gpu_types, type) != m.gpu_types.end();
      wishes.push_back({m.cores, m.gpu_share, m.gpus, admitted, m.weight});
    }
  }
  for (const NodeKind& kind : layout.kinds) type_of_.push_back(kind.gpu_type + 1);
}

double Fragmentation::of(std::int32_t kind, CoreShare cores, const GpuShare* gpus, std::int32_t count) const {
  const GpuShare left = std::accumulate(gpus, gpus + count, GpuShare{0});
  if (left == 0) return 0;
  const double all = left;
  // One sum for each reason, added up at the end in this order: what a published program computes, to the last bit.
  double neither = 0, few_gpus = 0, few_cores = 0, no_gpu_wanted = 0, no_gpu_wanted_few_cores = 0, other_type = 0;
  for (const Wish& m : by_type_[static_cast<std::size_t>(type_of_[static_cast<std::size_t>(kind)])]) {
    const bool enough_cores = cores >= m.cores;
    if (m.gpus == 0) {
      (enough_cores ? no_gpu_wanted : no_gpu_wanted_few_cores) += m.weight * all;
      continue;
    }
    if (!m.admitted) {
      other_type += m.weight * all;
      continue;
    }
    std::int32_t usable = 0;
    GpuShare too_little = 0;
    for (std::int32_t g = 0; g != count; ++g) {
      const bool enough = gpus[g] >= m.share;
      usable += enough ? 1 : 0;
      too_little += enough ? 0 : gpus[g];
    }
    if (usable >= m.gpus && enough_cores) few_gpus += m.weight * too_little;
    else if (usable >= m.gpus) few_cores += m.weight * all;
    else if (enough_cores) few_gpus += m.weight * all;
    else neither += m.weight * all;
  }
  return neither + few_gpus + few_cores + no_gpu_wanted + no_gpu_wanted_few_cores + other_type;
}

double Fragmentation::after(std::int32_t kind, const NodeRoom& room, const Request& request, std::uint64_t gpus) const {
  auto left = room.gpus;
  for (std::size_t g = 0; g != left.size(); ++g)
    if ((gpus >> g & 1) != 0) left[g] -= request.gpu_share;
  return of(kind, room.cores - request.cores, left.data(), static_cast<std::int32_t>(left.size()));
}

}  // namespace coslice

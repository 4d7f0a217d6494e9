#include "resources/request_table.h"

#include "core/hash.h"

namespace coslice {

namespace {

template <class Numbers>
std::uint64_t mix_all(std::uint64_t h, const Numbers& numbers) {
  h = hash_mix(h, numbers.size());
  for (const auto n : numbers) h = hash_mix(h, static_cast<std::uint64_t>(n));
  return h;
}

std::uint64_t hash_of(const Request& r) {
  std::uint64_t h = hash_mix(0, static_cast<std::uint64_t>(r.nodes));
  h = hash_mix(h, static_cast<std::uint64_t>(r.cores));
  h = hash_mix(h, static_cast<std::uint64_t>(r.memory_mib));
  h = hash_mix(h, static_cast<std::uint64_t>(r.gpus) << 32 | static_cast<std::uint32_t>(r.gpu_share));
  h = hash_mix(h, r.exclusive ? 1 : 0);
  if (r.slice != 0) h = hash_mix(h, static_cast<std::uint64_t>(r.slices) << 32 | static_cast<std::uint32_t>(r.slice));
  h = mix_all(h, r.gpu_types);
  h = mix_all(h, r.partitions);
  for (const FeatureTerm& term : r.features) h = mix_all(mix_all(h, term.with), term.without);
  for (const LicenceUse& use : r.licences)
    h = hash_mix(hash_mix(h, static_cast<std::uint64_t>(use.licence)), static_cast<std::uint64_t>(use.count));
  return h;
}

}  // namespace

RequestId RequestTable::intern(const Request& request) {
  const std::uint64_t h = hash_of(request);
  const auto [first, last] = by_hash_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if ((*this)[it->second] == request) return it->second;
  const auto id = static_cast<RequestId>(requests_.size());
  requests_.push_back(request);
  by_hash_.emplace(h, id);
  return id;
}

}  // namespace coslice

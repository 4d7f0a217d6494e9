#include "lab/compare/common_runs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace coslice {
namespace {

constexpr std::size_t kFewestSeeds = 2;  // of an interval

std::set<RunCell> cells_of_all(const std::vector<VariantCells>& variants, const std::vector<bool>& left_out) {
  std::optional<std::set<RunCell>> common;
  for (std::size_t v = 0; v != variants.size(); ++v) {
    if (left_out[v]) continue;
    if (!common) {
      common = variants[v].done;
      continue;
    }
    std::set<RunCell> both;
    std::ranges::set_intersection(*common, variants[v].done, std::inserter(both, both.end()));
    common = std::move(both);
  }
  return common.value_or(std::set<RunCell>{});
}

/// The variant that fails most often and without which more seeds are left.
std::optional<std::size_t> worst(const std::vector<VariantCells>& variants, const CommonRuns& now) {
  std::optional<std::size_t> out;
  for (std::size_t v = 0; v != variants.size(); ++v) {
    if (now.left_out[v] || variants[v].failed == 0) continue;
    if (out && variants[v].failed <= variants[*out].failed) continue;
    std::vector<bool> without = now.left_out;
    without[v] = true;
    if (seeds_of(cells_of_all(variants, without)).size() > seeds_of(now.cells).size()) out = v;
  }
  return out;
}

}  // namespace

std::set<std::int64_t> seeds_of(const std::set<RunCell>& cells) {
  std::set<std::int64_t> seeds;
  for (const auto& [seed, condition] : cells) seeds.insert(seed);
  return seeds;
}

bool stand_apart(const std::vector<VariantCells>& variants, const CommonRuns& common) {
  std::set<std::string> conditions;
  for (const VariantCells& v : variants)
    for (const auto& [seed, condition] : v.done) conditions.insert(condition);
  if (conditions.size() > 1) return false;
  const bool none_failed = std::ranges::all_of(variants, [](const VariantCells& v) { return v.failed == 0; });
  const bool more = std::ranges::any_of(variants, [](const VariantCells& v) { return seeds_of(v.done).size() > 1; });
  return none_failed && seeds_of(common.cells).size() < 2 && (more || !common.any());
}

std::map<std::int64_t, std::int64_t> first_alike(const std::vector<RunFingerprint>& runs) {
  std::map<std::int64_t, std::map<std::string, std::string>> outcomes;
  std::set<std::int64_t> unknown;
  for (const RunFingerprint& r : runs) {
    outcomes[r.seed][r.place] = r.fingerprint;
    if (r.fingerprint.empty()) unknown.insert(r.seed);
  }
  std::map<std::map<std::string, std::string>, std::int64_t> seen;
  std::map<std::int64_t, std::int64_t> out;
  for (const auto& [seed, outcome] : outcomes)
    out[seed] = unknown.count(seed) != 0 ? seed : seen.emplace(outcome, seed).first->second;
  return out;
}

std::set<std::int64_t> repeated_seeds(const std::vector<RunFingerprint>& runs) {
  std::set<std::int64_t> out;
  for (const auto& [seed, first] : first_alike(runs))
    if (first != seed) out.insert(seed);
  return out;
}

CommonRuns common_runs(const std::vector<VariantCells>& variants) {
  CommonRuns out;
  for (const VariantCells& v : variants) out.left_out.push_back(v.done.empty());
  out.cells = cells_of_all(variants, out.left_out);
  while (seeds_of(out.cells).size() < kFewestSeeds && std::ranges::count(out.left_out, false) > 2) {
    const std::optional<std::size_t> v = worst(variants, out);
    if (!v) break;
    out.left_out[*v] = true;
    out.cells = cells_of_all(variants, out.left_out);
  }
  return out;
}

}  // namespace coslice

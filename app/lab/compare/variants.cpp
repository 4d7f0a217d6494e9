#include "lab/compare/variants.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "output/summary_json.h"

namespace coslice {
namespace {

using Facts = std::map<std::string, std::string>;

void flatten(const Value& v, const std::string& name, Facts& out) {
  const auto* members = v.members();
  if (members == nullptr) {
    out[name] = v.text() != nullptr ? *v.text() : json_from_value(v);
    return;
  }
  for (const Member& m : *members) flatten(m.value, name.empty() ? m.key : name + "." + m.key, out);
}

/// What the run was made from, by the names of the settings.
Facts facts_of(const RunRecord& run) {
  Facts facts;
  flatten(run.settings, "", facts);
  facts["policy.name"] = text_at(run.summary, {"policy", "name"});
  facts["policy.version"] = text_at(run.summary, {"policy", "version"});
  for (const char* table : {"policy", "machine", "workload"}) {
    const Value* found = run.summary.find(table);
    if (found == nullptr) continue;
    if (const Value* params = found->find("params")) flatten(*params, std::string(table) + ".params", facts);
    if (const Value* name = found->find("name")) flatten(*name, std::string(table) + ".name", facts);
    if (const Value* nodes = found->find("nodes")) flatten(*nodes, std::string(table) + ".nodes", facts);
  }
  return facts;
}

/// Keys that the variants do not agree upon, without the names that follow from others.
std::set<std::string> differing(const std::vector<Facts>& all) {
  std::set<std::string> keys, out;
  for (const Facts& f : all)
    for (const auto& [key, value] : f) keys.insert(key);
  for (const std::string& key : keys) {
    const auto value = [&](const Facts& f) { return f.count(key) != 0 ? f.at(key) : std::string(); };
    if (std::ranges::any_of(all, [&](const Facts& f) { return value(f) != value(all.front()); })) out.insert(key);
  }
  out.erase("policy.version");
  if (out.size() > 1) out.erase("name");
  return out;
}

bool same_policy(const std::vector<Facts>& all) {
  return std::ranges::all_of(all, [&](const Facts& f) { return f.at("policy.name") == all.front().at("policy.name"); });
}

/// Whether the parameter is one that some other variant of the same policy has with another value: else the name of the
/// policy says it all.
bool tells(const std::vector<Facts>& all, std::size_t i, const std::string& key) {
  for (const Facts& other : all) {
    if (other.at("policy.name") != all[i].at("policy.name")) continue;
    const bool in_both = other.count(key) != 0 && all[i].count(key) != 0;
    if (in_both && other.at(key) != all[i].at(key)) return true;
  }
  return false;
}

std::vector<std::string> names_of(const std::vector<Facts>& all) {
  const std::set<std::string> keys = differing(all);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string name = same_policy(all) && !keys.empty() ? "" : all[i].at("policy.name");
    for (const std::string& key : keys) {
      if (key == "policy.name" || all[i].count(key) == 0 || !tells(all, i, key)) continue;
      name += (name.empty() ? "" : " ") + key.substr(key.rfind('.') + 1) + "=" + all[i].at(key);
    }
    names.push_back(name.empty() ? all[i].at("policy.name") : name);
  }
  return names;
}

bool repeats_a_seed(const Variant& v) {
  std::set<std::int64_t> seeds;
  return std::ranges::any_of(v.runs, [&](const RunRecord& r) { return !seeds.insert(r.seed).second; });
}

std::vector<Variant> one_by_one(std::vector<Variant> groups) {
  std::vector<Variant> out;
  for (Variant& g : groups)
    for (RunRecord& r : g.runs) out.push_back({r.where, {std::move(r)}});
  return out;
}

}  // namespace

std::vector<Variant> variants_of(std::vector<RunRecord> runs) {
  std::vector<Variant> variants;
  std::vector<Facts> kinds;
  for (RunRecord& run : runs) {
    const Facts facts = facts_of(run);
    const auto at = static_cast<std::size_t>(std::ranges::find(kinds, facts) - kinds.begin());
    if (at == kinds.size()) {
      kinds.push_back(facts);
      variants.emplace_back();
    }
    variants[at].runs.push_back(std::move(run));
  }
  if (std::ranges::any_of(variants, repeats_a_seed)) return one_by_one(std::move(variants));
  const std::vector<std::string> names = names_of(kinds);
  std::map<std::string, int> used;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const int n = ++used[names[i]];
    variants[i].name = n == 1 ? names[i] : fmt::format("{} ({})", names[i], n);
    std::ranges::stable_sort(variants[i].runs, {}, &RunRecord::seed);
  }
  return variants;
}

}  // namespace coslice

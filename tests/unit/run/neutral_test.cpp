// Settings that mean nothing change nothing: each of them over each policy that comes with coslice.
#include "lab/check/neutral.h"

#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "catch.h"
#include "host/embedded.h"
#include "lab/check/case.h"
#include "lab/check/shrink.h"
#include "neutral_cases.h"
#include "neutral_exceptions.h"
#include "scratch_folder.h"

namespace neutral_test {

using namespace coslice;
using namespace coslice::check;
using namespace coslice::test;

namespace {

std::vector<Bench> shipped_policies() {
  std::vector<Bench> all;
  for (const EmbeddedFile& f : embedded_files()) {
    if (f.name.rfind("policies/", 0) != 0) continue;
    const std::string_view file = f.name.substr(f.name.rfind('/') + 1);
    all.push_back(bench_of(std::string(file.substr(0, file.size() - std::string_view(".lua").size()))));
  }
  return all;
}

/// One workload of a policy, and what came of it without a setting.
class Workbench {
 public:
  Workbench(const Bench& bench, std::uint64_t seed) : bench_(bench), case_(NeutralCase(bench, seed).draw()) {}

  /// Nothing if the setting changes nothing here, or does not apply.
  std::optional<Difference> lay(const NeutralSetting& setting) {
    const auto [reference, laid] = both_sides(case_, setting, bench_.policy);
    if (!laid) return {};
    const LaidRun& plain = reference_run(*reference);
    if (plain.end != LaidRun::End::kDone) return {};
    return difference(plain, run_laid(*laid, {}, folder_ / ""));
  }

  /// The fewest jobs found that still show it, both scenarios as a suite has them.
  std::string smallest(const NeutralSetting& setting, Difference::What what) const {
    constexpr int kTries = 300;
    const auto fails = [&](const Case& c) {
      if (!can_run(c)) return false;
      const auto [reference, laid] = both_sides(c, setting, bench_.policy);
      if (!laid) return false;
      const auto d = difference(run_laid(*reference, {}, folder_ / ""), run_laid(*laid, {}, folder_ / ""));
      return d && d->what == what;
    };
    const Case c = shrink(case_, fails, kTries).smallest;
    const auto [reference, laid] = both_sides(c, setting, bench_.policy);
    const auto d = difference(run_laid(*reference, {}, folder_ / ""), run_laid(*laid, {}, folder_ / ""));
    std::string out = fmt::format("{}\n", d ? d->text : "");
    for (const auto& [name, side] : {std::pair{"without", &reference}, std::pair{"with", &laid}}) {
      if (!(*side)->changes.empty()) out += fmt::format("-- its policy is changed: {}\n", (*side)->changes);
      out += fmt::format("local {} = simulate {{\n  policy = \"{}\",\n{}}}\n", name, bench_.policy,
                         lua_of((*side)->tree, "  "));
    }
    return out;
  }

 private:
  const LaidRun& reference_run(const Laid& reference) {
    const auto [at, is_new] = references_.try_emplace(reference.changes + lua_of(reference.tree, ""));
    if (is_new) at->second = run_laid(reference, {}, folder_ / "");
    return at->second;
  }

  Bench bench_;
  Case case_;
  ScratchFolder folder_;
  std::map<std::string, LaidRun> references_;  ///< what settings are compared with, by its text
};

/// What a cell of the matrix showed, and on which workload.
struct Cell {
  std::optional<Difference> worst;
  std::uint64_t seed = 0;
};

const char* word(const Cell& cell) {
  static const char* const words[] = {"refused", "failed", "starts", "nodes", "figures"};
  return cell.worst ? words[static_cast<std::size_t>(cell.worst->what)] : "equal";
}

/// Tries each cell that `chosen` has on so many workloads, until one shows a difference. The environment:
/// COSLICE_POLICY names the only policy, with COSLICE_TABLE what differs is printed, a line each, and nothing fails.
void try_matrix(std::uint64_t workloads, const std::function<bool(std::size_t policy, std::size_t setting)>& chosen,
                bool whole) {
  const std::vector<Bench> policies = shipped_policies();
  const std::vector<NeutralSetting>& settings = neutral_settings();
  const char* const only = std::getenv("COSLICE_POLICY");
  const bool table = std::getenv("COSLICE_TABLE") != nullptr;
  std::set<std::pair<const Exception*, std::string>> seen;
  for (std::size_t p = 0; p != policies.size(); ++p) {
    if (only != nullptr && policies[p].policy != only) continue;
    std::vector<Cell> cells(settings.size());
    for (std::uint64_t seed = 1; seed <= workloads; ++seed) {
      Workbench bench(policies[p], seed);
      for (std::size_t s = 0; s != settings.size(); ++s) {
        Cell& cell = cells[s];
        if (!chosen(p, s) || cell.worst) continue;
        cell.worst = bench.lay(settings[s]);
        cell.seed = seed;
      }
    }
    for (std::size_t s = 0; s != settings.size(); ++s) {
      const Cell& cell = cells[s];
      if (!cell.worst) continue;
      const Exception* known = exception_for(policies[p], settings[s].name);
      if (known != nullptr && !known->worst.empty() && known->worst != word(cell)) known = nullptr;
      if (known != nullptr) seen.emplace(known, settings[s].name);
      if (table)
        fmt::print("{} | {} | {} {} of {} | {} | {}\n", policies[p].policy, settings[s].name, word(cell),
                   cell.worst->count, cell.worst->of, known != nullptr ? "known" : "new", cell.worst->text);
      if (known != nullptr || table) continue;
      INFO("policy " << policies[p].policy << ", setting: " << settings[s].name);
      INFO(Workbench(policies[p], cell.seed).smallest(settings[s], cell.worst->what));
      CHECK(std::string(word(cell)) == "equal");
    }
  }
  if (!whole || only != nullptr) return;
  for (const Exception& e : exceptions()) {
    for (const std::string& setting : e.settings) {
      INFO("this is equal now; take it off the list: " << e.policies << ", " << setting);
      CHECK(seen.count({&e, setting}) == 1);
    }
  }
}

}  // namespace

TEST_CASE("settings that mean nothing change nothing: some cells", "[neutral]") {
  constexpr std::size_t kOneIn = 17;
  try_matrix(
      1, [](std::size_t policy, std::size_t setting) { return (3 * policy + setting) % kOneIn == 0; }, false);
}

TEST_CASE("settings that mean nothing change nothing: all cells, and every exception is one", "[.][neutral_all]") {
  constexpr std::uint64_t kWorkloads = 4;
  try_matrix(
      kWorkloads, [](std::size_t, std::size_t) { return true; }, true);
}

}  // namespace neutral_test

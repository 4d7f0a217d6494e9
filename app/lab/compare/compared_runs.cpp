#include "lab/compare/compared_runs.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/compare/common_runs.h"
#include "output/summary_json.h"
#include "report/markup.h"

namespace coslice {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

MadeRuns made_of(const Variant& v) {
  MadeRuns out;
  out.variant = v.name;
  for (const RunRecord& r : v.runs) out.all.push_back(r.where);
  for (const FailedRun& r : v.failed) {
    out.all.push_back(r.where);
    out.failed.push_back(r.where);
    out.failed_seeds.insert(r.seed);
  }
  if (!v.failed.empty()) out.error = first_line(v.failed.front().error);
  return out;
}

VariantCells cells_of(const Variant& v) {
  VariantCells out;
  for (const RunRecord& r : v.runs) out.done.insert({r.seed, r.condition});
  out.failed = v.failed.size();
  return out;
}

std::string names_of(const std::vector<MadeRuns>& made) {
  std::vector<std::string> out;
  for (const MadeRuns& m : made)
    if (!m.failed.empty()) out.push_back(fmt::format("{} {} of {}", m.variant, m.failed.size(), m.all.size()));
  return fmt::format("{}", fmt::join(out, ", "));
}

void warn_of_left_out(VariantComparison& c, const CommonRuns& common) {
  for (std::size_t v = 0; v != c.variants.size(); ++v) {
    if (!common.left_out[v] || c.variants[v].failed.empty()) continue;
    const MadeRuns& m = c.made[v];
    c.warnings.push_back(
        m.failed.size() == m.all.size()
            ? fmt::format("{} is not compared: all {} of its runs failed.", m.variant, m.all.size())
            : fmt::format("{} is not compared: {} of its {} runs failed, and the others have too few {} in common "
                          "with those of the other variants.",
                          m.variant, m.failed.size(), m.all.size(), unit_names(c.unit)));
  }
}

void put_without_runs_last(VariantComparison& c) {
  std::vector<Variant> variants;
  std::vector<MadeRuns> made;
  for (const bool empty : {false, true})
    for (std::size_t v = 0; v != c.variants.size(); ++v) {
      if (c.variants[v].runs.empty() != empty) continue;
      variants.push_back(c.variants[v]);
      made.push_back(c.made[v]);
    }
  c.variants = std::move(variants);
  c.made = std::move(made);
}

std::vector<std::string> conditions_of(const Variant& v) {
  std::vector<std::string> out;
  for (const RunRecord& r : v.runs)
    if (std::ranges::find(out, r.condition) == out.end()) out.push_back(r.condition);
  return out;
}

/// The members of a machine that are nodes.
Value nodes_of(const Variant& v) {
  Value out = Value::table();
  if (v.runs.empty()) return out;
  const RunRecord& r = v.runs.front();
  for (const Value* from : {&r.summary, &r.settings}) {
    const Value* const machine = from->find("machine");
    if (machine == nullptr || machine->members() == nullptr) continue;
    for (const Member& m : *machine->members())
      if (m.key != "partitions") out.set((from == &r.settings ? "set " : "") + m.key, m.value);
  }
  return out;
}

}  // namespace

void keep_common_runs(VariantComparison& c) {
  std::vector<VariantCells> cells;
  for (const Variant& v : c.variants) {
    c.made.push_back(made_of(v));
    cells.push_back(cells_of(v));
  }
  const CommonRuns common = common_runs(cells);
  const auto compared = std::ranges::count(common.left_out, false);
  if (compared < 2 || (!common.any() && !stand_apart(cells, common))) {
    const std::string failed = names_of(c.made);
    c.refused = fmt::format("no {} has runs of two variants that ended well{}",
                            c.unit == Unit::kSeed ? "seed" : "phase", failed.empty() ? "" : " (" + failed + " failed)");
    return;
  }
  warn_of_left_out(c, common);
  std::size_t before = 0, after = 0;
  for (std::size_t v = 0; v != c.variants.size(); ++v) {
    std::vector<RunRecord>& runs = c.variants[v].runs;
    if (common.left_out[v]) {
      runs.clear();
      continue;
    }
    before += runs.size();
    if (!stand_apart(cells, common))
      std::erase_if(runs, [&](const RunRecord& r) { return common.cells.count({r.seed, r.condition}) == 0; });
    after += runs.size();
  }
  if (after < before)
    c.notes.push_back(fmt::format("{} that ended well {} left out, because another variant has none of the same {}.",
                                  counted(static_cast<std::int64_t>(before - after), "run"),
                                  before - after == 1 ? "is" : "are",
                                  c.unit == Unit::kSeed ? "seed and condition" : "phase"));
  put_without_runs_last(c);
  c.conditions = conditions_of(c.variants.front());
}

std::map<std::int64_t, std::int64_t> alike_seeds(const std::vector<const Variant*>& variants) {
  std::vector<RunFingerprint> all;
  for (const Variant* const v : variants)
    for (const RunRecord& r : v->runs)
      all.push_back({r.seed, v->name + "\n" + r.condition, text_at(r.summary, {"fingerprint"})});
  return first_alike(all);
}

void drop_repeated_seeds(VariantComparison& c) {
  std::vector<const Variant*> all;
  for (const Variant& v : c.variants) all.push_back(&v);
  const std::map<std::int64_t, std::int64_t> alike = alike_seeds(all);
  const auto repeated = std::ranges::count_if(alike, [](const auto& of) { return of.first != of.second; });
  if (repeated == 0) return;
  for (Variant& v : c.variants) std::erase_if(v.runs, [&](const RunRecord& r) { return alike.at(r.seed) != r.seed; });
  c.notes.push_back(repeated_text(alike.size(), static_cast<std::size_t>(repeated), c.unit));
}

std::string repeated_text(std::size_t seeds, std::size_t repeated, Unit unit) {
  return fmt::format("Of {}, {} the same runs as others, because nothing is drawn that would differ: {} independent.",
                     counted_units(seeds, unit), repeated == 1 ? "1 gives" : fmt::format("{} give", repeated),
                     seeds - repeated == 1 ? "1 is" : fmt::format("{} are", seeds - repeated));
}

bool on_other_machines(const Variant& a, const Variant& b) { return nodes_of(a) != nodes_of(b); }

std::string failures_text(const std::vector<MadeRuns>& made) {
  struct Count {
    std::string variant, error;
    std::set<std::string> all, failed;
  };
  std::vector<Count> counts;
  std::set<std::string> all, failed;
  for (const MadeRuns& m : made) {
    auto of = std::ranges::find(counts, m.variant, &Count::variant);
    if (of == counts.end()) of = counts.insert(of, {m.variant, "", {}, {}});
    of->all.insert(m.all.begin(), m.all.end());
    of->failed.insert(m.failed.begin(), m.failed.end());
    if (of->error.empty()) of->error = m.error;
    all.insert(m.all.begin(), m.all.end());
    failed.insert(m.failed.begin(), m.failed.end());
  }
  if (failed.empty()) return "";
  std::string list;
  for (const Count& of : counts)
    if (!of.failed.empty())
      list += fmt::format("{}{} {} of {} ({})", list.empty() ? "" : "; ", of.variant, of.failed.size(), of.all.size(),
                          of.error);
  // One that never ends well is compared with nothing, and takes no runs of others with it.
  const bool takes_others = std::ranges::any_of(
      counts, [](const Count& of) { return !of.failed.empty() && of.failed.size() < of.all.size(); });
  return fmt::format("{} of {} failed: {}.{}", failed.size(), counted(std::ssize(all), "run"), list,
                     takes_others ? " With them the runs of the others of the same seed and condition are left out."
                                  : "");
}

std::string failures_text(const std::vector<VariantComparison>& comparisons) {
  std::vector<MadeRuns> made;
  for (const VariantComparison& c : comparisons) made.insert(made.end(), c.made.begin(), c.made.end());
  return failures_text(made);
}

}  // namespace coslice

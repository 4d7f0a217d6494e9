#include "lab/check/judge.h"

#include <memory>

#include <fmt/format.h>

#include "core/error.h"
#include "core/refusals.h"
#include "host/errors.h"
#include "lab/check/coverage.h"
#include "lab/check/neutral.h"
#include "testing/test_run.h"

namespace coslice::check {

namespace {

/// One case in this many is run twice.
constexpr std::int64_t kTwice = 8;

TestRun run(const Scenario& base, const Case& c) {
  const auto runner = std::make_shared<const Runner>(scenario_of(c, base));
  return run_watched(
      runner, 0, [](std::string_view) {}, true);
}

std::optional<Finding> look_at(const TestRun& run) {
  if (!run.violations.empty()) return Finding{Finding::Kind::kInvariant, "", run.violations.front()};
  if (run.broken_claims.empty()) return {};
  const std::string& broken = run.broken_claims.front();
  const std::size_t end = broken.find(": ");
  return Finding{Finding::Kind::kClaim, broken.substr(0, end), broken.substr(end + 2)};
}

Finding error_of(const std::exception& e, const std::string& where) {
  return {Finding::Kind::kError, where, e.what(), dynamic_cast<const LimitError*>(&e) != nullptr};
}

/// What changes with a setting that means nothing; `run` is without it, unless the setting lies over another one.
std::optional<Finding> lay_neutral(const Scenario& base, const Case& c, const PolicyRun& run) {
  const NeutralSetting* setting = c.neutral.empty() ? nullptr : find_neutral(c.neutral);
  if (setting == nullptr) return {};
  Scenario with = base;
  for (const auto& [name, text] : c.params) with.policy.params.set(name, text);
  const auto [reference, laid] = both_sides(c, *setting, base.policy.names.front());
  if (!laid) return {};
  const LaidRun without = setting->over ? run_laid(*reference, with) : laid_run(run);
  const auto d = difference(without, run_laid(*laid, with));
  if (!d || d->what == Difference::What::kRefused) return {};  // what cannot be combined yet, coslice says itself
  return Finding{Finding::Kind::kNeutral, setting->name, fmt::format("with {}, {}", setting->name, d->text)};
}

}  // namespace

const char* kind_name(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kError: return "error";
    case Finding::Kind::kInvariant: return "invariant";
    case Finding::Kind::kClaim: return "claim";
    case Finding::Kind::kNeutral: return "neutral";
    default: return "repetition";
  }
}

std::optional<Finding> judge(const Scenario& base, const Case& c, Coverage* coverage) {
  try {
    const TestRun first = run(base, c);
    if (coverage != nullptr) coverage->add(first);
    if (auto found = look_at(first)) return found;
    if (auto found = lay_neutral(base, c, first.run)) return found;
    if (c.seed % kTwice != 0 || run(base, c).run.result.fingerprint == first.run.result.fingerprint) return {};
    return Finding{Finding::Kind::kRepetition, "", "the same workload again came out differently"};
  } catch (const ScriptError& e) {
    const Diagnostic& d = e.diagnostic();
    return error_of(e, d.file + ":" + std::to_string(d.line));
  } catch (const RefusedError&) {
    return {};  // what cannot be combined is no mistake of the policy
  } catch (const RefusedInput&) {
    return {};
  } catch (const SimulationError& e) {
    return error_of(e, "");
  }
}

}  // namespace coslice::check

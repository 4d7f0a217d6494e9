#include "lab/check/check.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/policy/find_policy.h"
#include "api/policy/params.h"
#include "api/policy/policy.h"
#include "core/value.h"
#include "lab/check/coverage.h"
#include "lab/check/neutral.h"
#include "lab/check/shrink.h"
#include "lab/thread_pool.h"

namespace coslice::check {

namespace {

/// Cases that a worker runs in a row.
constexpr std::int64_t kChunk = 16;
/// Cases that shrinking may try; fewer where each takes long.
constexpr int kTries = 2000, kSlowTries = 40;
/// A counterexample of more jobs than a person likes to read, and how many others are looked at to find a smaller one.
constexpr std::size_t kFewJobs = 5;
constexpr int kFurther = 12;
/// Instructions of one call; an endless loop is one on so few jobs.
constexpr std::int64_t kInstructions = 3'000'000;

/// The case with that number shows a mistake.
struct Found {
  std::int64_t i;
};

Scenario base_of(const CheckOptions& options) {
  Scenario base;
  base.policy.names = {options.policy};
  base.policy.params = options.params;
  base.limits.instructions = kInstructions;
  base.slowdown = {};
  return base;
}

Kind kind_of(const Policy& policy, const CheckOptions& options) {
  Kind kind{policy.slices().has_value(),
            policy.sharing().has_value(),
            policy.coscheduling().has_value(),
            policy.placement().has_value(),
            options.equal_nodes,
            policy.slices() && !policy.slices()->scheduler.empty(),
            false};
  // What it claims, it claims of its defaults; and what slices and groups are made of does not all go together.
  Claims claims = policy.description().claims;
  claims.no_idle_gpus = false;  // that follows from how it is set
  if (!claims.names().empty() || kind.sliced || kind.shared || kind.coscheduled) return kind;
  for (const ParamSpec& p : policy.description().params)
    if (!p.choices.empty() && options.params.find(p.name) == nullptr) kind.choices.emplace_back(p.name, p.choices);
  return kind;
}

/// How many parameters the function names.
int parameters_of(LuaState& state, const LuaRef& function) {
  lua_Debug about{};
  state.protect([&](lua_State* L) {
    function.push(L);
    lua_getinfo(L, ">u", &about);
  });
  return about.nparams;
}

/// Whether the policy looks at the time: shares by time of day, a hook that takes `now`, or the view's time read in one
/// of the first cases.
bool looks_at_clock(Policy& policy, const CheckOptions& options, const Scenario& base, const Kind& kind) {
  const auto& slices = policy.slices();
  if (slices && (slices->shares || !slices->day_shares.empty())) return true;
  for (const Hook* hook : {&policy.hooks().dynamic_key, &policy.hooks().may_start})
    if (*hook && parameters_of(policy.state(), hook->function) > 1) return true;
  Coverage coverage;
  for (std::int64_t i = 0; i != kChunk; ++i)
    judge(base, draw_case(options.seed, static_cast<std::uint64_t>(i), kind, options.sizes), &coverage);
  return coverage.read_clock();
}

/// The number of the first case from `begin` on that shows a mistake, or nothing.
std::optional<std::int64_t> search(const CheckOptions& options, const Scenario& base, const Kind& kind,
                                   Coverage& coverage, std::int64_t begin = 0) {
  const auto chunks = static_cast<std::size_t>((options.cases - begin + kChunk - 1) / kChunk);
  const auto task = [&](std::size_t chunk, const Cancel& cancel) {
    const std::int64_t from = begin + static_cast<std::int64_t>(chunk) * kChunk;
    for (std::int64_t i = from; i < std::min(from + kChunk, options.cases); ++i) {
      if (cancel.requested(chunk)) throw Cancelled{};
      const Case c = draw_case(options.seed, static_cast<std::uint64_t>(i), kind, options.sizes);
      if (judge(base, c, &coverage)) throw Found{i};
    }
  };
  PoolOptions pool;
  pool.workers = options.workers;
  if (options.tick) {
    pool.tick = [&](std::size_t done) {
      const auto cases = begin + static_cast<std::int64_t>(done) * kChunk;
      options.tick(static_cast<std::size_t>(std::min(cases, options.cases)), false);
    };
  }
  try {
    run_tasks(chunks, task, pool);
  } catch (const Found& found) {
    return found.i;
  }
  return {};
}

Counterexample shrunk(const CheckOptions& options, const Scenario& base, const Kind& kind, std::int64_t i) {
  const Case c = draw_case(options.seed, static_cast<std::uint64_t>(i), kind, options.sizes);
  Counterexample out;
  out.finding = judge(base, c).value();
  out.number = i + 1;
  out.jobs = c.jobs.size();
  const Finding first = out.finding;
  std::size_t tried = 0;
  const auto fails = [&](const Case& candidate) {
    if (options.tick) options.tick(++tried, true);
    if (!can_run(candidate)) return false;
    const auto found = judge(base, candidate);
    if (!found || !found->same_as(first)) return false;
    out.finding = *found;
    return true;
  };
  const Shrunk result = shrink(c, fails, first.slow ? kSlowTries : kTries);
  out.smallest = result.smallest;
  out.tries = result.tries;
  return out;
}

/// The finding of case i. One that stays large is compared with the next ones that show the same: what cannot be shrunk
/// by small steps often shows in another case with fewer jobs.
Counterexample smallest_found(const CheckOptions& options, const Scenario& base, const Kind& kind, std::int64_t i) {
  Counterexample best = shrunk(options, base, kind, i);
  for (int k = 0; k != kFurther && best.smallest.jobs.size() > kFewJobs; ++k) {
    Coverage ignored;
    const auto next = search(options, base, kind, ignored, i + 1);
    if (!next) break;
    i = *next;
    Counterexample other = shrunk(options, base, kind, i);
    const bool smaller = other.smallest.jobs.size() < best.smallest.jobs.size();
    if (smaller && other.finding.same_as(best.finding)) best = std::move(other);
  }
  return best;
}

std::string lua_value(const Value& v) {
  if (v.text() != nullptr) return fmt::format("\"{}\"", *v.text());
  return shown(v);
}

std::string lua_params(const Value& params) {
  if (params.members() == nullptr || params.members()->empty()) return "";
  std::string out;
  for (const auto& m : *params.members()) out += (out.empty() ? "" : ", ") + m.key + " = " + lua_value(m.value);
  return "      params = { " + out + " },\n";
}

/// Those that it is checked with, and those that were drawn.
Value all_params(const CheckOptions& options, const Case& c) {
  Value all = options.params;
  for (const auto& [name, text] : c.params) all.set(name, text);
  return all;
}

/// The case without and with the setting that means nothing, and that they come to the same.
std::string two_scenarios(const Case& c, const std::string& head) {
  const auto [reference, laid] = both_sides(c, *find_neutral(c.neutral), "");
  std::string out;
  for (const auto& [name, side] : {std::pair{"without", &reference}, std::pair{"with", &laid}})
    out += fmt::format("    local {} = simulate {{\n{}{}    }}\n", name, head, lua_of((*side)->tree, "      "));
  return out + "    expect(with).starts_like(without)\n"
               "    for i, job in ipairs(without.jobs) do\n"
               "      expect(with.jobs[i].finish).equals(job.finish)\n"
               "      expect(with.jobs[i].allocated).equals(job.allocated)\n"
               "    end\n";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

CheckReport check(const CheckOptions& options) {
  const Scenario base = base_of(options);
  const FoundPolicy found = find_policy(options.policy);
  PolicyContext context;
  context.limits = base.limits.for_host();
  context.roots = found.roots;
  context.print = [](std::string_view) {};
  Policy policy(found.script, options.params, context, true);
  Kind kind = kind_of(policy, options);
  kind.clock = looks_at_clock(policy, options, base, kind);
  CheckReport report;
  report.policy = policy.description().name;
  report.claims = policy.description().claims.names();
  report.cases = options.cases;
  Coverage coverage;
  if (const auto i = search(options, base, kind, coverage)) {
    report.cases = *i + 1;
    report.counterexample = smallest_found(options, base, kind, *i);
  } else {
    report.jobs = coverage.jobs();
    report.reached = coverage.reached(kind);
    report.missed = coverage.missed(kind, policy.description());
  }
  return report;
}

std::string regression_test(const CheckReport& report, const CheckOptions& options, const std::string& policy) {
  const Counterexample& c = report.counterexample.value();
  const Finding& f = c.finding;
  const bool again = f.kind == Finding::Kind::kRepetition;
  std::string title = "runs to its end";
  if (f.kind == Finding::Kind::kClaim) title = "keeps what it claims: " + f.claim;
  else if (f.kind == Finding::Kind::kInvariant) title = "breaks no rule";
  else if (again) title = "does the same again";
  else if (f.kind == Finding::Kind::kNeutral) title = "does the same with " + f.claim;
  std::string out = fmt::format("-- {}\ndescribe(\"{}\", function()\n  it({}, function()\n", first_line(f.what),
                                report.policy, toml_text(title));
  const std::string head =
      fmt::format("      policy = \"{}\",\n", policy) + lua_params(all_params(options, c.smallest));
  if (f.kind == Finding::Kind::kNeutral) return out + two_scenarios(c.smallest, head) + "  end)\nend)\n";
  out += "    local scenario = {\n" + head + lua_of(tree_of(c.smallest), "      ") + "    }\n";
  out += "    local run = simulate(scenario)\n    expect(run).violates_nothing()\n";
  if (f.kind == Finding::Kind::kClaim) out += "    expect(run).keeps_claims()\n";
  if (again) out += "    expect(simulate(scenario).fingerprint).equals(run.fingerprint)\n";
  return out + "  end)\nend)\n";
}

}  // namespace coslice::check

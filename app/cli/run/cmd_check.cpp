// coslice check: a policy against thousands of random workloads.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/output_file.h"
#include "cli/frame/stop_signals.h"
#include "core/error.h"
#include "lab/check/check.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CheckFlags {
  std::vector<std::string> policy, sets;
  std::optional<std::string> runs, seed, jobs, most_jobs, most_nodes, out;
  bool json = false, equal_nodes = false;
};

/// Parameters of the policy; nothing else of a scenario can be set.
Value params_from(const std::vector<std::string>& sets) {
  const std::string prefix = "policy.params.";
  Value tree = Value::table();
  for (const std::string& s : sets) {
    if (!s.starts_with(prefix)) {
      throw InputError(
          {"", 0, fmt::format("--set {}: only parameters of the policy can be set here", s), prefix + "NAME=VALUE"});
    }
    apply_override(tree, s);
  }
  const Value* policy = tree.find("policy");
  const Value* params = policy == nullptr ? nullptr : policy->find("params");
  return params == nullptr ? Value::table() : *params;
}

check::CheckOptions options_from(const CheckFlags& flags) {
  constexpr std::int64_t kMostRuns = 1'000'000'000, kMostJobs = 200, kMostNodes = 1000;
  check::CheckOptions o;
  o.policy = flags.policy.front();
  o.params = params_from(flags.sets);
  if (flags.runs) o.cases = whole_number("--runs", *flags.runs, 1, kMostRuns);
  if (flags.seed) o.seed = static_cast<std::uint64_t>(whole_number("--seed", *flags.seed, 0, INT64_MAX));
  if (flags.most_jobs) o.sizes.jobs = whole_number("--most-jobs", *flags.most_jobs, 1, kMostJobs);
  if (flags.most_nodes) o.sizes.nodes = whole_number("--most-nodes", *flags.most_nodes, 1, kMostNodes);
  o.equal_nodes = flags.equal_nodes;
  o.workers = threads_of("--jobs", flags.jobs);
  return o;
}

/// The policy as a suite in that folder finds it.
std::string seen_from(const std::string& policy, const std::string& file) {
  namespace fs = std::filesystem;
  if (fs::path(policy).extension() != ".lua") return policy;
  const fs::path folder = file.empty() ? fs::path(".") : fs::absolute(fs::path(file)).parent_path();
  const fs::path from = fs::absolute(policy).lexically_normal().lexically_relative(folder.lexically_normal());
  return from.empty() ? policy : from.string();
}

Json json_of(const check::CheckReport& r, const check::CheckOptions& o, const std::string& test) {
  Json out = {{"policy", r.policy},        {"claims", r.claims},   {"seed", o.seed},         {"workloads", r.cases},
              {"counterexample", nullptr}, {"reached", r.reached}, {"not_reached", r.missed}};
  if (!r.counterexample) {
    out["jobs"] = r.jobs;
    return out;
  }
  const check::Counterexample& c = *r.counterexample;
  Json& x = out["counterexample"];
  x = {{"kind", check::kind_name(c.finding.kind)}};
  if (c.finding.kind == check::Finding::Kind::kClaim) x["claim"] = c.finding.claim;
  x["what"] = c.finding.what;
  x["workload"] = c.number;
  x["jobs_before"] = c.jobs;
  x["jobs"] = c.smallest.jobs.size();
  x["nodes"] = c.smallest.nodes;
  x["tries"] = c.tries;
  x["test"] = test;
  return out;
}

std::string list_of(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string text_of(const check::CheckReport& r, const check::CheckOptions& o) {
  if (!r.counterexample) {
    const auto paragraph = [](const std::string& text) { return wrapped(text, text_width(stdout), 2) + "\n"; };
    const std::string claims =
        r.claims.empty() ? "none" : list_of(r.claims) + "; all kept (its own, and those of its backfilling)";
    return fmt::format("{}: {} random workloads with {} jobs run to their end, and no violation was found in what they "
                       "reached\n",
                       r.policy, grouped(r.cases), grouped(r.jobs)) +
           paragraph("claims: " + claims) + paragraph("reached: " + list_of(r.reached)) +
           paragraph("not reached: " + (r.missed.empty() ? "nothing that is looked for" : list_of(r.missed)));
  }
  const check::Counterexample& c = *r.counterexample;
  std::string head;
  switch (c.finding.kind) {
    case check::Finding::Kind::kClaim: head = fmt::format("the claim {} does not hold", c.finding.claim); break;
    case check::Finding::Kind::kInvariant: head = "a rule is broken"; break;
    case check::Finding::Kind::kRepetition: head = "it does not repeat itself"; break;
    case check::Finding::Kind::kNeutral: head = "a setting that means nothing changes what it does"; break;
    default: head = "it fails"; break;
  }
  return fmt::format("{}: {}\n  {}\nworkload {} of seed {}: {} jobs shrunk to {} in {} tries\n", r.policy, head,
                     c.finding.what, c.number, o.seed, c.jobs, c.smallest.jobs.size(), grouped(c.tries));
}

check::CheckReport check_with_progress(check::CheckOptions& options) {
  Progress bar("check", "workloads", progress_on_stderr());
  bool shrinking = false;
  options.tick = [&](std::size_t done, bool shrinks) {
    stop_if_interrupted();
    if (shrinks && !std::exchange(shrinking, true)) bar.clear();
    if (!shrinks) bar.update(static_cast<std::int64_t>(done), options.cases);
  };
  return check::check(options);
}

int check_policy(const CheckFlags& flags) {
  check::CheckOptions options = options_from(flags);
  const std::string out = flags.out.value_or("");
  if (!out.empty()) require_absent(out);
  notice_interrupts();
  const check::CheckReport report = check_with_progress(options);
  std::string test;
  if (report.counterexample) test = check::regression_test(report, options, seen_from(options.policy, out));
  if (flags.json) print(json_of(report, options, test).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  else print(text_of(report, options));
  if (!report.counterexample) return kDone;
  if (!out.empty()) {
    write_new_files({{out, test}});
    report_note(fmt::format("wrote {}: `coslice test {}` fails until the mistake is gone", out, out));
  } else if (!flags.json) {
    print("\n" + test);
  }
  return kFailed;
}

}  // namespace

Command check_command() {
  auto flags = std::make_shared<CheckFlags>();
  CheckFlags& f = *flags;
  Command c;
  c.summary = "look for a workload on which a policy breaks a rule";
  c.examples = {
      {"coslice check mine.lua", "2,000 random workloads"},
      {"coslice check mine.lua --runs 10000 --seed 7", "more of them, others"},
      {"coslice check easy --set policy.params.depth=3", "with another parameter"},
      {"coslice check mine.lua --out found_test.lua", "keeps what was found as a suite"},
  };
  c.text =
      "Each workload is a few jobs on a small machine, drawn at random: sizes, run times, estimates, users, memory, "
      "with many ties. Whatever the policy, no node may be held twice, no job may be lost, cut short or started early, "
      "the policy may raise no error and use up no limit, and the same workload must come out the same again. What the "
      "policy says of itself in its field `claims` must hold, too; docs/policy-api/policy.md lists the claims. And a "
      "setting that means nothing must change nothing: many workloads are run again with a partition of all nodes, a "
      "licence in plenty, an outage after the end or the like, and no job may start at another time or on other nodes "
      "then.\n\n"
      "Where the policy looks at the time (shares by time of day, a hook with `now`, the view's time), every second "
      "workload has daily and weekly cycles of submissions. The report names what no workload reached: hooks that were "
      "never called, jobs that were never killed, memory that never ran short.\n\n"
      "The first workload on which something goes wrong is made as small as possible and printed as a suite for "
      "`coslice test`. The same seed gives the same workloads and the same answer on every machine. The exit status is "
      "1 if something was found. That nothing was found proves nothing; more runs and other seeds look further.";
  c.arguments = {{"POLICY", "A policy's name or its file.", &f.policy, 1, 1, {Completion::kPolicies}}};
  c.options = {
      value("-n,--runs", "N", f.runs, "Workloads (default: 2000)."),
      value("--seed", "N", f.seed, "Seed of the workloads (default: 1)."),
      value("--most-jobs", "N", f.most_jobs, "Jobs in a workload, at most (default: 12)."),
      value("--most-nodes", "N", f.most_nodes, "Nodes of a machine, at most (default: 8)."),
      values("-s,--set", "KEY=VALUE", f.sets, "Sets a parameter: policy.params.NAME=VALUE.",
             {Completion::kScenarioKeys}),
      value("-j,--jobs", "N", f.jobs, "Workloads that are run at once (default: one for each processor)."),
      value("-o,--out", "FILE", f.out, "Writes the suite to a new file, if something is found.",
            {Completion::kFiles, {"lua"}}),
      flag("--equal-nodes", f.equal_nodes,
           "Draws machines of equal nodes only, for a policy that composes its pass for such ones."),
      flag("--json", f.json, "Prints what came out as JSON, and nothing else."),
  };
  c.run = [flags] { return check_policy(*flags); };
  return c;
}

}  // namespace coslice::cli

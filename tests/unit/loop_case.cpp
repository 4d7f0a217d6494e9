#include "loop_case.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/random.h"

namespace coslice::loop {

const char* name_of(Feature f) {
  static const char* const kNames[] = {
      "kinds",      "gpus",         "memory",       "parts of nodes", "partitions",   "licences",    "failures",
      "drains",     "maintenance",  "reservations", "dependencies",   "times",        "withdrawals", "checkpoints",
      "overlong",   "limit checks", "power",        "arrays",         "shared cores", "slices",      "moldable",
      "preemption", "suspension",   "contention",   "estimates",      "components"};
  return kNames[static_cast<std::size_t>(f)];
}

std::vector<int> partitions_of(const Case& c, const Job& job) {
  if (c.partitions.empty()) return {-1};
  if (!job.ask.partitions.empty()) return job.ask.partitions;
  std::vector<int> all;
  for (std::size_t p = 0; p != c.partitions.size(); ++p)
    if (c.partitions[p].by_default) all.push_back(static_cast<int>(p));
  return all.empty() ? std::vector<int>{0} : all;
}

std::vector<int> capable_nodes(const Case& c, const Job& job, int partition) {
  const Ask& ask = job.ask;
  std::vector<int> nodes;
  const Partition* const p = partition < 0 ? nullptr : &c.partitions[static_cast<std::size_t>(partition)];
  if (p != nullptr && ((p->max_nodes > 0 && job.nodes > p->max_nodes) || (p->max_time > 0 && job.limit > p->max_time) ||
                       (p->for_some && job.user != 1 && job.user != 2)))
    return nodes;
  for (int n = 0; n != c.node_count(); ++n) {
    if (p != nullptr && std::find(p->nodes.begin(), p->nodes.end(), n) == p->nodes.end()) continue;
    const Kind& kind = c.kind_of(n);
    if (ask.given) {
      if (kind.cores * 1000 < ask.cores || (kind.memory > 0 && kind.memory < ask.memory) || kind.gpus < ask.gpus)
        continue;
      if (ask.gpus > 0 && ask.gpu_kind >= 0 && &kind != &c.kinds[static_cast<std::size_t>(ask.gpu_kind)]) continue;
      if (ask.feature != 0 && kind.fast != (ask.feature == 1)) continue;
    }
    nodes.push_back(n);
  }
  return nodes;
}

Job component_of(const Job& job, std::size_t i) {
  Job one = job;
  one.components.clear();
  one.nodes = job.components[i].nodes;
  one.ask = job.components[i].ask;
  one.ask.licences = 0;
  return one;
}

namespace {

/// Whether each of the lists has its nodes beside those that are taken: one node after the other, and where it has been
/// given away, to whom it was finds another one.
bool have_enough(const std::vector<int>& wanted, const std::vector<std::vector<int>>& lists,
                 const std::set<int>& taken) {
  std::map<int, std::size_t> whose;
  std::set<int> seen;
  const std::function<bool(std::size_t)> find = [&](std::size_t i) {
    for (const int n : lists[i]) {
      if (taken.count(n) != 0 || !seen.insert(n).second) continue;
      const auto has = whose.find(n);
      if (has != whose.end() && !find(has->second)) continue;
      whose[n] = i;
      return true;
    }
    return false;
  };
  for (std::size_t i = 0; i != lists.size(); ++i)
    for (int k = 0; k < wanted[i]; ++k) {
      seen.clear();
      if (!find(i)) return false;
    }
  return true;
}

}  // namespace

std::vector<std::vector<int>> apart(const std::vector<Component>& components,
                                    const std::vector<std::vector<int>>& lists) {
  std::vector<int> wanted;
  for (const Component& c : components) wanted.push_back(c.nodes);
  std::set<int> taken;
  if (!have_enough(wanted, lists, taken)) return {};
  std::vector<std::vector<int>> chosen(lists.size());
  for (std::size_t i = 0; i != lists.size(); ++i)
    for (const int n : lists[i]) {
      if (wanted[i] == 0) break;
      if (!taken.insert(n).second) continue;
      --wanted[i];
      if (have_enough(wanted, lists, taken)) {
        chosen[i].push_back(n);
      } else {
        taken.erase(n);
        ++wanted[i];
      }
    }
  return chosen;
}

namespace {

/// Whether its components have nodes of their own in some of their partitions.
bool some_way(const Case& c, const Job& job) {
  if (job.ask.licences > c.licences) return false;
  const auto fast = [](const Kind& kind) { return kind.fast; };
  std::vector<std::vector<int>> lists;
  const std::function<bool(std::size_t)> any = [&](std::size_t i) {
    if (i == job.components.size()) return !apart(job.components, lists).empty();
    const Job one = component_of(job, i);
    if (one.ask.feature != 0 && std::none_of(c.kinds.begin(), c.kinds.end(), fast)) return false;
    for (const int p : partitions_of(c, one)) {
      lists.push_back(capable_nodes(c, one, p));
      const bool found = any(i + 1);
      lists.pop_back();
      if (found) return true;
    }
    return false;
  };
  return any(0);
}

}  // namespace

bool can_run(const Case& c) {
  return std::all_of(c.jobs.begin(), c.jobs.end(), [&](const Job& job) {
    if (!job.components.empty()) return some_way(c, job);
    if (job.ask.licences > c.licences) return false;
    const auto fast = [](const Kind& kind) { return kind.fast; };
    if (job.ask.feature != 0 && std::none_of(c.kinds.begin(), c.kinds.end(), fast)) return false;  // no such word
    const std::vector<int> partitions = partitions_of(c, job);
    return std::any_of(partitions.begin(), partitions.end(),
                       [&](int p) { return capable_nodes(c, job, p).size() >= static_cast<std::size_t>(job.nodes); });
  });
}

namespace {

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed)
      : random_(RandomKey(seed, "loop twin").stream(0)), of_components_(RandomKey(seed, "loop twin").stream(1)) {}

  Case draw() {
    do {
      c_.features = 0;
      for (int f = 0; f != static_cast<int>(Feature::kComponents); ++f)
        if (one_in(4)) c_.features |= std::uint64_t{1} << f;
    } while (__builtin_popcountll(c_.features) < 3);
    if (has(Feature::kSharedCores)) c_.features |= std::uint64_t{1} << static_cast<int>(Feature::kPartitions);
    c_.policy = static_cast<Policy>(between(0, has(Feature::kPartitions) ? 4 : 2));
    longest_ = between(3, 12);
    leave_out();
    draw_machine();
    int now = 0;
    const int jobs = between(3, 12), gap = between(1, 4);
    for (int i = 0; i != jobs; ++i) {
      if (!one_in(2)) now += between(0, gap);
      c_.jobs.push_back(draw_job(now));
    }
    if (has(Feature::kMoldable))
      for (Job& job : c_.jobs) draw_sizes(job);
    span_ = now + longest_ * 3;
    draw_outages();
    draw_reservations();
    for (std::size_t j = 0; j != c_.jobs.size(); ++j) draw_times(j);
    if (c_.interval == 0) without({Feature::kCheckpoints});
    const bool some_over =
        std::any_of(c_.partitions.begin(), c_.partitions.end(), [](const Partition& p) { return p.over_limit > 0; });
    if (c_.over_limit + c_.kill_wait + c_.limit_check == 0 && !some_over) without({Feature::kLimitChecks});
    draw_components();
    return c_;
  }

 private:
  int between(int low, int high) { return static_cast<int>(random_.uniform_int(low, high)); }
  bool one_in(int n) { return between(1, n) == 1; }
  bool has(Feature f) const { return (c_.features >> static_cast<int>(f) & 1) != 0; }
  void without(std::initializer_list<Feature> all) {
    for (const Feature f : all) c_.features &= ~(std::uint64_t{1} << static_cast<int>(f));
  }

  /// What cannot be combined, or has several meanings.
  void leave_out() {
    c_.sliced = has(Feature::kSlices) && c_.policy <= Policy::kConservative;
    if (!c_.sliced) without({Feature::kSlices});
    if (c_.sliced) without({Feature::kSharedCores});  // a promise beside others may not be kept there yet
    c_.preempts =
        (has(Feature::kPreemption) || has(Feature::kSuspension)) && !c_.sliced && c_.policy <= Policy::kConservative;
    c_.suspends = c_.preempts && has(Feature::kSuspension);
    if (!c_.preempts || c_.suspends) without({Feature::kPreemption});
    if (!c_.suspends) without({Feature::kSuspension});
    if (c_.preempts) c_.policy = Policy::kEasy, c_.rank = static_cast<Rank>(between(0, 2));
    if (c_.preempts) without({Feature::kDrains, Feature::kMaintenance, Feature::kPower, Feature::kSharedCores});
    if (c_.suspends)
      without({Feature::kFailures, Feature::kShares, Feature::kLicences, Feature::kLimitChecks, Feature::kReservations,
               Feature::kContention});
    if (has(Feature::kMoldable)) without({Feature::kEstimates});  // of which of its sizes
    if (has(Feature::kMoldable)) c_.molding = static_cast<Molding>(between(0, 2));
    // What fits now is asked at each pass, and there is none where an element comes that its array has no place for.
    if (has(Feature::kMoldable) && c_.molding == Molding::kFitsNow) without({Feature::kArrays});
    c_.extend = one_in(5);
    c_.contends = has(Feature::kContention);
    if (c_.contends) draw_slowdowns();
    if (c_.contends && c_.extend) without({Feature::kEstimates});
    // How long it is believed to run whose nodes are up sooner than they might be.
    if (c_.sliced && c_.contends) without({Feature::kPower});
    // Whether a job that stays longer breaks the promise of one that was to come where it shares cores.
    if (has(Feature::kSharedCores)) without({Feature::kEstimates, Feature::kLimitChecks});
  }

  void draw_slowdowns() {
    c_.by_gpu = has(Feature::kGpus) && one_in(3);
    c_.combine = static_cast<Combine>(between(0, 2));
    if (one_in(4)) c_.own = 20;
    // Where jobs stop at the end of each slice, ends would be rounded again and again.
    const int sliced[] = {10, 20, 20, 40}, others[] = {8, 10, 13, 20};
    for (int& f : c_.factors) f = (c_.sliced ? sliced : others)[between(0, 3)];
    if (c_.sliced && c_.combine == Combine::kSum) c_.combine = Combine::kProduct;
  }

  std::vector<int> some_nodes() {
    std::vector<int> nodes;
    const int n = c_.node_count();
    for (int i = 0; i != n; ++i)
      if (one_in(2)) nodes.push_back(i);
    if (nodes.empty()) nodes.push_back(between(0, n - 1));
    return nodes;
  }

  void draw_machine() {
    const int kinds = has(Feature::kKinds) ? between(2, 3) : 1;
    for (int k = 0; k != kinds; ++k) {
      Kind kind;
      kind.count = kinds == 1 ? between(2, 6) : between(1, 3);
      kind.cores = between(1, 4);
      if (has(Feature::kMemory) && !one_in(4)) kind.memory = between(2, 8);
      if (has(Feature::kGpus) && (k == 0 || one_in(2))) kind.gpus = between(1, 3);
      if (c_.contends && one_in(3)) kind.on_gpus = 20;
      if (has(Feature::kKinds)) {
        const int speeds[] = {2, 2, 1, 4};
        kind.halves = speeds[between(0, 3)];
        kind.fast = one_in(2);
      }
      c_.kinds.push_back(kind);
    }
    if (has(Feature::kPartitions))
      for (int p = between(1, 3); p > 0; --p) {
        Partition partition;
        partition.nodes = some_nodes();
        if (one_in(4)) partition.max_nodes = between(1, 3);
        if (one_in(4)) partition.max_time = between(2, longest_);
        if (one_in(3)) partition.tier = between(0, 2);
        partition.for_some = one_in(5);
        partition.by_default = one_in(2);
        if (has(Feature::kSharedCores)) partition.oversubscribe = between(1, 3);
        partition.all_share = partition.oversubscribe > 1 && one_in(2);
        c_.partitions.push_back(partition);
      }
    if (has(Feature::kLicences)) c_.licences = between(1, 3);
    c_.cancel = one_in(3);
    draw_limits();
  }

  void draw_limits() {
    if (has(Feature::kLimitChecks) && !c_.extend && !has(Feature::kSharedCores)) {
      if (one_in(2)) c_.over_limit = between(1, 5);
      if (one_in(3)) c_.kill_wait = between(1, 4);
      if (one_in(2)) c_.limit_check = between(2, 7);
      if (c_.limit_check > 0 && one_in(2)) c_.first_limit_check = between(1, 3);
      for (Partition& p : c_.partitions)
        if (one_in(3)) p.over_limit = between(0, 5);
    }
    if (!has(Feature::kPower)) return;
    c_.power = true;
    c_.idle = between(0, 5);
    c_.boot = between(0, 4);
    c_.shutdown = one_in(2) ? 0 : between(1, 3);
    if (one_in(4)) c_.always_on = between(0, c_.node_count() - 1);
  }

  Job draw_job(int submit) {
    Job job;
    job.submit = submit;
    job.limit = between(1, longest_);
    job.runtime = one_in(3)                                               ? job.limit
                  : has(Feature::kOverlong) || has(Feature::kLimitChecks) ? between(1, longest_ + 2)
                                                                          : between(1, job.limit);
    job.user = between(1, 3);
    if (has(Feature::kEstimates) && !one_in(3)) job.estimate = between(1, job.limit);
    const int n = c_.node_count();
    Case alone = c_;
    for (int tries = 0; tries != 8; ++tries) {
      job.nodes = one_in(2) ? 1 : between(1, n);
      job.ask = draw_ask();
      alone.jobs = {job};
      if (can_run(alone)) return job;
    }
    job.nodes = 1;
    job.ask = {};
    for (const int p : partitions_of(c_, job))
      if (capable_nodes(c_, job, p).empty()) job.user = 1, job.limit = 1, job.runtime = 1;
    return job;
  }

  void draw_sizes(Job& job) {
    if (one_in(3)) return;
    job.limit = job.runtime * between(1, 2);
    for (int more = between(1, 2); more > 0; --more)
      job.sizes.push_back({between(1, c_.node_count()), between(1, longest_)});
  }

  Ask draw_ask() {
    Ask ask;
    if (one_in(4)) return ask;
    ask.given = true;
    ask.exclusive = !has(Feature::kShares) || one_in(6);
    ask.shares = has(Feature::kSharedCores) && one_in(2);
    ask.cores = one_in(4) ? 500 : 1000 * between(1, 3);
    if (has(Feature::kMemory) && one_in(2)) ask.memory = between(1, 5);
    if (has(Feature::kGpus) && one_in(2)) {
      const int shares[] = {500, 300, 700};
      if (one_in(3)) ask.gpus = 1, ask.share = shares[between(0, 2)];
      else ask.gpus = between(1, 2);
      if (one_in(4)) ask.gpu_kind = between(0, static_cast<int>(c_.kinds.size()) - 1);
      if (ask.gpu_kind >= 0 && c_.kinds[static_cast<std::size_t>(ask.gpu_kind)].gpus == 0) ask.gpu_kind = -1;
    }
    if (has(Feature::kKinds) && one_in(5)) ask.feature = between(1, 2);
    if (c_.licences > 0 && one_in(2)) ask.licences = between(1, 2);
    for (int p = 0; p != static_cast<int>(c_.partitions.size()); ++p)
      if (one_in(3)) ask.partitions.insert(one_in(2) ? ask.partitions.begin() : ask.partitions.end(), p);
    return ask;
  }

  /// By draws of their own: without them, cases are as they were. What cannot be combined has none.
  void draw_components() {
    std::swap(random_, of_components_);
    const bool possible = !c_.sliced && !c_.suspends && !c_.contends && !has(Feature::kMoldable) &&
                          !has(Feature::kSharedCores) && c_.node_count() > 1;
    bool any = false;
    if (possible && one_in(3))
      for (Job& job : c_.jobs)
        if (one_in(2)) any = split(job) || any;
    if (any) c_.features |= std::uint64_t{1} << static_cast<int>(Feature::kComponents);
    std::swap(random_, of_components_);
  }
  bool split(Job& job) {
    Case alone = c_;
    for (int tries = 0; tries != 4; ++tries) {
      Job several = job;
      several.nodes = several.ask.licences = 0;
      several.ask = {};
      several.ask.given = true;
      several.ask.cores = 0;
      for (int i = between(2, 3); i > 0; --i) {
        Component one{one_in(2) ? 1 : between(1, 2), draw_ask()};
        one.ask.given = true;
        several.nodes += one.nodes;
        several.ask.licences += one.ask.licences;
        several.components.push_back(one);
      }
      alone.jobs = {several};
      if (!can_run(alone)) continue;
      job = several;
      return true;
    }
    return false;
  }

  void draw_outages() {
    const Feature kinds[] = {Feature::kFailures, Feature::kDrains, Feature::kMaintenance};
    for (int k = 0; k != 3; ++k) {
      if (!has(kinds[k])) continue;
      for (int i = between(1, 2); i > 0; --i) {
        Outage o;
        o.kind = static_cast<Away>(k);
        o.from = between(0, span_);
        o.length = between(1, longest_);
        o.nodes = some_nodes();
        c_.outages.push_back(o);
      }
    }
    if (c_.outages.empty()) return;
    c_.lose = one_in(4);
    c_.requeue = static_cast<Requeue>(between(0, 2));
    if (one_in(3)) c_.believed_repair = between(1, 6);
    if (c_.lose || c_.preempts) c_.requeue = Requeue::kOrder;
    if (c_.lose || !has(Feature::kCheckpoints)) return;
    c_.interval = between(1, 4);
    c_.cost = between(0, 1);
    c_.restart = between(0, 2);
  }

  void draw_reservations() {
    if (!has(Feature::kReservations)) return;
    const int jobs = static_cast<int>(c_.jobs.size());
    for (int i = between(1, 2); i > 0; --i) {
      Reserved r;
      r.nodes = some_nodes();
      r.from = between(0, span_);
      r.length = between(1, longest_);
      if (one_in(5)) r.floating = between(0, longest_);
      else if (one_in(3)) r.announced = between(0, r.from);
      if (r.floating < 0 && one_in(3)) r.backfill = between(1, 4);
      if (one_in(2)) r.users = {between(1, 3)};
      if (r.users.empty() || one_in(4)) r.jobs = {between(0, jobs - 1)};
      c_.reservations.push_back(r);
    }
    // Where a job waits that fits into none, boots included, until it is over, does not matter.
    if (c_.sliced && c_.power) return;
    for (Job& job : c_.jobs)
      if (one_in(6)) job.reservation = between(0, static_cast<int>(c_.reservations.size()) - 1);
  }

  void draw_times(std::size_t j) {
    Job& job = c_.jobs[j];
    // Which of several elements comes next is said of those alone that wait for nothing else.
    if (has(Feature::kArrays) && one_in(2)) job.array = between(101, 102);
    if (job.array < 0) draw_waits(j);
    if (has(Feature::kWithdrawals) && one_in(4)) job.withdrawn = job.submit + between(0, longest_ * 2);
    if (has(Feature::kDependencies) && one_in(6)) job.status = one_in(2) || job.withdrawn >= 0 ? 0 : 5;
  }

  void draw_waits(std::size_t j) {
    Job& job = c_.jobs[j];
    if (has(Feature::kTimes) && one_in(5)) job.begin = job.submit + between(-1, longest_);
    if (has(Feature::kTimes) && one_in(5)) job.held = job.submit + between(0, longest_);
    job.begin = std::max(job.begin, -1);
    if (!has(Feature::kDependencies)) return;
    if (j == 0 || !one_in(2)) return;
    for (int i = between(1, 2); i > 0; --i)
      job.needs.push_back({static_cast<After>(between(0, 3)), between(0, static_cast<int>(j) - 1), one_in(8) ? 1 : 0});
    job.any = job.needs.size() > 1 && one_in(2);
  }

  RandomStream random_, of_components_;
  Case c_;
  int longest_ = 5, span_ = 10;
};

std::string node_name(const Case& c, int node) {
  for (std::size_t k = 0; k != c.kinds.size(); ++k) {
    if (node < c.kinds[k].count) return fmt::format("{}{}", static_cast<char>('a' + k), node + 1);
    node -= c.kinds[k].count;
  }
  return "";
}

std::string names(const Case& c, const std::vector<int>& nodes) {
  std::vector<std::string> all;
  for (const int n : nodes) all.push_back("\"" + node_name(c, n) + "\"");
  return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string request_of(const Case& c, const Ask& ask) {
  std::string text = fmt::format("cores = {}", ask.cores / 1000.0);
  if (ask.exclusive) text += ", exclusive = true";
  if (ask.shares) text += ", oversubscribe = true";
  if (ask.memory > 0) text += fmt::format(", memory = \"{} GiB\"", ask.memory);
  if (ask.gpus > 0 && ask.share == 1000) text += fmt::format(", gpus = {}", ask.gpus);
  if (ask.gpus > 0 && ask.share != 1000) text += fmt::format(", gpu_share = {}", ask.share / 1000.0);
  if (ask.gpus > 0 && ask.gpu_kind >= 0)
    text += fmt::format(", gpu_type = \"gpu_{}\"", static_cast<char>('a' + ask.gpu_kind));
  if (ask.feature != 0) text += fmt::format(", features = \"{}\"", ask.feature == 1 ? "fast" : "!fast");
  if (ask.licences > 0) text += fmt::format(", licences = {{ solver = {} }}", ask.licences);
  std::vector<std::string> partitions;
  for (const int p : ask.partitions) partitions.push_back(fmt::format("\"p{}\"", p));
  if (!partitions.empty()) text += fmt::format(", partition = [{}]", fmt::join(partitions, ", "));
  (void)c;
  return text;
}

std::string depends_of(const Job& job) {
  static const char* const kWords[] = {"after", "afterok", "afternotok", "afterany"};
  std::vector<std::string> terms;
  for (const Need& need : job.needs) {
    terms.push_back(fmt::format("{}:{}", kWords[static_cast<std::size_t>(need.what)], need.on + 1));
    if (need.what == After::kStart && need.delay > 0) terms.back() += fmt::format("+{}", need.delay);
  }
  return fmt::format("{}", fmt::join(terms, job.any ? "?" : ","));
}

std::string job_of(const Case& c, std::size_t j) {
  const Job& job = c.jobs[j];
  std::string text = fmt::format("  {{ id = {}, submit = {}, runtime = {}, limit = {}, user = {}", j + 1, job.submit,
                                 job.runtime, job.limit, job.user);
  std::vector<std::string> components;
  for (const Component& one : job.components)
    components.push_back(fmt::format("{{ nodes = {}, {} }}", one.nodes, request_of(c, one.ask)));
  text += components.empty() ? fmt::format(", nodes = {}", job.nodes)
                             : fmt::format(", components = [{}]", fmt::join(components, ", "));
  const auto say = [&](const char* key, int value, int otherwise = -1) {
    if (value != otherwise) text += fmt::format(", {} = {}", key, value);
  };
  say("begin", job.begin);
  say("held_until", job.held);
  say("withdrawn_at", job.withdrawn);
  say("status", job.status);
  if (job.array >= 0) text += fmt::format(", array = \"{}_{}%{}\"", job.array, j + 1, kArrayLimit);
  std::vector<std::string> sizes;
  for (const Size& s : job.sizes) sizes.push_back(fmt::format("{}:{}", s.nodes, s.runtime));
  if (!sizes.empty()) text += fmt::format(", sizes = \"{}\"", fmt::join(sizes, ","));
  if (job.reservation >= 0) text += fmt::format(", reservation = \"r{}\"", job.reservation);
  if (!job.needs.empty()) text += fmt::format(", depends = \"{}\"", depends_of(job));
  if (job.ask.given && components.empty()) text += fmt::format(", request = {{ {} }}", request_of(c, job.ask));
  return text + " },\n";
}

std::string machine_of(const Case& c) {
  std::string text;
  for (std::size_t k = 0; k != c.kinds.size(); ++k) {
    const Kind& kind = c.kinds[k];
    const char letter = static_cast<char>('a' + k);
    text += fmt::format("[[machine.nodes]]\nname = \"{}\"\ncount = {}\ncores = {}\n", letter, kind.count, kind.cores);
    if (kind.memory > 0) text += fmt::format("memory = \"{} GiB\"\n", kind.memory);
    if (kind.gpus > 0) text += fmt::format("gpus = {}\ngpu_type = \"gpu_{}\"\n", kind.gpus, letter);
    if (kind.halves != 2) text += fmt::format("speed = {}\n", kind.halves / 2.0);
    if (kind.fast) text += "features = \"fast\"\n";
  }
  for (std::size_t p = 0; p != c.partitions.size(); ++p) {
    const Partition& partition = c.partitions[p];
    text += fmt::format("[[machine.partitions]]\nname = \"p{}\"\nnodes = {}\n", p, names(c, partition.nodes));
    if (partition.max_nodes > 0) text += fmt::format("max_nodes = {}\n", partition.max_nodes);
    if (partition.max_time > 0) text += fmt::format("max_time = {}\n", partition.max_time);
    if (partition.tier != 1) text += fmt::format("tier = {}\n", partition.tier);
    if (partition.over_limit >= 0) text += fmt::format("over_limit = {}\n", partition.over_limit);
    if (partition.oversubscribe > 1) text += fmt::format("oversubscribe = {}\n", partition.oversubscribe);
    if (partition.all_share) text += "oversubscribe_all = true\n";
    if (partition.for_some) text += "users = [1, 2]\n";
    if (partition.by_default) text += "default = true\n";
  }
  if (c.licences > 0) text += fmt::format("[[machine.licences]]\nname = \"solver\"\ncount = {}\n", c.licences);
  return text;
}

std::string outages_of(const Case& c) {
  if (c.outages.empty()) return "";
  static const char* const kPlaces[] = {"order", "front", "back"};
  static const char* const kKinds[] = {"failure", "drain", "maintenance"};
  std::string text = "[outages]\n";
  text += fmt::format("interrupted = \"{}\"\n", c.lose ? "lose" : "requeue");
  if (!c.lose) text += fmt::format("requeue = \"{}\"\n", kPlaces[static_cast<std::size_t>(c.requeue)]);
  if (c.believed_repair > 0) text += fmt::format("believed_repair = {}\n", c.believed_repair);
  if (c.interval > 0)
    text += fmt::format("checkpoint_interval = {}\ncheckpoint_cost = {}\nrestart_cost = {}\n", c.interval, c.cost,
                        c.restart);
  for (const Outage& o : c.outages)
    text += fmt::format("[[outages.planned]]\nkind = \"{}\"\nnodes = {}\nfrom = {}\nlength = {}\n",
                        kKinds[static_cast<std::size_t>(o.kind)], names(c, o.nodes), o.from, o.length);
  return text;
}

std::string reservations_of(const Case& c) {
  std::string text;
  for (std::size_t i = 0; i != c.reservations.size(); ++i) {
    const Reserved& r = c.reservations[i];
    text += fmt::format("[[reservations]]\nname = \"r{}\"\nnodes = {}\n", i, names(c, r.nodes));
    if (r.floating >= 0) text += fmt::format("floating = {}\n", r.floating);
    else text += fmt::format("from = {}\nlength = {}\n", r.from, r.length);
    if (r.announced > 0) text += fmt::format("announced = {}\n", r.announced);
    if (r.backfill > 0) text += fmt::format("backfill = {}\n", r.backfill);
    if (!r.users.empty()) text += fmt::format("users = {}\n", r.users);
    std::vector<int> ids;
    for (const int j : r.jobs) ids.push_back(j + 1);
    if (!ids.empty()) text += fmt::format("jobs = {}\n", ids);
  }
  return text;
}

}  // namespace

Case draw(std::uint64_t seed) {
  for (;; seed += 1'000'000'007) {
    const Case c = Drawing(seed).draw();
    if (can_run(c) && __builtin_popcountll(c.features) >= 3) return c;
  }
}

const char* const kSlowdownScript =
    "local by_user = function(job, other, params) return params[\"f\" .. (job.user + 2 * other.user) % 4] end\n"
    "return { api = 1, name = \"by_user\",\n"
    "  params = { f0 = { default = 1.0, doc = \"x\" }, f1 = { default = 1.0, doc = \"x\" },\n"
    "    f2 = { default = 1.0, doc = \"x\" }, f3 = { default = 1.0, doc = \"x\" }, own = { default = 1.0, doc = \"x\" "
    "},\n"
    "    gpu_a = { default = 1.0, doc = \"x\" }, gpu_b = { default = 1.0, doc = \"x\" }, "
    "gpu_c = { default = 1.0, doc = \"x\" } },\n"
    "  beside = by_user, over_cores = function(_, params) return params.own end,\n"
    "  on_gpus = function(_, params, kind) return params[kind] end }\n";

/// What the policy believes of jobs.
std::string estimates_of(const Case& c) {
  std::vector<std::string> all;
  for (std::size_t j = 0; j != c.jobs.size(); ++j)
    if (c.jobs[j].estimate > 0) all.push_back(fmt::format("[{}] = {}", j + 1, c.jobs[j].estimate));
  if (all.empty()) return "";
  return fmt::format(" estimate = function(job) return ({{ {} }})[job.id] end,", fmt::join(all, ", "));
}

/// Jobs of user 1 stand in front, and one that does not fit takes the place of others.
std::string preempting(const Case& c) {
  static const char* const kRanks[] = {"least-lost", "newest", "fewest-nodes"};
  return fmt::format("local function first(job) return job.user == 1 end\n"
                     "return {{ api = 1, name = \"scripted\", version = \"1\",{} key = function(job) return first(job) "
                     "and 0 or 1 end,\n"
                     "  schedule = function(view)\n"
                     "    for job in view:waiting() do\n"
                     "      if not first(job) then break end\n"
                     "      local among = function(other) return not first(other) end\n"
                     "      if not view:preempt(job, {{ among = among, how = \"{}\", rank = \"{}\" }}) then break end\n"
                     "    end\n"
                     "    view:easy()\n"
                     "  end }}\n",
                     estimates_of(c), c.suspends ? "suspend" : "requeue", kRanks[static_cast<std::size_t>(c.rank)]);
}

std::string script_of(const Case& c) {
  if (c.preempts) return preempting(c);
  const std::string estimates = estimates_of(c);
  if (!c.sliced && estimates.empty()) return "";
  static const char* const kBackfills[] = {"none", "easy", "conservative", "none", "easy"};
  const std::string slices = fmt::format(
      " slices = {{ interval = {}, overhead = 0, classes = {{ {{ name = \"all\", share = 1 }} }} }},", kInterval);
  return fmt::format("return {{ api = 1, name = \"scripted\", version = \"1\", backfill = \"{}\",{}{}{} }}\n",
                     kBackfills[static_cast<std::size_t>(c.policy)],
                     c.policy >= Policy::kFcfsByPartition ? " queues = \"partition\"," : "", estimates,
                     c.sliced ? slices : "");
}

std::string slowdown_of(const Case& c, const std::string& script) {
  if (!c.contends) return "";
  static const char* const kCombine[] = {"product", "worst", "sum"};
  std::string text =
      fmt::format("[slowdown]\nmodel = \"script\"\nscript = \"{}\"\namong = \"{}\"\ncombine = \"{}\"\nown = "
                  "{}\n[slowdown.params]\n",
                  script, c.by_gpu ? "gpu" : "node", kCombine[static_cast<std::size_t>(c.combine)], c.own > 0);
  for (std::size_t i = 0; i != c.factors.size(); ++i) text += fmt::format("f{} = {:.1f}\n", i, c.factors[i] / 10.0);
  if (c.own > 0) text += fmt::format("own = {:.1f}\n", c.own / 10.0);
  for (std::size_t k = 0; k != c.kinds.size(); ++k)
    text += fmt::format("gpu_{} = {:.1f}\n", static_cast<char>('a' + k), c.kinds[k].on_gpus / 10.0);
  return text;
}

std::string scenario_of(const Case& c, const std::string& slowdowns) {
  static const char* const kPolicies[] = {"fcfs", "easy", "conservative", "fcfs", "easy"};
  std::string text = fmt::format("[policy]\nname = \"{}\"\n",
                                 !script_of(c).empty() ? "scripted" : kPolicies[static_cast<std::size_t>(c.policy)]);
  if (c.policy >= Policy::kFcfsByPartition && script_of(c).empty()) text += "params = { queues = \"partition\" }\n";
  text += fmt::format("[engine]\nat_limit = \"{}\"\nunfulfilled = \"{}\"\n", c.extend ? "extend" : "kill",
                      c.cancel ? "cancel" : "wait");
  const auto say = [&](const char* key, int value) {
    if (value > 0) text += fmt::format("{} = {}\n", key, value);
  };
  static const char* const kMoldings[] = {"ends-first", "fits-now", "asked"};
  if (c.molding != Molding::kEndsFirst)
    text += fmt::format("molding = \"{}\"\n", kMoldings[static_cast<std::size_t>(c.molding)]);
  say("over_limit", c.over_limit);
  say("kill_wait", c.kill_wait);
  say("limit_check", c.limit_check);
  say("first_limit_check", c.first_limit_check);
  if (c.power) text += fmt::format("[power]\nidle = {}\nboot = {}\nshutdown = {}\n", c.idle, c.boot, c.shutdown);
  if (c.power && c.always_on >= 0) text += fmt::format("except = {}\n", names(c, {c.always_on}));
  text += machine_of(c) + outages_of(c) + reservations_of(c) + slowdown_of(c, slowdowns) + "[workload]\njobs = [\n";
  for (std::size_t j = 0; j != c.jobs.size(); ++j) text += job_of(c, j);
  return text + "]\n";
}

namespace {

/// A job of several components: without them, with fewer of them, or with less in one.
template <class Add>
void make_simpler(const Case& c, std::size_t j, const Add& add) {
  const auto change = [&](auto&& f) {
    add([&](Case& d) {
      Job& job = d.jobs[j];
      f(job);
      job.nodes = job.ask.licences = 0;
      for (const Component& one : job.components) job.nodes += one.nodes, job.ask.licences += one.ask.licences;
    });
  };
  const Job& job = c.jobs[j];
  add([&](Case& d) { d.jobs[j] = component_of(job, 0); });
  for (std::size_t i = 0; i != job.components.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    if (job.components.size() > 2) change([&](Job& s) { s.components.erase(s.components.begin() + at); });
    const Component& one = job.components[i];
    if (one.nodes > 1) change([&](Job& s) { --s.components[i].nodes; });
    if (!one.ask.partitions.empty()) change([&](Job& s) { s.components[i].ask.partitions.clear(); });
    for (int Ask::*number : {&Ask::memory, &Ask::gpus, &Ask::feature, &Ask::licences})
      if (one.ask.*number != 0) change([&](Job& s) { s.components[i].ask.*number = 0; });
    if (one.ask.cores != 1000) change([&](Job& s) { s.components[i].ask.cores = 1000; });
  }
  if (job.runtime != job.limit) add([&](Case& d) { d.jobs[j].runtime = d.jobs[j].limit; });
}

}  // namespace

std::vector<Case> smaller(const Case& c) {
  std::vector<Case> all;
  const auto add = [&](auto&& change) {
    Case d = c;
    change(d);
    all.push_back(d);
  };
  for (std::size_t j = c.jobs.size(); j-- > 0;) {
    const int gone = static_cast<int>(j);
    add([&](Case& d) {
      d.jobs.erase(d.jobs.begin() + gone);
      for (Job& job : d.jobs) {
        std::erase_if(job.needs, [&](const Need& need) { return need.on == gone; });
        for (Need& need : job.needs) need.on -= need.on > gone;
      }
      for (Reserved& r : d.reservations) {
        std::erase(r.jobs, gone);
        for (int& k : r.jobs) k -= k > gone;
      }
    });
  }
  for (std::size_t i = 0; i != c.outages.size(); ++i)
    add([&](Case& d) {
      d.outages.erase(d.outages.begin() + static_cast<std::ptrdiff_t>(i));
      if (!d.outages.empty()) return;
      d.lose = false;
      d.requeue = Requeue::kOrder;
      d.believed_repair = d.interval = d.cost = d.restart = 0;
    });
  for (std::size_t i = 0; i != c.outages.size(); ++i)
    for (std::size_t n = 0; n != c.outages[i].nodes.size() && c.outages[i].nodes.size() > 1; ++n)
      add([&](Case& d) { d.outages[i].nodes.erase(d.outages[i].nodes.begin() + static_cast<std::ptrdiff_t>(n)); });
  if (!c.reservations.empty())
    add([](Case& d) {
      d.reservations.pop_back();
      for (Job& job : d.jobs)
        if (job.reservation == static_cast<int>(d.reservations.size())) job.reservation = -1;
    });
  if (c.reservations.size() > 1)
    add([](Case& d) {
      d.reservations.erase(d.reservations.begin());
      for (Job& job : d.jobs) job.reservation = std::max(job.reservation - 1, -1);
    });
  for (std::size_t i = 0; i != c.reservations.size(); ++i) {
    if (c.reservations[i].announced > 0) add([&](Case& d) { d.reservations[i].announced = 0; });
    if (c.reservations[i].backfill > 0) add([&](Case& d) { d.reservations[i].backfill = 0; });
  }
  if (!c.partitions.empty())
    add([](Case& d) {
      d.partitions.clear();
      for (Job& job : d.jobs) {
        job.ask.partitions.clear();
        for (Component& one : job.components) one.ask.partitions.clear();
      }
      if (d.policy >= Policy::kFcfsByPartition)
        d.policy = d.policy == Policy::kFcfsByPartition ? Policy::kFcfs : Policy::kEasy;
    });
  if (c.licences > 0)
    add([](Case& d) {
      d.licences = 0;
      for (Job& job : d.jobs) {
        job.ask.licences = 0;
        for (Component& one : job.components) one.ask.licences = 0;
      }
    });
  for (std::size_t k = 0; k != c.kinds.size(); ++k) {
    if (c.kinds[k].halves != 2) add([&](Case& d) { d.kinds[k].halves = 2; });
    if (c.kinds[k].memory != 0) add([&](Case& d) { d.kinds[k].memory = 0; });
    if (c.kinds[k].cores > 1) add([&](Case& d) { d.kinds[k].cores = 1; });
    if (c.kinds[k].on_gpus != 10) add([&](Case& d) { d.kinds[k].on_gpus = 10; });
    if (c.kinds[k].fast) add([&](Case& d) { d.kinds[k].fast = false; });
  }
  for (bool Case::*flag : {&Case::lose, &Case::cancel, &Case::power, &Case::sliced, &Case::preempts, &Case::suspends,
                           &Case::contends, &Case::by_gpu})
    if (c.*flag) add([&](Case& d) { d.*flag = false; });
  for (int Case::*number :
       {&Case::believed_repair, &Case::interval, &Case::cost, &Case::restart, &Case::over_limit, &Case::kill_wait,
        &Case::first_limit_check, &Case::idle, &Case::boot, &Case::shutdown, &Case::own})
    if (c.*number != 0) add([&](Case& d) { d.*number = 0; });
  for (std::size_t i = 0; i != c.factors.size(); ++i)
    if (c.factors[i] != 10) add([&](Case& d) { d.factors[i] = 10; });
  if (c.extend) add([](Case& d) { d.extend = false; });
  if (c.limit_check > 0) add([](Case& d) { d.limit_check = d.first_limit_check = 0; });
  if (c.always_on >= 0) add([](Case& d) { d.always_on = -1; });
  for (std::size_t p = 0; p != c.partitions.size(); ++p) {
    if (c.partitions[p].over_limit >= 0) add([&](Case& d) { d.partitions[p].over_limit = -1; });
    if (c.partitions[p].oversubscribe > 1)
      add([&](Case& d) { d.partitions[p].oversubscribe = 1, d.partitions[p].all_share = false; });
    if (c.partitions[p].tier != 1) add([&](Case& d) { d.partitions[p].tier = 1; });
    if (c.partitions[p].max_time > 0) add([&](Case& d) { d.partitions[p].max_time = 0; });
    if (c.partitions[p].max_nodes > 0) add([&](Case& d) { d.partitions[p].max_nodes = 0; });
  }
  if (c.requeue != Requeue::kOrder) add([](Case& d) { d.requeue = Requeue::kOrder; });
  for (std::size_t j = 0; j != c.jobs.size(); ++j) {
    const Job& job = c.jobs[j];
    if (!job.components.empty()) {
      make_simpler(c, j, add);
      continue;
    }
    if (job.ask.given) add([&](Case& d) { d.jobs[j].ask = {}; });
    if (!job.ask.partitions.empty()) add([&](Case& d) { d.jobs[j].ask.partitions.clear(); });
    if (job.ask.given && !job.ask.exclusive) add([&](Case& d) { d.jobs[j].ask.exclusive = true; });
    for (int Ask::*number : {&Ask::memory, &Ask::gpus, &Ask::feature, &Ask::licences})
      if (job.ask.*number != 0) add([&](Case& d) { d.jobs[j].ask.*number = 0; });
    if (job.ask.cores != 1000) add([&](Case& d) { d.jobs[j].ask.cores = 1000; });
    for (int Job::*number :
         {&Job::begin, &Job::held, &Job::withdrawn, &Job::status, &Job::reservation, &Job::array, &Job::estimate})
      if (job.*number != -1) add([&](Case& d) { d.jobs[j].*number = -1; });
    for (std::size_t i = 0; i != job.needs.size(); ++i)
      add([&](Case& d) { d.jobs[j].needs.erase(d.jobs[j].needs.begin() + static_cast<std::ptrdiff_t>(i)); });
    for (std::size_t i = 0; i != job.sizes.size(); ++i)
      add([&](Case& d) { d.jobs[j].sizes.erase(d.jobs[j].sizes.begin() + static_cast<std::ptrdiff_t>(i)); });
    if (job.runtime != job.limit) add([&](Case& d) { d.jobs[j].runtime = d.jobs[j].limit; });
    if (job.nodes > 1) add([&](Case& d) { --d.jobs[j].nodes; });
    if (job.submit > 0 && (j == 0 || c.jobs[j - 1].submit < job.submit)) add([&](Case& d) { --d.jobs[j].submit; });
  }
  return all;
}

}  // namespace coslice::loop

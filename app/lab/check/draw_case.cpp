// Random cases.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/random.h"
#include "lab/check/case.h"
#include "lab/check/neutral.h"

namespace coslice::check {

namespace {

/// Settings that change nothing under such a policy, whatever it does, and that a suite can write down.
std::vector<std::string> neutral_for(const Kind& kind) {
  std::vector<std::string> all;
  for (const NeutralSetting& s : neutral_settings())
    if (s.who == NeutralSetting::For::kAll || (s.who == NeutralSetting::For::kQueue && !kind.sliced && !kind.shared))
      all.push_back(s.name);
  return all;
}

/// Draws of one case.
class Drawing {
 public:
  Drawing(std::uint64_t seed, std::uint64_t i, const Kind& kind, const Sizes& sizes)
      : random_(RandomKey(seed, "check").stream(i)), kind_(kind), sizes_(sizes), weeks_(kind.clock && i % 2 == 1) {}

  Case draw_differing(std::uint64_t seed, std::uint64_t i) {
    Case c = draw();
    // Draws of their own, so that the other cases stay what they are.
    random_ = RandomKey(seed, "check machines").stream(i);
    draw_kinds(c);
    return c;
  }

  /// Draws of their own again. Jobs of some partitions come before others.
  void add_tiers(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check tiers").stream(i);
    for (SmallPartition& p : c.partitions)
      if (one_in(2)) p.tier = between(1, 3);
  }

  /// Draws of their own again. Jobs of some partitions may have the cores of others, of their own or of other ones.
  void share_cores(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check shared cores").stream(i);
    if (c.partitions.empty() || !one_in(2)) return;
    for (SmallPartition& p : c.partitions) {
      if (one_in(3)) {
        p.oversubscribe = between(2, 3);
        p.all = one_in(2);
      }
      if (!one_in(2)) continue;
      for (const SmallPartition& other : c.partitions)
        if (one_in(2)) p.over.push_back(other.id);
    }
    for (SmallJob& job : c.jobs)
      if (!job.asks.empty() && one_in(3)) job.asks.emplace_back("oversubscribe", true);
  }

  /// GPUs that can be divided, and jobs that are content with small parts of them.
  void add_slices(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check slices").stream(i);
    if (one_in(2)) return;
    for (SmallKind& kind : c.kinds)
      if (kind.gpus > 0 && !one_in(4)) kind.slices = one_in(3) ? 4 : 7;
    const double shares[] = {0.1, 0.1, 0.25, 0.4};
    Case alone = c;
    for (SmallJob& job : c.jobs) {
      const SmallJob before = job;
      job.nodes = 1;
      std::erase_if(job.asks, [](const auto& ask) {
        return ask.first == "gpus" || ask.first == "gpu_share" || ask.first == "exclusive";
      });
      job.asks.emplace_back("gpu_share", shares[between(0, 3)]);
      alone.jobs = {job};
      if (one_in(3) || !can_run(alone)) job = before;
    }
  }

  /// Rare enough that most cases test what a policy claims, which does not hold under failures.
  void add_outages(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check outages").stream(i);
    for (std::int64_t k = between(1, 3); k > 0; --k) {
      SmallOutage outage = draw_absence<SmallOutage>(c);
      outage.kind = static_cast<OutageKind>(between(0, 2));
      if (kind_.shared && outage.kind == OutageKind::kMaintenance) outage.kind = OutageKind::kDrain;
      c.outages.push_back(outage);
    }
  }

  /// Jobs that wait for others, for a time, or for elements of their array; draws of their own, too.
  void add_workflow(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check workflows").stream(i);
    static const char* const kKinds[] = {"after", "afterok", "afternotok", "afterany", "afterok"};
    for (std::size_t j = 0; j != c.jobs.size(); ++j) {
      SmallJob& job = c.jobs[j];
      const auto number = static_cast<std::int64_t>(j) + 1;
      job.said.emplace_back("id", number);
      if (one_in(6))
        job.said.emplace_back(one_in(2) ? "begin" : "held_until", job.submit + between(0, longest_) * unit_);
      if (one_in(8) && !job.uses) job.said.emplace_back("array", fmt::format("{}_{}%2", between(101, 102), number));
      if (j == 0 || !one_in(2)) continue;
      std::string text = fmt::format("{}:{}", kKinds[between(0, 4)], between(1, number - 1));
      if (one_in(3))
        text += fmt::format("{}{}:{}", one_in(2) ? ',' : '?', kKinds[between(0, 4)], between(1, number - 1));
      job.said.emplace_back("depends", text);
    }
  }

  void add_reservations(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check reservations").stream(i);
    const std::int64_t count = between(1, 2);
    for (std::int64_t k = 0; k != count; ++k) {
      SmallReservation r = draw_absence<SmallReservation>(c);
      if (one_in(3)) r.announced = between(0, r.from);
      if (one_in(3)) r.backfill = between(1, longest_) * unit_;
      c.reservations.push_back(r);
    }
    for (SmallJob& job : c.jobs)
      if (one_in(6)) job.said.emplace_back("reservation", "r" + std::to_string(between(1, count)));
    random_ = RandomKey(seed, "check far reservations").stream(i);
    for (SmallReservation& r : c.reservations) {
      if (one_in(6)) r.every = r.length + between(1, 4) * 864'000;
      if (one_in(8)) r.from += between(1, 100) * 100'000;
    }
  }

  /// Every job of some heterogeneous machines has whole ones, of partitions with tiers: there, jobs lend others
  /// their nodes. Whether every job has whole ones.
  bool give_whole_nodes(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check whole nodes").stream(i);
    if (c.kinds.empty()) return true;
    if (!one_in(3)) return false;
    c.licences = 0;
    for (SmallJob& job : c.jobs) {
      if (job.asks.empty()) continue;
      std::erase_if(job.asks, [](const auto& a) { return a.first != "partition" && a.first != "features"; });
      job.asks.emplace_back("exclusive", true);
    }
    return true;
  }

  void add_power(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check power").stream(i);
    const auto some = [&] { return between(0, longest_) * unit_; };
    c.power = {some(), some(), one_in(2) ? 0 : some()};
  }

  /// Whether a setting that means nothing changes anything is asked of every second case.
  void add_neutral(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check neutral").stream(i);
    const std::vector<std::string> all = neutral_for(kind_);
    if (one_in(2)) c.neutral = all[static_cast<std::size_t>(between(1, std::ssize(all))) - 1];
  }

  void add_choices(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check choices").stream(i);
    for (const auto& [name, texts] : kind_.choices)
      c.params.emplace_back(name, texts[static_cast<std::size_t>(between(1, std::ssize(texts))) - 1]);
  }

  /// Jobs that may have one of several sizes; draws of their own, too. More nodes never take more node time than twice.
  void add_sizes(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check sizes").stream(i);
    const Molding rules[] = {Molding::kEndsFirst, Molding::kEndsFirst, Molding::kFitsNow, Molding::kAsked};
    c.molding = rules[between(0, 3)];
    for (SmallJob& job : c.jobs) {
      if (one_in(2)) continue;
      std::string text;
      for (std::int64_t more = between(1, 2); more > 0; --more) {
        const std::int64_t nodes = between(1, c.nodes), work = job.nodes * job.runtime;
        const std::int64_t runtime = std::max<std::int64_t>(1, work * between(2, 4) / (2 * nodes));
        text += fmt::format("{}{}:{}", text.empty() ? "" : ",", nodes, runtime);
      }
      job.said.emplace_back("sizes", text);
    }
  }

  /// Some of the jobs with sizes may change them while they run; draws of their own, too.
  void add_elastic(Case& c, std::uint64_t seed, std::uint64_t i) {
    random_ = RandomKey(seed, "check elastic").stream(i);
    for (SmallJob& job : c.jobs) {
      const bool sizes = std::ranges::any_of(job.said, [](const auto& said) { return said.first == "sizes"; });
      if (!sizes || one_in(3)) continue;
      std::string text = one_in(2)   ? "any"
                         : one_in(2) ? "at 0.25,0.6"
                         : one_in(2) ? fmt::format("every {}", between(1, 40))
                                     : fmt::format("steps {}", between(2, 6));
      if (one_in(2)) text += fmt::format(" cost {}", between(1, 3) * unit_);
      if (one_in(3)) text += fmt::format("{}+1", text.find("cost") == std::string::npos ? " cost 0" : "");
      if (text[0] == 'a' && one_in(3)) text += fmt::format(" asks 0.5:{}", between(1, c.nodes));
      job.said.emplace_back("elastic", text);
    }
  }

  Case draw() {
    Case c;
    c.seed = between(1, 1000);
    draw_machine(c);
    c.extends = one_in(4);
    c.submissions_first = !kind_.sliced && !kind_.shared && !kind_.coscheduled && !kind_.placed && one_in(4);
    // Most jobs take seconds, so that there are ties; classes of jobs begin and end at minutes and hours.
    const std::int64_t units[] = {1, 1, 20, 100, 1000, 4000};
    unit_ = kind_.coscheduled ? 1 : units[between(0, 5)];
    gap_ = between(1, 12) * unit_;
    longest_ = between(2, 12);
    const std::int64_t n = between(1, sizes_.jobs);
    if (weeks_) {
      for (const std::int64_t at : arrivals_over_weeks(n)) c.jobs.push_back(draw_job(c, at));
      return c;
    }
    std::int64_t submit = 0;
    for (std::int64_t i = 0; i != n; ++i) {
      if (i > 0 && one_in(2)) submit += between(0, gap_);
      c.jobs.push_back(draw_job(c, submit));
    }
    return c;
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) { return random_.uniform_int(low, high); }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

  /// When and on which node jobs may not run; on all of them now and then.
  template <class Absence>
  Absence draw_absence(const Case& c) {
    Absence a;
    a.from = between(0, c.jobs.back().submit + longest_ * unit_);
    a.length = between(1, longest_) * unit_;
    a.node = one_in(3) ? -1 : between(0, c.nodes - 1);
    return a;
  }

  /// Times of submission as those of people: most by day, some at night and at week-ends, often several in an hour.
  /// Second 0 is the midnight before a Monday. Jobs take minutes or hours then, as they do where users sleep between
  /// them.
  std::vector<std::int64_t> arrivals_over_weeks(std::int64_t n) {
    constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;
    const std::int64_t units[] = {kMinute, 10 * kMinute, kHour};
    unit_ = units[between(0, 2)];
    const std::int64_t days = 7 * between(1, 3);
    std::vector<std::int64_t> times;
    while (std::ssize(times) < n) {
      std::int64_t day = between(0, days - 1);
      if (day % 7 > 4 && !one_in(4)) day -= 3;
      const std::int64_t hour = one_in(5) ? between(0, 23) : between(8, 18);
      const std::int64_t first = day * kDay + hour * kHour + between(0, 59) * kMinute;
      times.push_back(first);
      for (std::int64_t more = between(0, 3); more > 0 && std::ssize(times) < n; --more)
        times.push_back(first + between(0, 60) * kMinute);
    }
    std::ranges::sort(times);
    return times;
  }

  void draw_machine(Case& c) {
    c.nodes = between(1, sizes_.nodes);
    if (kind_.shared) {
      c.shared = true;
      c.processors = between(1, 2);
      c.cores = between(1, 2) * (c.processors == 1 ? 2 : 1);
      c.one_process = one_in(2);
    } else if (kind_.coscheduled) {
      c.processors = between(1, 4);
    } else if (one_in(4)) {
      c.processors = between(1, 2);
      c.cores = between(1, 2);
      c.one_process = one_in(2);
    }
  }

  SmallJob draw_job(const Case& c, std::int64_t submit) {
    SmallJob job;
    job.submit = submit;
    // Now and then one larger than the machine.
    job.nodes = one_in(40) ? c.nodes + 1 : one_in(3) ? between(1, c.nodes) : between(1, (c.nodes + 1) / 2);
    job.runtime = std::max<std::int64_t>(1, between(1, longest_) * (one_in(4) ? 1 : unit_));
    if (const std::int64_t kind = between(1, 4); kind > 2) {
      job.limit = kind == 3 ? job.runtime + between(0, longest_) * unit_ : between(1, longest_) * unit_;
      if (*job.limit == job.runtime) job.limit.reset();
    }
    if (!one_in(3)) job.said.emplace_back("user", between(1, 3));
    if (one_in(3)) job.said.emplace_back("queue", between(0, 2));
    if (one_in(3)) job.said.emplace_back("executable", between(1, 3));
    if (one_in(3)) job.said.emplace_back("memory", between(1, 8) * 1024 * 128);
    if (c.shared && !one_in(4)) draw_uses(job);
    if (kind_.coscheduled) job.program = one_in(2) ? "fine" : "coarse";
    return job;
  }

  void draw_uses(SmallJob& job) {
    const std::int64_t cpu = between(0, 10), network = between(0, 10 - cpu);
    job.uses = {cpu, network, 10 - cpu - network};
    if (!one_in(4)) job.memory_tenths = between(0, 10);
  }

  /// Makes it a heterogeneous machine, and lets jobs ask for parts of nodes.
  void draw_kinds(Case& c) {
    c.processors = c.cores = 1;
    c.one_process = c.submissions_first = false;
    const std::int64_t nodes = c.nodes;
    c.nodes = 0;
    for (std::int64_t id = 1; id <= 3 && c.nodes < nodes; ++id) c.nodes += draw_kind(c, id, nodes - c.nodes).count;
    if (one_in(2)) draw_partitions(c);
    if (one_in(4)) c.licences = between(1, 3);
    Case alone = c;  // with one job
    for (SmallJob& job : c.jobs) {
      std::erase_if(job.said, [](const auto& said) { return said.first == "memory"; });  // requests say it
      job.nodes = std::min(job.nodes, c.nodes);
      const auto can_be = [&] {
        alone.jobs = {job};
        return can_run(alone);
      };
      constexpr int kDraws = 6;
      for (int i = 0; i != kDraws; ++i) {
        job.asks = one_in(4) ? std::vector<std::pair<std::string, Value>>{} : draw_asks(c);
        if (can_be()) break;
        job.nodes = between(1, std::min<std::int64_t>(2, c.nodes));
      }
      if (can_be()) continue;
      job.asks.clear();
      job.nodes = 1;
    }
  }

  SmallKind& draw_kind(Case& c, std::int64_t id, std::int64_t most) {
    SmallKind kind;
    kind.id = id;
    kind.count = between(1, most);
    kind.cores = between(1, 4);
    if (!one_in(3)) kind.memory = between(2, 8);
    if (one_in(2)) kind.gpus = between(1, 3);
    if (one_in(3)) kind.halves = one_in(2) ? 1 : 4;
    kind.fast = one_in(3);
    return c.kinds.emplace_back(kind);
  }

  /// Limits only where no job has to go: the first one is that of jobs that name none.
  void draw_partitions(Case& c) {
    const std::int64_t n = between(1, 3);
    for (std::int64_t id = 1; id <= n; ++id) {
      SmallPartition p;
      p.id = id;
      for (const SmallKind& kind : c.kinds)
        if (one_in(2)) p.kinds.push_back(kind.id);
      if (p.kinds.empty()) p.kinds = {c.kinds[static_cast<std::size_t>(between(1, std::ssize(c.kinds))) - 1].id};
      if (id > 1 && one_in(4)) p.max_nodes = between(1, 3);
      if (id > 1 && one_in(4)) p.max_time = between(1, longest_) * unit_;
      p.for_some = id > 1 && one_in(4);
      c.partitions.push_back(p);
    }
  }

  std::vector<std::pair<std::string, Value>> draw_asks(const Case& c) {
    std::vector<std::pair<std::string, Value>> asks;
    if (one_in(2)) asks.emplace_back("cores", one_in(4) ? Value(0.5) : Value(between(1, 3)));
    if (one_in(3)) asks.emplace_back("memory", fmt::format("{} GiB", between(1, 5)));
    if (one_in(3)) {
      const double shares[] = {0.5, 0.3, 0.7};
      if (one_in(2)) asks.emplace_back("gpu_share", shares[between(0, 2)]);
      else asks.emplace_back("gpus", between(1, 2));
      if (one_in(3)) {
        const SmallKind& kind = c.kinds[static_cast<std::size_t>(between(1, std::ssize(c.kinds))) - 1];
        asks.emplace_back("gpu_type", std::string("gpu_") + static_cast<char>('a' + kind.id - 1));
      }
    }
    if (one_in(6)) asks.emplace_back("features", one_in(2) ? "fast" : "!fast");
    if (one_in(5)) asks.emplace_back("exclusive", true);
    if (!c.partitions.empty() && one_in(2)) {
      Value::List names;
      for (const SmallPartition& p : c.partitions)
        if (one_in(2)) names.insert(one_in(2) ? names.begin() : names.end(), fmt::format("p{}", p.id));
      if (!names.empty()) asks.emplace_back("partition", names);
    }
    if (c.licences > 0 && one_in(3)) asks.emplace_back("licences", Value::table({{"solver", between(1, 2)}}));
    return asks;
  }

  RandomStream random_;
  Kind kind_;
  Sizes sizes_;
  bool weeks_;
  std::int64_t unit_ = 1, gap_ = 1, longest_ = 1;
};

}  // namespace

Case draw_case(std::uint64_t seed, std::uint64_t i, const Kind& kind, const Sizes& sizes) {
  constexpr std::uint64_t kDifferingOneIn = 3, kOutagesOneIn = 5, kWorkflowOneIn = 7, kReservedOneIn = 7,
                          kMoldableOneIn = 6, kPowerOneIn = 8, kChoicesOneIn = 2;
  Drawing drawing(seed, i, kind, sizes);
  Case c = !kind.may_differ() || i % kDifferingOneIn != kDifferingOneIn - 1 ? drawing.draw()
                                                                            : drawing.draw_differing(seed, i);
  const bool steady = kind.shared || kind.coscheduled || kind.equal || kind.steady || c.submissions_first;
  const bool whole = drawing.give_whole_nodes(c, seed, i);
  drawing.add_tiers(c, seed, i);
  if (kind.cores_shared()) drawing.share_cores(c, seed, i);
  const bool may_fail = !steady || kind.coscheduled || (kind.shared && !kind.steady && !c.submissions_first);
  if (may_fail && i % kOutagesOneIn == kOutagesOneIn - 2) drawing.add_outages(c, seed, i);
  if (i % kWorkflowOneIn == kWorkflowOneIn - 2) drawing.add_workflow(c, seed, i);
  if ((!steady || kind.coscheduled) && i % kReservedOneIn == kReservedOneIn - 3) drawing.add_reservations(c, seed, i);
  const bool apart = !kind.shared && !kind.coscheduled;  // jobs have their nodes for themselves
  if (i % kMoldableOneIn == 1) drawing.add_sizes(c, seed, i);
  if (i % kMoldableOneIn == 1) drawing.add_elastic(c, seed, i);
  if (i % kPowerOneIn == kPowerOneIn - 3) drawing.add_power(c, seed, i);
  if (apart && kind.placed && !c.kinds.empty()) drawing.add_slices(c, seed, i);
  if (whole && i % kChoicesOneIn == 1) drawing.add_choices(c, seed, i);  // jobs on parts of nodes cannot be suspended
  drawing.add_neutral(c, seed, i);
  return c;
}

}  // namespace coslice::check

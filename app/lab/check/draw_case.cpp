// Random cases.
#include <algorithm>

#include "core/random.h"
#include "lab/check/case.h"

namespace coslice::check {

namespace {

/// Draws of one case.
class Drawing {
 public:
  Drawing(std::uint64_t seed, std::uint64_t i, const Kind& kind, const Sizes& sizes)
      : random_(RandomKey(seed, "check").stream(i)), kind_(kind), sizes_(sizes), weeks_(kind.clock && i % 2 == 1) {}

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

  /// Times of submission as those of people: most by day, some at night and at week-ends, often several in an hour. Second
  /// 0 is the midnight before a Monday. Jobs take minutes or hours then, as they do where users sleep between them.
  std::vector<std::int64_t> arrivals_over_weeks(std::int64_t n) {
    constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400;
    const std::int64_t units[] = {kMinute, 10 * kMinute, kHour};
    unit_ = units[between(0, 2)];
    const std::int64_t days = 7 * between(1, 3);
    std::vector<std::int64_t> times;
    while (static_cast<std::int64_t>(times.size()) < n) {
      std::int64_t day = between(0, days - 1);
      if (day % 7 > 4 && !one_in(4)) day -= 3;
      const std::int64_t hour = one_in(5) ? between(0, 23) : between(8, 18);
      const std::int64_t first = day * kDay + hour * kHour + between(0, 59) * kMinute;
      times.push_back(first);
      for (std::int64_t more = between(0, 3); more > 0 && static_cast<std::int64_t>(times.size()) < n; --more)
        times.push_back(first + between(0, 60) * kMinute);
    }
    std::sort(times.begin(), times.end());
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

  RandomStream random_;
  Kind kind_;
  Sizes sizes_;
  bool weeks_;
  std::int64_t unit_ = 1, gap_ = 1, longest_ = 1;
};

}  // namespace

Case draw_case(std::uint64_t seed, std::uint64_t i, const Kind& kind, const Sizes& sizes) {
  return Drawing(seed, i, kind, sizes).draw();
}

}  // namespace coslice::check

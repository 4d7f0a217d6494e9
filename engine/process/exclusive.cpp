// Exclusive phases in closed form. Where each process of a job has its processor for itself and polls, nothing else
// can happen: iteration k + 1 follows from iteration k by
//
//   w_i(k) = max(x_i(k), x_i-1(k) + L, x_i+1(k) + L),   x_i(k+1) = w_i(k) + burst_i(k+1)
//
// (x: the burst ends, w: the wait ends; under a barrier w is max_j x_j + L), which is exact with jitter, too. Without
// jitter it becomes periodic (max-plus algebra), and whole periods are skipped.
#include <algorithm>

#include "process/processors.h"

namespace coslice {

namespace {

/// x and w of a job's processes, by rank; x has room for the neighbours of the ends.
struct Lockstep {
  explicit Lockstep(std::size_t n) : x(n + 2), w(n), waited(n, 0), before(n), waited_before(n), period(n) {}
  std::vector<Ns> x, w, waited;
  // For periods: what x + 1 and waited were an iteration ago.
  std::vector<Ns> before, waited_before, period;
};

Ns waits_end_ring(Lockstep& s, std::size_t n, Ns latency) {
  s.x[0] = s.x[n];
  s.x[n + 1] = s.x[1];
  Ns last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    s.w[i] = std::max(s.x[i + 1], std::max(s.x[i], s.x[i + 2]) + latency);
    last = std::max(last, s.w[i]);
  }
  return last;
}

Ns waits_end_barrier(Lockstep& s, std::size_t n, Ns latency) {
  const Ns last = *std::max_element(s.x.begin() + 1, s.x.begin() + 1 + static_cast<std::ptrdiff_t>(n)) + latency;
  std::fill(s.w.begin(), s.w.end(), last);
  return last;
}

/// Whether all processes moved by the same time in the last iteration; that time, else 0.
Ns common_step(const Lockstep& s, std::size_t n) {
  const Ns step = s.x[1] - s.before[0];
  for (std::size_t i = 1; i < n; ++i) {
    if (s.x[i + 1] - s.before[i] != step) return 0;
  }
  return step;
}

}  // namespace

bool Processors::has_processors(const ProcessGroup& g) const {
  if (g.live != g.size || process(g.first).pattern == Pattern::kNone) return false;
  for (ProcessId p = g.first; p < g.first + g.size; ++p) {
    const Processor& c = processor(process(p).processor);
    const SlotMode& m = mode_of(c);
    if (c.running != p || !m.exclusive || m.spin != kForever || m.quantum != kForever) return false;
  }
  return true;
}

/// Takes the processes in that iteration to the next one, as far as they get. False if none is beyond it.
bool Processors::advance_iteration(const ProcessGroup& g, std::int64_t iteration, Ns until) {
  for (ProcessId id = g.first; id < g.first + g.size; ++id) {
    Process& p = at(id);
    const Ns over = p.run_from + p.remaining;
    if (p.iteration == iteration && p.phase == ProcessPhase::kCompute && over <= until) post(p, over);
  }
  bool beyond = false;
  for (ProcessId id = g.first; id < g.first + g.size; ++id) {
    Process& p = at(id);
    // The end of a job is left to its event.
    if (p.iteration == iteration && iteration + 1 < p.iterations) settle(p, until);
    beyond = beyond || p.iteration > iteration;
  }
  return beyond;
}

/// Whether all are in a burst of that iteration, not their last, that is over in time.
bool Processors::in_step(const ProcessGroup& g, std::int64_t iteration, Ns until) const {
  for (ProcessId id = g.first; id < g.first + g.size; ++id) {
    const Process& p = process(id);
    if (p.iteration != iteration || p.phase != ProcessPhase::kCompute || p.run_from + p.remaining > until) return false;
  }
  return iteration + 1 < process(g.first).iterations;
}

/// All iterations that all processes complete by `until`, beginning with bursts of `iteration`. Returns the iteration
/// in whose bursts they are then.
std::int64_t Processors::march(const ProcessGroup& g, std::int64_t iteration, Ns until) {
  const auto n = static_cast<std::size_t>(g.size);
  Process* const all = &at(g.first);
  const Process& one = *all;
  const bool steady = std::all_of(all, all + n, [](const Process& p) { return p.deviation == 0 && p.moving == 0; });
  Lockstep s(n);
  for (std::size_t i = 0; i < n; ++i) s.x[i + 1] = all[i].run_from + all[i].remaining;
  std::int64_t done = 0;
  std::vector<Ns> last(n);  // the end of the last wait
  Ns latest_x = *std::max_element(s.x.begin() + 1, s.x.begin() + 1 + g.size);
  while (iteration + done + 1 < one.iterations && latest_x <= until) {
    const Ns latest =
        one.pattern == Pattern::kBarrier ? waits_end_barrier(s, n, one.latency) : waits_end_ring(s, n, one.latency);
    if (latest > until) break;
    ++done;
    latest_x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      s.before[i] = s.x[i + 1];
      s.waited_before[i] = s.w[i] - s.x[i + 1];
      s.waited[i] += s.waited_before[i];
      last[i] = s.w[i];
      s.x[i + 1] = s.w[i] + burst(all[i], iteration + done);
      latest_x = std::max(latest_x, s.x[i + 1]);
    }
    const Ns step = steady ? common_step(s, n) : 0;
    if (step == 0) continue;
    // From here on every iteration is like this one. Stay clear of the end, where the loop decides.
    const Ns room = std::min((until - latest_x) / step - 1, static_cast<Ns>(one.iterations - iteration - done - 2));
    if (room <= 0) continue;
    done += room;
    latest_x += room * step;
    for (std::size_t i = 0; i < n; ++i) {
      s.x[i + 1] += room * step;
      last[i] += room * step;
      s.waited[i] += room * s.waited_before[i];
    }
  }
  if (done == 0) return iteration;
  for (std::size_t i = 0; i < n; ++i) {
    Process& p = all[i];
    p.used += last[i] - p.run_from - s.waited[i];
    p.spun += s.waited[i];
    p.comm += s.waited[i] + done * p.overhead;
    p.cpu += done * (p.busy - p.overhead);
    p.communications += done;
    p.iteration += done;
    p.run_from = last[i];
    p.remaining = s.x[i + 1] - last[i];
  }
  return iteration + done;
}

bool Processors::advance_exclusive(std::int32_t group, Ns until) {
  const ProcessGroup& g = this->group(group);
  if (!has_processors(g)) return false;
  std::int64_t iteration = process(g.first).iteration;
  for (ProcessId p = g.first; p < g.first + g.size; ++p) iteration = std::min(iteration, process(p).iteration);
  for (;;) {
    if (in_step(g, iteration, until)) iteration = march(g, iteration, until);
    if (!advance_iteration(g, iteration, until)) break;
    ++iteration;
  }
  for (ProcessId p = g.first; p < g.first + g.size; ++p) schedule(process(p).processor);
  return true;
}

}  // namespace coslice

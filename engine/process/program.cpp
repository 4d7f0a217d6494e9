#include "process/program.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace coslice {

Duration Program::busy_of(std::int64_t rank) const {
  const Duration work = compute_of(rank) + polling_of(rank);
  return pattern == Pattern::kNone ? work : work + communication.overhead();
}

namespace {

/// The mean of the longest burst under a moving imbalance. Burst i is uniform in a_i +- m_i, so that the longest one is
/// at most x with the probability prod_i F_i(x), and its mean is x_max - integral of that. No function of the C
/// library: a period must be the same everywhere.
double mean_longest_burst(const Program& program, std::int32_t size) {
  struct Load {
    double mean, half;
    std::int32_t ranks;
  };
  std::vector<Load> loads;
  double low = 0, high = 0;
  const auto kinds = static_cast<std::int32_t>(std::max(program.compute.size(), program.polling.size()));
  const bool repeats = program.polling.empty() || program.polling.size() == program.compute.size();
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (repeats && rank >= kinds) {
      ++loads[static_cast<std::size_t>(rank % kinds)].ranks;
      continue;
    }
    const auto work = static_cast<double>((program.compute_of(rank) + program.polling_of(rank)).count());
    const Load load{static_cast<double>(program.busy_of(rank).count()), program.moving * work, 1};
    low = std::max(low, load.mean - load.half);
    high = std::max(high, load.mean + load.half);
    loads.push_back(load);
  }
  const auto none_longer = [&](double x) {
    double all = 1;
    for (const Load& l : loads) {
      const double one = l.half > 0 ? std::clamp((x - l.mean + l.half) / (2 * l.half), 0.0, 1.0) : 1.0;
      for (std::int32_t i = 0; i < l.ranks && all > 0; ++i) all *= one;
    }
    return all;
  };
  constexpr int kSteps = 512;
  const double step = (high - low) / kSteps;
  double area = 0;  // by the middles of the steps
  for (int i = 0; i < kSteps; ++i) area += none_longer(low + (i + 0.5) * step) * step;
  return high - area;
}

constexpr double kLongestLoad = 1e5;  // seconds per iteration

#define PROGRAM(member) COSLICE_FIELD(ProgramSpec, member)

/// Seconds by rank: one number for all, or a list; an empty one, as resolved scenarios have it, is none.
template <class Field>
Codec<ProgramSpec> loads(Field field) {
  const Range range{0, kLongestLoad};
  const std::string words = codec::real_words("seconds", range) + ", or a list of these by rank";
  return {words,
          [=](ProgramSpec& s, const Value& v, const std::string& p) {
            const Value::List list = v.list() ? *v.list() : Value::List{v};
            field(s).clear();
            for (const Value& item : list) field(s).push_back(codec::read_seconds(item, p, words, range));
          },
          codec::writer<ProgramSpec>(field, [](const std::vector<Duration>& content) {
            Value::List list;
            for (const Duration d : content) list.push_back(codec::seconds_value(d));
            return list;
          })};
}

}  // namespace

double isolated_period(const Program& program, std::int32_t size) {
  const double latency = static_cast<double>(program.communication.latency.count());
  if (program.moving > 0) return mean_longest_burst(program, size) + latency;
  const auto busy = [&](std::int32_t rank) { return static_cast<double>(program.busy_of(rank % size).count()); };
  double period = 0;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    period = std::max(period, busy(rank) + (program.pattern == Pattern::kBarrier ? latency : 0));
    if (program.pattern == Pattern::kRing) period = std::max(period, (busy(rank) + busy(rank + 1)) / 2 + latency);
  }
  return period;
}

std::int64_t iterations_for(const Program& program, std::int32_t size, Duration runtime) {
  const double period = isolated_period(program, size);
  if (period <= 0) return 1;
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(runtime.count()) / period));
}

void check_program(const Program& program) {
  const auto negative = [](Duration d) { return d < Duration{0}; };
  const auto fail = [](const char* problem) { throw std::invalid_argument(problem); };
  if (program.compute.empty()) fail("it has no load");
  for (const auto* loads : {&program.compute, &program.polling})
    if (std::ranges::any_of(*loads, negative)) fail("a load is below 0");
  const CommunicationCost& c = program.communication;
  if (negative(c.send) || negative(c.receive) || c.latency < Duration{1})
    fail("send or receive is below 0, or latency is not above 0");
  if (negative(program.slot_refill) || negative(program.dispatch_refill) || negative(program.monitoring))
    fail("a refill or the monitoring is below 0");
  if (!(program.jitter >= 0 && program.jitter <= 0.25)) fail("its jitter is not between 0 and 0.25");
  if (!(program.moving >= 0 && program.moving <= 0.5)) fail("its moving imbalance is not between 0 and 0.5");
  if (program.moving > 0 && program.pattern != Pattern::kBarrier) fail("an imbalance that moves needs a barrier");
  if (program.moving_iterations < 1) fail("its imbalance moves after less than one iteration");
  const auto idle = [](Duration d) { return d == Duration{0}; };
  if (std::ranges::all_of(program.compute, idle) && std::ranges::all_of(program.polling, idle) &&
      program.pattern == Pattern::kNone)
    fail("no process has anything to do");
}

Program ProgramSpec::program() const {
  Program p = *this;
  for (std::vector<Duration> Program::*loads : {&Program::compute, &Program::polling}) {
    (p.*loads).clear();
    for (const Duration d : this->*loads) (p.*loads).insert((p.*loads).end(), static_cast<std::size_t>(each), d);
  }
  check_program(p);
  return p;
}

const std::vector<Key<ProgramSpec>>& program_keys() {
  using P = ProgramSpec;
  using codec::seconds;
  static const Range kCost{0, 100};
  static const std::vector<Key<P>> keys = {
      {"name", codec::text<P>(PROGRAM(name)), "What jobs call it.", true},
      {"pattern", codec::choice<P>(PROGRAM(pattern), {"none", "ring", "barrier"}),
       "The processes that a process waits for in each iteration: none, its two neighbours in a ring, or all. Default "
       "`ring`."},
      {"compute", loads(PROGRAM(compute)), "Computing per iteration; a list is by rank and repeats. Default 0.001."},
      {"polling", loads(PROGRAM(polling)),
       "Communication per iteration that keeps the processor, e.g. waits that are each shorter than the spin time; "
       "counts as communication. A list is by rank and repeats."},
      {"each", codec::integer<P>(PROGRAM(each), 1, 100000),
       "This many ranks in a row have the same load: with 4, a list of two loads alternates by nodes of 4 processors."},
      {"send", seconds<P>(PROGRAM(communication.send), kCost), "Processor time of sending. Default 25e-6."},
      {"receive", seconds<P>(PROGRAM(communication.receive), kCost), "Processor time of receiving. Default 15e-6."},
      {"latency", seconds<P>(PROGRAM(communication.latency), {0, 100, true}),
       "From the end of the sending to the arrival. Default 20e-6."},
      {"jitter", codec::real<P>(PROGRAM(jitter), {0, 0.25}),
       "Standard deviation of computing and polling, relative to the mean. Default 0.01."},
      {"moving", codec::real<P>(PROGRAM(moving), {0, 0.5}),
       "Imbalance that moves between the processes: each computes and polls by up to this part more or less, drawn "
       "anew every `moving_iterations`. With `pattern = \"barrier\"`. Default 0."},
      {"moving_iterations", codec::integer<P>(PROGRAM(moving_iterations), 1, 1000000000),
       "For how many iterations a draw of `moving` stays. Default 1."},
      {"slot_refill", seconds<P>(PROGRAM(slot_refill), kCost),
       "Time to fill the caches again at each switch of slots that brings a process of it in."},
      {"dispatch_refill", seconds<P>(PROGRAM(dispatch_refill), kCost),
       "The same at each dispatch by a local scheduler."},
      {"monitoring", seconds<P>(PROGRAM(monitoring), kCost),
       "Processor time per iteration that measuring its communication takes, under policies that classify processes."},
      {"memory", codec::kilobytes<P>(PROGRAM(memory_kb)),
       "Memory of a process, unless the job says its own. Jobs enter a processor's other rows only where the processes "
       "on each node fit into `machine.memory`."},
      {"weight", codec::real<P>(PROGRAM(weight), {0, 1e9}),
       "Jobs that name no program draw one with these weights. Default 1."},
  };
  return keys;
}

void check_programs(const std::vector<ProgramSpec>& programs, const Value& list, const std::string& path) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Place& place = (*list.list())[i].place;
    const std::string here = path + "[" + std::to_string(i + 1) + "]";
    if (!names.insert(programs[i].name).second)
      fail_at(place, here + " has a name that is used before, '" + programs[i].name + "'");
    try {
      programs[i].program();
    } catch (const std::invalid_argument& e) {
      fail_at(place, here + ", '" + programs[i].name + "': " + e.what());
    }
  }
  if (programs.empty()) fail_at(list.place, path + " is empty", "at least one program");
}

}  // namespace coslice

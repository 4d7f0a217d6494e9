#include "process/program_spec.h"

#include <set>
#include <stdexcept>

namespace coslice {

namespace {

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

Program ProgramSpec::program() const {
  Program p;
  p.name = name;
  p.pattern = pattern;
  p.compute.clear();
  for (const Duration d : compute) p.compute.insert(p.compute.end(), static_cast<std::size_t>(each), d);
  for (const Duration d : polling) p.polling.insert(p.polling.end(), static_cast<std::size_t>(each), d);
  p.communication = communication;
  p.jitter = jitter;
  p.moving = moving;
  p.moving_iterations = moving_iterations;
  p.slot_refill = slot_refill;
  p.dispatch_refill = dispatch_refill;
  p.monitoring = monitoring;
  p.memory_kb = memory_kb;
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
       "anew "
       "every `moving_iterations`. With `pattern = \"barrier\"`. Default 0."},
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
       "on "
       "each node fit into `machine.memory`."},
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
      fail_at(place, here + " has a name that stands before, '" + programs[i].name + "'");
    try {
      programs[i].program();
    } catch (const std::invalid_argument& e) {
      fail_at(place, here + ", '" + programs[i].name + "': " + e.what());
    }
  }
  if (programs.empty()) fail_at(list.place, path + " is empty", "at least one program");
}

}  // namespace coslice

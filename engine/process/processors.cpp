#include "process/processors.h"

#include <algorithm>

#include "core/hash.h"
#include "core/random.h"

namespace coslice {

namespace {

constexpr std::uint64_t kMoving = 1;  // which of a process's keys

/// Approximately normal, mean 0, deviation 1, within +-3.5: the sum of four uniforms, from 64 bits. Integer arithmetic
/// and one multiplication, so the same everywhere and cheap enough for every burst.
double almost_normal(std::uint64_t bits) {
  constexpr double kScale = 1.0 / 37837.22772881584;  // 65536 / sqrt(3)
  const std::int64_t sum =
      static_cast<std::int64_t>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
  return static_cast<double>(sum - 131070) * kScale;
}

/// Uniform from -1 to 1.
double centred(std::uint64_t bits) {
  constexpr double kScale = 1.0 / (std::uint64_t{1} << 52);
  return static_cast<double>(bits >> 11) * kScale - 1;
}

}  // namespace

Processors::Processors(std::int32_t count, const CoschedulingRules& rules, std::uint64_t seed)
    : rules_(rules), seed_(derive_seed(seed, "bursts")), processors_(static_cast<std::size_t>(count)),
      seats_(static_cast<std::size_t>(count) * static_cast<std::size_t>(rules.multiprogramming)), tree_(count) {
  for (std::int32_t c = 0; c < count; ++c) {
    processor_at(c).first_seat = static_cast<std::uint32_t>(slot_of(c, 0));
    take_mode(processor_at(c), 0);
  }
}

std::int32_t Processors::add(JobIndex job, const Program& program, std::int64_t iterations,
                             const std::vector<std::int32_t>& columns, std::int32_t row, Ns now) {
  ++version_;
  const auto group = static_cast<std::int32_t>(groups_.size());
  const auto size = static_cast<std::int32_t>(columns.size());
  const auto first = static_cast<ProcessId>(processes_.size());
  groups_.push_back({job, first, size, row, size, 0, 0, program.slot_refill.count(), program.dispatch_refill.count()});
  const bool silent = program.pattern == Pattern::kNone;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    Process p;
    p.pattern = program.pattern;
    p.group = group;
    p.rank = rank;
    p.row = row;
    p.processor = columns[static_cast<std::size_t>(rank)];
    p.self = first + rank;
    p.left = first + (rank + size - 1) % size;
    p.right = first + (rank + 1) % size;
    p.key = hash_mix(hash_mix(seed_, job), static_cast<std::uint64_t>(rank));
    p.latency = program.communication.latency.count();
    const Ns work = (program.compute_of(rank) + program.polling_of(rank)).count();
    const Ns monitoring = silent || !rules_.classifies ? 0 : program.monitoring.count();
    // Work without a dependent process is one burst: where it is cut makes no difference.
    p.iterations = silent ? 1 : iterations;
    p.busy = silent ? work * iterations : program.busy_of(rank).count() + monitoring;
    p.overhead = silent ? 0 : p.busy - program.compute_of(rank).count();
    p.deviation = silent ? 0 : program.jitter * static_cast<double>(work);
    p.moving = silent ? 0 : program.moving * static_cast<double>(work);
    p.moving_iterations = program.moving_iterations;
    p.moving_key = hash_mix(p.key, kMoving);
    p.remaining = burst(p, 0);
    p.suspended = true;
    p.seat = static_cast<std::uint32_t>(slot_of(p.processor, row));
    processes_.push_back(p);
    seats_[p.seat] = {now, p.self, 0};
    Processor& c = processor_at(p.processor);
    c.rows = std::max(c.rows, row + 1);
    seats_[p.seat].rank = rank_of(c, p.self);
    compare_ranks(c);
  }
  return group;
}

Ns Processors::burst(Process& p, std::int64_t iteration) const {
  Ns length = p.busy;
  if (p.deviation != 0)
    length += static_cast<Ns>(p.deviation * almost_normal(hash_mix(p.key, static_cast<std::uint64_t>(iteration))));
  if (p.moving == 0) return length;
  if (p.moved_from < 0 || iteration < p.moved_from || iteration - p.moved_from >= p.moving_iterations) {
    const std::int64_t draw = iteration / p.moving_iterations;
    p.moved_from = draw * p.moving_iterations;
    p.moved = static_cast<Ns>(p.moving * centred(hash_mix(p.moving_key, static_cast<std::uint64_t>(draw))));
  }
  return length + p.moved;
}

ProcessFacts Processors::facts(ProcessId id) const {
  const Process& p = process(id);
  ProcessFacts f;
  f.job = group(p.group).job;
  f.rank = p.rank;
  f.processor = p.processor;
  f.cls = p.cls;
  f.slots = p.slots;
  f.slots_in_class = p.slots_in_class;
  f.cpu = Duration{p.cpu};
  f.comm = Duration{p.comm};
  f.communications = p.communications;
  return f;
}

void Processors::count_slot(ProcessId id) {
  Process& p = at(id);
  ++p.slots;
  ++p.slots_in_class;
}

void Processors::set_class(ProcessId id, const Classification& verdict) {
  Process& p = at(id);
  if (!verdict.reset && verdict.cls == p.cls) return;
  ++version_;
  p.cls = verdict.cls;
  Processor& c = processor_at(p.processor);
  if (seat_of(p).process == id) seat_of(p).rank = rank_of(c, id);
  compare_ranks(c);
  p.slots_in_class = 0;
  p.cpu = p.comm = p.communications = 0;
}

std::vector<std::int32_t> Processors::take_finished() {
  std::vector<std::int32_t> finished;
  finished.swap(finished_);
  return finished;
}

}  // namespace coslice

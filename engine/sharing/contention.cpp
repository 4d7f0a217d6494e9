#include "sharing/contention.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace coslice {

/// Factors of several jobs beside one.
class Contention::Factors {
 public:
  explicit Factors(ContentionOptions::Combine how) : how_(how) {}
  void add(double factor) {
    switch (how_) {
      case ContentionOptions::Combine::kProduct: value_ *= factor; break;
      case ContentionOptions::Combine::kWorst: value_ = any_ ? std::max(value_, factor) : factor; break;
      case ContentionOptions::Combine::kSum: value_ += factor - 1; break;
    }
    any_ = true;
  }
  /// Factors below 1 may add up to nothing; the smallest that a rate can have is far below what is measured.
  double value() const { return std::max(value_, 0.01); }

 private:
  ContentionOptions::Combine how_;
  double value_ = 1;
  bool any_ = false;
};

/// A job that is suspended on its nodes slows nobody down.
static bool runs(const StartedJob& job) { return job.phase != Phase::kSuspended; }

std::vector<StartedJob*> Contention::sharers(const StartedJob& job) const {
  std::vector<StartedJob*> all;
  for (const NodePart& part : job.parts)
    for (StartedJob* other : on(part.node))
      if (other != &job && runs(*other) && meet(part, part_on(*other, part.node))) all.push_back(other);
  std::ranges::sort(all, {}, &StartedJob::index);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Of a job that is started on a slice on which it cannot run.
constexpr double kGetsNowhere = 1000;

/// On the node without others: its speed, that of its GPUs, and what the job's own processes do to one another.
double Contention::alone(JobIndex j, const Request& request, NodeId n) const {
  const NodeKind& kind = demands_.layout().kind_of(n);
  double on_gpus = options_.slowdowns->on_gpus(j, request.gpus > 0 ? kind.gpu_type : -1);
  if (request.slice != 0) {
    const double on_slice = options_.slowdowns->on_gpu_instance(j, kind.gpu_type, request.slice, kind.slices);
    on_gpus *= on_slice > 0 ? on_slice : kGetsNowhere;
  }
  if (!options_.own) return on_gpus / kind.speed;
  const std::int32_t ppn = std::max(1, (request.cores + kWholeCore - 1) / kWholeCore);
  return options_.slowdowns->alone(j, ppn, kind.processors) * on_gpus / kind.speed;
}

double Contention::slowest_alone(JobIndex j) const {
  double most = 0;
  for (const std::int32_t u : demands_.demand(j))
    for (const NodeKind& kind : demands_.layout().kinds)
      if (demands_.may_have(demands_.unit(u), kind))
        most = std::max(most, alone(j, demands_.request_of(u), kind.first));
  return most == 0 ? 1 : most;
}

/// What factors come to of jobs on the same node, or on the same GPU; then the largest of the part's GPUs. `each` calls
/// its argument with what each job has there and its factor, in order.
template <class F>
double Contention::put_together(const NodePart& part, F&& each) const {
  const auto of_those_on = [&](const NodePart& there) {
    Factors beside(options_.combine);
    each([&](const NodePart& other, auto&& factor) {
      if (meet(there, other)) beside.add(factor());
    });
    return beside.value();
  };
  if (options_.among == ContentionOptions::Among::kNode || std::has_single_bit(part.gpus)) return of_those_on(part);
  double worst = part.gpus == 0 ? 1 : 0;
  for (std::uint64_t left = part.gpus; left != 0; left &= left - 1)
    worst = std::max(worst, of_those_on({part.node, left & (~left + 1)}));
  return worst;
}

double Contention::slowdown(const StartedJob& job) const {
  double worst = 0;
  for (const NodePart& part : job.parts) {
    const double beside = put_together(part, [&](auto&& add) {
      for (const StartedJob* other : on(part.node))
        if (other != &job && runs(*other))
          add(part_on(*other, part.node),
              [&] { return options_.slowdowns->really_beside_on(job.index, other->index, gpu_type(part)); });
    });
    worst = std::max(worst, alone(job.index, request(job), part.node) * beside);
  }
  if (job.parts.empty())  // every job has whole nodes
    for_each_node(job.nodes, [&](NodeId n) { worst = std::max(worst, alone(job.index, request(job), n)); });
  return worst;
}

double Contention::expected(JobIndex j, const Request& request, const NodePart& part, JobIndex guest,
                            const NodePart& guest_part) const {
  const double beside = put_together(part, [&](auto&& add) {
    for (const StartedJob* other : on(part.node))
      if (other->index != j && runs(*other))
        add(part_on(*other, part.node), [&] { return options_.slowdowns->beside_on(j, other->index, gpu_type(part)); });
    if (guest != kNoJob) add(guest_part, [&] { return options_.slowdowns->beside_on(j, guest, gpu_type(part)); });
  });
  return alone(j, request, part.node) * beside;
}

double Contention::expected_on(JobIndex j, std::int32_t kind, JobIndex other) const {
  const NodeKind& nodes = demands_.layout().kinds[static_cast<std::size_t>(kind)];
  for (const std::int32_t u : demands_.demand(j)) {
    if (!demands_.may_have(demands_.unit(u), nodes)) continue;
    const Request& own = demands_.request_of(u);
    const double there = alone(j, own, nodes.first);
    if (other == kNoJob) return there;
    const bool on_gpus = own.gpus != 0 && demands_.request(other).gpus != 0;
    Factors beside(options_.combine);
    beside.add(options_.slowdowns->beside_on(j, other, on_gpus ? nodes.gpu_type : -1));
    return there * beside.value();
  }
  return 0;
}

double Contention::expected_on_gpu_instance(JobIndex j, std::int32_t kind, std::int32_t slice) const {
  const NodeKind& nodes = demands_.layout().kinds[static_cast<std::size_t>(kind)];
  for (const JobDemands::OfGpuInstance& s : demands_.gpu_instances(j)) {
    if (s.slice != slice || s.slices != nodes.slices) continue;
    const bool runs = options_.slowdowns->on_gpu_instance(j, nodes.gpu_type, slice, nodes.slices) > 0;
    return runs ? alone(j, demands_.request_of(s), nodes.first) : 0;
  }
  return 0;
}

double Contention::useful(NodeId n, JobIndex guest, const Request& guest_request, const NodePart& guest_part) const {
  const auto processes = [](const Request& r) { return static_cast<double>(r.cores) / kWholeCore; };
  double sum = guest == kNoJob ? 0 : processes(guest_request) / expected(guest, guest_request, guest_part);
  for (const StartedJob* job : on(n)) {
    const NodePart& part = part_on(*job, n);
    if (runs(*job) && meet(part, guest_part))
      sum += processes(request(*job)) / expected_there(*job, part, guest, guest_part);
  }
  return sum;
}

double believed_speed(const View& view, JobIndex j, std::int32_t kind, JobIndex other) {
  if (const Contention* const contention = view.host().contention()) {
    const double slowdown = contention->expected_on(j, kind, other);
    return slowdown > 0 ? 1 / slowdown : 0;
  }
  const NodeKind& nodes = view.demands()->layout().kinds[static_cast<std::size_t>(kind)];
  const JobDemands& demands = *view.demands();
  const auto may_run = [&](std::int32_t u) { return demands.may_have(demands.unit(u), nodes); };
  return std::ranges::any_of(demands.demand(j), may_run) ? nodes.speed : 0;
}

double believed_left(const View& view, const StartedJob& job) {
  double seconds = 0;
  if (view.host().contention() != nullptr || sliced_host(view) != nullptr) {
    seconds = (job.planned_left - job.done_until(view.wall_now())).seconds();
  } else {
    const double speed = view.demands() == nullptr ? 1 : view.demands()->layout().slowest_speed(job.nodes);
    seconds = to_seconds(job.expected_end - view.now()) * speed;
  }
  return std::max(0.0, seconds);
}

double on_machine_clock(const View& view, double seconds) {
  if (!(seconds >= 0) || seconds > kMaxSeconds) return seconds;  // NaN, and what never comes
  const double from_now = std::max(0.0, seconds - to_seconds(view.now()));
  const Time t = view.wall_time_after(from_seconds(from_now));
  return t == kNever ? HUGE_VAL : to_seconds(t);
}

}  // namespace coslice

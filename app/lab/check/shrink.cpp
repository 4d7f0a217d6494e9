#include "lab/check/shrink.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace coslice::check {

namespace {

using Number = std::int64_t;

/// The number with one digit that is not 0.
Number rounded_down(Number x) {
  Number unit = 1;
  while (x / unit >= 10) unit *= 10;
  return x / unit * unit;
}

/// Smaller values to try for a number, the boldest first.
std::vector<Number> smaller(Number x, Number least) {
  constexpr Number kFew = 16;
  const Number near = x - least <= kFew ? x - 1 : x - (x - least) / 8;
  std::vector<Number> out;
  for (const Number y : {least, least + (x - least) / 2, rounded_down(x), near})
    if (y >= least && y < x && std::ranges::find(out, y) == out.end()) out.push_back(y);
  return out;
}

class Shrinking {
 public:
  Shrinking(const Case& c, const std::function<bool(const Case&)>& fails, int most)
      : best_(c), fails_(fails), most_(most) {}

  Shrunk run() {
    for (bool smaller = true; smaller;) {  // each of the three has its turn in every round
      const bool fewer = drop_jobs(), plainer = simplify_machine();
      smaller = simplify_jobs() || fewer || plainer;
    }
    return {best_, tries_};
  }

 private:
  bool try_it(Case c) {
    if (!c.kinds.empty()) {
      c.nodes = 0;
      for (const SmallKind& kind : c.kinds) c.nodes += kind.count;
    }
    if (tries_ == most_) return false;
    ++tries_;
    if (!fails_(c)) return false;
    best_ = std::move(c);
    return true;
  }

  bool drop_jobs() {
    bool progress = false;
    for (std::size_t size = std::max<std::size_t>(1, best_.jobs.size() / 2); size >= 1; size /= 2) {
      for (std::size_t from = 0; from < best_.jobs.size();) {
        if (size < best_.jobs.size() && try_it(without(from, size))) progress = true;
        else from += size;
      }
    }
    return progress;
  }

  Case without(std::size_t from, std::size_t count) const {
    Case c = best_;
    const auto begin = c.jobs.begin() + static_cast<std::ptrdiff_t>(from);
    c.jobs.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, c.jobs.size() - from)));
    return c;
  }

  /// Tries smaller values of a number, until none will do.
  template <class Access>
  bool lower(Access access, Number least) {
    bool progress = false;
    for (bool again = true; again;) {
      again = false;
      for (const Number y : smaller(access(best_), least)) {
        Case c = best_;
        access(c) = y;
        if (!try_it(std::move(c))) continue;
        again = progress = true;
        break;
      }
    }
    return progress;
  }

  template <class Change>
  bool change(Change what) {
    Case c = best_;
    if (!what(c)) return false;
    return try_it(std::move(c));
  }

  bool simplify_outages() {
    bool progress = drop_each(&Case::outages);
    for (std::size_t i = 0; i < best_.outages.size(); ++i) {
      progress |= lower([i](Case& c) -> Number& { return c.outages[i].from; }, 0);
      progress |= lower([i](Case& c) -> Number& { return c.outages[i].length; }, 1);
    }
    return progress;
  }

  bool simplify_reservations() {
    bool progress = false;
    for (std::size_t i = best_.reservations.size(); i-- > 0;) {  // the last one first: jobs name them by number
      const auto at = static_cast<std::ptrdiff_t>(i);
      const bool dropped = change([at](Case& c) { return c.reservations.erase(c.reservations.begin() + at), true; });
      progress |= dropped;
      if (dropped) continue;
      progress |= change([i](Case& c) { return std::exchange(c.reservations[i].announced, 0) != 0; });
      progress |= lower([i](Case& c) -> Number& { return c.reservations[i].from; }, 0);
      progress |= lower([i](Case& c) -> Number& { return c.reservations[i].length; }, 1);
      progress |= lower([i](Case& c) -> Number& { return c.reservations[i].backfill; }, 0);
      progress |= change([i](Case& c) { return std::exchange(c.reservations[i].every, 0) != 0; });
    }
    return progress;
  }

  /// On a heterogeneous machine: equal ones, then fewer and plainer kinds and partitions.
  bool simplify_kinds() {
    if (best_.kinds.empty()) return false;
    bool progress = change([](Case& c) {
      c.kinds.clear();
      c.partitions.clear();
      c.licences = 0;
      for (SmallJob& job : c.jobs) job.asks.clear();
      return true;
    });
    progress |= drop_each(&Case::partitions);
    progress |= drop_each(&Case::kinds);
    progress |= lower([](Case& c) -> Number& { return c.licences; }, 0);
    for (std::size_t k = 0; k < best_.kinds.size(); ++k) {
      progress |= lower([k](Case& c) -> Number& { return c.kinds[k].count; }, 1);
      progress |= lower([k](Case& c) -> Number& { return c.kinds[k].cores; }, 1);
      progress |= lower([k](Case& c) -> Number& { return c.kinds[k].gpus; }, 0);
      progress |= lower([k](Case& c) -> Number& { return c.kinds[k].memory; }, 0);
      progress |= change([k](Case& c) { return std::exchange(c.kinds[k].halves, 2) != 2; });
      progress |= change([k](Case& c) { return std::exchange(c.kinds[k].fast, false); });
    }
    for (std::size_t p = 0; p < best_.partitions.size(); ++p) {
      progress |= change([p](Case& c) { return std::exchange(c.partitions[p].max_nodes, 0) != 0; });
      progress |= change([p](Case& c) { return std::exchange(c.partitions[p].max_time, 0) != 0; });
      progress |= change([p](Case& c) { return std::exchange(c.partitions[p].for_some, false); });
      progress |= change([p](Case& c) { return std::exchange(c.partitions[p].tier, 1) != 1; });
      progress |= change([p](Case& c) { return std::exchange(c.partitions[p].oversubscribe, 1) != 1; });
      progress |= change([p](Case& c) { return std::exchange(c.partitions[p].all, false); });
      progress |= change([p](Case& c) { return !std::exchange(c.partitions[p].over, {}).empty(); });
    }
    return progress;
  }

  /// Tries to do without each of a list: kinds, partitions, outages, ...
  template <class T>
  bool drop_each(std::vector<T> Case::*list) {
    bool progress = false;
    for (std::size_t i = 0; i < (best_.*list).size();) {
      const bool dropped = change([&](Case& c) {
        if ((c.*list).size() == 1 && std::is_same_v<T, SmallKind>) return false;
        const auto one = (c.*list).begin() + static_cast<std::ptrdiff_t>(i);
        if constexpr (std::is_same_v<T, SmallKind>) {
          for (SmallPartition& p : c.partitions) std::erase(p.kinds, one->id);
          std::erase_if(c.partitions, [](const SmallPartition& p) { return p.kinds.empty(); });
        }
        (c.*list).erase(one);
        return true;
      });
      progress |= dropped;
      if (!dropped) ++i;
    }
    return progress;
  }

  /// Fewer things that the job asks for, and less of them.
  bool simplify_asks(std::size_t i) {
    bool progress = false;
    for (std::size_t k = 0; k < best_.jobs[i].asks.size();) {
      const bool dropped = change([&](Case& c) {
        c.jobs[i].asks.erase(c.jobs[i].asks.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      });
      progress |= dropped;
      if (dropped) continue;
      progress |= change([&](Case& c) {
        Value& asked = c.jobs[i].asks[k].second;
        const Value before = asked;
        if (asked.integer() != nullptr) asked = Value(1);
        else if (asked.list() != nullptr) asked.list()->resize(1);
        return asked != before;
      });
      ++k;
    }
    return progress;
  }

  bool simplify_power() {
    if (!best_.power) return false;
    if (change([](Case& c) { return c.power.reset(), true; })) return true;
    bool progress = lower([](Case& c) -> Number& { return c.power->idle; }, 0);
    progress |= lower([](Case& c) -> Number& { return c.power->boot; }, 0);
    progress |= lower([](Case& c) -> Number& { return c.power->shutdown; }, 0);
    return progress;
  }

  bool simplify_machine() {
    bool progress = simplify_kinds();
    progress |= simplify_power();
    progress |= drop_each(&Case::params);
    progress |= simplify_outages();
    progress |= simplify_reservations();
    progress |= change([](Case& c) { return std::exchange(c.extends, false); });
    progress |= change([](Case& c) { return std::exchange(c.submissions_first, false); });
    progress |= change([](Case& c) { return std::exchange(c.molding, Molding::kEndsFirst) != Molding::kEndsFirst; });
    progress |= change([](Case& c) { return std::exchange(c.one_process, false); });
    progress |= change([](Case& c) { return std::exchange(c.seed, 1) != 1; });
    if (best_.kinds.empty()) {
      progress |= lower([](Case& c) -> Number& { return c.processors; }, 1);
      progress |= lower([](Case& c) -> Number& { return c.cores; }, 1);
      progress |= lower([](Case& c) -> Number& { return c.nodes; }, 1);
    }
    // Fewer nodes, and every job that was wide is as wide as the machine.
    for (const Number nodes : smaller(best_.kinds.empty() ? best_.nodes : 1, 1)) {
      progress |= change([nodes](Case& c) {
        for (SmallJob& job : c.jobs)
          if (job.nodes <= c.nodes) job.nodes = std::min(job.nodes, nodes);
        c.nodes = nodes;
        return true;
      });
    }
    progress |= change([](Case& c) {  // everything in a thousandth of the time
      bool changes = false;
      for (SmallJob& job : c.jobs) {
        changes = changes || job.runtime > 1000;
        job.submit /= 1000;
        job.runtime = std::max<Number>(1, job.runtime / 1000);
        if (job.limit) job.limit = std::max<Number>(1, *job.limit / 1000);
      }
      return changes;
    });
    return progress;
  }

  bool simplify_jobs() {
    bool progress = false;
    for (std::size_t i = 0; i < best_.jobs.size(); ++i) {
      progress |= close_gap(i);
      progress |= drop_fields(i);
      progress |= simplify_asks(i);
      progress |= lower([i](Case& c) -> Number& { return c.jobs[i].submit; }, i == 0 ? 0 : best_.jobs[i - 1].submit);
      progress |= lower([i](Case& c) -> Number& { return c.jobs[i].nodes; }, 1);
      progress |= lower([i](Case& c) -> Number& { return c.jobs[i].runtime; }, 1);
      if (best_.jobs[i].limit) progress |= lower([i](Case& c) -> Number& { return *c.jobs[i].limit; }, 1);
      if (best_.jobs[i].memory_tenths)
        progress |= lower([i](Case& c) -> Number& { return *c.jobs[i].memory_tenths; }, 0);
    }
    return progress;
  }

  /// The job and all behind it come earlier.
  bool close_gap(std::size_t i) {
    const Number least = i == 0 ? 0 : best_.jobs[i - 1].submit;
    for (const Number submit : smaller(best_.jobs[i].submit, least)) {
      Case c = best_;
      const Number earlier = c.jobs[i].submit - submit;
      for (std::size_t k = i; k < c.jobs.size(); ++k) c.jobs[k].submit -= earlier;
      if (try_it(std::move(c))) return true;
    }
    return false;
  }

  bool drop_fields(std::size_t i) {
    bool progress = false;
    const auto drop = [&](auto SmallJob::*field) {
      progress |= change([&](Case& c) {
        const bool had = (c.jobs[i].*field).has_value();
        (c.jobs[i].*field).reset();
        return had;
      });
    };
    drop(&SmallJob::limit);
    for (std::size_t k = 0; k < best_.jobs[i].said.size();) {
      const bool dropped = change([&](Case& c) {
        c.jobs[i].said.erase(c.jobs[i].said.begin() + static_cast<std::ptrdiff_t>(k));
        return true;
      });
      progress |= dropped;
      if (!dropped) ++k;
    }
    drop(&SmallJob::memory_tenths);
    if (!best_.jobs[i].memory_tenths) drop(&SmallJob::uses);
    // What one does, one does wholly.
    for (std::size_t r = 0; r != 3; ++r) {
      progress |= change([&](Case& c) {
        auto& uses = c.jobs[i].uses;
        if (!uses || *std::ranges::max_element(*uses) == 10) return false;
        *uses = {0, 0, 0};
        (*uses)[r] = 10;
        return true;
      });
    }
    return progress;
  }

  Case best_;
  const std::function<bool(const Case&)>& fails_;
  int most_, tries_ = 0;
};

}  // namespace

Shrunk shrink(const Case& c, const std::function<bool(const Case&)>& fails, int most_tries) {
  return Shrinking(c, fails, most_tries).run();
}

}  // namespace coslice::check

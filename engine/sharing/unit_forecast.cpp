#include "sharing/unit_forecast.h"

#include <algorithm>
#include <limits>

namespace coslice {

namespace {

bool earlier(const UnitBook::Release& a, const UnitBook::Release& b) { return a.at < b.at; }

/// When so many units of the list are free at once; and how many more are by then.
std::optional<UnitBook::Release> enough_at(const UnitBook::Releases& list, std::int32_t units) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i != list.size(); ++i) {
    sum += list[i].units;
    if (sum < units) continue;
    const double at = list[i].at;
    while (++i != list.size() && list[i].at <= at) sum += list[i].units;
    return UnitBook::Release{at, sum - units};
  }
  return std::nullopt;
}

std::optional<UnitSlot> on_several(const UnitBook::Tenant& t, const std::vector<UnitBook::Releases>& releases, double not_before) {
  UnitBook::Releases all;
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k != releases.size(); ++k) {
    if (t.speed[k] <= 0) continue;
    all.insert(all.end(), releases[k].begin(), releases[k].end());
    slowest = std::min(slowest, t.speed[k]);
  }
  std::stable_sort(all.begin(), all.end(), earlier);
  const std::optional<UnitBook::Release> enough = enough_at(all, t.units);
  if (!enough) return std::nullopt;
  const double start = std::max(enough->at, not_before);
  return UnitSlot{-1, start, start + t.left / slowest, enough->units};
}

/// The first units of the list are taken until then.
void take_until(UnitBook::Releases& list, std::int32_t units, double at) {
  while (units > 0) {
    UnitBook::Release& first = list.front();
    const std::int32_t n = std::min(units, first.units);
    units -= n;
    first.units -= n;
    if (first.units == 0) list.erase(list.begin());
    const UnitBook::Release taken{at, n};
    list.insert(std::upper_bound(list.begin(), list.end(), taken, earlier), taken);
  }
}

void take(const UnitBook::Tenant& t, const UnitSlot& slot, std::vector<UnitBook::Releases>& releases) {
  if (slot.kind >= 0) return take_until(releases[static_cast<std::size_t>(slot.kind)], t.units, slot.finish);
  std::int32_t units = t.units;
  for (std::size_t k = 0; k != releases.size(); ++k) {
    if (t.speed[k] <= 0) continue;
    std::int32_t free = 0;
    for (const UnitBook::Release& r : releases[k]) free += r.at <= slot.start ? r.units : 0;
    const std::int32_t n = std::min(units, free);
    take_until(releases[k], n, slot.finish);
    units -= n;
  }
}

}  // namespace

std::optional<UnitSlot> first_slot(const UnitBook::Tenant& t, const std::vector<UnitBook::Releases>& releases, double not_before) {
  if (t.units == 0) return std::nullopt;
  std::optional<UnitSlot> best;
  for (std::size_t k = 0; k != releases.size(); ++k) {
    if (t.speed[k] <= 0) continue;
    const std::optional<UnitBook::Release> enough = enough_at(releases[k], t.units);
    if (!enough) continue;
    const double start = std::max(enough->at, not_before), finish = start + t.left / t.speed[k];
    if (!best || finish < best->finish) best = {static_cast<std::int32_t>(k), start, finish, enough->units};
  }
  return best ? best : on_several(t, releases, not_before);
}

std::vector<std::optional<double>> play_forward(const std::vector<UnitBook::Tenant*>& queue, std::vector<UnitBook::Releases> releases, double now) {
  std::vector<std::optional<double>> finishes(queue.size());
  double last = now;
  for (std::size_t i = 0; i != queue.size(); ++i) {
    const std::optional<UnitSlot> slot = first_slot(*queue[i], releases, last);
    if (!slot) continue;
    take(*queue[i], *slot, releases);
    finishes[i] = slot->finish;
    last = slot->start;
  }
  return finishes;
}

}  // namespace coslice

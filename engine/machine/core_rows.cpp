#include "machine/core_rows.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/portable_math.h"
#include "machine/core_spread.h"

namespace coslice {
namespace {

bool has(const std::vector<std::int32_t>& ascending, std::int32_t partition) {
  return std::ranges::binary_search(ascending, partition);
}

/// Whether a job of the request may not have the cores of that one in the row.
bool bars(const Request& r, const SharedCores& s, std::int32_t row) {
  if (row == kIdleCores) return true;
  if (s.partition == r.row_of) return row == kCoresOfOtherTiers || s.row == row;
  return !may_lie_over(r, s) || (row == kCoresOfOtherTiers && !has(r.over_first, s.partition));
}

CoreShare whole_cores(CoreShare cores) { return divided_up(cores, kWholeCore); }

CoreShare cores_on(const Request& r, const NodePart& part) { return part.cores != 0 ? part.cores : r.cores; }

/// So many cores that are not taken: of each processor in turn the first one that is left.
CoreSet first_left(const NodeKind& kind, const CoreSet& taken, std::int32_t count) {
  CoreSet chosen;
  std::vector<std::int32_t> next(static_cast<std::size_t>(kind.processors), 0);
  for (std::int32_t found = 0, idle = 0; found != count && idle != kind.processors;) {
    idle = 0;
    for (std::int32_t p = 0; p != kind.processors && found != count; ++p) {
      std::int32_t& core = next[static_cast<std::size_t>(p)];
      while (core != kind.cores && taken.contains(p * kind.cores + core)) ++core;
      if (core == kind.cores) ++idle;
      else chosen.insert(p * kind.cores + core++), ++found;
    }
  }
  return chosen;
}

/// Whether some jobs have cores of which the numbers are not known. A job without cores has none.
bool has_unknown(const NodeRoom& room) {
  return std::ranges::any_of(
      room.shared, [](const SharedCores& s) { return s.held.empty() && s.cores != 0 && s.row != kRowOfWholeNodes; });
}

}  // namespace

CoreSet cores_taken(const Request& r, const NodeRoom& room, std::int32_t row) {
  CoreSet taken;
  for (const SharedCores& s : room.shared)
    if (bars(r, s, row)) taken |= s.held;
  return taken;
}

CoreShare cores_left(const Request& r, const NodeRoom& room, std::int32_t row) {
  if (row == kIdleCores) return room.cores;
  CoreShare left = room.all_cores - cores_taken(r, room, row).count() * kWholeCore;
  for (const SharedCores& s : room.shared)
    if (s.held.empty() && s.row != kRowOfWholeNodes && bars(r, s, row)) left -= s.cores;
  return left;
}

/// Where it is not known which cores jobs have, as if they had shared them as evenly as can be.
CoreShare cores_in_some_row(const Request& r, const NodeRoom& room) {
  const std::int32_t rows = std::max(r.rows, 1);
  if (has_unknown(room)) return rows_with(r, room) <= rows ? std::max(r.cores, room.cores) : room.cores;
  CoreShare most = room.cores;
  for (std::int32_t row = 0; row != rows && most < room.all_cores; ++row)
    most = std::max(most, cores_left(r, room, row));
  return most;
}

bool lacks_row(const Request& r, const std::vector<const NodeRoom*>& rooms) {
  for (std::int32_t row = kCoresOfOtherTiers; row < std::max(r.rows, 1); ++row) {
    const auto enough = [&](const NodeRoom* room) { return cores_left(r, *room, row) >= r.cores; };
    if (std::ranges::count_if(rooms, enough) >= r.nodes) return false;
  }
  return true;
}

bool lacks_together(const Request& r, const NodePool& pool, const NodeSet& fitting) {
  if (!has_rows(r)) return lacks_cores(r, pool, fitting);
  if (r.nodes == 1) return fitting.empty();
  std::vector<const NodeRoom*> rooms;
  fitting.for_each([&](NodeId n) { rooms.push_back(&pool.room(n)); });
  return lacks_row(r, rooms);
}

std::vector<std::int32_t> rows_in_order(const Request& r, const NodePool& pool) {
  std::vector<std::int32_t> order{kIdleCores};
  if (!has_rows(r)) return order;
  if (!r.over_first.empty()) order.push_back(kCoresOfOtherTiers);
  std::vector<std::int64_t> taken(static_cast<std::size_t>(std::max(r.rows, 1)), 0);
  if (taken.size() > 1)
    pool.layout().partitions[static_cast<std::size_t>(r.row_of)].nodes.for_each([&](NodeId n) {
      for (const SharedCores& s : pool.room(n).shared)
        if (s.partition == r.row_of && s.row >= 0 && s.row < std::ssize(taken))
          taken[static_cast<std::size_t>(s.row)] += s.held.count();
    });
  std::vector<std::int32_t> rows(taken.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [&](std::int32_t i) { return taken[static_cast<std::size_t>(i)]; });
  order.insert(order.end(), rows.begin(), rows.end());
  return order;
}

void number_cores(const Request& r, const NodePool& pool, std::int32_t row, const std::vector<std::int32_t>& order,
                  Parts& parts) {
  for (NodePart& part : parts) {
    const CoreSet taken = cores_taken(r, pool.room(part.node), row);
    part.held = first_left(pool.layout().kind_of(part.node), taken, whole_cores(cores_on(r, part)));
    part.row = std::max(row, 0);
  }
  if (row >= 0) return;
  for (const std::int32_t own : order) {
    if (own < 0) continue;
    const bool left = std::ranges::all_of(parts, [&](const NodePart& part) {
      return std::ranges::none_of(pool.room(part.node).shared, [&](const SharedCores& s) {
        return s.partition == r.row_of && s.row == own && s.held.intersects(part.held);
      });
    });
    if (!left) continue;
    for (NodePart& part : parts) part.row = own;
    return;
  }
}

bool in_the_way(const Request& whole, const NodePart& part, const NodeRoom& room) {
  const Request& r = component_of(whole, part);
  return std::ranges::any_of(room.shared, [&](const SharedCores& s) {
    return bars(r, s, has_rows(r) ? part.row : kIdleCores) && s.held.intersects(part.held);
  });
}

bool in_the_way(const Request& r, const NodePart& part, const Request& other, const NodePart& others) {
  NodeRoom room;
  room.shared.push_back({other.row_of, others.row, other.many_rows, 0, others.held});
  return in_the_way(r, part, room);
}

std::vector<RowMember*> pack_rows(std::vector<RowMember>& members, std::int32_t rows) {
  struct Row {
    std::int64_t cores = 0;
    std::map<NodeId, CoreSet> taken;
  };
  std::vector<Row> all(static_cast<std::size_t>(rows));
  const auto first_core = [](const RowMember& m) {
    const NodePart& first = *std::ranges::min_element(*m.parts, {}, &NodePart::node);
    return std::pair(first.node, first.held.lowest());
  };
  std::ranges::sort(members, {}, [&](const RowMember& m) { return std::tuple(first_core(m), m.cores, m.job); });
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> into;
  for (const RowMember& m : members) {
    const auto row = std::ranges::find_if(order, [&](std::size_t i) {
      return std::ranges::none_of(*m.parts, [&](const NodePart& part) {
        const auto at = all[i].taken.find(part.node);
        return at != all[i].taken.end() && at->second.intersects(part.held);
      });
    });
    if (row == order.end()) return {};
    for (const NodePart& part : *m.parts) {
      all[*row].taken[part.node] |= part.held;
      all[*row].cores += part.held.count();
    }
    into.push_back(*row);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return all[i].cores; });
  }
  std::vector<RowMember*> moved;
  for (std::size_t i = 0; i != members.size(); ++i) {
    RowMember& m = members[i];
    const auto row = static_cast<std::int32_t>(into[i]);
    if (m.row == row && std::ranges::all_of(*m.parts, [&](const NodePart& p) { return p.row == row; })) continue;
    m.row = row;
    moved.push_back(&m);
  }
  return moved;
}

}  // namespace coslice

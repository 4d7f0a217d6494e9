#include "process/column_access.h"

#include <algorithm>

namespace coslice {
namespace {

Ns in_ns(Time t) { return t.time_since_epoch().count(); }

}  // namespace

ColumnAccess::ColumnAccess(const NodeColumns& columns, const JobDemands* demands, Time start)
    : columns_(columns), demands_(demands) {
  if (demands_ == nullptr || demands_->reservations().empty()) return;
  for (const NodeReservation& r : demands_->reservations()) known_.push_back(r.announced <= start);
  find_alike();
  find_reserved();
}

/// Nodes that are in the same reservations are closed at the same times.
void ColumnAccess::find_alike() {
  const NodeReservations& all = demands_->reservations();
  std::vector<std::vector<bool>> of_nodes(static_cast<std::size_t>(columns_.nodes()), std::vector(all.size(), false));
  for (std::size_t r = 0; r != all.size(); ++r)
    for_each_node(all[r].nodes, [&](NodeId n) { of_nodes[static_cast<std::size_t>(n)][r] = true; });
  for (std::vector<bool>& of_node : of_nodes) {
    const auto it = std::ranges::find(on_, of_node);
    alike_.push_back(static_cast<std::size_t>(it - on_.begin()));
    if (it == on_.end()) on_.push_back(std::move(of_node));
  }
}

void ColumnAccess::find_reserved() {
  reserved_.clear();
  for (const NodeAccess& access : demands_->accesses()) {
    for (const std::vector<bool>& on : on_) {
      std::vector<Span>& times = reserved_.emplace_back();
      for (const TimeWindow& w : closed_times(demands_->reservations(), access, on, known_))
        times.push_back({in_ns(w.from), in_ns(w.to)});
    }
  }
}

void ColumnAccess::announce(std::int32_t reservation) {
  known_[static_cast<std::size_t>(reservation)] = true;
  find_reserved();
}

void ColumnAccess::forget(const NodeRanges& nodes, Ns from, Ns to) {
  const auto it = std::ranges::find_if(
      windows_, [&](const Window& w) { return w.time.from == from && w.time.to == to && w.nodes == nodes; });
  if (it != windows_.end()) windows_.erase(it);
}

bool ColumnAccess::limits_before(JobIndex job, Ns t) const {
  const auto begins = [t](const auto& time) { return time.from < t; };
  if (!closed_.empty()) return true;
  if (std::ranges::any_of(windows_, [&](const Window& w) { return begins(w.time); })) return true;
  if (demands_ == nullptr) return false;
  const Demand& demand = demands_->demand(job);
  if (demand.empty() || demands_->nodes(demands_->unit(demand.front())).count() != columns_.nodes()) return true;
  for (std::size_t on = 0; on != on_.size(); ++on) {
    const std::vector<Span>& times =
        reserved_[static_cast<std::size_t>(demands_->access(demand.front())) * on_.size() + on];
    if (std::ranges::any_of(times, begins)) return true;
  }
  return false;
}

void ColumnAccess::refuse_for_good(JobIndex job, std::size_t choice, std::vector<bool>& refused) const {
  if (demands_ == nullptr) return;
  const NodeSet& nodes = demands_->nodes(demands_->unit(demands_->demand(job)[choice]));
  if (nodes.count() == columns_.nodes()) return;
  for (NodeId n = 0; n != columns_.nodes(); ++n)
    if (!nodes.contains(n)) refuse_node(n, refused);
}

void ColumnAccess::refuse(JobIndex job, std::size_t choice, Ns from, Ns to, std::vector<bool>& refused) const {
  for (const auto& [n, until] : closed_)
    if (until > from) refuse_node(n, refused);
  for (const Window& w : windows_)
    if (w.time.meets(from, to)) for_each_node(w.nodes, [&](NodeId n) { refuse_node(n, refused); });
  refuse_for_good(job, choice, refused);
  if (on_.empty()) return;
  const std::int32_t access = demands_->access(demands_->demand(job)[choice]);
  for (NodeId n = 0; n != columns_.nodes(); ++n) {
    const std::vector<Span>& times = reserved(access, n);
    if (std::ranges::any_of(times, [&](const Span& s) { return s.meets(from, to); })) refuse_node(n, refused);
  }
}

std::vector<Ns> ColumnAccess::openings(Ns now) const {
  std::vector<Ns> all;
  for (const auto& [n, until] : closed_) all.push_back(until);
  for (const Window& w : windows_) all.push_back(w.time.to);
  for (const std::vector<Span>& times : reserved_)
    for (const Span& s : times) all.push_back(s.to);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  all.erase(all.begin(), std::ranges::upper_bound(all, now));
  if (!all.empty() && all.back() == kUnknown) all.pop_back();
  return all;
}

}  // namespace coslice

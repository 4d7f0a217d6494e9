// What would be left of the nodes without some jobs, for plans that look ahead.
#include <algorithm>

#include "availability/shared_node_availability.h"
#include "core/work_count.h"

namespace coslice {
namespace {

/// What is counted for a node that is copied, and for a job that gives back what it has: as many looks at a node take
/// as long.
constexpr std::uint64_t kCopies = 50, kGives = 75;

}  // namespace

WithoutJobs::WithoutJobs(SharedNodeAvailability& ledger)
    : ledger_(ledger), left_(ledger.ahead_ ? *ledger.ahead_ : ledger.ahead_.emplace(ledger.pool_)) {
  count_looks(static_cast<std::uint64_t>(left_.layout().node_count()) / 4);
  for (NodeId n = 0; n != left_.layout().node_count(); ++n) {
    if (left_.stamp(n) == ledger.pool_.stamp(n)) continue;
    left_.copy_node(n, ledger.pool_);
    count_looks(kCopies);
  }
  left_.set_licences(ledger.pool_.licences());
}

void WithoutJobs::end(JobIndex j) {
  const auto held = ledger_.started_.find(j);
  if (held == ledger_.started_.end()) return;
  count_looks(kGives);
  const Request& r = ledger_.request(held->second);
  const auto moved = moved_.find(j);
  left_.give(r, moved != moved_.end() ? moved->second : held->second.parts);
  if (!r.many_rows) return;
  gone_.insert(j);
  if (std::ranges::find(loose_, r.row_of) == loose_.end()) loose_.push_back(r.row_of);
}

/// As where jobs have gone.
void WithoutJobs::pack() {
  for (const std::int32_t partition : std::exchange(loose_, {})) {
    std::vector<RowMember> members =
        ledger_.members_of_rows(partition, [this](JobIndex j, const auto& held) -> const Parts* {
          if (gone_.count(j) != 0) return nullptr;
          const auto moved = moved_.find(j);
          return moved != moved_.end() ? &moved->second : &held.parts;
        });
    for (const RowMember* moved : pack_rows(members, ledger_.rows_of(partition))) {
      const Request& r = ledger_.request(ledger_.started_.at(moved->job).unit);
      Parts parts = *moved->parts;
      left_.give(r, parts);
      for (NodePart& part : parts) part.row = moved->row;
      left_.take(r, parts, true);
      moved_[moved->job] = std::move(parts);
    }
  }
}

bool WithoutJobs::choose_components(JobIndex j, std::int32_t unit, const NodeSet& among, bool busy_first, Parts& out) {
  pack();
  if (!left_.has_licences(ledger_.request(unit))) return false;
  const std::vector<std::int32_t>& all = ledger_.components(unit);
  std::vector<NodeSet> fitting;
  for (const std::int32_t c : all) {
    fitting.emplace_back(among.size());
    among.for_each([&](NodeId n) {
      if (ledger_.nodes(c).contains(n) && left_.fits(ledger_.request(c), n)) fitting.back().insert(n);
    });
  }
  const auto busy = [&](NodeId n) { return ledger_.pool_.room(n).jobs != 0; };
  return choose_apart(ledger_.request(unit), std::move(fitting), out,
                      [&](std::size_t i, const NodeSet& nodes, Parts& chosen) {
                        const Request& r = ledger_.request(all[i]);
                        if (busy_first) ledger_.choose_first(j, r, {left_, left_}, nodes, busy, chosen);
                        else ledger_.choose_later(j, r, {left_, left_}, nodes, chosen);
                        return true;
                      });
}

bool WithoutJobs::choose(JobIndex j, std::int32_t unit, const NodeSet& among, bool busy_first, Parts& out) {
  const Request& r = ledger_.request(unit);
  if (has_components(r)) return choose_components(j, unit, among, busy_first, out);
  pack();
  // Where nothing has gone, it is known what fits now.
  const NodeSet& fits_now = ledger_.fitting_now(unit);
  NodeSet fitting(among.size());
  among.for_each([&](NodeId n) {
    const bool as_now = left_.stamp(n) == ledger_.pool_.stamp(n);
    if (as_now ? fits_now.contains(n) : left_.fits(r, n)) fitting.insert(n);
  });
  count_looks(static_cast<std::uint64_t>(among.count()));
  if (fitting.count() < r.nodes || !left_.has_licences(r) || lacks_together(r, left_, fitting)) return false;
  if (ledger_.placement_->declines_by_room() && !ledger_.placement_->choose(j, r, left_, fitting, out)) return false;
  out.clear();
  count_looks(static_cast<std::uint64_t>(fitting.count()));
  const auto busy = [&](NodeId n) { return ledger_.pool_.room(n).jobs != 0; };
  if (busy_first) ledger_.choose_first(j, r, {left_, left_}, fitting, busy, out);
  else ledger_.choose_later(j, r, {left_, left_}, fitting, out);
  return true;
}

}  // namespace coslice

// The profiles of a book of whole nodes: of each atom, of sets of atoms, and of what is closed at times to some jobs.
#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "sched/whole_node_book.h"

namespace coslice {

/// Of nodes on which there is nothing.
void WholeNodeBook::make_profiles() {
  const std::size_t atoms = sizes_.size();
  profiles_.clear();
  closed_times_.clear();
  unions_.clear();
  for (const std::int32_t size : sizes_) profiles_.emplace_back(size, now_);
  for (const Countable& c : countables_) profiles_.emplace_back(c.count, now_);
  profiles_of_.assign(atoms + countables_.size(), {});
  unions_of_.assign(atoms, {});
  std::map<std::pair<std::int32_t, std::int32_t>, Counted> own;  // by access and atom
  const auto counted = [&](std::int32_t access, std::int32_t atom) {
    const auto [it, added] = own.try_emplace({access, atom}, Counted{atom, closed_in(access, atom)});
    if (!added || it->second.closed < 0) return it->second;
    it->second.profile = new_profile(sizes_[static_cast<std::size_t>(atom)]);
    count_in(it->second, atom);
    return it->second;
  };
  const std::vector<NodeSet>& sets = demands_->node_sets();
  for (std::size_t s = 0; s != sets.size(); ++s) {
    Union u{{}, {}, 0, 0, 0};
    std::vector<Counted> parts;
    for (std::size_t a = 0; a != atoms; ++a) {
      if (!sets[s].contains(first_nodes_[a])) continue;
      u.atoms.push_back(static_cast<std::int32_t>(a));
      parts.push_back(counted(demands_->access_of_sets()[s], u.atoms.back()));
      u.profiles.push_back(parts.back().profile);
      unions_of_[a].push_back(static_cast<std::int32_t>(unions_.size()));
    }
    u.profile = u.profiles.front();
    if (u.atoms.size() > 1) {
      u.profile = new_profile(sets[s].count());
      for (std::size_t i = 0; i != u.atoms.size(); ++i) count_in({u.profile, parts[i].closed}, u.atoms[i]);
    }
    unions_.push_back(std::move(u));
  }
  alike_.clear();
  for (const Demand& demand : demands_->demands()) {
    Alike& alike = alike_.emplace_back();
    if (demand.size() != 1 || union_of(demand[0]).atoms.size() != 1) continue;
    const Union& u = union_of(demand[0]);
    alike = {demand[0], wanted(demand[0]).nodes, u.atoms[0], u.profile, !wanted(demand[0]).countables.empty()};
  }
}

std::int32_t WholeNodeBook::new_profile(std::int32_t nodes) {
  profiles_.emplace_back(nodes, now_);
  return static_cast<std::int32_t>(profiles_.size()) - 1;
}

/// What is taken of the atom counts there, too. When it is closed there, all of it is taken.
void WholeNodeBook::count_in(Counted there, std::int32_t atom) {
  const auto a = static_cast<std::size_t>(atom);
  profiles_of_[a].push_back(there);
  if (there.closed < 0) return;
  for (const TimeWindow& w : closed_times_[static_cast<std::size_t>(there.closed)])
    profiles_[static_cast<std::size_t>(there.profile)].overdraw(std::max(w.from, now_), w.to, sizes_[a]);
}

/// When the atom is closed to jobs with that access: into closed_times_, or -1.
std::int32_t WholeNodeBook::closed_in(std::int32_t access, std::int32_t atom) {
  if (in_effect_.empty()) return -1;
  TimeWindows closed = closed_times(access, first_nodes_[static_cast<std::size_t>(atom)]);
  if (closed.empty() || closed.back().to <= now_) return -1;
  closed_times_.push_back(std::move(closed));
  return static_cast<std::int32_t>(closed_times_.size()) - 1;
}

void WholeNodeBook::reservations_changed() {
  assert(reservations_ == 0);
  make_profiles();
  for (const Holding& own : holdings_) change(own.shares, now_, own.to, 1);
  for (const Plan& plan : plans_) change(plan.shares, plan.from, plan.to, 1);
  given_back_.assign(sizes_.size() + countables_.size(), ++changes_);
  count_idle();
}

}  // namespace coslice

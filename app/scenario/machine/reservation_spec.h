// [[reservations]] of a scenario: nodes that are kept for some jobs for a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/codec.h"
#include "jobs/node_reservation.h"

namespace coslice {

struct Job;
struct Scenario;

struct ReservationSpec {
  std::string name;
  std::vector<std::string> nodes;  ///< empty: all
  std::int64_t count = 0;          ///< number of them that is reserved; 0: all
  std::optional<Time> from;
  std::optional<Duration> length, every, floating, backfill;
  std::optional<Time> announced;
  std::vector<std::int64_t> users, accounts, jobs;
  Place place;
};

/// Returns the keys of `[[reservations]]`.
std::vector<Key<Scenario>> keys_of_reservations();

/// Checks the reservations against one another. Throws InputError.
void check_reservations(const std::vector<ReservationSpec>& specs);

/// Returns what the simulation of these jobs is told. The machine is known; until when something repeats is
/// RepetitionEnds. Throws InputError for nodes that are not there, and where fewer are left than `count`.
NodeReservations node_reservations(const Scenario& scenario, const std::vector<Job>& jobs);

}  // namespace coslice

// Reservations as `scontrol show reservation` prints them, as [[reservations]] of a scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slurm/import_page.h"
#include "slurm/site.h"

namespace coslice::slurm {

/// One reservation as scontrol prints it. `start` is in seconds since 1970 by the site's clock, `length` in s.
struct SiteReservation {
  std::string name;
  std::vector<Setting> fields;  ///< as printed, without empty ones ("(null)")
  std::int64_t start = 0, length = 0;
  std::vector<std::string> flags;
  Place place;

  /// Returns the field of that key, or null.
  const Setting* find(std::string_view key) const;
  /// Returns whether the reservation has the flag, in any case, without what follows = or :.
  bool has_flag(std::string_view flag) const;
};

/// What places reservations on the clock of the trace.
struct ReservedTrace {
  std::int64_t origin = 0;          ///< second 0 of the simulation, in s since 1970
  bool names_reservations = false;  ///< whether its records say which reservation a job named
};

/// Reads the records that `scontrol show reservation` prints, of several lines each or (-o) one. Throws InputError with
/// file and line for a value that is not a time, a record without name or times, a name that appears twice, and a line
/// that belongs to no record.
std::vector<SiteReservation> read_reservations(const std::string& path);

/// Returns the TOML tables [[reservations]]. What is not modelled is listed on `page` with its line. Numbers of users
/// and accounts are those of `site`.
std::string reservations_text(const std::vector<SiteReservation>& all, const Site& site, const ReservedTrace& trace,
                              ImportPage& page);

}  // namespace coslice::slurm

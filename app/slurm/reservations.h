// Reservations as `scontrol show reservation` prints them, as [[reservations]] of a scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slurm/import_page.h"
#include "slurm/site.h"

namespace coslice::slurm {

/// One record of scontrol. Instants are seconds since 1970, by the site's clocks.
struct SiteReservation {
  std::string name;
  std::vector<Setting> fields;  ///< as they stand, but those that say nothing ("(null)")
  std::int64_t start = 0, length = 0;
  std::vector<std::string> flags;
  Place place;

  /// Returns the field of that key, or null.
  const Setting* find(std::string_view key) const;
  bool has_flag(std::string_view flag) const;
};

/// What must be known of the jobs to put reservations on their clock.
struct ReservedTrace {
  std::int64_t origin = 0;          ///< second 0 of the simulation, since 1970
  bool names_reservations = false;  ///< whether its records say which reservation a job named
};

/// Records of several lines each or, as with -o, of one. Throws InputError with file and line: a time that is none, a
/// record without times or name, a file that has none of them.
std::vector<SiteReservation> read_reservations(const std::string& path);

/// Returns the tables of the scenario. What is not modelled goes into the page, with its line. Numbers of users and
/// accounts are those of `site`.
std::string reservations_text(const std::vector<SiteReservation>& all, const Site& site, const ReservedTrace& trace,
                              ImportPage& page);

}  // namespace coslice::slurm

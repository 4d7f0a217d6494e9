// What a site calls its jobs, and the users, accounts and queues that these have as numbers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/recorded.h"
#include "report/tables/summary_table.h"

namespace coslice {

/// The names of a dump of sacct. Other traces have none.
class SiteNames {
 public:
  SiteNames() = default;
  /// Reads the names of a trace; none if it cannot be read, as a run that used it may be older.
  explicit SiteNames(const std::string& trace);
  explicit SiteNames(const std::vector<RecordedWorkload::Name>& names);
  /// Reads the names of the trace of the run in a folder.
  static SiteNames of_run(const std::string& folder);

  /// Returns the name of a "user", "group" or "queue"; the number where it has none.
  std::string of(const std::string& kind, const std::string& number) const;
  /// Returns the number of that name; nothing where the kind has none of it.
  std::optional<std::string> number_of(const std::string& kind, const std::string& name) const;
  /// Returns the site's own id of the job with that number, as RecordedWorkload::distinct_site_ids has it; "" where
  /// none is known.
  std::string id_of(const std::string& job) const;
  /// Returns the site's term for a kind: "account" for "group" and "QOS" for "queue" where they have names, else
  /// `kind`.
  std::string word(const std::string& kind) const;
  /// Calls the groups of jobs of the summary as the site calls its accounts, if it does.
  void name_accounts(NamedSummary& run) const;

 private:
  std::map<std::string, std::map<std::string, std::string>> names_;  ///< by kind and number
  std::unordered_map<std::string, std::string> ids_;                 ///< of jobs, by number
};

}  // namespace coslice

// What a site calls the users, accounts and queues that jobs have as numbers.
#pragma once

#include <map>
#include <string>

namespace coslice {

/// The names of a dump of sacct. Other traces have none.
class SiteNames {
 public:
  SiteNames() = default;
  /// Of a trace; none if it cannot be read, as a run that used it may be older.
  explicit SiteNames(const std::string& trace);
  /// Of the trace of the run in a folder.
  static SiteNames of_run(const std::string& folder);

  /// The name of a "user", "group" or "queue"; the number where it has none.
  std::string of(const std::string& kind, const std::string& number) const;

 private:
  std::map<std::string, std::map<std::string, std::string>> names_;  ///< by kind and number
};

}  // namespace coslice

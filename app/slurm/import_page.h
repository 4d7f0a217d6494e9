// What an import understood, what it ignored, and what that may cost: gathered on the way, written as import.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "slurm/conf_lines.h"

namespace coslice::slurm {

class ImportPage {
 public:
  /// Notes a setting that became something in the scenario: `as` says what.
  void understood(const Setting& setting, std::string as);
  void understood(std::string what, std::string where, std::string as);
  /// Notes a setting that became nothing, and why. Lines of a file that set the same key count together.
  void ignored(const Setting& setting, std::string why);
  void ignored(std::string what, std::string where, std::string why);
  /// Notes a setting that would decide at the site and does not here: it stands among the ignored ones, and is said.
  void not_kept(const Setting& setting, std::string why);
  /// Notes what Slurm takes with a warning, and what becomes of it. Lines that set the same key count together.
  void warning(const Setting& setting, std::string why);
  /// Settings that cannot be combined, each of which can be read; and what becomes of them.
  void contradiction(const Setting& setting, std::string why);
  /// Notes what differs from the real machine, and what that may do to results. The same topic counts once.
  void costs(std::string topic, std::string effect);

  std::size_t understood_count() const { return understood_.size(); }
  std::size_t ignored_count() const { return ignored_.size(); }
  /// Returns what is not kept, one line for all lines of a file that set the same key.
  std::vector<std::string> not_kept() const;
  /// Returns warnings and contradictions as lines such as "slurm.conf:12: PreemptMode=SUSPEND: why".
  std::vector<std::string> warnings() const;
  /// Topics and effects.
  const std::vector<std::pair<std::string, std::string>>& all_costs() const { return costs_; }
  /// Returns the page in Markdown: three tables, and those of warnings and contradictions where there are some.
  std::string markdown(const std::string& title) const;

 private:
  struct Row {
    std::string what, where, why;
    std::int64_t more = 0;  ///< further lines that say the same key
    bool loud = false;      ///< it is not kept
  };
  using Places = std::map<std::array<std::string, 3>, std::size_t>;  ///< by key, file, why
  static void add_counted(const Setting& setting, std::string why, std::vector<Row>& rows, Places& places);

  std::vector<Row> understood_, ignored_, warnings_, contradictions_;
  Places ignored_by_key_, warnings_by_key_;
  std::vector<std::pair<std::string, std::string>> costs_;
};

}  // namespace coslice::slurm

// The view `results`: a column per axis and per figure, so that a person at an SQL prompt, or R, or pandas, has a plain
// table.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lab/campaign/database.h"

namespace coslice {

/// The figures that the view shows, in the order in which they first came up.
class ResultsView {
 public:
  /// Takes the figures of a summary. Whether any of them is new.
  bool add(std::string_view summary_json);
  /// Takes those of all runs in the file, in the plan's order.
  void add_all(const Database& database);
  /// Makes the view anew.
  void write(Database& database) const;

 private:
  struct Figure {
    std::string name, path;
  };
  void walk(const nlohmann::ordered_json& table, const std::string& name, const std::string& path);

  std::vector<Figure> figures_;
  std::set<std::string> names_;
  std::set<std::uint64_t> shapes_;  ///< of the summaries that were read
};

/// Makes the view `results` anew, for the figures that the summaries have now.
void write_results_view(Database& database);

}  // namespace coslice

// gres.conf: what there is of generic resources on which nodes, and how that agrees with slurm.conf.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "slurm/conf_lines.h"
#include "slurm/import_page.h"
#include "slurm/resource_lists.h"

namespace coslice::slurm {

/// A line of gres.conf that counts for a node.
struct GresLine {
  Setting name;  ///< "Name=gpu", or the first of the line
  std::string type;
  std::int64_t count = 1;
  bool has_file = false;
  bool names_nodes = false;
};

class GresConf {
 public:
  /// `types`: the names in GresTypes, empty where it is not set. Throws InputError with file and line for what slurmd
  /// does not start with: counts that are none or not that of the files, lines of a node that do not go together.
  GresConf(const std::vector<ConfLine>& lines, const std::vector<std::string>& types, ImportPage& page);

  /// Returns how many GPUs of which types the lines give the node: nodes of which that is the same are alike.
  std::string gpus_text(const std::string& node) const;
  /// Returns the type that all of these lines name, or "".
  std::string type_of(const std::string& node) const;
  /// Warns where the lines of the node do not agree with what slurm.conf says of its GPUs, at `place`.
  void compare(const std::string& node, const std::vector<Gres>& said, const Place& place) const;
  /// Warns of lines for all nodes, of which none has GPUs.
  void note_unused() const;
  /// Names lines whose nodes slurm.conf does not have.
  void note_unknown_nodes(const std::map<std::string, Place>& known) const;

 private:
  void take(const ConfLine& line);
  void take_detection(const ConfLine& line);
  void add(const ConfLine& line, const Setting& name);
  void check_together() const;
  std::vector<std::size_t> gpus_of(const std::string& node) const;
  bool detects(const std::string& node) const;
  void warn(std::size_t line, const std::string& what, const std::string& why) const;
  void compare_type(const std::string& node, const std::string& type, std::int64_t said) const;

  const std::vector<std::string>& types_;
  ImportPage& page_;
  std::vector<GresLine> lines_;
  std::vector<std::size_t> of_all_;                     ///< lines that name no nodes
  std::map<std::string, std::vector<std::size_t>> of_;  ///< lines by the nodes that they name
  std::map<std::string, Setting> detection_;            ///< AutoDetect by node; "": of all others
};

}  // namespace coslice::slurm

// Names of nodes as sites write them: "n[001-128]", "gpu[1-4,7],login".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/value.h"
#include "machine/layout.h"
#include "machine/node_set.h"

namespace coslice {

/// Returns whether a kind or a partition may be called so: what stands in lists and ranges of names (commas, brackets,
/// blanks), in quotes or in expressions cannot be part of a name.
bool is_plain_name(std::string_view name);
/// What a plain name may have, in words.
inline constexpr const char* kPlainNameWords = "a name of letters, digits and _ - . : + @ /";

/// Returns all names that the text stands for, in its order. Numbers keep their leading zeros. Throws InputError at
/// `place` if the text is not a list of names, names one twice, or stands for more than `most` names.
std::vector<std::string> expand_node_names(const std::string& text, const Place& place, std::size_t most = 100'000);

/// Returns the shortest such text for these names, in their order: runs of numbers after the same letters become a
/// range.
std::string compress_node_names(const std::vector<std::string>& names);

/// Names of which many parts are written so: each is taken apart once.
class NodeNameList {
 public:
  explicit NodeNameList(const std::vector<std::string>& names);
  /// Returns the names at these positions, as compress_node_names() writes them.
  std::string text(const NodeRanges& positions) const;

 private:
  /// What names that can stand in one range have in common.
  struct Form {
    std::string head, tail;
    std::size_t width = 0;  ///< digits; 0: it has no number, and stands alone
  };
  struct Name {
    std::size_t form = 0;
    std::int64_t number = 0;
    std::int32_t last = 0;  ///< up to this position, numbers go on from this one
  };
  class Writer;

  std::vector<Form> forms_;
  std::vector<Name> names_;
};

// Nodes of a machine by the words of scenarios and scripts: a kind, a node, or a list or range of nodes.

class NodeLookup {
 public:
  /// Makes the table of a layout, which outlives it. Of equal names the first node counts.
  explicit NodeLookup(const MachineLayout& layout);

  /// Puts the nodes that `text` stands for into the set; returns the first name in it that is neither a kind nor a node
  /// of the machine, if there is one. Throws InputError at `place` if the text is not a list of names.
  std::optional<std::string> insert(NodeSet& set, const std::string& text, const Place& place) const;

 private:
  const MachineLayout& layout_;
  std::unordered_map<std::string, NodeId> by_name_;
};

}  // namespace coslice

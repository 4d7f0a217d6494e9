// Files of settings as slurm.conf, gres.conf and topology.conf are: a line of KEY=VALUE pairs, comments, continued
// lines, included files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace coslice::slurm {

/// One KEY=VALUE and where it stands. Keys are the same in upper and lower case.
struct Setting {
  std::string key, value;
  Place place;
};

/// What stands on one line, continued ones put together.
struct ConfLine {
  std::vector<Setting> settings;  ///< at least one

  /// Returns the setting of that key, or null; of several the last.
  const Setting* find(std::string_view key) const;
  const Setting& first() const { return settings.front(); }
};

/// Returns all lines in their order; files that `Include` names are read in its place. A relative name is one in the
/// folder of the first file, as in Slurm, or of the file that names it; of a path of another machine, as many of its
/// last parts as there are in one of these. "%c" is the ClusterName of a line above, in lower case.
/// Throws InputError with file and line: what is no KEY=VALUE, a quote that does not end, a file that ends within a
/// line, a file that is not there or includes itself, a pattern of files, a name with %c before a ClusterName.
std::vector<ConfLine> read_conf(const std::string& path);

/// The lines of the file without comments, continued ones put together, each with the place of its first part. For
/// other formats of Slurm.
struct PlainLine {
  std::string text;
  Place place;
};
std::vector<PlainLine> plain_lines(const std::string& path);

/// Throws InputError with file and line where the key, which is none of `known`, is one of them but for a slip: Slurm
/// refuses files with keys that it does not know. Keys that are like none may be those of another release.
void refuse_misspelt(const Setting& setting, const std::vector<std::string>& known);
/// Throws InputError if the value has a word that is one of the known ones but for a slip: Slurm refuses such a
/// file. Commas stand between words; what stands behind a colon is none ("FORCE:4").
void refuse_misspelt_words(const Setting& setting, std::string_view known);

/// Throws InputError for a word that is none of the known ones, which are all that there are.
void refuse_unknown_words(const Setting& setting, std::string_view known);

/// Returns the place for pages: "slurm.conf:12".
std::string place_text(const Place& place);

}  // namespace coslice::slurm

// A site: what its configuration and its records say, and the files of a scenario that they become.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "formats/recorded.h"
#include "slurm/associations.h"
#include "slurm/import_page.h"
#include "slurm/settings.h"
#include "slurm/site_machine.h"

namespace coslice::slurm {

/// The numbers that jobs have for a name in the trace. A name without jobs gets a number above those.
class NumbersOfNames {
 public:
  NumbersOfNames() = default;
  /// `any_case`: names are the same in upper and lower case, and are in lower case here.
  NumbersOfNames(const std::vector<RecordedWorkload::Name>& names, const std::string& kind, bool any_case);
  NumbersOfNames(const RecordedWorkload& recorded, const std::string& kind, bool any_case)
      : NumbersOfNames(recorded.names, kind, any_case) {}
  std::int64_t number(const std::string& name);
  const std::map<std::string, std::int64_t>& all() const { return numbers_; }

 private:
  std::map<std::string, std::int64_t> numbers_;
  std::int64_t last_ = 0;
};

struct Site {
  SiteMachine machine;
  SiteSettings settings;
  Associations associations;
  std::vector<SwitchSpec> switches;
  std::vector<std::int64_t> block_sizes;   ///< in nodes, ascending, where switches are blocks; empty: they are not
  std::optional<Duration> recorded_until;  ///< jobs start as recorded until then
  bool whole_processors = false;           ///< jobs have whole sockets
  bool spreads_tasks = false;              ///< tasks of some jobs go where there is room, or on ranges of nodes
  bool node_ranges = false;                ///< some jobs asked for a range of nodes
  bool cut_off = false;  ///< run times are whole seconds of a record, and cycles of the backfill scheduler look at ends
  Duration could_begin{0};  ///< when a run could begin, with what was there by then on record; 0: that is not known
  NumbersOfNames users, accounts, partitions;  ///< as jobs have them: user, group, partition
  /// How many elements the arrays have of which only some may run at the same time, by their numbers.
  std::map<std::int64_t, std::int64_t> arrays;
};

/// A topology.conf, or the default topology of a topology.yaml as if it stood in one.
struct TopologyFile {
  std::vector<ConfLine> lines;      ///< of switches and blocks
  std::vector<TopologyUnit> units;  ///< of rings and toruses, too
  bool given = false, yaml = false;
  bool counts = false;       ///< its lines are those of the machine
  std::string name, plugin;  ///< of a topology.yaml: "topology/tree"

  const std::vector<TopologyUnit>* units_if_given() const { return given ? &units : nullptr; }
};
TopologyFile read_topology_file(const std::string& path, ImportPage& page);
/// What of the file ("": none) counts under the TopologyPlugin (null: not said).
TopologyFile topology_of_site(const std::string& path, const Setting* plugin, ImportPage& page);

/// Switches that have nodes, from lines SwitchName=... or BlockName=...; nodes that the machine does not have are left
/// out, and those of several are at the first. Throws InputError with file and line: a switch that is not there or
/// stands below itself, a list of nodes that is none.
std::vector<SwitchSpec> read_topology(const std::vector<ConfLine>& topology, const SiteMachine& machine,
                                      ImportPage& page);
/// How the nodes of a site are connected.
struct SiteNetwork {
  std::vector<SwitchSpec> switches;
  std::vector<std::int64_t> block_sizes;  ///< as in Site
};
/// What the topology gives the machine, and what is to be said of both.
SiteNetwork network_of_site(const TopologyFile& topology, const Setting* plugin, const SiteMachine& machine,
                            ImportPage& page);

/// Returns scenario.toml, for the trace and the policy beside it.
std::string scenario_text(const Site& site, const std::string& trace);
/// Returns policy.lua: associations, qualities of service, partitions and nodes as a Lua table.
std::string policy_text(Site& site);

}  // namespace coslice::slurm

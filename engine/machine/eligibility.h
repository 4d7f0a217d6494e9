// Which nodes could ever serve a request, whatever runs there, and why a request can never be satisfied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "core/value.h"
#include "machine/layout.h"
#include "machine/node_set.h"
#include "machine/request.h"

namespace coslice {

// Which features a job asks for, as text: "ib", "ib & !old", "(a | b) & c"; the words and, or, not mean the same.

/// Returns whether an expression can ask for a feature of that name: letters, digits and _ - . : + , and none of the
/// three words.
bool is_feature_name(std::string_view name);

/// Returns the alternatives of the expression, each a list of features with and without. Throws InputError at `place`
/// for what is not an expression, for a feature that is not among `known`, and where the alternatives would be more
/// than 64.
std::vector<FeatureTerm> parse_features(const std::string& text, const std::vector<std::string>& known,
                                        const Place& place);
/// Returns the expression of those alternatives: "ib&!old|big"; "" for none.
std::string features_text(const std::vector<FeatureTerm>& terms, const std::vector<std::string>& known);

/// What partitions ask of a job beside its request.
struct Applicant {
  Duration limit{0};       ///< how long it may run
  std::int32_t user = -1;  ///< -1: unknown; such a job may use only partitions that are for all
};

/// Nodes of which a job may have some; all of its nodes are of one such set.
struct Option {
  std::int32_t partition = -1;  ///< into MachineLayout::partitions; -1: the whole machine
  NodeSet nodes;                ///< on each of them it fits if nothing else is there
};

/// Returns the nodes whose kinds have what the request asks of a node; partitions are not looked at.
NodeSet capable_nodes(const MachineLayout& layout, const Request& request);

/// Returns the partitions that the request names, else the default ones, else -1 for the whole machine.
std::vector<std::int32_t> partitions_of(const MachineLayout& layout, const Request& request);

/// Returns where the job may run, by preference: only options with enough nodes, in partitions that admit the job.
/// Empty: nowhere.
std::vector<Option> options_of(const MachineLayout& layout, const Request& request, const Applicant& who);

/// Returns, by preference, ways to choose an option for each component of the request so that there are nodes for all,
/// each on other ones: numbers into options[i] for the i-th. The last component takes another option first. Of many
/// ways only the first kMostWaysOfComponents are looked at.
std::vector<std::vector<std::size_t>> ways_of(const Request& request, const std::vector<std::vector<Option>>& options);

/// Returns whether some partition does not admit all jobs: what an Applicant is counts.
bool limits_jobs(const MachineLayout& layout);

/// Returns the first reason why the request can never be satisfied on that machine: "asks for 4 GPUs on a node, but no
/// node has more than 2". Empty: it can be.
std::string why_never(const MachineLayout& layout, const Request& request, const Applicant& who);

/// Says of the request how many jobs may have its cores beside it, as the partition has it that it names first;
/// `allowed`: it lets others have them where the partition leaves it the choice.
void share_cores(Request& request, const MachineLayout& layout, bool allowed);

/// Returns the request of a job that names only its size: `nodes` whole nodes of `cores` cores.
Request whole_nodes(std::int32_t nodes, std::int32_t cores);
/// Returns the request as on a machine whose partitions let no jobs share cores.
Request without_rows(Request request);
/// Returns the request of a job that shares nodes with no job but those of its group.
Request on_own_nodes(Request request);
/// Returns whether the request says how many processes are on each node, so that a policy cannot choose that: they use
/// its GPUs.
inline bool lays_out(const Request& r) { return r.gpus != 0; }

}  // namespace coslice

#include "resources/eligibility.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "resources/feature_expression.h"

namespace coslice {

namespace {

bool has_features(const NodeKind& kind, const Request& r) {
  if (r.features.empty()) return true;
  const auto has = [&](std::int32_t f) { return std::binary_search(kind.features.begin(), kind.features.end(), f); };
  return std::any_of(r.features.begin(), r.features.end(), [&](const FeatureTerm& term) {
    return std::all_of(term.with.begin(), term.with.end(), has) &&
           std::none_of(term.without.begin(), term.without.end(), has);
  });
}

bool has_gpu_type(const NodeKind& kind, const Request& r) {
  if (r.gpus == 0 || r.gpu_types.empty()) return true;
  return std::find(r.gpu_types.begin(), r.gpu_types.end(), kind.gpu_type) != r.gpu_types.end();
}

/// One thing that a node must have, and how its absence is said.
struct Need {
  std::function<bool(const NodeKind&)> met;
  std::string text;
};

std::string cores_text(CoreShare cores) { return fmt::format("{:g}", static_cast<double>(cores) / kWholeCore); }

std::string joined(const std::vector<std::int32_t>& which, const std::vector<std::string>& names,
                   const char* separator) {
  std::string out;
  for (const std::int32_t i : which) {
    if (!out.empty()) out += separator;
    out += '"' + names[static_cast<std::size_t>(i)] + '"';
  }
  return out;
}

/// In the order in which they are looked at: the first that leaves too few nodes is the reason.
std::vector<Need> needs_of(const MachineLayout& layout, const Request& r) {
  std::vector<Need> needs;
  if (r.cores > 0)
    needs.push_back({[&r](const NodeKind& k) { return k.core_share() >= r.cores; },
                     fmt::format("{} core{} on a node", cores_text(r.cores), r.cores == kWholeCore ? "" : "s")});
  if (r.memory_mib > 0)
    needs.push_back({[&r](const NodeKind& k) { return k.memory_mib == 0 || k.memory_mib >= r.memory_mib; },
                     fmt::format("{} MiB of memory on a node", r.memory_mib)});
  if (r.gpus > 0)
    needs.push_back({[&r](const NodeKind& k) { return k.gpus >= r.gpus; },
                     fmt::format("{} GPU{} on a node", r.gpus, r.gpus == 1 ? "" : "s")});
  if (r.gpus > 0 && !r.gpu_types.empty())
    needs.push_back({[&r](const NodeKind& k) { return has_gpu_type(k, r); },
                     "GPUs of type " + joined(r.gpu_types, layout.gpu_types, " or ")});
  if (!r.features.empty())
    needs.push_back({[&r](const NodeKind& k) { return has_features(k, r); },
                     "features " + features_text(r.features, layout.features)});
  return needs;
}

bool capable(const NodeKind& k, const Request& r) {
  return k.core_share() >= r.cores && (k.memory_mib == 0 || k.memory_mib >= r.memory_mib) && k.gpus >= r.gpus &&
         has_gpu_type(k, r) && (r.slice == 0 || k.slices == r.slices) && has_features(k, r);
}

std::string nodes_text(std::int32_t n) { return n == 1 ? "1 node" : fmt::format("{} nodes", n); }

NodeRanges nodes_of_kind(const NodeKind& kind) {
  NodeRanges nodes;
  nodes.append(kind.first, kind.first + kind.count - 1);
  return nodes;
}

/// Why the partition does not admit the job; empty: it does.
std::string refusal(const Partition& p, const Request& r, const Applicant& who) {
  if (!p.users.empty() && std::find(p.users.begin(), p.users.end(), who.user) == p.users.end())
    return fmt::format("partition \"{}\" is not for its user", p.name);
  if (p.max_time && who.limit > *p.max_time)
    return fmt::format("its limit of {} s is above the {} s of partition \"{}\"", format_seconds(who.limit),
                       format_seconds(*p.max_time), p.name);
  if (p.max_nodes && r.nodes > *p.max_nodes)
    return fmt::format("asks for {}, but a job of partition \"{}\" may have {}", nodes_text(r.nodes), p.name,
                       nodes_text(*p.max_nodes));
  return {};
}

/// Why the kinds' nodes are not enough, wherever; empty: they are.
std::string too_few_nodes(const MachineLayout& layout, const Request& r) {
  if (r.nodes > layout.node_count())
    return fmt::format("asks for {}, but the machine has {}", nodes_text(r.nodes), layout.node_count());
  std::vector<const NodeKind*> left;
  for (const NodeKind& k : layout.kinds) left.push_back(&k);
  std::string before;  // what enough nodes have
  for (const Need& need : needs_of(layout, r)) {
    std::erase_if(left, [&](const NodeKind* k) { return !need.met(*k); });
    std::int32_t nodes = 0;
    for (const NodeKind* k : left) nodes += k->count;
    const bool alone = std::none_of(layout.kinds.begin(), layout.kinds.end(), need.met);
    const std::string what = alone ? need.text : before.empty() ? need.text : before + " and " + need.text;
    if (nodes == 0) return fmt::format("asks for {}, but no node has that", what);
    if (nodes < r.nodes) return fmt::format("asks for {} with {}, but {} have that", nodes_text(r.nodes), what, nodes);
    before = what;
  }
  return {};
}

std::string too_few_licences(const MachineLayout& layout, const Request& r) {
  for (const LicenceUse& use : r.licences) {
    const Licence& licence = layout.licences[static_cast<std::size_t>(use.licence)];
    if (use.count > licence.count)
      return fmt::format("asks for {} licences \"{}\", but there are {}", use.count, licence.name, licence.count);
  }
  return {};
}

}  // namespace

NodeSet capable_nodes(const MachineLayout& layout, const Request& request) {
  NodeSet nodes(layout.node_count());
  for (const NodeKind& kind : layout.kinds)
    if (capable(kind, request)) nodes.insert(nodes_of_kind(kind));
  return nodes;
}

std::vector<std::int32_t> partitions_of(const MachineLayout& layout, const Request& request) {
  if (!request.partitions.empty()) return request.partitions;
  std::vector<std::int32_t> defaults;
  for (std::size_t p = 0; p < layout.partitions.size(); ++p)
    if (layout.partitions[p].by_default) defaults.push_back(static_cast<std::int32_t>(p));
  if (defaults.empty()) defaults.push_back(-1);
  return defaults;
}

std::vector<Option> options_of(const MachineLayout& layout, const Request& request, const Applicant& who) {
  std::vector<Option> options;
  if (!too_few_licences(layout, request).empty()) return options;
  const NodeSet capable = capable_nodes(layout, request);
  for (const std::int32_t index : partitions_of(layout, request)) {
    Option option{index, capable};
    if (index >= 0) {
      const Partition& partition = layout.partitions[static_cast<std::size_t>(index)];
      if (!refusal(partition, request, who).empty()) continue;
      option.nodes &= partition.nodes;
    }
    if (option.nodes.count() >= request.nodes) options.push_back(std::move(option));
  }
  return options;
}

bool limits_jobs(const MachineLayout& layout) {
  return std::any_of(layout.partitions.begin(), layout.partitions.end(),
                     [](const Partition& p) { return p.max_time || p.max_nodes || !p.users.empty(); });
}

std::string why_never(const MachineLayout& layout, const Request& request, const Applicant& who) {
  if (std::string reason = too_few_nodes(layout, request); !reason.empty()) return reason;
  if (std::string reason = too_few_licences(layout, request); !reason.empty()) return reason;
  if (!options_of(layout, request, who).empty()) return {};
  const NodeSet capable = capable_nodes(layout, request);
  const std::int32_t first = partitions_of(layout, request).front();
  const Partition& partition = layout.partitions[static_cast<std::size_t>(first)];
  if (std::string reason = refusal(partition, request, who); !reason.empty()) return reason;
  NodeSet nodes = capable;
  nodes &= partition.nodes;
  return fmt::format("asks for {}, but partition \"{}\" has {} that have what it needs", nodes_text(request.nodes),
                     partition.name, nodes.count());
}

Request whole_nodes(std::int32_t nodes, std::int32_t cores) {
  Request r;
  r.nodes = nodes;
  r.cores = cores * kWholeCore;
  r.exclusive = true;
  return r;
}

}  // namespace coslice

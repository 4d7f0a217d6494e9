#include "machine/eligibility.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "machine/components.h"
#include "machine/core_spread.h"

namespace coslice {
namespace {

constexpr std::size_t kMostTerms = 64;
constexpr std::size_t kMostLength = 4096;

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == ':' || c == '+';
}

/// Recursive descent; the result is kept as a disjunction of conjunctions all the time.
class Parser {
 public:
  Parser(const std::string& text, const std::vector<std::string>& known, const Place& place)
      : text_(text), known_(known), place_(place) {}

  std::vector<FeatureTerm> parse() {
    if (text_.size() > kMostLength) fail("it is too long");
    next();
    std::vector<FeatureTerm> terms = alternatives(false);
    if (!token_.empty()) fail(fmt::format("'{}' does not belong there", token_));
    // What can never be (a feature with and without) is not an alternative.
    std::erase_if(terms, is_impossible);
    if (terms.empty())
      fail_at(place_, fmt::format("'{}' is never true: it asks for a feature and for its absence", text_),
              "an expression that some node can fulfil");
    return terms;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_at(place_, fmt::format("'{}' is not an expression of features: {}", text_, what),
            "names joined by & (and), | (or), ! (not) and parentheses");
  }

  void next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::size_t from = at_;
    if (at_ < text_.size() && !is_name_letter(text_[at_])) ++at_;
    else
      while (at_ < text_.size() && is_name_letter(text_[at_])) ++at_;
    token_ = text_.substr(from, at_ - from);
    if (token_ == "and") token_ = "&";
    if (token_ == "or" || token_ == ",") token_ = "|";
    if (token_ == "not") token_ = "!";
  }

  bool take(const char* token) {
    if (token_ != token) return false;
    next();
    return true;
  }

  // Under a negation, and and or change places (De Morgan).
  std::vector<FeatureTerm> alternatives(bool negated) {
    std::vector<FeatureTerm> terms = conjunction(negated);
    while (take("|")) terms = negated ? both(terms, conjunction(negated)) : either(terms, conjunction(negated));
    return terms;
  }

  std::vector<FeatureTerm> conjunction(bool negated) {
    std::vector<FeatureTerm> terms = factor(negated);
    while (take("&")) terms = negated ? either(terms, factor(negated)) : both(terms, factor(negated));
    return terms;
  }

  std::vector<FeatureTerm> factor(bool negated) {
    if (++depth_ > 100) fail("it is nested too deeply");
    std::vector<FeatureTerm> terms;
    if (take("!")) {
      terms = factor(!negated);
    } else if (take("(")) {
      terms = alternatives(negated);
      if (!take(")")) fail("a '(' is not closed");
    } else {
      terms = feature(negated);
    }
    --depth_;
    return terms;
  }

  std::vector<FeatureTerm> feature(bool negated) {
    if (token_.empty() || !is_name_letter(token_[0]))
      fail(token_.empty() ? "it ends too early" : "a name is missing before '" + token_ + "'");
    const auto found = std::ranges::find(known_, token_);
    if (found == known_.end())
      fail_at(place_, fmt::format("no kind of node has the feature '{}'", token_),
              known_.empty() ? "" : fmt::format("one of {}", fmt::join(known_, ", ")), did_you_mean(token_, known_));
    const auto index = static_cast<std::int32_t>(found - known_.begin());
    next();
    FeatureTerm term;
    (negated ? term.without : term.with).push_back(index);
    return {term};
  }

  std::vector<FeatureTerm> either(std::vector<FeatureTerm> a, const std::vector<FeatureTerm>& b) const {
    a.insert(a.end(), b.begin(), b.end());
    return distinct(std::move(a));
  }

  std::vector<FeatureTerm> both(const std::vector<FeatureTerm>& a, const std::vector<FeatureTerm>& b) const {
    std::vector<FeatureTerm> out;
    for (const FeatureTerm& x : a)
      for (const FeatureTerm& y : b) out.push_back({merged(x.with, y.with), merged(x.without, y.without)});
    return distinct(std::move(out));
  }

  static std::vector<std::int32_t> merged(std::vector<std::int32_t> a, const std::vector<std::int32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::ranges::sort(a);
    a.erase(std::unique(a.begin(), a.end()), a.end());
    return a;
  }

  std::vector<FeatureTerm> distinct(std::vector<FeatureTerm> terms) const {
    std::vector<FeatureTerm> out;
    for (FeatureTerm& t : terms)
      if (std::ranges::find(out, t) == out.end()) out.push_back(std::move(t));
    if (out.size() > kMostTerms) fail(fmt::format("it has more than {} alternatives", kMostTerms));
    return out;
  }

  static bool is_impossible(const FeatureTerm& t) {
    return std::ranges::any_of(t.with,
                               [&](std::int32_t f) { return std::ranges::find(t.without, f) != t.without.end(); });
  }

  const std::string& text_;
  const std::vector<std::string>& known_;
  const Place& place_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string token_;
};

}  // namespace

bool is_feature_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_name_letter) && name != "and" && name != "or" && name != "not";
}

std::vector<FeatureTerm> parse_features(const std::string& text, const std::vector<std::string>& known,
                                        const Place& place) {
  return Parser(text, known, place).parse();
}

std::string features_text(const std::vector<FeatureTerm>& terms, const std::vector<std::string>& known) {
  std::string out;
  for (const FeatureTerm& term : terms) {
    if (!out.empty()) out += '|';
    std::string one;
    for (const std::int32_t f : term.with) one += (one.empty() ? "" : "&") + known[static_cast<std::size_t>(f)];
    for (const std::int32_t f : term.without) one += (one.empty() ? "!" : "&!") + known[static_cast<std::size_t>(f)];
    out += one;
  }
  return out;
}

namespace {

bool has_cores(const NodeKind& kind, const Request& r) { return kind.core_share() >= r.cores; }

bool has_memory(const NodeKind& kind, const Request& r) {
  return kind.memory_mib == 0 || kind.memory_mib >= r.memory_mib;
}

bool has_gpus(const NodeKind& kind, const Request& r) { return kind.gpus >= r.gpus; }

bool has_features(const NodeKind& kind, const Request& r) {
  if (r.features.empty()) return true;
  const auto has = [&](std::int32_t f) { return std::ranges::binary_search(kind.features, f); };
  return std::ranges::any_of(r.features, [&](const FeatureTerm& term) {
    return std::ranges::all_of(term.with, has) && std::ranges::none_of(term.without, has);
  });
}

bool has_gpu_type(const NodeKind& kind, const Request& r) {
  if (r.gpus == 0 || r.gpu_types.empty()) return true;
  return std::ranges::find(r.gpu_types, kind.gpu_type) != r.gpu_types.end();
}

/// One thing that a node must have, and how its absence is said.
struct NodeNeed {
  bool (*met)(const NodeKind&, const Request&);
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
std::vector<NodeNeed> needs_of(const MachineLayout& layout, const Request& r) {
  std::vector<NodeNeed> needs;
  if (r.cores > 0)
    needs.push_back(
        {has_cores, fmt::format("{} core{} on a node", cores_text(r.cores), r.cores == kWholeCore ? "" : "s")});
  if (r.memory_mib > 0) needs.push_back({has_memory, fmt::format("{} MiB of memory on a node", r.memory_mib)});
  if (r.gpus > 0) needs.push_back({has_gpus, fmt::format("{} GPU{} on a node", r.gpus, r.gpus == 1 ? "" : "s")});
  if (r.gpus > 0 && !r.gpu_types.empty())
    needs.push_back({has_gpu_type, "GPUs of type " + joined(r.gpu_types, layout.gpu_types, " or ")});
  if (!r.features.empty()) needs.push_back({has_features, "features " + features_text(r.features, layout.features)});
  return needs;
}

bool capable(const NodeKind& k, const Request& r) {
  return has_cores(k, r) && has_memory(k, r) && has_gpus(k, r) && has_gpu_type(k, r) &&
         (r.slice == 0 || k.slices == r.slices) && has_features(k, r);
}

std::string nodes_text(std::int32_t n) { return n == 1 ? "1 node" : fmt::format("{} nodes", n); }

/// Why the partition does not admit the job; empty: it does.
std::string refusal(const Partition& p, const Request& r, const Applicant& who) {
  if (!p.users.empty() && std::ranges::find(p.users, who.user) == p.users.end())
    return fmt::format("partition \"{}\" is not for its user", p.name);
  if (p.max_time && who.limit > *p.max_time)
    return fmt::format("its limit of {} s is above the {} s of partition \"{}\"", format_seconds(who.limit),
                       format_seconds(*p.max_time), p.name);
  if (p.max_nodes && r.nodes > *p.max_nodes)
    return fmt::format("asks for {}, but a job of partition \"{}\" may have {}", nodes_text(r.nodes), p.name,
                       nodes_text(*p.max_nodes));
  return {};
}

/// What a job whose cores are spread may have of each of the nodes, while they are empty.
std::vector<CoreShare> cores_of(const MachineLayout& layout, const Request& r, const NodeSet& nodes) {
  std::vector<CoreShare> cores;
  if (r.spread.cores != 0)
    nodes.for_each([&](NodeId n) { cores.push_back(spread_of(r, layout.kind_of(n).core_share())); });
  return cores;
}

/// Why the kinds' nodes are not enough, wherever; empty: they are.
std::string too_few_nodes(const MachineLayout& layout, const Request& r) {
  if (r.nodes > layout.node_count())
    return fmt::format("asks for {}, but the machine has {}", nodes_text(r.nodes), layout.node_count());
  std::vector<const NodeKind*> left;
  for (const NodeKind& k : layout.kinds) left.push_back(&k);
  std::string before;  // what enough nodes have
  for (const NodeNeed& need : needs_of(layout, r)) {
    std::erase_if(left, [&](const NodeKind* k) { return !need.met(*k, r); });
    std::int32_t nodes = 0;
    for (const NodeKind* k : left) nodes += k->count;
    const bool alone = std::ranges::none_of(layout.kinds, [&](const NodeKind& k) { return need.met(k, r); });
    const std::string what = alone ? need.text : before.empty() ? need.text : before + " and " + need.text;
    if (nodes == 0) return fmt::format("asks for {}, but no node has that", what);
    if (nodes < r.nodes) return fmt::format("asks for {} with {}, but {} have that", nodes_text(r.nodes), what, nodes);
    before = what;
  }
  if (lacks_cores(r, cores_of(layout, r, capable_nodes(layout, r))))
    return fmt::format("asks for {} cores on at most {}, but the nodes have fewer", r.spread.cores / kWholeCore,
                       nodes_text(r.spread.nodes));
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
  if (has_components(request)) {
    for (const Request& c : request.components) nodes |= capable_nodes(layout, c);
    return nodes;
  }
  for (const NodeKind& kind : layout.kinds)
    if (capable(kind, request)) nodes.insert(kind.nodes());
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

std::vector<std::vector<std::size_t>> ways_of(const Request& request, const std::vector<std::vector<Option>>& options) {
  std::vector<std::vector<std::size_t>> ways;
  if (std::ranges::any_of(options, [](const auto& of) { return of.empty(); })) return ways;
  std::vector<std::size_t> chosen(options.size(), 0);
  for (std::size_t tried = 0; tried != kMostWaysOfComponents; ++tried) {
    std::vector<NodeSet> sets;
    for (std::size_t i = 0; i != options.size(); ++i) sets.push_back(options[i][chosen[i]].nodes);
    if (enough_apart(request, sets)) ways.push_back(chosen);
    std::size_t i = options.size();
    while (i != 0 && ++chosen[i - 1] == options[i - 1].size()) chosen[--i] = 0;
    if (i == 0) break;
  }
  return ways;
}

namespace {

std::vector<Option> options_together(const MachineLayout& layout, const Request& request, const Applicant& who) {
  std::vector<std::vector<Option>> each;
  for (const Request& c : request.components) each.push_back(options_of(layout, c, who));
  std::vector<Option> options;
  for (const std::vector<std::size_t>& way : ways_of(request, each)) {
    options.push_back({each[0][way[0]].partition, NodeSet(layout.node_count())});
    for (std::size_t i = 0; i != way.size(); ++i) options.back().nodes |= each[i][way[i]].nodes;
  }
  return options;
}

/// Why components that have nodes each do not have them together.
std::string why_never_together(const MachineLayout& layout, const Request& request, const Applicant& who) {
  for (std::size_t i = 0; i != request.components.size(); ++i)
    if (std::string reason = why_never(layout, request.components[i], who); !reason.empty())
      return fmt::format("its component {} {}", i, reason);
  return fmt::format("its {} components ask for {} together, and no node can be of two of them",
                     request.components.size(), nodes_text(request.nodes));
}

}  // namespace

std::vector<Option> options_of(const MachineLayout& layout, const Request& request, const Applicant& who) {
  std::vector<Option> options;
  if (!too_few_licences(layout, request).empty()) return options;
  if (has_components(request)) return options_together(layout, request, who);
  const NodeSet capable = capable_nodes(layout, request);
  for (const std::int32_t index : partitions_of(layout, request)) {
    Option option{index, capable};
    if (index >= 0) {
      const Partition& partition = layout.partitions[static_cast<std::size_t>(index)];
      if (!refusal(partition, request, who).empty()) continue;
      option.nodes &= partition.nodes;
    }
    if (option.nodes.count() < request.nodes || lacks_cores(request, cores_of(layout, request, option.nodes))) continue;
    options.push_back(std::move(option));
  }
  return options;
}

bool limits_jobs(const MachineLayout& layout) {
  return std::ranges::any_of(layout.partitions,
                             [](const Partition& p) { return p.max_time || p.max_nodes || !p.users.empty(); });
}

std::string why_never(const MachineLayout& layout, const Request& request, const Applicant& who) {
  if (has_components(request)) {
    if (!options_of(layout, request, who).empty()) return {};
    const std::string reason = too_few_licences(layout, request);
    return reason.empty() ? why_never_together(layout, request, who) : reason;
  }
  if (std::string reason = too_few_nodes(layout, request); !reason.empty()) return reason;
  if (std::string reason = too_few_licences(layout, request); !reason.empty()) return reason;
  if (!options_of(layout, request, who).empty()) return {};
  const std::int32_t first = partitions_of(layout, request).front();
  const Partition& partition = layout.partitions[static_cast<std::size_t>(first)];
  if (std::string reason = refusal(partition, request, who); !reason.empty()) return reason;
  NodeSet nodes = capable_nodes(layout, request);
  nodes &= partition.nodes;
  if (nodes.count() >= request.nodes)
    return fmt::format("asks for {} cores on at most {}, but partition \"{}\" has fewer",
                       request.spread.cores / kWholeCore, nodes_text(request.spread.nodes), partition.name);
  return fmt::format("asks for {}, but partition \"{}\" has {} that have what it needs", nodes_text(request.nodes),
                     partition.name, nodes.count());
}

void share_cores(Request& request, const MachineLayout& layout, bool allowed) {
  const std::int32_t first = partitions_of(layout, request).front();
  if (first < 0) return;
  const Partition& partition = layout.partitions[static_cast<std::size_t>(first)];
  const auto shares = [](const Partition& p) { return p.oversubscribe > 1 || !p.over.empty(); };
  if (std::ranges::none_of(layout.partitions, shares)) return;
  request.row_of = first;
  request.shares = allowed;
  request.many_rows = partition.oversubscribe > 1;
  request.numbered = true;
  for (std::size_t p = 0; p != layout.partitions.size(); ++p)
    if (std::ranges::binary_search(layout.partitions[p].over, first))
      request.under.push_back(static_cast<std::int32_t>(p));
  const bool rows = partition.oversubscribe > 1 && (allowed || partition.oversubscribe_all);
  if (rows) request.rows = partition.oversubscribe;
  if (!rows && partition.oversubscribe > 1) return;  // it has idle cores only
  request.over = partition.over;
  for (const std::int32_t other : partition.over)
    if (layout.partitions[static_cast<std::size_t>(other)].tier != partition.tier) request.over_first.push_back(other);
}

Request whole_nodes(std::int32_t nodes, std::int32_t cores) {
  return {.nodes = nodes, .cores = cores * kWholeCore, .exclusive = true};
}

Request without_rows(Request request) {
  request.row_of = -1;
  request.many_rows = request.numbered = request.shares = false;
  request.over.clear();
  request.over_first.clear();
  request.under.clear();
  return request;
}

Request on_own_nodes(Request request) {
  request.exclusive = true;
  request.rows = 0;
  return without_rows(std::move(request));
}

}  // namespace coslice

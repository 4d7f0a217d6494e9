#include "machine/request_spec.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/random.h"
#include "machine/components.h"
#include "machine/eligibility.h"
#include "machine/machine_spec.h"

namespace coslice {

bool divides_gpus(const MachineLayout& layout) {
  return std::ranges::any_of(layout.kinds, [](const NodeKind& k) { return k.slices != 0; });
}

std::vector<Request> requests_on_gpu_instances(const MachineLayout& layout, const Request& asked) {
  std::vector<Request> all;
  if (asked.nodes != 1 || asked.gpus != 1 || asked.exclusive) return all;
  std::set<std::int32_t> numbers;
  for (const NodeKind& k : layout.kinds)
    if (k.slices != 0) numbers.insert(k.slices);
  for (const std::int32_t slices : numbers)
    for (std::int32_t slice = 1; slice <= slices; ++slice) {
      const std::int32_t rounded_up = (slice * kWholeGpu + slices - 1) / slices;  // a seventh may be asked for as 0.143
      if (rounded_up < asked.gpu_share) continue;
      Request r = asked;
      r.slice = slice;
      r.slices = slices;
      r.gpu_share = share_of_slice(slice, slices);
      all.push_back(std::move(r));
    }
  return all;
}

namespace {

#define REQUEST(member) COSLICE_FIELD(RequestSpec, member)

constexpr std::int32_t kNoGpus = -1;
constexpr double kMostCores = 1024.0 * 1024.0;

Codec<RequestSpec> gpu_count() {
  Codec<RequestSpec> c = codec::integer<RequestSpec>(REQUEST(gpus), 0, 64, 0);
  c.read = [read = c.read](RequestSpec& s, const Value& v, const std::string& p) {
    read(s, v, p);
    if (s.gpus == 0) s.gpus = kNoGpus;
  };
  c.write = [write = c.write](const RequestSpec& s) { return s.gpus == kNoGpus ? Value(0) : write(s); };
  return c;
}

Codec<RequestSpec> licence_table() {
  const std::string words = "a table of licences and how many, e.g. { matlab = 2 }";
  return {words,
          [=](RequestSpec& s, const Value& v, const std::string& p) {
            if (!v.is_table()) codec::wrong(v, p, words);
            s.licences.clear();
            for (const Member& m : *v.members()) {
              const std::string path = p + "." + m.key;
              s.licences.emplace_back(
                  m.key,
                  codec::read_integer(m.value, path, codec::integer_words(1, 1'000'000'000'000), 1, 1'000'000'000'000));
            }
          },
          [](const RequestSpec& s) -> std::optional<Value> {
            if (s.licences.empty()) return std::nullopt;
            Value table = Value::table();
            for (const auto& [name, count] : s.licences) table.set(name, count);
            return table;
          }};
}

template <class T>
std::int32_t find_named(const std::string& name, const std::vector<T>& known, const char* what, const Place& place) {
  std::vector<std::string> names;
  for (const T& k : known)
    if constexpr (std::is_same_v<T, std::string>) names.push_back(k);
    else names.push_back(k.name);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::int32_t>(found - names.begin());
  fail_at(place, fmt::format("the machine has no {} '{}'", what, name),
          names.empty() ? "" : fmt::format("one of {}", fmt::join(names, ", ")), did_you_mean(name, names));
}

/// Cores in thousandths: what is less than that cannot be asked for.
CoreShare core_share(const RequestSpec& spec, std::int32_t processes) {
  if (!spec.cores) return processes * kWholeCore;
  const double thousandths = *spec.cores * kWholeCore;
  if (std::abs(thousandths - std::round(thousandths)) > 1e-6)
    fail_at(spec.place, fmt::format("request.cores is {}", *spec.cores), "cores in steps of 0.001");
  return static_cast<CoreShare>(std::lround(thousandths));
}

std::int64_t memory(const RequestSpec& spec, CoreShare cores) {
  const int ways = (spec.memory_mib != 0) + (spec.memory_per_core_mib != 0) + (spec.memory_per_gpu_mib != 0);
  if (ways > 1)
    fail_at(spec.place, "the request says its memory in two ways", "one of memory, memory_per_core, memory_per_gpu");
  if (spec.memory_per_core_mib != 0) return (spec.memory_per_core_mib * cores + kWholeCore - 1) / kWholeCore;
  if (spec.memory_per_gpu_mib == 0) return spec.memory_mib;
  if (spec.gpus <= 0 && !spec.gpu_share)
    fail_at(spec.place, "the request has memory for each GPU, but no GPU", "request.gpus or request.gpu_share");
  return spec.memory_per_gpu_mib * std::max(spec.gpus, 1);
}

void add_gpus(const RequestSpec& spec, const MachineLayout& layout, Request& r) {
  r.gpus = std::max(spec.gpus, 0);
  if (spec.gpu_share) {
    if (spec.gpus == kNoGpus)
      fail_at(spec.place, "the request asks for no GPU and for a share of one", "gpus of at least 1 beside gpu_share");
    const double thousandths = *spec.gpu_share * kWholeGpu;
    if (thousandths < 1 - 1e-6 || std::abs(thousandths - std::round(thousandths)) > 1e-6)
      fail_at(spec.place, fmt::format("request.gpu_share is {}", *spec.gpu_share),
              "from 0.001 to 1, in steps of 0.001");
    r.gpus = std::max(r.gpus, 1);
    r.gpu_share = static_cast<GpuShare>(std::lround(thousandths));
  }
  if (!spec.gpu_types.empty() && r.gpus == 0)
    fail_at(spec.place, "the request has a type of GPUs, but no GPU", "request.gpus or request.gpu_share");
  for (const std::string& type : spec.gpu_types)
    r.gpu_types.push_back(find_named(type, layout.gpu_types, "GPUs of type", spec.place));
}

/// "4 GPUs", "half": thousandths as a number of things.
std::string amount(std::int64_t thousandths, const char* one, const char* many) {
  if (thousandths == 1000) return fmt::format("1 {}", one);
  if (thousandths % 1000 == 0) return fmt::format("{} {}", thousandths / 1000, many);
  return fmt::format("{} {}", static_cast<double>(thousandths) / 1000, many);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

template <class Numbers>
std::uint64_t mix_all(std::uint64_t h, const Numbers& numbers) {
  h = hash_mix(h, numbers.size());
  for (const auto n : numbers) h = hash_mix(h, static_cast<std::uint64_t>(n));
  return h;
}

std::uint64_t hash_of(const Request& r) {
  std::uint64_t h = hash_mix(0, static_cast<std::uint64_t>(r.nodes));
  h = hash_mix(h, static_cast<std::uint64_t>(r.cores));
  h = hash_mix(h, static_cast<std::uint64_t>(r.memory_mib));
  h = hash_mix(h, static_cast<std::uint64_t>(r.gpus) << 32 | static_cast<std::uint32_t>(r.gpu_share));
  h = hash_mix(h, r.exclusive ? 1 : 0);
  if (r.row_of >= 0) h = hash_mix(h, static_cast<std::uint64_t>(r.rows) << 32 | static_cast<std::uint32_t>(r.row_of));
  if (!r.over.empty()) h = mix_all(h, r.over);
  if (r.numbered) h = hash_mix(h, r.shares ? 2 : 1);
  if (r.slice != 0) h = hash_mix(h, static_cast<std::uint64_t>(r.slices) << 32 | static_cast<std::uint32_t>(r.slice));
  if (r.spread.most != 0)
    for (const std::int32_t n : {r.spread.most, r.spread.unit, r.spread.cores, r.spread.nodes})
      h = hash_mix(h, static_cast<std::uint64_t>(n));
  h = mix_all(h, r.gpu_types);
  h = mix_all(h, r.partitions);
  for (const Request& c : r.components) h = hash_mix(h, hash_of(c));
  for (const FeatureTerm& term : r.features) h = mix_all(mix_all(h, term.with), term.without);
  for (const LicenceUse& use : r.licences)
    h = hash_mix(hash_mix(h, static_cast<std::uint64_t>(use.licence)), static_cast<std::uint64_t>(use.count));
  return h;
}

}  // namespace

const std::vector<Key<RequestSpec>>& request_keys() {
  using R = RequestSpec;
  static const std::vector<Key<R>> keys = {
      {"nodes", codec::integer<R>(REQUEST(nodes), 1, 100'000, 0),
       "Nodes, for a job that says its `processes`; they are spread evenly. Default 1."},
      {"cores", codec::real<R>(REQUEST(cores), {0, kMostCores}),
       "Cores on each node; parts of one are allowed. Default: one for each of its processes there."},
      {"memory", mebibytes<R>(REQUEST(memory_mib)), "Memory on each node."},
      {"memory_per_core", mebibytes<R>(REQUEST(memory_per_core_mib)), "The same for each of its cores."},
      {"memory_per_gpu", mebibytes<R>(REQUEST(memory_per_gpu_mib)), "The same for each of its GPUs."},
      {"gpus", gpu_count(), "GPUs on each node."},
      {"gpu_share", codec::real<R>(REQUEST(gpu_share), {0, 1, true}),
       "A part of each of its GPUs, e.g. 0.5; without `gpus`, of one."},
      {"gpu_type", codec::texts<R>(REQUEST(gpu_types)), "Type of the GPUs; of several, any will do."},
      {"features", codec::text<R>(REQUEST(features)),
       "What its nodes must have, e.g. `\"ib & !old\"`: names with & (and), | (or), ! (not), parentheses."},
      {"exclusive", codec::flag<R>(REQUEST(exclusive)), "No other job on its nodes."},
      {"oversubscribe", codec::flag<R>(REQUEST(oversubscribe)),
       "Other jobs may have its cores at the same time, where its partition says of how many (`oversubscribe`). Where "
       "some job of the run may share cores, each job has whole ones: a part of one counts as one."},
      {"partition", codec::texts<R>(REQUEST(partitions)),
       "Where it may run; the first is preferred. Default: the machine's default partition."},
      {"licences", licence_table(), "Licences that it holds while it runs, in all."},
  };
  return keys;
}

Request make_request(const RequestSpec& spec, std::int32_t nodes, std::int32_t processes, const MachineLayout& layout) {
  Request r;
  r.nodes = nodes;
  r.cores = core_share(spec, processes);
  r.memory_mib = memory(spec, r.cores);
  add_gpus(spec, layout, r);
  if (!spec.features.empty()) r.features = parse_features(spec.features, layout.features, spec.place);
  r.exclusive = spec.exclusive;
  for (const std::string& name : spec.partitions)
    r.partitions.push_back(find_named(name, layout.partitions, "partition", spec.place));
  for (const auto& [name, count] : spec.licences)
    r.licences.push_back({find_named(name, layout.licences, "licence", spec.place), count});
  if (!spec.exclusive || spec.oversubscribe) share_cores(r, layout, spec.oversubscribe);
  return r;
}

namespace {

std::string licences_text(const Request& r, const MachineLayout& layout) {
  std::string out;
  for (const LicenceUse& use : r.licences)
    out += fmt::format(", {} licence{} {}", use.count, use.count == 1 ? "" : "s",
                       layout.licences[static_cast<std::size_t>(use.licence)].name);
  return out;
}

}  // namespace

std::string request_text(const Request& r, const MachineLayout& layout) {
  if (has_components(r)) {
    std::string all = "together";
    for (std::size_t i = 0; i != r.components.size(); ++i)
      all += fmt::format("{} ({}) {}", i == 0 ? "" : " and", i, request_text(r.components[i], layout));
    return all + licences_text(r, layout);
  }
  std::vector<std::string> each;
  if (r.cores > 0) each.push_back(amount(r.cores, "core", "cores"));
  if (r.gpus > 0 && r.gpu_share < kWholeGpu) {
    const double share = static_cast<double>(r.gpu_share) / kWholeGpu;
    each.push_back(r.gpus == 1 ? fmt::format("{} of a GPU", share)
                               : fmt::format("{} of each of {} GPUs", share, r.gpus));
  } else if (r.gpus > 0) {
    each.push_back(amount(std::int64_t{r.gpus} * 1000, "GPU", "GPUs"));
  }
  if (r.memory_mib > 0) each.push_back(fmt::format("{} MiB", r.memory_mib));
  std::string out = r.nodes == 1 ? "1 node" : fmt::format("{} nodes", r.nodes);
  if (r.spread.cores != 0 && r.spread.nodes != r.nodes) out = fmt::format("{} to {} nodes", r.nodes, r.spread.nodes);
  if (r.exclusive) out += r.nodes == 1 ? " for itself" : " for themselves";
  if (!each.empty()) out += fmt::format(" with {}{}", listed(each), r.nodes == 1 ? "" : " on each");
  if (r.spread.cores != 0) out += fmt::format(", and {} cores in all", r.spread.cores / kWholeCore);
  else if (r.spread.most != 0) out += fmt::format(", or up to {} cores if these are free", r.spread.most / kWholeCore);
  if (!r.features.empty()) out += fmt::format(" and {}", features_text(r.features, layout.features));
  std::vector<std::string> partitions;
  for (const std::int32_t p : r.partitions) partitions.push_back(layout.partitions[static_cast<std::size_t>(p)].name);
  if (!partitions.empty()) out += fmt::format(", of partition {}", fmt::join(partitions, " or "));
  return out + licences_text(r, layout);
}

void RequestTable::change(const std::function<Request(Request)>& f) {
  by_hash_.clear();
  for (std::size_t i = 0; i != requests_.size(); ++i) {
    requests_[i] = f(std::move(requests_[i]));
    by_hash_.emplace(hash_of(requests_[i]), static_cast<RequestId>(i));
  }
}

RequestId RequestTable::intern(const Request& request) {
  const std::uint64_t h = hash_of(request);
  const auto [first, last] = by_hash_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if ((*this)[it->second] == request) return it->second;
  const auto id = static_cast<RequestId>(requests_.size());
  requests_.push_back(request);
  by_hash_.emplace(h, id);
  return id;
}

}  // namespace coslice

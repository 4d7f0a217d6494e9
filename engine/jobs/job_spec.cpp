#include "jobs/job_spec.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/portable_math.h"
#include "machine/components.h"
#include "machine/eligibility.h"
#include "machine/machine_spec.h"
#include "machine/memory_amount.h"

namespace coslice {
namespace {

using Kind = Attribute::Kind;

/// The member of the job, for codecs.
template <class T>
auto field_of(const Attribute& a) {
  const auto* const extra = [&]() -> T JobExtras::*const* {
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, Duration>)
      return std::get_if<T JobExtras::*>(&a.member);
    else return nullptr;
  }();
  return [&a, extra](JobSpec& s) -> T& {
    return extra != nullptr ? s.extras.**extra : s.job.*std::get<T Job::*>(a.member);
  };
}

Range range_of(const Attribute& a) {
  return {a.low == attributes::kAbove0 ? 0 : a.low, a.high, a.low == attributes::kAbove0};
}

Codec<JobSpec> instant(const Attribute& a) {
  const auto field = field_of<Time>(a);
  const Range range = range_of(a);
  const std::string words = codec::real_words("seconds", range);
  return {words,
          [=](JobSpec& s, const Value& v, const std::string& p) {
            field(s) = Time{codec::read_seconds(v, p, words, range)};
          },
          codec::writer<JobSpec>(field, [](Time t) { return codec::seconds_value(t.time_since_epoch()); })};
}

Codec<JobSpec> span(const Attribute& a) {
  const auto field = field_of<Duration>(a);
  Codec<JobSpec> c = codec::seconds<JobSpec>(field, range_of(a));
  const bool limit = a.name == "limit";
  if (limit)
    c.read = [read = c.read](JobSpec& s, const Value& v, const std::string& p) {
      read(s, v, p);
      s.job.limit_given = true;
    };
  c.write = [=, write = c.write](const JobSpec& s) -> std::optional<Value> {
    const bool unsaid = limit ? !s.job.limit_given : field(const_cast<JobSpec&>(s)) < Duration::zero();
    return unsaid ? std::nullopt : write(s);
  };
  return c;
}

Codec<JobSpec> kilobytes(const Attribute& a) {
  const auto field = field_of<std::int32_t>(a);
  Codec<JobSpec> c = codec::kilobytes<JobSpec>(field, -1);
  const std::string words = c.type;
  c.read = [=](JobSpec& s, const Value& v, const std::string& p) {
    const std::int64_t kb = codec::read_kilobytes(v, p, words, -1);
    field(s) = static_cast<std::int32_t>(std::min<std::int64_t>(kb, INT32_MAX));
  };
  c.write = [field, write = c.write](const JobSpec& s) -> std::optional<Value> {
    const std::int32_t kb = field(const_cast<JobSpec&>(s));
    return kb > 0 ? std::optional<Value>(kilobytes_text(kb)) : write(s);
  };
  return c;
}

Codec<JobSpec> text(const Attribute& a) {
  const std::string words = "a text in quotes";
  return {words,
          [=, &a](JobSpec& s, const Value& v, const std::string& p) {
            s.texts.emplace_back(&a, codec::read_text(v, p, words));
          },
          [&a](const JobSpec& s) -> std::optional<Value> {
            for (const auto& [of, content] : s.texts)
              if (of == &a && !content.empty()) return Value(content);
            return std::nullopt;
          }};
}

Codec<JobSpec> codec_of(const Attribute& a) {
  switch (a.kind) {
    case Kind::kId: return codec::integer<JobSpec>(field_of<std::int64_t>(a), 0, INT64_MAX, -1);
    case Kind::kCount:
    case Kind::kNumber:
      return codec::integer<JobSpec>(field_of<std::int32_t>(a), static_cast<std::int64_t>(a.low),
                                     static_cast<std::int64_t>(a.high), a.kind == Kind::kCount ? 0 : -1);
    case Kind::kKilobytes: return kilobytes(a);
    case Kind::kSeconds: return span(a);
    case Kind::kInstant: return instant(a);
    case Kind::kText: break;
  }
  return text(a);
}

#define SPEC(member) COSLICE_FIELD(JobSpec, member)

/// A list of tables like `request`.
Codec<JobSpec> component_tables() {
  const std::string words = "a list of tables";
  return {words,
          [=](JobSpec& s, const Value& v, const std::string& p) {
            if (!v.list()) codec::wrong(v, p, words);
            s.components.clear();
            for (const Value& item : *v.list()) {
              RequestSpec spec;
              read_record(request_keys(), spec, item, fmt::format("{}[{}]", p, s.components.size() + 1));
              spec.place = item.place;
              s.components.push_back(std::move(spec));
            }
            const std::size_t n = s.components.size();
            if (n < 2 || n > kMostComponents)
              fail_at(v.place,
                      fmt::format("{} lists {}", p, n == 1 ? "one component" : fmt::format("{} components", n)),
                      fmt::format("2 to {}; one alone is `request`", kMostComponents));
          },
          [](const JobSpec& s) -> std::optional<Value> {
            if (s.components.empty()) return std::nullopt;
            Value::List list;
            for (const RequestSpec& spec : s.components) list.push_back(write_record(request_keys(), spec));
            return Value(std::move(list));
          }};
}

std::vector<Key<JobSpec>> all_keys() {
  std::vector<Key<JobSpec>> keys = attribute_keys();
  keys.insert(keys.begin() + 1, {"nodes", codec::integer<JobSpec>(SPEC(nodes), 1, 100000, 0),
                                 "Nodes it runs on. A job has either `nodes` or `processes`."});
  const Range part{0, 1};
  keys.push_back(
      {"cpu", codec::real<JobSpec>(SPEC(cpu), part),
       "What it does, for `slowdown.model = \"resources\"`: the part of its run time in which it computes,"});
  keys.push_back({"network", codec::real<JobSpec>(SPEC(network), part), "communicates,"});
  keys.push_back({"disk", codec::real<JobSpec>(SPEC(disk), part), "reads and writes; together 1."});
  keys.push_back(
      {"memory_fraction", codec::real<JobSpec>(SPEC(memory_fraction), part), "Of a node's memory. Default 0."});
  keys.push_back(
      {"program", codec::text<JobSpec>(SPEC(program)), "What its processes do: a name in `[[processes.programs]]`."});
  keys.push_back({"request", request_table<JobSpec>(SPEC(request)), "What it asks for of each of its nodes: a table."});
  keys.push_back(
      {"components", component_tables(),
       "Several such tables, of nodes of several kinds: they start together, each on nodes of its own, or not at all. "
       "They stand instead of `nodes`, `processes` and `request`; `nodes` of each is 1 unless it says more."});
  return keys;
}

bool has_fractions(const JobSpec& s) { return s.cpu || s.network || s.disk; }
std::array<double, kResources> fractions(const JobSpec& s) {
  return {s.cpu.value_or(0), s.network.value_or(0), s.disk.value_or(0)};
}

Request with_table(const Job& job, std::int32_t nodes, const RequestSpec& spec, const MachineLayout& layout) {
  if (nodes > 0 && spec.nodes > 0 && nodes != spec.nodes)
    fail_at(spec.place, fmt::format("job {} has nodes = {}, and request.nodes = {}", job.id, nodes, spec.nodes),
            "one of the two");
  if (job.requested_memory_kb > 0 && spec.memory_mib + spec.memory_per_core_mib + spec.memory_per_gpu_mib > 0)
    fail_at(spec.place, fmt::format("job {} says its memory in two ways", job.id),
            "memory, which is for each process, or request.memory");
  const std::int32_t n = std::max({nodes, spec.nodes, 1});
  const std::int32_t processes = nodes > 0 ? 1 : divided_up(job.size, n);
  Request r = make_request(spec, n, processes, layout);
  if (r.memory_mib == 0 && job.requested_memory_kb > 0)  // what the job says itself: for each process
    r.memory_mib = mib_of_processes(job.requested_memory_kb, processes);
  return r;
}

/// A component has a process for each core that it asks for, at least one on each node.
Request components_of(Job& job, const std::vector<RequestSpec>& specs, const MachineLayout& layout) {
  std::vector<Request> components;
  std::int64_t size = 0;
  std::size_t ways = 1;
  for (const RequestSpec& spec : specs) {
    const Request r = make_request(spec, std::max(spec.nodes, 1), 1, layout);
    size += std::int64_t{r.nodes} * std::max(1, r.cores / kWholeCore);
    ways *= std::min(partitions_of(layout, r).size(), kMostWaysOfComponents + 1);
    if (ways > kMostWaysOfComponents)
      fail_at(spec.place, fmt::format("the components of job {} name too many partitions", job.id),
              fmt::format("at most {} ways to choose one for each", kMostWaysOfComponents));
    components.push_back(r);
  }
  job.size = static_cast<std::int32_t>(size);
  return of_components(std::move(components));
}

}  // namespace

const std::vector<Key<JobSpec>>& attribute_keys() {
  static const std::vector<Key<JobSpec>> keys = [] {
    std::vector<Key<JobSpec>> all;
    for (const Attribute& a : kAttributes) {
      if (!a.has(Attribute::kSaid)) continue;
      const std::string absent = a.absent.empty() ? "" : fmt::format(" Default: {}.", a.absent);
      all.push_back({std::string(a.name), codec_of(a), fmt::format("{}.{}", a.doc, absent), a.has(Attribute::kRequired),
                     std::string(a.former)});
    }
    return all;
  }();
  return keys;
}

const std::vector<Key<JobSpec>>& job_spec_keys() {
  static const std::vector<Key<JobSpec>> keys = all_keys();
  return keys;
}

/// What a component stands beside that cannot be.
std::pair<std::string, std::string> problem_of_components(const JobSpec& s) {
  const auto has_text = [&](std::string_view name) {
    return std::ranges::any_of(s.texts,
                               [&](const auto& text) { return text.first->name == name && !text.second.empty(); });
  };
  const auto both = [](const char* other) {
    return std::pair(fmt::format("has both components and {}", other), std::string("one of the two"));
  };
  if (s.nodes > 0) return both("nodes");
  if (s.job.size > 0) return both("processes");
  if (s.request) return both("request");
  if (has_text("sizes")) return both("sizes");
  if (s.job.requested_memory_kb > 0)
    return {"has both components and memory for each process", "memory in each component"};
  return {};
}

std::pair<std::string, std::string> problem_of(const JobSpec& s) {
  if (!s.components.empty())
    if (auto problem = problem_of_components(s); !problem.first.empty()) return problem;
  if (s.nodes > 0 && s.job.size > 0) return {"has both nodes and processes", "one of the two"};
  if (s.nodes == 0 && s.job.size == 0 && s.components.empty())
    return {"has neither nodes nor processes", "one of the two"};
  const auto is_array = [](const auto& text) { return text.first->name == "array"; };
  if (has_fractions(s) && std::ranges::any_of(s.texts, is_array))
    return {"has both array and cpu, network or disk", "one of the two"};
  if (s.memory_fraction && !has_fractions(s)) return {"has memory_fraction alone", "cpu, network and disk beside it"};
  if (has_fractions(s) && !adds_up(fractions(s)))
    return {"has fractions cpu, network and disk that do not add up to 1", "fractions of its run time"};
  return {};
}

void set_extras(Job& job, const JobSpec& spec, JobExtrasStore& store) {
  store.set(job, spec.extras);
  for (const auto& [attribute, text] : spec.texts) store.set(job, *attribute, text);
}

Job job_of(const JobSpec& spec, std::int64_t number, std::int32_t per_node, JobExtrasStore& store) {
  Job job = spec.job;
  if (job.id < 0) job.id = number;
  std::int64_t size = spec.nodes > 0 ? std::int64_t{spec.nodes} * per_node : job.size;
  for (const RequestSpec& c : spec.components)
    size += std::int64_t{std::max(c.nodes, 1)} * std::max(1, static_cast<std::int32_t>(c.cores.value_or(1)));
  const auto most = static_cast<std::int64_t>(find_attribute("processes")->high);
  if (size > most) fail_at({}, fmt::format("job {} has {} processes", job.id, size), fmt::format("at most {}", most));
  job.size = static_cast<std::int32_t>(size);
  if (!job.limit_given) job.limit = job.runtime;
  set_extras(job, spec, store);
  return job;
}

std::optional<ResourceProfile> profile_of(const JobSpec& spec) {
  if (!has_fractions(spec)) return std::nullopt;
  return ResourceProfile{fractions(spec), spec.memory_fraction.value_or(0), largest_fraction(fractions(spec))};
}

std::vector<std::string> former_name_warnings(const std::set<std::string>& names) {
  std::vector<std::string> out;
  for (const Attribute& a : kAttributes) {
    if (a.former.empty() || names.count(std::string(a.former)) == 0) continue;
    out.push_back(
        fmt::format("'{}' of a job is called '{}' now; the older name is read in this version, and will not be "
                    "in the next",
                    a.former, a.name));
  }
  return out;
}

void request_for(Job& job, const JobSpec& said, const MachineSpec& machine, RequestTable& requests) {
  const std::int32_t nodes = said.nodes;
  if (!said.components.empty()) {
    job.request = requests.intern(components_of(job, said.components, *kinds_of(machine)));
    return;
  }
  const std::optional<RequestSpec>& spec = said.request;
  if (!spec && (nodes == 0 || !names_kinds(machine))) return;
  Request r = spec ? with_table(job, nodes, *spec, *kinds_of(machine)) : whole_nodes(nodes, 0);
  if (!spec && job.requested_memory_kb > 0)
    r.memory_mib = mib_of_processes(job.requested_memory_kb, divided_up(job.size, nodes));
  if (spec && nodes > 0) job.size = r.nodes * std::max(1, r.cores / kWholeCore);
  job.request = requests.intern(r);
}

}  // namespace coslice

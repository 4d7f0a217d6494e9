#include "scenario/jobs/slowdowns.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "api/scripts/slowdown_script.h"
#include "core/codec.h"
#include "core/random.h"
#include "jobs/transform.h"
#include "scenario/jobs/resource_profiles.h"
#include "scenario/toml.h"

namespace coslice {
namespace {

constexpr Range kSlowdowns{0.01, 1000, true};
const std::string kSlowdownWords = codec::real_words("a number", kSlowdowns);

/// Slowdown beside others: one number, or a table by the other's name.
struct Beside {
  std::optional<double> any;
  std::map<std::string, double> by_name;
  Place place;
};

struct Row {
  std::string name;
  std::optional<double> over_processors, over_cores;
  Beside beside, apart;
  double share = -1;
  std::vector<std::int64_t> numbers;
  Place place;
};

struct File {
  std::string description, source;
  std::optional<MeasuredSpec> measured;
  Row defaults;
  std::vector<Row> rows;
};

#define ROW(member) COSLICE_FIELD(Row, member)

Codec<Row> beside_codec(Beside Row::*side) {
  const std::string words = kSlowdownWords + ", or a table of such by the other's name";
  return {words,
          [=](Row& row, const Value& v, const std::string& path) {
            (row.*side).place = v.place;
            if (!v.is_table()) {
              (row.*side).any = codec::read_real(v, path, words, kSlowdowns);
              return;
            }
            for (const Member& m : *v.members())
              (row.*side).by_name[m.key] = codec::read_real(m.value, path + "." + m.key, kSlowdownWords, kSlowdowns);
          },
          {}};
}

Codec<Row> numbers_codec() {
  const std::string words = "a list of whole numbers from 0";
  return {words,
          [=](Row& row, const Value& v, const std::string& path) {
            if (!v.list()) codec::wrong(v, path, words);
            for (const Value& item : *v.list())
              row.numbers.push_back(codec::read_integer(item, path, words, 0, INT32_MAX));
          },
          {}};
}

std::vector<Key<Row>> slowdown_keys() {
  return {{"over_processors", codec::real<Row>(ROW(over_processors), kSlowdowns), ""},
          {"over_cores", codec::real<Row>(ROW(over_cores), kSlowdowns), ""},
          {"beside", beside_codec(&Row::beside), ""},
          {"beside_apart", beside_codec(&Row::apart), ""}};
}

const std::vector<Key<Row>>& row_keys() {
  static const std::vector<Key<Row>> keys = [] {
    std::vector<Key<Row>> all = slowdown_keys();
    all.insert(all.begin(), {"name", codec::text<Row>(ROW(name)), "", true});
    all.push_back({"share", codec::real<Row>(ROW(share), {0, 1e9}), ""});
    all.push_back({"numbers", numbers_codec(), ""});
    return all;
  }();
  return keys;
}

const std::vector<Key<File>>& file_keys() {
  static const std::vector<Key<Row>> default_keys = slowdown_keys();
  static const std::vector<Key<File>> keys = {
      {"description", codec::text<File>(COSLICE_FIELD(File, description)), ""},
      {"source", codec::text<File>(COSLICE_FIELD(File, source)), ""},
      {"default",
       {"a table",
        [](File& f, const Value& v, const std::string& p) { read_record(default_keys, f.defaults, v, p); },
        {}},
       ""},
      {"applications",
       {"a list of tables",
        [](File& f, const Value& v, const std::string& p) {
          if (!v.list() || v.list()->empty()) codec::wrong(v, p, "a list of tables, [[applications]]");
          for (const Value& item : *v.list()) {
            f.rows.emplace_back();
            f.rows.back().place = item.place;
            read_record(row_keys(), f.rows.back(), item, p + "[" + std::to_string(f.rows.size()) + "]");
          }
        },
        {}},
       ""},
      {"measured",
       {"a table", [](File& f, const Value& v, const std::string& p) { f.measured = read_measured_spec(v, p); }, {}},
       ""},
  };
  return keys;
}

void check_others(const Beside& beside, const std::string& path, const std::vector<std::string>& names) {
  for (const auto& [other, slowdown] : beside.by_name) {
    if (std::ranges::find(names, other) != names.end()) continue;
    Value v;
    v.place = beside.place;
    unknown_key(v, path, other, names);
  }
}

void check_names(const File& file) {
  std::vector<std::string> names;
  for (const Row& row : file.rows) {
    if (row.name.empty()) fail_at(row.place, "an application has an empty name", "a name");
    for (const std::string& before : names)
      if (before == row.name) fail_at(row.place, "application '" + row.name + "' appears twice");
    names.push_back(row.name);
  }
  std::map<std::int64_t, std::string> numbers;
  for (const Row& row : file.rows) {
    check_others(row.beside, row.name + ".beside", names);
    check_others(row.apart, row.name + ".beside_apart", names);
    for (const std::int64_t n : row.numbers) {
      const auto [at, fresh] = numbers.emplace(n, row.name);
      if (!fresh)
        fail_at(row.place,
                "number " + std::to_string(n) + " is that of '" + at->second + "' and of '" + row.name + "'");
    }
  }
  if (!file.defaults.beside.by_name.empty())
    fail_at(file.defaults.beside.place, "default.beside is a table", kSlowdownWords);
  if (!file.defaults.apart.by_name.empty())
    fail_at(file.defaults.apart.place, "default.beside_apart is a table", kSlowdownWords);
}

/// What the application's row says of that other one, else what the defaults say of all.
std::optional<double> slowdown_by(const Beside& row, const Beside& defaults, const std::string& other) {
  const auto named = row.by_name.find(other);
  if (named != row.by_name.end()) return named->second;
  return row.any ? row.any : defaults.any;
}

SlowdownTableFile::Application resolved(const Row& row, const File& file) {
  const Row& d = file.defaults;
  SlowdownTableFile::Application a;
  a.slowdowns.name = row.name;
  a.slowdowns.over_processors = row.over_processors.value_or(d.over_processors.value_or(1));
  a.slowdowns.over_cores = row.over_cores.value_or(d.over_cores.value_or(1));
  for (const Row& r : file.rows) {
    const double beside = slowdown_by(row.beside, d.beside, r.name).value_or(1);
    a.slowdowns.beside.push_back(beside);
    a.slowdowns.apart.push_back(slowdown_by(row.apart, d.apart, r.name).value_or(beside));
  }
  const double beside = row.beside.any.value_or(d.beside.any.value_or(1));
  a.slowdowns.beside.push_back(beside);
  a.slowdowns.apart.push_back(row.apart.any.value_or(d.apart.any.value_or(beside)));
  a.share = row.share;
  a.numbers = row.numbers;
  return a;
}

/// Without any shares each application is as likely as the others; those without one are not drawn where others have.
void complete_shares(std::vector<SlowdownTableFile::Application>& applications, const Value& tree) {
  bool given = false;
  double sum = 0;
  for (const auto& a : applications) given = given || a.share >= 0;
  for (auto& a : applications) sum += a.share = given ? std::max(a.share, 0.0) : 1;
  if (!(sum > 0)) fail_at(tree.place, "the shares of all applications are 0", "a share above 0");
}

std::vector<std::uint32_t> drawn(const SlowdownTableFile& file, std::uint64_t seed, std::size_t jobs) {
  const RandomKey key(seed, "slowdown.application");
  double sum = 0;
  for (const auto& a : file.applications) sum += a.share;
  std::vector<std::uint32_t> out(jobs);
  for (std::size_t j = 0; j != jobs; ++j) {
    double u = key.uniform(j) * sum;
    std::uint32_t last = 0;  // where rounding leaves something of u
    for (std::uint32_t i = 0; i != file.applications.size(); ++i) {
      const double share = file.applications[i].share;
      if (share <= 0) continue;
      last = i;
      if (u < share) break;
      u -= share;
    }
    out[j] = last;
  }
  return out;
}

/// Configurations that were measured are applications, too.
void add_configurations(File& file, const MeasuredPairs& measured) {
  std::vector<std::string> names;
  for (const Row& row : file.rows) names.push_back(row.name);
  for (const std::string& name : measured.configurations()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    file.rows.emplace_back();
    file.rows.back().name = name;
  }
}

MeasuredFactors factors(const File& file, const MeasuredPairs& measured) {
  std::vector<std::string> names;
  for (const Row& row : file.rows) names.push_back(row.name);
  const auto said = [&](std::size_t a, std::size_t b) -> std::optional<double> {
    const std::string other = b < names.size() ? names[b] : "";
    const bool measurable = a < names.size() && b < names.size() &&
                            measured.number(names[a]) < measured.configurations().size() &&
                            measured.number(other) < measured.configurations().size();
    // What the file says of all is for those that were not measured.
    static const Row nameless;
    return slowdown_by(a < names.size() ? file.rows[a].beside : nameless.beside,
                       measurable ? Beside{} : file.defaults.beside, other);
  };
  return measured_factors(measured, *file.measured, names, said);
}

Value tree_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return parse_toml(read_text_file(path, "table of slowdowns"), std::make_shared<const Source>(Source{path, folder}));
}

/// The class of each job: by the name that the job says, else by its number.
std::vector<std::uint32_t> said_classes(const SlowdownTableFile& file, const std::string& by, const Workload& workload,
                                        std::int64_t& unknown) {
  const auto none = static_cast<std::uint32_t>(file.applications.size() - 1);
  std::map<std::int64_t, std::uint32_t> by_number;
  std::map<std::string, std::uint32_t> by_name;
  for (std::uint32_t i = 0; i != none; ++i) {
    by_name[file.applications[i].slowdowns.name] = i;
    for (const std::int64_t n : file.applications[i].numbers) by_number[n] = i;
  }
  const auto class_in = [none](const auto& classes, const auto& key) {
    const auto found = classes.find(key);
    return found == classes.end() ? none : found->second;
  };
  const Attribute& number = *find_attribute(by);
  const Attribute& name = *find_attribute("application");
  std::vector<std::uint32_t> classes;
  for (const Job& job : workload.jobs) {
    const std::string& said = name.text(job);
    classes.push_back(said.empty() ? class_in(by_number, number.whole(job)) : class_in(by_name, said));
    unknown += classes.back() == none;
  }
  return classes;
}

}  // namespace

std::optional<MeasuredSpec> measured_of_table(const std::string& path) {
  File file;
  read_record(file_keys(), file, tree_of(path), "slowdowns");
  return file.measured;
}

std::vector<std::string> measurements_of_table(const std::string& path) {
  std::optional<MeasuredSpec> measured;
  try {
    measured = measured_of_table(path);
  } catch (const InputError&) {
    return {};  // told when it is read to be used
  }
  if (!measured) return {};
  std::vector<std::string> files = {measured->pairs};
  if (!measured->single.empty()) files.push_back(measured->single);
  return files;
}

SlowdownTableFile read_slowdown_table(const std::string& path) {
  const Value tree = tree_of(path);
  File file;
  read_record(file_keys(), file, tree, "slowdowns");
  if (file.rows.empty() && !file.measured)
    fail_at({tree.place.source, 0}, "slowdowns has no applications",
            "a list of tables, [[applications]], or [measured]");
  std::optional<MeasuredPairs> measured;
  if (file.measured) {
    measured.emplace(file.measured->pairs, file.measured->single, file.measured->columns);
    add_configurations(file, *measured);
  }
  check_names(file);
  SlowdownTableFile out;
  out.path = path;
  for (const Row& row : file.rows) out.applications.push_back(resolved(row, file));
  complete_shares(out.applications, tree);
  out.applications.push_back(resolved(Row{}, file));
  out.applications.back().share = 0;
  if (measured) out.measured = factors(file, *measured);
  return out;
}

std::unique_ptr<SlowdownModel> table_slowdowns(const SlowdownTableFile& file, const SlowdownSpec& spec,
                                               std::uint64_t seed, const Workload& workload,
                                               const std::vector<std::string>& gpu_types, std::int64_t& unknown) {
  using Known = SlowdownSpec::Known;
  unknown = 0;
  std::vector<std::uint32_t> class_of = spec.applications == kApplicationsDrawn
                                            ? drawn(file, seed, workload.jobs.size())
                                            : said_classes(file, spec.applications, workload, unknown);
  std::vector<SlowdownTable::Application> applications;
  for (const auto& a : file.applications) applications.push_back(a.slowdowns);
  if (!file.measured) {
    if (spec.scheduler_knows != Known::kTruth)
      throw InputError(
          {file.path, 0, "measures no pairs, so that slowdown.scheduler_knows has no effect", "[measured]"});
    return std::make_unique<SlowdownTable>(std::move(applications), std::move(class_of));
  }
  const std::vector<std::size_t> kinds = measured_kinds(file.measured->gpus, gpu_types, file.path);
  auto truth = std::make_unique<MeasuredSlowdowns>(applications, class_of, file.measured->truth, kinds);
  if (spec.scheduler_knows == Known::kTruth) return truth;
  if (spec.scheduler_knows == Known::kNothing)
    return std::make_unique<BelievedSlowdowns>(std::move(truth), std::make_unique<NoSlowdowns>());
  return std::make_unique<BelievedSlowdowns>(
      std::move(truth), std::make_unique<MeasuredSlowdowns>(applications, class_of, file.measured->estimate, kinds));
}

std::unique_ptr<SlowdownModel> make_slowdowns(const Scenario& scenario, const Workload& workload,
                                              const ResourceProfiles& profiles, std::int64_t& unknown) {
  const auto seed = static_cast<std::uint64_t>(scenario.seed);
  const std::vector<std::string> gpu_types = kinds_of(scenario.machine)->gpu_types;
  unknown = 0;
  switch (scenario.slowdown.model) {
    case SlowdownSpec::Model::kNone: return nullptr;
    case SlowdownSpec::Model::kDrawn: return std::make_unique<DrawnSlowdowns>(seed, workload.jobs.size());
    case SlowdownSpec::Model::kTable:
      return table_slowdowns(read_slowdown_table(scenario.slowdown.table), scenario.slowdown, seed, workload, gpu_types,
                             unknown);
    case SlowdownSpec::Model::kScript:
      return load_slowdown_script(read_script(scenario.slowdown.script), scenario.slowdown.params, workload, gpu_types,
                                  script_context(scenario.slowdown.script, scenario.limits.for_host(), seed));
    case SlowdownSpec::Model::kByResources:
      return std::make_unique<ResourceSlowdowns>(
          seed,
          resource_profiles(scenario.slowdown.resources, scenario.slowdown.mix, seed, workload, profiles, unknown),
          scenario.slowdown.conflicts);
  }
  return nullptr;
}

void adjust_to_machine(const Scenario& scenario, const SlowdownModel& model, Workload& workload) {
  const MachineSpec& m = scenario.machine;
  SizeAdjustment adjustment = scenario.workload.adjustment;
  adjustment.seed = static_cast<std::uint64_t>(scenario.seed);
  adjust_sizes(workload, model, {m.nodes, m.processors, m.cores}, adjustment);
}

}  // namespace coslice

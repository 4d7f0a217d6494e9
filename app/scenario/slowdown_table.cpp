#include "scenario/slowdown_table.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/codec.h"
#include "core/random.h"
#include "scenario/text_file.h"
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
       "",
       true},
  };
  return keys;
}

void check_others(const Beside& beside, const std::string& path, const std::vector<std::string>& names) {
  for (const auto& [other, slowdown] : beside.by_name) {
    if (std::find(names.begin(), names.end(), other) != names.end()) continue;
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
      if (before == row.name) fail_at(row.place, "application '" + row.name + "' stands twice");
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

}  // namespace

SlowdownTableFile read_slowdown_table(const std::string& path) {
  const Value tree =
      parse_toml(read_text_file(path, "table of slowdowns"), std::make_shared<const Source>(Source{path, ""}));
  File file;
  read_record(file_keys(), file, tree, "slowdowns");
  check_names(file);
  SlowdownTableFile out;
  for (const Row& row : file.rows) out.applications.push_back(resolved(row, file));
  complete_shares(out.applications, tree);
  out.applications.push_back(resolved(Row{}, file));
  out.applications.back().share = 0;
  return out;
}

std::unique_ptr<SlowdownModel> table_slowdowns(const SlowdownTableFile& file, const std::string& by, std::uint64_t seed,
                                               const Workload& workload, std::int64_t& unknown) {
  const auto none = static_cast<std::uint32_t>(file.applications.size() - 1);
  std::vector<std::uint32_t> class_of;
  unknown = 0;
  if (by == kApplicationsDrawn) {
    class_of = drawn(file, seed, workload.jobs.size());
  } else {
    std::map<std::int64_t, std::uint32_t> application;
    for (std::uint32_t i = 0; i != none; ++i)
      for (const std::int64_t n : file.applications[i].numbers) application[n] = i;
    const Attribute& number = *find_attribute(by);
    for (const Job& job : workload.jobs) {
      const auto found = application.find(number.whole(job));
      class_of.push_back(found == application.end() ? none : found->second);
      unknown += class_of.back() == none;
    }
  }
  std::vector<SlowdownTable::Application> applications;
  for (const auto& a : file.applications) applications.push_back(a.slowdowns);
  return std::make_unique<SlowdownTable>(std::move(applications), std::move(class_of));
}

}  // namespace coslice

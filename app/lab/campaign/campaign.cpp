#include "lab/campaign/campaign.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/codec.h"
#include "scenario/load.h"
#include "scenario/toml.h"

namespace coslice {
namespace {

constexpr double kMostValues = 1e6;
constexpr double kRangeSlack = 1e-9;  // of a step: 0.1 + 2 * 0.1 is a little above 0.3

struct RangeSpec {
  double from = 0, to = 0;
  std::optional<double> step, factor;
};

const std::vector<Key<RangeSpec>>& range_keys() {
  static const Range any{-1e300, 1e300};
  static const Range above_0{0, 1e300, true};
  static const std::vector<Key<RangeSpec>> keys = {
      {"from", codec::real<RangeSpec>(COSLICE_FIELD(RangeSpec, from), any), "The first value.", true},
      {"to", codec::real<RangeSpec>(COSLICE_FIELD(RangeSpec, to), any), "The last one, if a step meets it.", true},
      {"step", codec::real<RangeSpec>(COSLICE_FIELD(RangeSpec, step), above_0), "What is added."},
      {"factor", codec::real<RangeSpec>(COSLICE_FIELD(RangeSpec, factor), {1, 1e300, true}),
       "What is multiplied with."},
  };
  return keys;
}

double twelve_digits(double x) { return std::strtod(fmt::format("{:.12g}", x).c_str(), nullptr); }

std::vector<double> range_numbers(const RangeSpec& r, const Value& v, const std::string& path) {
  if (r.to < r.from) fail_at(v.place, path + " ends below its beginning", "from <= to");
  if (r.step.has_value() == r.factor.has_value())
    fail_at(v.place, path + (r.step ? " has a step and a factor" : " has no step"),
            "{ from, to, step } or { from, to, factor }");
  if (r.factor && r.from <= 0)
    fail_at(v.place, path + " multiplies from " + fmt::format("{:g}", r.from), "from above 0");
  const double steps = r.step ? (r.to - r.from) / *r.step : std::log(r.to / r.from) / std::log(*r.factor);
  if (!(steps < kMostValues))
    fail_at(v.place, path + " has too many values", fmt::format("at most {:.0f}", kMostValues));
  std::vector<double> numbers;
  for (double i = 0; i <= steps + kRangeSlack; ++i)
    numbers.push_back(twelve_digits(r.step ? r.from + i * *r.step : r.from * std::pow(*r.factor, i)));
  return numbers;
}

/// A range of whole numbers has whole numbers.
bool is_whole_range(const Value& v) {
  for (const char* key : {"from", "to", "step", "factor"}) {
    const Value* part = v.find(key);
    if (part && !part->integer()) return false;
  }
  return true;
}

/// Exactly, also where a floating-point number has no room for all digits.
std::vector<std::int64_t> whole_numbers(const Value& v) {
  const auto part = [&](const char* key) { return *v.find(key)->integer(); };
  const std::int64_t to = part("to");
  std::vector<std::int64_t> numbers;
  bool beyond = false;
  for (std::int64_t i = part("from"); !beyond && i <= to;) {
    numbers.push_back(i);
    beyond = v.find("step") != nullptr ? __builtin_add_overflow(i, part("step"), &i)
                                       : __builtin_mul_overflow(i, part("factor"), &i);
  }
  return numbers;
}

std::vector<Value> range_values(const Value& v, const std::string& path) {
  RangeSpec r;
  read_record(range_keys(), r, v, path);
  std::vector<Value> values;
  for (const double x : range_numbers(r, v, path)) values.emplace_back(x);
  if (is_whole_range(v)) {
    values.clear();
    for (const std::int64_t i : whole_numbers(v)) values.emplace_back(i);
  }
  for (Value& value : values) value.place = v.place;
  return values;
}

namespace fs = std::filesystem;

constexpr std::int64_t kMostSeeds = 1'000'000;

/// [campaign] as it stands.
struct CampaignKeys {
  std::string name, where;
  std::optional<Value> scenario, seeds;
  Place where_place;
  bool jobs = false;
};

Codec<CampaignKeys> as_it_is(std::string type, std::optional<Value> CampaignKeys::*field) {
  return {std::move(type), [field](CampaignKeys& h, const Value& v, const std::string&) { h.*field = v; },
          [](const CampaignKeys&) { return std::nullopt; }};
}

const std::vector<Key<CampaignKeys>>& campaign_keys() {
  static const std::vector<Key<CampaignKeys>> keys = [] {
    Codec<CampaignKeys> where = codec::text<CampaignKeys>(COSLICE_FIELD(CampaignKeys, where));
    const auto read = where.read;
    where.read = [read](CampaignKeys& h, const Value& v, const std::string& path) {
      read(h, v, path);
      h.where_place = v.place;
    };
    return std::vector<Key<CampaignKeys>>{
        {"name", codec::text<CampaignKeys>(COSLICE_FIELD(CampaignKeys, name)), "Name of the campaign."},
        {"scenario", as_it_is("a path in quotes or a list of them", &CampaignKeys::scenario), "What is varied."},
        {"seeds", as_it_is("a number or a list", &CampaignKeys::seeds), "Seeds."},
        {"where", where, "Which points are run."},
        {"jobs", codec::flag<CampaignKeys>(COSLICE_FIELD(CampaignKeys, jobs)), "Whether jobs are kept."},
    };
  }();
  return keys;
}

/// An axis, or several that are zipped, and where the file has it.
struct FoundAxis {
  int line = 0;
  std::vector<std::string> names;
  Dimension dimension;
};

class CampaignReader {
 public:
  CampaignReader(Campaign& out, const Value& tree) : out_(out), tree_(tree) {}

  void read() {
    for (const Member& m : *tree_.members()) {
      const std::vector<std::string> known = {"axes", "campaign", "scenario", "zipped"};
      if (std::ranges::find(known, m.key) == known.end()) unknown_key(m.value, "", m.key, known);
    }
    CampaignKeys head;
    if (const Value* v = tree_.find("campaign")) read_record(campaign_keys(), head, *v, "campaign");
    out_.name = head.name.empty() ? fs::path(out_.file).stem().string() : head.name;
    out_.where = head.where;
    out_.where_place = head.where_place;
    out_.jobs = head.jobs;
    read_bases(head);
    if (const Value* v = tree_.find("scenario")) {
      if (!v->is_table()) codec::wrong(*v, "scenario", "a table with the keys of a scenario");
      for (Value& base : out_.bases) merge_scenario(base, *v);
    }
    read_axes();
    read_zipped();
    if (head.seeds) read_seeds(*head.seeds);
    order();
  }

 private:
  void read_bases(const CampaignKeys& head) {
    if (!head.scenario) {
      if (!tree_.find("scenario"))
        fail_at(tree_.place, "the campaign names no scenario",
                "campaign.scenario = \"FILE.toml\", or a table [scenario]");
      out_.bases.push_back(Value::table());
      out_.bases.back().place = tree_.find("scenario")->place;
      return;
    }
    const Value& v = *head.scenario;
    const std::string words = "the path of a scenario in quotes, or a list of them";
    const Value::List list = v.list() ? *v.list() : Value::List{v};
    if (list.empty()) codec::wrong(v, "campaign.scenario", words);
    FoundAxis axis{v.place.line, {kScenarioAxis}, {}};
    require_distinct(list, "campaign.scenario");
    for (const Value& item : list) {
      out_.bases.push_back(read_base(codec::read_path(item, "campaign.scenario", words)));
      axis.dimension.rows.push_back({item});
    }
    if (v.list()) add(std::move(axis), v);
  }

  /// A bare trace stands for a scenario, as in `coslice run`.
  static Value read_base(const std::string& path) {
    if (fs::path(path).extension() == ".toml") return read_scenario_tree(path);
    Value tree = Value::table();
    apply_override(tree, "workload.trace=" + toml_text(Value(path)), path);
    tree.place = {std::make_shared<Source>(Source{path, ""}), 0};
    return tree;
  }

  void read_axes() {
    const Value* axes = tree_.find("axes");
    if (!axes) return;
    if (!axes->is_table()) codec::wrong(*axes, "axes", "a table of axes");
    each_axis(*axes, "", [&](const std::string& name, const Value& v) { add(single(name, "axes." + name, v), v); });
  }

  static FoundAxis single(const std::string& name, const std::string& path, const Value& v) {
    FoundAxis axis{v.place.line, {name}, {}};
    std::vector<Value> values = axis_values(v, path);
    require_distinct(values, path);
    for (Value& value : values) axis.dimension.rows.push_back({std::move(value)});
    return axis;
  }

  /// "policy.params.depth" may stand as one name in quotes or as tables in tables; a range is a table, too.
  template <class Take>
  static void each_axis(const Value& table, const std::string& prefix, const Take& take) {
    for (const Member& m : *table.members()) {
      const std::string name = prefix.empty() ? m.key : prefix + "." + m.key;
      if (m.value.is_table() && !m.value.find("from")) each_axis(m.value, name, take);
      else take(name, m.value);
    }
  }

  void read_zipped() {
    const Value* zipped = tree_.find("zipped");
    if (!zipped) return;
    const std::string words = "tables [[zipped]], each with axes of the same length";
    if (!zipped->list()) codec::wrong(*zipped, "zipped", words);
    for (const Value& group : *zipped->list()) {
      if (!group.is_table()) codec::wrong(group, "zipped", words);
      FoundAxis axes{group.place.line, {}, {}};
      each_axis(group, "", [&](const std::string& name, const Value& v) { zip(axes, name, v); });
      if (axes.names.empty()) fail_at(group.place, "[[zipped]] has no axes", words);
      add(std::move(axes), group);
    }
  }

  static void zip(FoundAxis& axes, const std::string& name, const Value& v) {
    std::vector<Value> values = axis_values(v, "zipped." + name);
    auto& rows = axes.dimension.rows;
    if (axes.names.empty()) rows.resize(values.size());
    if (values.size() != rows.size()) {
      fail_at(v.place,
              fmt::format("zipped.{} has {} values and zipped.{} has {}", name, values.size(), axes.names.front(),
                          rows.size()),
              "as many");
    }
    axes.names.push_back(name);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(std::move(values[i]));
  }

  void read_seeds(const Value& v) {
    FoundAxis axis{v.place.line, {"seed"}, {}};
    if (v.integer()) {
      const std::int64_t n =
          codec::read_integer(v, "campaign.seeds", codec::integer_words(1, kMostSeeds), 1, kMostSeeds);
      for (std::int64_t i = 1; i <= n; ++i) {
        axis.dimension.rows.push_back({Value(i)});
        axis.dimension.rows.back().front().place = v.place;
      }
    } else {
      axis = single("seed", "campaign.seeds", v);
    }
    add(std::move(axis), v);
  }

  void add(FoundAxis axis, const Value& where) {
    for (const std::string& name : axis.names) {
      for (const FoundAxis& other : found_) {
        for (const std::string& n : other.names)
          if (key_of_axis(n) == key_of_axis(name)) fail_at(where.place, "two axes are called '" + name + "'");
      }
    }
    found_.push_back(std::move(axis));
  }

  /// Seeds vary slowest: after the first round each point has been run once, and more seeds come behind what was there.
  void order() {
    const auto is_seed = [](const FoundAxis& f) { return f.names == std::vector<std::string>{"seed"}; };
    std::ranges::stable_sort(found_, {}, &FoundAxis::line);
    std::stable_partition(found_.begin(), found_.end(), [&](const FoundAxis& f) { return !is_seed(f); });
    for (FoundAxis& f : found_) {
      for (const std::string& name : f.names) {
        f.dimension.axes.push_back(out_.axes.size());
        out_.axes.push_back(name);
      }
    }
    std::stable_partition(found_.begin(), found_.end(), is_seed);
    for (FoundAxis& f : found_) out_.dimensions.push_back(std::move(f.dimension));
  }

  Campaign& out_;
  const Value& tree_;
  std::vector<FoundAxis> found_;
};

}  // namespace

std::vector<Value> axis_values(const Value& v, const std::string& path) {
  if (v.list() && v.list()->empty()) fail_at(v.place, path + " is an empty list", "at least one value");
  if (!v.is_table() && !v.list()) codec::wrong(v, path, "a list, or a range { from, to, step }");
  return v.is_table() ? range_values(v, path) : *v.list();
}

void require_distinct(const std::vector<Value>& values, const std::string& path) {
  std::set<std::string> seen;
  for (const Value& v : values) {
    if (!seen.insert(toml_text(v)).second) fail_at(v.place, toml_text(v) + " appears twice in " + path);
  }
}

Campaign parse_campaign(std::string_view text, const std::string& file, const std::string& folder) {
  Campaign out;
  out.file = file;
  out.folder = folder;
  out.text = text;
  const Value tree = parse_toml(text, std::make_shared<Source>(Source{file, folder}));
  CampaignReader(out, tree).read();
  return out;
}

Campaign read_campaign(const std::string& path) {
  return parse_campaign(read_text_file(path, "campaign file"), path, fs::path(path).parent_path().string());
}

std::string key_of_axis(const std::string& axis) { return axis == "policy" ? "policy.name" : axis; }

}  // namespace coslice

// What the Lua half of papers (lua/lib/paper.lua) asks of the engine.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <lua.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "api/policy/params.h"
#include "api/scripts/rows.h"
#include "api/scripts/script_errors.h"
#include "api/scripts/table_value.h"
#include "formats/trace_file.h"
#include "host/bind.h"
#include "host/value_text.h"
#include "lab/papers/paper.h"
#include "scenario/csv_columns.h"
#include "scenario/load.h"

namespace coslice {
namespace {

/// The line of the paper, or of a module of it, that runs.
Place place_of(lua_State* L, const std::string& folder) {
  lua_Debug at{};
  for (int level = 0; lua_getstack(L, level, &at) != 0; ++level) {
    lua_getinfo(L, "Sl", &at);
    if (at.currentline <= 0 || *at.source != '@' || std::strcmp(at.source, "@lib/paper.lua") == 0) continue;
    return {std::make_shared<Source>(Source{at.source + 1, folder}), at.currentline};
  }
  return {};
}

std::string text_of(lua_State* L, int index, const Place& place, const std::string& what) {
  if (lua_type(L, index) != LUA_TSTRING)
    fail_at(place, fmt::format("{} is {}", what, describe_value(L, index)), "a text");
  return std::string(luahost::text_argument(L, index));
}

void check_list(lua_State* L, int index, const Place& place, const std::string& function, const std::string& expected) {
  if (!lua_istable(L, index))
    fail_at(place, fmt::format("{}: its argument is {}", function, describe_value(L, index)), expected);
}

/// The name of a file that is looked for in folders of the user's: it must not lead out of them.
std::string name_below(lua_State* L, int index, const Place& place, const std::string& function) {
  std::string name = text_of(L, index, place, function + ": the name");
  const std::filesystem::path path(name);
  if (path.is_absolute() || std::ranges::find(path, "..") != path.end())
    fail_at(place, fmt::format("{}: '{}' leads out of the folders that it looks in", function, name),
            "a path below them, without '..'");
  return name;
}

std::vector<double> numbers(lua_State* L, int index, const Place& place, const std::string& what) {
  std::vector<double> out;
  for (lua_Integer i = 1, n = luaL_len(L, index); i <= n; ++i) {
    lua_geti(L, index, i);
    if (lua_type(L, -1) != LUA_TNUMBER)
      fail_at(place, fmt::format("{}[{}] is {}", what, i, describe_value(L, -1)), "a number");
    out.push_back(lua_tonumber(L, -1));
    if (!std::isfinite(out.back())) fail_at(place, fmt::format("{}[{}] is {}", what, i, out.back()), "a finite number");
    lua_pop(L, 1);
  }
  return out;
}

/// "policy.params.nodes = first-free, seed = 3": what overrides the scenario, in order of the keys.
std::string in_words(const Value& v, const std::string& path) {
  if (!v.is_table()) return fmt::format("{} = {}", path, v.text() ? *v.text() : toml_text(v));
  std::string out;
  for (const Member& m : *v.members()) {
    out += (out.empty() ? "" : ", ") + in_words(m.value, path.empty() ? m.key : path + "." + m.key);
  }
  return out;
}

/// What overrides the scenario, as axes of a campaign: "policy.params.nodes".
void add_axes(Value& point, const Value& v, const std::string& path) {
  if (!v.is_table()) {
    point.set(path, v);
    return;
  }
  for (const Member& m : *v.members()) add_axes(point, m.value, path.empty() ? m.key : path + "." + m.key);
}

/// Reads the fields of a row.
class RowReader {
 public:
  RowReader(lua_State* L, int index, Place place)
      : L_(L), place_(std::move(place)), fields_(L, index, place_.source ? place_.source->name : "", "", "row") {}

  Measurement read() {
    fields_.only({"quantity", "unit", "published", "values", "obtained", "estimate", "seeds", "band", "at_least",
                  "at_most", "finding", "fitted", "given", "note", "indicative", "skipped", "chart", "at", "series"});
    Measurement m;
    m.quantity = fields_.text("quantity");
    m.unit = fields_.text("unit", "");
    m.note = fields_.text("note", "");
    m.finding = fields_.text("finding", "");
    m.indicative = fields_.text("indicative", "");
    m.skipped = fields_.text("skipped", "");
    m.published = number("published");
    read_figure(m);
    read_basis(m);
    m.band = band();
    if (fields_.has("chart")) m.place = place_in_chart();
    else if (fields_.has("at") || fields_.has("series"))
      fail_at(place_, "row: it has a place in no chart", "chart = ...");
    if (m.skipped.empty() && m.values.empty() && !m.obtained) {
      fail_at(place_, fmt::format("row '{}' has no figure", m.quantity), "values, obtained, estimate, or skipped");
    }
    return m;
  }

 private:
  void read_figure(Measurement& m) const {
    const bool estimate = fields_.has("estimate");
    if (estimate && (fields_.has("values") || fields_.has("obtained")))
      fail_at(place_, fmt::format("row '{}' has an estimate and another figure", m.quantity), "one of them");
    m.obtained = number("obtained");
    if (fields_.has("seeds")) m.seeds = static_cast<int>(fields_.integer("seeds", 0));
    if (fields_.has("values")) {
      m.values = list("values");
      m.obtained.reset();
    }
    if (!estimate) return;
    const luahost::StackGuard guard(L_);
    fields_.push("estimate");
    if (!lua_istable(L_, -1))
      fail_at(place_, fmt::format("row: estimate is {}", describe_value(L_, -1)), "what lab.estimate returns");
    const FieldReader of = fields_.inner(lua_gettop(L_), "row: estimate");
    of.only({"obtained", "values"});
    m.obtained = of.number("obtained");
    of.push("values");
    if (!lua_istable(L_, -1)) fail_at(place_, "row: estimate has no values", "what lab.estimate returns");
    m.values = numbers(L_, lua_gettop(L_), place_, "estimate.values");
  }

  void read_basis(Measurement& m) const {
    m.fitted = fields_.text("fitted", "");
    m.given = fields_.text("given", "");
    if (!m.fitted.empty() && !m.given.empty())
      fail_at(place_, fmt::format("row '{}' is fitted and given", m.quantity), "one of the two");
  }

  std::optional<double> number(const char* name) const {
    if (!fields_.has(name)) return std::nullopt;
    const double x = fields_.number(name);
    if (!std::isfinite(x)) fail_at(place_, fmt::format("row: {} is {}", name, x), "a finite number");
    return x;
  }

  std::vector<double> list(const char* name) const {
    const luahost::StackGuard guard(L_);
    fields_.push(name);
    if (!lua_istable(L_, -1))
      fail_at(place_, fmt::format("row: {} is {}", name, describe_value(L_, -1)), "a list of numbers");
    return numbers(L_, lua_gettop(L_), place_, name);
  }

  /// chart = { title = "...", axis = "workload" }, or the title alone; at = "W1" or a number; series = "GLTS".
  ChartPlace place_in_chart() const {
    const luahost::StackGuard guard(L_);
    ChartPlace p;
    fields_.push("chart");
    if (lua_istable(L_, -1)) {
      const FieldReader chart = fields_.inner(lua_gettop(L_), "row: chart");
      chart.only({"title", "axis", "drawn"});
      p.chart = chart.text("title");
      p.axis = chart.text("axis", "");
      if (chart.has("drawn") && !chart.flag("drawn")) p.drawn = false;
    } else {
      p.chart = fields_.text("chart");
    }
    fields_.push("at");
    if (lua_type(L_, -1) == LUA_TNUMBER) {
      p.x = number("at");
      p.at = fmt::format("{:g}", *p.x);
    } else {
      p.at = fields_.text("at");
    }
    p.series = fields_.text("series", "");
    return p;
  }

  std::optional<Band> band() const {
    Band b{number("at_least"), number("at_most")};
    if (fields_.has("band")) {
      const std::vector<double> ends = list("band");
      if (ends.size() != 2 || b.low || b.high)
        fail_at(place_, "row: band has two ends", "band = { low, high }, or at_least, at_most");
      b = {ends[0], ends[1]};
    }
    if (b.low && b.high && *b.low > *b.high)
      fail_at(place_, fmt::format("row: the band begins at {} and ends at {}", *b.low, *b.high), "low <= high");
    return b.low || b.high ? std::optional<Band>(b) : std::nullopt;
  }

  lua_State* L_;
  Place place_;
  FieldReader fields_;
};

/// Throws InputError unless there is room in the chart, and its unit is the row's.
void check_place(const std::vector<Row>& rows, const Measurement& m, const Place& line) {
  for (const Row& r : rows) {
    if (!r.place || r.place->chart != m.place->chart) continue;
    if (r.unit != m.unit)
      fail_at(line, fmt::format("row '{}' is in '{}', its chart in '{}'", m.quantity, m.unit, r.unit),
              "one unit in a chart");
    if (r.place->at == m.place->at && r.place->series == m.place->series)
      fail_at(line, fmt::format("row '{}' has the place of '{}' in its chart", m.quantity, r.quantity),
              "another `at` or `series`");
  }
}

}  // namespace

struct PaperFunctions {
  static Scenario scenario_of(Paper& paper, const std::string& file, const Value& overrides) {
    const std::filesystem::path path = std::filesystem::path(paper.where_.folder) / file;
    Value tree = read_scenario_tree(path.lexically_normal().string());
    merge_scenario(tree, overrides);
    for (const std::string& assignment : paper.options_.sets) apply_override(tree, assignment);
    Scenario scenario = check_scenario(tree);
    if (scenario.policy.names.size() == 1) paper.leave_out_foreign_params(scenario);
    return scenario;
  }

  /// What a function works on.
  struct Call {
    static constexpr int kFirstArgument = 1;
    explicit Call(lua_State* state)
        : L(state), paper(*static_cast<Paper*>(lua_touserdata(state, lua_upvalueindex(1)))) {}
    Place place() const { return place_of(L, paper.where_.folder); }
    lua_State* L;
    Paper& paper;
  };

  /// request(scenario, overrides, whether jobs are wanted) -> number of the run
  static std::size_t request(const Call& call, std::string file) {
    lua_State* const L = call.L;
    Paper& paper = call.paper;
    const Place place = call.place();
    if (!lua_istable(L, 2))
      fail_at(place, "the overrides are " + describe_value(L, 2), "a table with the keys of a scenario");
    Value overrides = value_from_lua(L, 2, place, "");
    if (!overrides.is_table()) fail_at(place, "the overrides are a list", "named keys: policy = { ... }");
    std::string key = file;
    if (const std::string words = in_words(overrides, ""); !words.empty()) key += ", " + words;
    RunRequest request{key, scenario_of(paper, file, overrides), lua_toboolean(L, 3) != 0, paper.where_.folder};
    request.point.set("scenario", file);
    add_axes(request.point, overrides, "");
    if (request.scenario.policy.names.size() != 1) {
      fail_at(place, file + " names several policies", "exactly one: policy = { name = ... }");
    }
    key = fmt::format("{}/{}{}", paper.name(), key, request.jobs ? " with jobs" : "");
    const std::size_t number = paper.simulations_->add(key, std::move(request));
    paper.runs_[paper.turn_].insert(number);
    return number;
  }

  /// summary(number of a run) -> its summary, or nil while it is not made
  static luahost::Pushed summary(const Call& call, lua_Integer number) {
    const RunOutcome* outcome = call.paper.simulations_->outcome(static_cast<std::size_t>(number));
    if (outcome) push_value(call.L, outcome->summary);
    else lua_pushnil(call.L);
    return {};
  }

  /// column(number of a run, name) -> that column of its jobs.csv: numbers where it has numbers, false where it is
  /// empty
  static luahost::Pushed column(const Call& call, lua_Integer number, std::string name) {
    lua_State* const L = call.L;
    const RunOutcome* outcome = call.paper.simulations_->outcome(static_cast<std::size_t>(number));
    if (outcome == nullptr) luahost::raise(L, "there is no result of this run");
    const CsvColumns csv(outcome->jobs);
    const auto at = csv.column(name);
    if (!at)
      fail_at(call.place(), fmt::format("jobs have no column '{}'", name),
              fmt::format("one of {}", fmt::join(csv.columns(), ", ")), did_you_mean(name, csv.columns()));
    lua_newtable(L);
    lua_Integer i = 0;
    csv.each(*at, [&](std::string_view field) {
      luahost::charge(L, 1);
      push_csv_cell(L, field);
      lua_seti(L, -2, ++i);
    });
    return {};
  }

  /// turn(number of the experiment): it goes on now
  static void turn(const Call& call, lua_Integer number) { call.paper.turn_ = static_cast<std::size_t>(number) - 1; }

  /// row(fields)
  static void row(const Call& call) {
    Paper& paper = call.paper;
    const Place place = call.place();
    if (!lua_istable(call.L, 1))
      fail_at(place, "a row is " + describe_value(call.L, 1), "lab.row { quantity = ..., values = ... }");
    try {
      const Measurement m = RowReader(call.L, 1, place).read();
      const std::string& label = paper.experiments_[paper.chosen_[paper.turn_]].label;
      if (m.place) check_place(paper.rows_[paper.turn_], m, place);
      paper.rows_[paper.turn_].push_back(judge(paper.name(), label, m, paper.options_.size == PaperSize::kQuick));
    } catch (const InputError& e) {
      Diagnostic d = e.diagnostic();
      if (d.line == 0) d.line = place.line;
      throw InputError(std::move(d));
    }
  }

  /// The whole path of the first of the names that is in one of the folders.
  static std::optional<std::string> found(const std::vector<std::string>& names,
                                          const std::vector<std::string>& folders) {
    const std::string path = find_trace(names, folders);
    if (path.empty()) return {};
    return std::filesystem::absolute(path).lexically_normal().string();
  }

  /// trace(names) -> path of the first that is there, or nil
  static std::optional<std::string> trace(const Call& call) {
    lua_State* const L = call.L;
    check_list(L, 1, call.place(), "lab.trace", "a list of names: lab.trace { \"log.swf\" }");
    std::vector<std::string> names;
    for (lua_Integer i = 1, n = luaL_len(L, 1); i <= n; ++i) {
      lua_geti(L, 1, i);
      names.push_back(name_below(L, -1, call.place(), "lab.trace"));
      lua_pop(L, 1);
    }
    return found(names, call.paper.options_.trace_folders);
  }

  /// data(path) -> path of that file of the paper's data, or nil
  static std::optional<std::string> data(const Call& call) {
    return found({name_below(call.L, 1, call.place(), "lab.data")}, call.paper.data_folders_);
  }

  /// Names in that folder of the data for which `wanted` holds, sorted: of the first place that has some.
  template <class F>
  static std::vector<std::string> names_in(const Call& call, const char* function, F&& wanted) {
    std::vector<std::string> names;
    const std::string inside = name_below(call.L, 1, call.place(), function);
    std::error_code ignored;
    for (const std::string& folder : call.paper.data_folders_) {
      for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / inside, ignored))
        if (wanted(entry)) names.push_back(entry.path().filename().string());
      if (!names.empty()) break;
    }
    std::ranges::sort(names);
    return names;
  }

  /// files(folder) -> names of the files in that folder of the data, sorted
  static std::vector<std::string> files(const Call& call) {
    std::error_code ignored;
    return names_in(call, "lab.files", [&](const auto& entry) { return entry.is_regular_file(ignored); });
  }

  /// folders(folder) -> names of the folders there, sorted
  static std::vector<std::string> folders(const Call& call) {
    std::error_code ignored;
    return names_in(call, "lab.folders", [&](const auto& entry) { return entry.is_directory(ignored); });
  }

  /// csv(path) -> its rows, each with its cells by the names of the columns
  static luahost::Pushed csv(const Call& call) {
    const CsvTable table(text_of(call.L, 1, call.place(), "lab.csv: the path"), "a table of figures");
    luahost::charge(call.L, static_cast<std::int64_t>(table.rows() * table.names().size()));
    push_csv_rows(call.L, table);
    return {};
  }

  /// json(path) -> what the file says
  static luahost::Pushed json(const Call& call) {
    const auto tree = read_json_file(text_of(call.L, 1, call.place(), "lab.json: the path"), "a JSON file");
    luahost::charge(call.L, static_cast<std::int64_t>(tree.size()));
    push_json(call.L, tree);
    return {};
  }

  static double mean(const Call& call) {
    check_list(call.L, 1, call.place(), "lab.mean", "a list of numbers");
    return coslice::mean(numbers(call.L, 1, {}, "values"));
  }

  /// interval(values) -> low, high, or nothing for fewer than two
  static std::optional<std::tuple<double, double>> interval(const Call& call) {
    check_list(call.L, 1, call.place(), "lab.interval", "a list of numbers");
    const auto found = estimate_of(numbers(call.L, 1, {}, "values"), Unit::kSeed).interval;
    if (!found) return {};
    return {{found->low, found->high}};
  }
};

void push_paper_functions(lua_State* L, Paper& paper) {
  using luahost::bound;
  using F = PaperFunctions;
  lua_createtable(L, 0, 13);
  lua_pushlightuserdata(L, &paper);
  luahost::set_functions(L,
                         {{"request", bound<F::request>},
                          {"summary", bound<F::summary>},
                          {"row", bound<F::row>},
                          {"column", bound<F::column>},
                          {"turn", bound<F::turn>},
                          {"trace", bound<F::trace>},
                          {"data", bound<F::data>},
                          {"files", bound<F::files>},
                          {"folders", bound<F::folders>},
                          {"csv", bound<F::csv>},
                          {"json", bound<F::json>},
                          {"mean", bound<F::mean>},
                          {"interval", bound<F::interval>}},
                         1);
}

}  // namespace coslice

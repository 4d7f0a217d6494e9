#include "lab/campaign/campaign_groups.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "lab/campaign/campaign_report.h"
#include "lab/campaign/results.h"
#include "output/summary_json.h"

namespace coslice {
namespace {

bool covers(const Coordinates& general, const Coordinates& at) {
  if (general == at) return false;
  for (std::size_t i = 0; i < general.size(); ++i)
    if (!general[i].empty() && general[i] != at[i]) return false;
  return true;
}

bool covers_another(const Coordinates& at, const std::vector<Coordinates>& all) {
  return std::ranges::any_of(all, [&](const Coordinates& o) { return covers(at, o); });
}

constexpr const char* kSeed = "seed";

struct ReadCampaign {
  std::shared_ptr<const CampaignResults> results;
  std::string path, name;
  std::vector<std::string> axes;    ///< without the seed
  std::vector<CampaignRun> runs;    ///< that ended, well or not
  std::vector<std::string> varied;  ///< of the axes, those with several values
  PolicyNames policies;
};

std::int64_t seed_of(const CampaignRun& run) { return run.seed.value_or(0); }

std::string value_on(const CampaignRun& run, const std::string& axis) {
  const Value* v = run.point.find(axis);
  return v != nullptr ? axis_text(*v) : "-";
}

/// The value as people read it: of a policy's axis its name.
std::string shown_on(const ReadCampaign& c, const CampaignRun& run, const std::string& axis) {
  const std::string value = value_on(run, axis);
  return names_policies(axis) ? c.policies.of(value) : value;
}

ReadCampaign read(const std::string& path) {
  const auto results = std::make_shared<const CampaignResults>(path);
  ReadCampaign c{results, path, results->name(), results->axes(), {}, {}, {}};
  std::erase(c.axes, kSeed);
  std::size_t done = 0;
  results->each([&](CampaignRun&& run) {
    done += run.done ? 1 : 0;
    c.runs.push_back(std::move(run));
  });
  if (done == 0)
    throw InputError({path, 0, "holds no run that ended well", "",
                      c.runs.empty() ? "" : "the first that failed says: " + c.runs.front().error});
  for (const std::string& axis : c.axes) {
    if (names_policies(axis))
      for (const CampaignRun& run : c.runs) c.policies.add(value_on(run, axis), run);
    const std::string first = value_on(c.runs.front(), axis);
    const auto differs = [&](const CampaignRun& run) { return value_on(run, axis) != first; };
    if (std::ranges::any_of(c.runs, differs)) c.varied.push_back(axis);
  }
  return c;
}

/// The axis that is compared.
std::string chosen_axis(const ReadCampaign& c, const std::optional<std::string>& by) {
  if (by) {
    if (std::ranges::find(c.axes, *by) == c.axes.end())
      throw InputError({"--by " + *by, 0, "no such axis in " + c.path,
                        fmt::format("one of: {}", fmt::join(c.axes, ", ")), did_you_mean(*by, c.axes)});
    return *by;
  }
  for (const char* policy : {"policy", "policy.name"})
    if (std::ranges::find(c.varied, policy) != c.varied.end()) return policy;
  if (c.varied.empty())
    throw InputError({c.path, 0, "no axis of the campaign has several values", "several policies or settings"});
  return c.varied.front();
}

Coordinates coordinates_of(const ReadCampaign& c, const CampaignRun& run, const std::vector<std::string>& axes) {
  Coordinates out;
  for (const std::string& axis : axes) {
    const Value* v = run.point.find(axis);
    out.push_back(v == nullptr || v->is_nil() ? "" : shown_on(c, run, axis));
  }
  return out;
}

std::string place_text(const std::vector<std::string>& axes, const Coordinates& at) {
  std::string out;
  for (std::size_t i = 0; i < axes.size(); ++i)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", axes[i], at[i].empty() ? "-" : at[i]);
  return out;
}

std::vector<std::string> without(std::vector<std::string> axes, const std::vector<std::string>& others) {
  std::erase_if(axes, [&](const std::string& a) { return std::ranges::find(others, a) != others.end(); });
  return axes;
}

/// Where runs are compared, as texts.
class Places {
 public:
  Places(const ReadCampaign& c, std::vector<std::string> axes) : campaign_(c), axes_(std::move(axes)) {
    std::vector<Coordinates> all;
    std::set<Coordinates> known;
    for (const CampaignRun& run : c.runs) {
      Coordinates at = coordinates_of(campaign_, run, axes_);
      if (known.insert(at).second) all.push_back(std::move(at));
    }
    for (const auto& [at, places] : standing_places(all))
      for (const Coordinates& place : places) texts_[at].push_back(place_text(axes_, place));
  }

  const std::vector<std::string>& of(const CampaignRun& run) const {
    return texts_.at(coordinates_of(campaign_, run, axes_));
  }

 private:
  const ReadCampaign& campaign_;
  std::vector<std::string> axes_;
  std::map<Coordinates, std::vector<std::string>> texts_;
};

/// With a way to its jobs.
RunRecord whole_record_of(const CampaignRun& run, const ReadCampaign& c) {
  RunRecord r = record_of(run, c.path);
  r.jobs_advice = "jobs = true in [campaign] keeps them";
  r.fetch_jobs = [results = c.results, number = run.run, where = r.where] {
    const std::string csv = results->jobs_csv(number);
    return csv.empty() ? std::vector<JobRecord>{} : read_jobs(csv, where);
  };
  return r;
}

/// Adds the run to the variant of that name.
void add_run(const CampaignRun& run, const ReadCampaign& c, const std::string& condition, const std::string& name,
             std::vector<Variant>& variants) {
  auto v = std::ranges::find(variants, name, &Variant::name);
  if (v == variants.end()) v = variants.insert(v, Variant{name, {}});
  if (!run.done) {
    v->failed.push_back({fmt::format("{}, run {}", c.path, run.run), run.error, seed_of(run)});
    return;
  }
  v->runs.push_back(whole_record_of(run, c));
  v->runs.back().condition = condition;
}

class Groups {
 public:
  void add(const std::string& at, const std::string& variant, const CampaignRun& run, const ReadCampaign& c) {
    auto group = std::ranges::find(groups_, at, &VariantGroup::at);
    if (group == groups_.end()) group = groups_.insert(group, VariantGroup{at, {}});
    add_run(run, c, "", variant, group->variants);
  }

  /// Places where there is nothing to compare are left out.
  std::vector<VariantGroup> take() {
    std::erase_if(groups_, [](const VariantGroup& g) { return g.variants.size() < 2; });
    return std::move(groups_);
  }

 private:
  std::vector<VariantGroup> groups_;
};

void add_one(const ReadCampaign& c, const std::string& axis, Groups& groups) {
  const Places places(c, without(c.varied, {axis}));
  for (const CampaignRun& run : c.runs)
    for (const std::string& at : places.of(run)) groups.add(at, shown_on(c, run, axis), run, c);
}

void add_several(const std::vector<ReadCampaign>& all, Groups& groups) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ReadCampaign& c = all[i];
    if (c.axes != all.front().axes)
      throw InputError({c.path, 0, fmt::format("has other axes than {}: {}", all.front().path, fmt::join(c.axes, ", ")),
                        fmt::format("{}", fmt::join(all.front().axes, ", "))});
    const bool named = std::ranges::count(all, c.name, &ReadCampaign::name) == 1;
    for (const CampaignRun& run : c.runs)
      groups.add(place_text(c.varied, coordinates_of(c, run, c.varied)), named && !c.name.empty() ? c.name : c.path,
                 run, c);
  }
}

/// "easy depth=5": policies by their names, other axes by the last part of theirs. Axes that do not apply are left out.
std::string point_name(const ReadCampaign& c, const CampaignRun& run, const std::vector<std::string>& axes) {
  std::string out;
  const Coordinates at = coordinates_of(c, run, axes);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (at[i].empty()) continue;
    out += (out.empty() ? "" : " ") +
           (names_policies(axes[i]) ? at[i] : axes[i].substr(axes[i].rfind('.') + 1) + "=" + at[i]);
  }
  return out.empty() ? "-" : out;
}

[[noreturn]] void throw_alone(const std::string& path, const std::string& axis) {
  if (axis.empty())
    throw InputError({path, 0, "the campaigns have no point in common", "runs that ended well at the same points"});
  throw InputError({path, 0, fmt::format("no point has runs that ended well of two values of '{}'", axis),
                    "at least two to compare", "another axis: --by AXIS"});
}

}  // namespace

std::map<Coordinates, std::vector<Coordinates>> standing_places(const std::vector<Coordinates>& all) {
  std::map<Coordinates, std::vector<Coordinates>> out;
  for (const Coordinates& at : all) {
    std::vector<Coordinates>& places = out[at];
    if (std::ranges::find(at, "") != at.end()) {
      for (const Coordinates& other : all)
        if (covers(at, other) && !covers_another(other, all)) places.push_back(other);
    }
    if (places.empty()) places.push_back(at);
  }
  return out;
}

std::string axis_text(const Value& v) {
  if (v.is_nil()) return "-";
  return v.text() != nullptr ? *v.text() : json_from_value(v);
}

RunRecord record_of(const CampaignRun& run, const std::string& campaign) {
  RunRecord r;
  r.where = fmt::format("{}, run {}", campaign, run.run);
  r.seed = run.seed.value_or(0);
  r.summary = run.summary;
  r.settings = Value::table();
  Value machine = Value::table();
  if (const auto* const axes = run.point.members())
    for (const Member& axis : *axes)
      if (axis.key.starts_with("machine.")) machine.set(axis.key.substr(axis.key.find('.') + 1), axis.value);
  if (!machine.members()->empty()) r.settings.set("machine", std::move(machine));
  return r;
}

bool is_condition_axis(const std::string& axis) {
  const std::string table = axis.substr(0, axis.find('.'));
  for (const char* of : {"scenario", "workload", "machine", "outages", "slowdown", "processes"})
    if (table == of) return true;
  return false;
}

bool names_policies(const std::string& axis) { return axis == "policy" || axis == "policy.name"; }

void PolicyNames::add(const std::string& value, const CampaignRun& run) {
  if (of_value_.count(value) != 0) return;
  // A run that failed before its policy could be read has no other name of it than the file's.
  const std::string said = run.done ? text_at(run.summary, {"policy", "name"}) : run.policy;
  const std::string own = said.empty() || said == value ? std::filesystem::path(value).stem().string() : said;
  std::string name = own;
  for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}-{}", own, n);
  of_value_[value] = name;
}

const std::string& PolicyNames::of(const std::string& value) const {
  const auto found = of_value_.find(value);
  return found == of_value_.end() ? value : found->second;
}

std::optional<std::vector<Variant>> campaign_points(const std::string& path) {
  const ReadCampaign c = read(path);
  std::vector<std::string> conditions, choices;
  for (const std::string& axis : c.varied) (is_condition_axis(axis) ? conditions : choices).push_back(axis);
  if (choices.empty()) return {};
  const Places places(c, conditions);
  std::vector<Variant> out;
  for (const CampaignRun& run : c.runs)
    for (const std::string& at : places.of(run)) add_run(run, c, at, point_name(c, run, choices), out);
  if (out.size() < 2) return {};
  return out;
}

std::vector<VariantGroup> campaign_groups(const std::vector<std::string>& paths, const std::optional<std::string>& by) {
  std::vector<ReadCampaign> all;
  for (const std::string& path : paths) all.push_back(read(path));
  Groups groups;
  if (all.size() == 1) add_one(all.front(), chosen_axis(all.front(), by), groups);
  else if (by) throw InputError({"--by " + *by, 0, "is not possible with several campaigns", "one campaign"});
  else add_several(all, groups);
  std::vector<VariantGroup> out = groups.take();
  if (out.empty()) throw_alone(paths.front(), all.size() == 1 ? chosen_axis(all.front(), by) : "");
  return out;
}

}  // namespace coslice

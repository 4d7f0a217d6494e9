#include "lab/campaign/campaign_groups.h"

#include <algorithm>
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
  std::vector<CampaignRun> runs;    ///< that are done
  std::vector<std::string> varied;  ///< of the axes, those with several values
};

std::string value_on(const CampaignRun& run, const std::string& axis) {
  const Value* v = run.point.find(axis);
  return v != nullptr ? axis_text(*v) : "-";
}

ReadCampaign read(const std::string& path) {
  const auto results = std::make_shared<const CampaignResults>(path);
  ReadCampaign c{results, path, results->name(), results->axes(), {}, {}};
  std::erase(c.axes, kSeed);
  results->each([&](CampaignRun&& run) {
    if (run.done) c.runs.push_back(std::move(run));
  });
  if (c.runs.empty()) throw InputError({path, 0, "holds no run that ended well"});
  for (const std::string& axis : c.axes) {
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

Coordinates coordinates_of(const CampaignRun& run, const std::vector<std::string>& axes) {
  Coordinates out;
  for (const std::string& axis : axes) {
    const Value* v = run.point.find(axis);
    out.push_back(v == nullptr || v->is_nil() ? "" : axis_text(*v));
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
  Places(const ReadCampaign& c, std::vector<std::string> axes) : axes_(std::move(axes)) {
    std::vector<Coordinates> all;
    std::set<Coordinates> known;
    for (const CampaignRun& run : c.runs) {
      Coordinates at = coordinates_of(run, axes_);
      if (known.insert(at).second) all.push_back(std::move(at));
    }
    for (const auto& [at, places] : standing_places(all))
      for (const Coordinates& place : places) texts_[at].push_back(place_text(axes_, place));
  }

  const std::vector<std::string>& of(const CampaignRun& run) const { return texts_.at(coordinates_of(run, axes_)); }

 private:
  std::vector<std::string> axes_;
  std::map<Coordinates, std::vector<std::string>> texts_;
};

class Groups {
 public:
  void add(const std::string& at, const std::string& variant, RunRecord run) {
    auto group = std::ranges::find(groups_, at, &VariantGroup::at);
    if (group == groups_.end()) group = groups_.insert(group, VariantGroup{at, {}});
    auto v = std::ranges::find(group->variants, variant, &Variant::name);
    if (v == group->variants.end()) v = group->variants.insert(v, Variant{variant, {}});
    v->runs.push_back(std::move(run));
  }

  /// Places where there is nothing to compare are left out.
  std::vector<VariantGroup> take() {
    std::erase_if(groups_, [](const VariantGroup& g) { return g.variants.size() < 2; });
    return std::move(groups_);
  }

 private:
  std::vector<VariantGroup> groups_;
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

void add_one(const ReadCampaign& c, const std::string& axis, Groups& groups) {
  const Places places(c, without(c.varied, {axis}));
  for (const CampaignRun& run : c.runs)
    for (const std::string& at : places.of(run)) groups.add(at, value_on(run, axis), whole_record_of(run, c));
}

void add_several(const std::vector<ReadCampaign>& all, Groups& groups) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ReadCampaign& c = all[i];
    if (c.axes != all.front().axes)
      throw InputError({c.path, 0, fmt::format("has other axes than {}: {}", all.front().path, fmt::join(c.axes, ", ")),
                        fmt::format("{}", fmt::join(all.front().axes, ", "))});
    const bool named = std::ranges::count(all, c.name, &ReadCampaign::name) == 1;
    for (const CampaignRun& run : c.runs)
      groups.add(place_text(c.varied, coordinates_of(run, c.varied)), named && !c.name.empty() ? c.name : c.path,
                 whole_record_of(run, c));
  }
}

/// Whether the axis says under what a policy has to do its work, not what could be chosen.
bool is_condition(const std::string& axis) {
  const std::string table = axis.substr(0, axis.find('.'));
  for (const char* of : {"workload", "machine", "outages", "slowdown", "processes"})
    if (table == of) return true;
  return false;
}

/// "easy depth=5": policies by their names, other axes by the last part of theirs. Axes that do not apply are left out.
std::string point_name(const CampaignRun& run, const std::vector<std::string>& axes) {
  std::string out;
  const Coordinates at = coordinates_of(run, axes);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (at[i].empty()) continue;
    const bool policy = axes[i] == "policy" || axes[i] == "policy.name";
    out += (out.empty() ? "" : " ") + (policy ? at[i] : axes[i].substr(axes[i].rfind('.') + 1) + "=" + at[i]);
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
  return r;
}

std::optional<CampaignPoints> campaign_points(const std::string& path) {
  const ReadCampaign c = read(path);
  std::vector<std::string> conditions, choices;
  for (const std::string& axis : c.varied) (is_condition(axis) ? conditions : choices).push_back(axis);
  if (choices.empty()) return {};
  const Places places(c, conditions);
  std::map<std::string, std::map<std::string, std::vector<const CampaignRun*>>> runs;  // by condition and point
  std::vector<std::string> order, points;
  const auto note = [](std::vector<std::string>& known, const std::string& text) {
    if (std::ranges::find(known, text) == known.end()) known.push_back(text);
  };
  for (const CampaignRun& run : c.runs)
    for (const std::string& at : places.of(run)) {
      const std::string point = point_name(run, choices);
      note(order, at);
      note(points, point);
      runs[at][point].push_back(&run);
    }
  CampaignPoints out;
  for (const std::string& at : order)
    if (runs[at].size() == points.size()) out.conditions.push_back(at);
  if (points.size() < 2 || out.conditions.empty()) return {};
  constexpr std::int64_t kSeedsOfBatch = 1'000'000'000;
  for (const std::string& point : points) {
    Variant v{point, {}};
    for (std::size_t k = 0; k != out.conditions.size(); ++k)
      for (const CampaignRun* run : runs[out.conditions[k]][point]) {
        v.runs.push_back(whole_record_of(*run, c));
        v.runs.back().seed += static_cast<std::int64_t>(k) * kSeedsOfBatch;
      }
    out.variants.push_back(std::move(v));
  }
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

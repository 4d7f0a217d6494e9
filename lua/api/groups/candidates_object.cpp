// Lists of candidates as Lua objects.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "api/groups/group_handles.h"

namespace coslice::groups {

namespace {

/// Those of the list for which `wanted` holds.
template <class F>
List those(const ListCall& call, F&& wanted) {
  List kept;
  std::ranges::copy_if(call.list, std::back_inserter(kept.candidates), wanted);
  return kept;
}

std::size_t at_least_0(lua_Integer n) { return static_cast<std::size_t>(std::max<lua_Integer>(0, n)); }

/// #candidates -> integer
std::size_t list_length(const ListCall& call) { return call.list.size(); }

/// candidates:jobs(most?) -> Job[]
std::vector<AnyJob> list_jobs(const ListCall& call, std::optional<lua_Integer> most) {
  const std::size_t count = most ? std::min(at_least_0(*most), call.list.size()) : call.list.size();
  std::vector<AnyJob> jobs;
  for (std::size_t i = 0; i != count; ++i) jobs.push_back(call.list[i].job);
  return jobs;
}

/// Calls the function at index 2 with a candidate's job; `use` looks at the answer on the stack.
template <class F>
void ask(const ListCall& call, const Candidate& c, F&& use) {
  lua_State* const L = call.L;
  lua_pushvalue(L, 2);
  luahost::push(L, AnyJob(c.job), call);
  lua_call(L, 1, 1);
  use();
  lua_pop(L, 1);
}

/// candidates:where(keep) -> Candidates
List list_where(const ListCall& call) {
  luaL_checktype(call.L, 2, LUA_TFUNCTION);
  return those(call, [&](const Candidate& c) {
    bool keep = false;
    ask(call, c, [&] { keep = lua_toboolean(call.L, -1) != 0; });
    return keep;
  });
}

/// candidates:by(key) -> Candidates
List list_by(const ListCall& call) {
  luaL_checktype(call.L, 2, LUA_TFUNCTION);
  std::vector<std::pair<double, Candidate>> keyed;
  for (const Candidate& c : call.list)
    ask(call, c, [&] {
      int is_number = 0;
      const double key = lua_tonumberx(call.L, -1, &is_number);
      if (is_number == 0 || key != key) luahost::raise(call.L, "the function must return a number to sort by");
      keyed.emplace_back(key, c);
    });
  std::ranges::stable_sort(keyed, [](const auto& a, const auto& b) { return a.first < b.first; });
  List sorted;
  for (const auto& k : keyed) sorted.candidates.push_back(k.second);
  return sorted;
}

/// candidates:parallel() -> Candidates
List list_parallel(const ListCall& call) {
  return those(call, [](const Candidate& c) { return c.processes > 1; });
}

/// candidates:serial() -> Candidates
List list_serial(const ListCall& call) {
  return those(call, [](const Candidate& c) { return c.processes == 1; });
}

/// candidates:fitting(nodes) -> Candidates
List list_fitting(const ListCall& call, lua_Integer nodes) {
  return those(call, [=](const Candidate& c) { return c.nodes <= nodes; });
}

/// candidates:first(most) -> Candidates
List list_first(const ListCall& call, lua_Integer most) {
  List kept{call.list};
  if (kept.candidates.size() > at_least_0(most)) kept.candidates.resize(at_least_0(most));
  return kept;
}

/// candidates:bearing(job, limits?) -> Candidates
/// Those that could be the primary of the job.
List list_bearing(const ListCall& call, JobCandidate other) {
  const Tolerance t = tolerance_option(call.L, 3, "candidates:bearing");
  return those(call, [&](const Candidate& primary) { return !call.d.search.tolerating(primary, {other}, t).empty(); });
}

/// candidates:without(job) -> Candidates
List list_without(const ListCall& call, AnyJob job) {
  return those(call, [&](const Candidate& c) { return c.job != job; });
}

/// candidates:leading(job) -> Candidates
/// The same list with that job first.
List list_leading(const ListCall& call, AnyJob job) {
  List all{call.list};
  std::stable_partition(all.candidates.begin(), all.candidates.end(), [&](const Candidate& c) { return c.job == job; });
  return all;
}

/// candidates:contains(job) -> boolean
bool list_contains(const ListCall& call, AnyJob job) {
  return std::ranges::any_of(call.list, [&](const Candidate& c) { return c.job == job; });
}

/// candidates:tolerating(primary, limits?) -> Candidates
List list_tolerating(const ListCall& call, JobCandidate primary) {
  const Tolerance t = tolerance_option(call.L, 3, "candidates:tolerating");
  List kept{call.d.search.tolerating(primary, call.list, t)};
  call.view.count_attempt(kept.candidates.size());
  return kept;
}

/// candidates:tolerating_one(primary, limits?, job) -> Candidates
/// That job alone, if it is one of those that tolerate the primary and that it tolerates. Counts as a search for all of
/// them, of which no more are looked for than make a difference to what is counted.
List list_tolerating_one(const ListCall& call, JobCandidate primary) {
  const Tolerance t = tolerance_option(call.L, 3, "candidates:tolerating_one");
  const AnyJob job(call.L, call, 4);
  std::size_t count = 0;
  for (auto c = call.list.begin(); c != call.list.end() && count < SharingCounts::kFewCandidates; ++c)
    count += call.d.search.tolerated(primary, *c, t).has_value();
  call.view.count_attempt(count);
  const auto found = std::ranges::find(call.list, job.j, &Candidate::job);
  return found == call.list.end() ? List() : List{call.d.search.tolerating(primary, {*found}, t)};
}

/// candidates:pairs(primary) -> Groups
/// Each candidate alone over the primary.
Plans list_pairs(const ListCall& call, JobCandidate primary) {
  Plans all;
  for (const Candidate& c : call.list) all.plans.push_back(call.d.search.plan(primary, {c}));
  return all;
}

/// candidates:blocks(size, order?) -> Candidates[]
luahost::Pushed list_blocks(const ListCall& call, lua_Integer size) {
  if (size < 1) luaL_argerror(call.L, 2, "blocks have one candidate at least");
  static const char* const orders[] = {"given", "longest", nullptr};
  const bool sorted = luaL_checkoption(call.L, 3, "given", orders) == 1;
  luahost::push_list(call.L, GroupSearch::blocks(call.list, static_cast<std::size_t>(size), sorted),
                     [&](const Candidates& block) { List{block}.push(call.L, call); });
  return {};
}

/// candidates:windows(primary, exceed) -> Groups
Plans list_windows(const ListCall& call, JobCandidate primary, double exceed) {
  return {call.d.search.windows(primary, call.list, exceed)};
}

/// candidates:best_of_all(primary, exceed, most?, least?) -> Group?
std::optional<Plan> list_best_of_all(const ListCall& call, JobCandidate primary, double exceed,
                                     std::optional<lua_Integer> most, std::optional<double> least) {
  GroupPlan best = call.d.search.best_of_all(primary, call.list, exceed, at_least_0(most.value_or(64)));
  if (best.matched.empty()) return {};
  if (best.gain >= least.value_or(-HUGE_VAL)) return Plan{std::move(best)};
  refuse_plan(call.view, best, GroupRefusal::kLowGain);
  return {};
}

/// candidates:group(primary) -> Group?
/// The plan of these jobs, as they stand in the list, over a primary one.
std::optional<Plan> list_group(const ListCall& call, JobCandidate primary) {
  if (call.list.empty()) return {};
  return Plan{call.d.search.plan(primary, call.list)};
}

}  // namespace

void build_candidates_metatable(lua_State* L, GroupContext& context) {
  using luahost::bound;
  build_type(L, context, kCandidatesType,
             {{"jobs", bound<list_jobs>},
              {"where", bound<list_where>},
              {"by", bound<list_by>},
              {"parallel", bound<list_parallel>},
              {"serial", bound<list_serial>},
              {"without", bound<list_without>},
              {"first", bound<list_first>},
              {"bearing", bound<list_bearing>},
              {"fitting", bound<list_fitting>},
              {"contains", bound<list_contains>},
              {"leading", bound<list_leading>},
              {"tolerating", bound<list_tolerating>},
              {"tolerating_one", bound<list_tolerating_one>},
              {"blocks", bound<list_blocks>},
              {"windows", bound<list_windows>},
              {"pairs", bound<list_pairs>},
              {"group", bound<list_group>},
              {"best_of_all", bound<list_best_of_all>}},
             nullptr, bound<list_length>);
}

}  // namespace coslice::groups

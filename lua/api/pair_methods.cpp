#include "api/pair_methods.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <lua.hpp>
#include <optional>
#include <vector>

#include "api/group_handles.h"
#include "api/job_tables.h"
#include "api/options.h"
#include "api/view_object.h"
#include "core/error.h"
#include "host/guard.h"
#include "sharing/pair_search.h"
#include "sharing/response_impact.h"
#include "sharing/sharing.h"

namespace coslice {

using namespace groups;

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

// --- rules: which jobs may be partners

struct Request {
  PairRules rules;
  std::size_t depth = std::numeric_limits<std::size_t>::max();  ///< how many jobs behind are looked at
};

Resource resource_at(lua_State* L, int index) {
  static const char* const names[] = {"cpu", "network", "disk", nullptr};
  const char* name = lua_tostring(L, index);
  for (int i = 0; names[i] != nullptr; ++i)
    if (name != nullptr && std::strcmp(name, names[i]) == 0) return static_cast<Resource>(i);
  luaL_error(L, "the kinds of jobs are 'cpu', 'network' and 'disk'");
  return Resource::kCpu;
}

/// kinds = { { "cpu", "disk" }, ... }: pairs that may share nodes; the list is on the top of the stack.
void read_kinds(lua_State* L, const options::Option& o, PairRules& rules) {
  const char* const form = "a list of pairs such as { 'cpu', 'disk' }";
  if (!lua_istable(L, -1)) o.fail(form);
  rules.kinds = {};
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
    if (!lua_istable(L, -1)) o.fail(form);
    lua_rawgeti(L, -1, 1);
    const auto a = static_cast<std::size_t>(resource_at(L, -1));
    lua_rawgeti(L, -2, 2);
    const auto b = static_cast<std::size_t>(resource_at(L, -1));
    rules.kinds[a][b] = rules.kinds[b][a] = true;
    lua_pop(L, 3);
  }
  lua_pop(L, 1);
}

Request request_option(lua_State* L, int table, const char* of) {
  Request r;
  options::read(L, table, of, {"over", "narrower", "memory", "matchable", "kinds", "max_slowdown", "depth"},
                [&](const options::Option& o) {
                  if (o.is("over")) r.rules.over = o.number();
                  else if (o.is("narrower")) r.rules.narrower = o.flag();
                  else if (o.is("memory")) r.rules.memory = o.flag();
                  else if (o.is("matchable")) r.rules.matchable = o.flag();
                  else if (o.is("kinds")) read_kinds(L, o, r.rules);
                  else if (o.is("max_slowdown")) r.rules.max_slowdown = o.number();
                  else r.depth = static_cast<std::size_t>(std::max(0.0, std::min(1e9, o.number())));
                });
  return r;
}

const ResourceSlowdowns& resources(const GroupContext& d) {
  const SlowdownModel* model = d.view_object().jobs().slowdowns();
  const ResourceSlowdowns* r = model == nullptr ? nullptr : model->resources();
  if (r == nullptr) {
    throw InputError({"", 0, "the policy looks for pairs by what jobs use, which the scenario does not say",
                      "[slowdown] with model = \"resources\"", "", ""});
  }
  return *r;
}

int push_counts(lua_State* L, const PairCounts& c) {
  for (const std::size_t n : {c.long_enough, c.narrow_enough, c.memory_fits, c.matchable, c.slow_enough})
    lua_pushinteger(L, static_cast<lua_Integer>(n));
  return 5;
}

/// Which rule kept two jobs apart: the first that was not counted.
const char* rule_text(const PairCounts& before, const PairCounts& after) {
  if (after.long_enough == before.long_enough) return "one of them is too short to share nodes";
  if (after.narrow_enough == before.narrow_enough) return "it needs more nodes than the other one has";
  if (after.memory_fits == before.memory_fits) return "a node has not the memory for both";
  if (after.matchable == before.matchable) return "they want the same parts of a node";
  return "one of them would get too slow";
}

/// may_pair, which tells the observers of decisions why not. `over`: the job whose nodes are shared.
bool may_pair_told(const View& view, const ResourceSlowdowns& model, const PairRules& rules, const Candidate& job,
                   const Candidate& other, const Candidate& over, PairCounts& counts) {
  const PairCounts before = counts;
  if (may_pair(model, rules, job, other, over, counts)) return true;
  if (view.explained()) {
    GroupPlan plan;
    plan.primary = over;
    plan.matched = {over.job == job.job ? other : job};
    refuse_plan(view, plan, GroupRefusal::kPolicy, kNoJob, rule_text(before, counts));
  }
  return false;
}

/// The job waiting at p, with the work that its nodes are held for: with at_limit = "extend" that may be more than its limit.
Candidate waiting_at(const View& view, View::Position p) {
  Candidate c = waiting_candidate(view, view.queue().job(p));
  c.work = std::max(c.work, to_seconds(view.queue().duration(p)));
  return c;
}

/// Waiting jobs behind one that waits, too; in order of the queue.
int partners(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  const View::Position at = d.view_object().waiting_position(L, 2);
  const Request request = request_option(L, 3, "view:partners");
  const ResourceSlowdowns& model = resources(d);
  const WaitingQueue& queue = view.queue();
  const Candidate job = waiting_at(view, at);
  Candidates found;
  PairCounts counts;
  std::size_t seen = 0;
  for (auto p = queue.next(at); p < queue.end() && seen != request.depth; p = queue.next(p), ++seen) {
    const Candidate other = waiting_at(view, p);
    if (may_pair_told(view, model, request.rules, job, other, job, counts)) found.push_back(other);
  }
  luahost::charge(L, static_cast<std::int64_t>(seen / 8));
  push_list(L, d, std::move(found));
  return 1 + push_counts(L, counts);
}

/// Jobs that run for themselves, on whose nodes a waiting one could be placed; in order of their starts.
int running_partners(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  const View::Position at = d.view_object().waiting_position(L, 2);
  const Request request = request_option(L, 3, "view:running_partners");
  const ResourceSlowdowns& model = resources(d);
  const Candidate job = waiting_at(view, at);
  Candidates found;
  PairCounts counts;
  for (const StartedJob& s : view.started()) {
    if (s.group != nullptr || s.nodes.empty()) continue;
    const Candidate other = running_candidate(view, s);
    if (may_pair_told(view, model, request.rules, job, other, other, counts)) found.push_back(other);
  }
  luahost::charge(L, static_cast<std::int64_t>(view.started().size() / 8));
  push_list(L, d, std::move(found));
  return 1 + push_counts(L, counts);
}

// --- the choice among them

enum class By { kFirst, kGain, kWeightedGain, kResponse };

struct Choice {
  By by = By::kFirst;
  ResponseImpact::Own own = ResponseImpact::Own::kSlowdown;
  ExpectedArrivals arrivals;
  View::Position head = 0;  ///< of a waiting job that the pair must not delay
  bool protects = false;
};

ExpectedArrivals read_arrivals(lua_State* L) {
  ExpectedArrivals a;
  options::read(L, lua_gettop(L), "'arrivals' of view:best_pair", {"first", "others", "work", "queued"},
                [&](const options::Option& o) {
                  if (o.is("first")) a.first = o.number();
                  else if (o.is("others")) a.others = o.number();
                  else if (o.is("work")) a.work = o.number();
                  else a.queued = o.flag();
                });
  return a;
}

Choice choice_option(lua_State* L, GroupContext& d, int table) {
  Choice c;
  options::read(L, table, "view:best_pair", {"by", "own", "arrivals", "head"}, [&](const options::Option& o) {
    if (o.is("by")) {
      c.by = static_cast<By>(o.choice({"first", "gain", "weighted-gain", "response"}));
    } else if (o.is("own")) {
      c.own = static_cast<ResponseImpact::Own>(o.choice({"slowdown", "work"}));
    } else if (o.is("arrivals")) {
      c.arrivals = read_arrivals(L);
    } else {
      if (!lua_istable(L, -1)) o.fail("a waiting job");
      c.head = d.view_object().waiting_position(L, lua_gettop(L));
      c.protects = true;
    }
  });
  return c;
}

NodesTime nodes_time(const Candidate& c) { return {static_cast<double>(c.nodes), c.work}; }

/// Profits of the partners of one job.
class Profits {
 public:
  Profits(const View& view, const ResourceSlowdowns& model, const Candidate& job, View::Position at,
          const Choice& choice)
      : view_(view), model_(model), job_(job), choice_(choice) {
    if (choice.by != By::kResponse) return;
    const WaitingQueue& queue = view.queue();
    // The job itself comes first, as a running partner stands in front of it.
    for (auto p = at; p < queue.end(); p = queue.next(p)) {
      index_.push_back(queue.job(p));
      queue_.push_back({static_cast<double>(queue.nodes(p)), to_seconds(queue.duration(p))});
    }
    queue_.front() = nodes_time(job);
    behind_.assign(queue_.begin() + 1, queue_.end());
    if (!behind_.empty()) impact_.emplace(queue_.front(), behind_, machine(), choice.arrivals, choice.own);
  }

  double of(const Candidate& other) {
    const double slowdown = model_.beside(job_.job, other.job);
    switch (choice_.by) {
      case By::kFirst: return 1;
      case By::kGain: return overlap_gain(job_.nodes, other.nodes, slowdown);
      case By::kWeightedGain: return weighted_overlap_gain(job_.nodes, other.nodes, job_.work, other.work, slowdown);
      case By::kResponse: break;
    }
    if (other.running)
      return ResponseImpact(nodes_time(other), queue_, machine(), choice_.arrivals, choice_.own).of(0, slowdown);
    // Candidates come in order of the queue.
    while (index_[place_ + 1] != other.job) ++place_;
    return impact_->of(place_, slowdown);
  }

 private:
  double machine() const { return view_.capacity(); }

  const View& view_;
  const ResourceSlowdowns& model_;
  const Candidate& job_;
  const Choice& choice_;
  std::vector<JobIndex> index_;    ///< from the job on
  std::vector<NodesTime> queue_;   ///< from the job on
  std::vector<NodesTime> behind_;  ///< behind the job
  std::optional<ResponseImpact> impact_;
  std::size_t place_ = 0;
};

GroupPlan pair_plan(const GroupContext& d, const Candidate& job, const Candidate& other) {
  const bool other_first = other.running || other.nodes > job.nodes;
  const Candidate& primary = other_first ? other : job;
  const Tolerance any{kAny, false, kAny, kAny};
  Candidates second = d.search.tolerating(primary, {other_first ? job : other}, any);
  return second.empty() ? GroupPlan{} : d.search.plan(primary, std::move(second));
}

/// Whether the head of the queue could start as early with the pair as without it. Nodes under a running partner are
/// held already; that they are held for longer may delay the head, too.
bool leaves_in_time(const View& view, const GroupSearch& search, const GroupPlan& plan, View::Position head) {
  constexpr double kRounding = 1e-6;  // s
  const WaitingQueue& queue = view.queue();
  const Time shadow = view.profile().earliest(queue.nodes(head), queue.duration(head), view.now());
  const double window = to_seconds(shadow - view.now()) - kRounding;
  std::int32_t extra = view.profile().free_at(shadow) - queue.nodes(head);
  for (const GroupSearch::Holding& h : GroupSearch::holdings(plan, search.ends(plan)))
    if (h.until > window) extra -= h.nodes;
  const auto held_already = [&](const Candidate& c) {
    for (const StartedJob& s : view.started())
      if (c.running && s.index == c.job && s.expected_end > shadow) extra += s.held;
  };
  held_already(plan.primary);
  for (const Candidate& c : plan.matched) held_already(c);
  return extra >= 0;
}

/// Tells of a pair that was not chosen; its gain is told as what the choice went by.
void refuse_pair(const View& view, const GroupContext& d, const Candidate& job, const Candidate& other, double profit,
                 GroupRefusal why, JobIndex hurt = kNoJob) {
  if (!view.explained()) return;
  GroupPlan plan = pair_plan(d, job, other);
  plan.gain = profit;
  if (!plan.matched.empty()) refuse_plan(view, plan, why, hurt);
}

/// What was made for another job, or before a job started, is no list of the job's partners.
void check_partners(lua_State* L, const View& view, View::Position at, const Candidates& list) {
  const WaitingQueue& queue = view.queue();
  View::Position behind = queue.next(at);
  for (const Candidate& c : list) {
    if (!c.running)
      while (behind < queue.end() && queue.job(behind) != c.job) behind = queue.next(behind);
    if (c.running ? is_current(view, c) : behind < queue.end()) continue;
    luaL_error(L, "job %I is no partner of job %I: its partners are what 'partners' or 'running_partners' gave for it",
               static_cast<LUAI_UACINT>(view.job(c.job).id), static_cast<LUAI_UACINT>(view.job(queue.job(at)).id));
  }
}

int best_pair(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  const View::Position at = d.view_object().waiting_position(L, 2);
  const Candidates& list = check_list(L, d, 3);
  check_partners(L, view, at, list);
  const Choice choice = choice_option(L, d, 4);
  if (list.empty()) return 0;
  const Candidate job = waiting_at(view, at);
  Profits profits(view, resources(d), job, at, choice);
  GroupPlan best;
  double most = 0;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i != list.size() && !(choice.by == By::kFirst && chosen != 0); ++i) {
    const double profit = profits.of(list[i]);
    if (profit <= most) {
      refuse_pair(view, d, job, list[i], profit, most > 0 ? GroupRefusal::kLessGain : GroupRefusal::kLowGain);
      continue;
    }
    GroupPlan plan = pair_plan(d, job, list[i]);
    if (plan.matched.empty()) continue;
    if (choice.protects && !leaves_in_time(view, d.search, plan, choice.head)) {
      refuse_pair(view, d, job, list[i], profit, GroupRefusal::kReservation, view.queue().job(choice.head));
      continue;
    }
    if (chosen != 0) refuse_pair(view, d, job, list[chosen - 1], most, GroupRefusal::kLessGain);
    best = std::move(plan);
    most = profit;
    chosen = i + 1;
  }
  luahost::charge(L, static_cast<std::int64_t>(list.size()));
  if (chosen == 0) return 0;
  push_plan(L, d, std::move(best));
  lua_pushinteger(L, static_cast<lua_Integer>(chosen));
  lua_pushnumber(L, most);
  return 3;
}

// --- pairs that run

const StartedJob& started_job(lua_State* L, const GroupContext& d, int index) {
  const JobIndex j = d.view_object().jobs().index_of(L, index);
  const View& view = d.view_object().view(L);
  for (const StartedJob& s : view.started())
    if (s.index == j) return s;
  luaL_error(L, "job %I does not run", static_cast<LUAI_UACINT>(view.job(j).id));
  std::abort();
}

/// Of a started job: how many times as long as alone with one process on each node it takes for what it does just now.
int slowdown_now(lua_State* L) {
  const StartedJob& s = started_job(L, context_of(L), 2);
  lua_pushnumber(L, s.phase == Phase::kRunning ? 1 / s.rate.value() : kAny);
  return 1;
}

int separate(lua_State* L) {
  GroupContext& d = context_of(L);
  d.view_object().check_decides(L);
  const StartedJob& s = started_job(L, d, 2);
  if (s.group == nullptr || s.group->apart)
    return luaL_error(L, "job %I runs beside no other job",
                      static_cast<LUAI_UACINT>(d.view_object().view(L).job(s.index).id));
  d.view_object().view(L).separate(*s.group);
  return 0;
}

}  // namespace

void add_pair_methods(lua_State* L, GroupContext& context) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"partners", guarded<partners>},   {"running_partners", guarded<running_partners>},
                              {"best_pair", guarded<best_pair>}, {"slowdown", guarded<slowdown_now>},
                              {"separate", guarded<separate>},   {nullptr, nullptr}};
  set_methods(L, methods, context);
}

}  // namespace coslice

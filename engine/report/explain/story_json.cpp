#include <nlohmann/json.hpp>

#include "report/explain/story_text.h"

namespace coslice {
namespace {

using Json = nlohmann::ordered_json;

Json seconds(std::int64_t ns) {
  if (ns % 1'000'000'000 == 0) return ns / 1'000'000'000;
  return static_cast<double>(ns) * 1e-9;
}

Json of(Time t) { return t == kNever ? Json(nullptr) : seconds(t.time_since_epoch().count()); }
Json of(Duration d) { return seconds(d.count()); }

class Writer {
 public:
  Writer(const JobStory& story, const StoryContext& context) : s_(story), c_(context) {}

  Json all() const {
    Json out{{"job", id(s_.job)},
             {"run", c_.run},
             {"class", c_.class_name.empty() ? Json(nullptr) : Json(c_.class_name)},
             {"nodes", s_.started == kNever ? Json(nullptr) : Json(s_.where.count())},
             {"submitted", of(s_.submitted)},
             {"started", of(s_.started)},
             {"ended", of(s_.ended)},
             {"waited", s_.started == kNever ? Json(nullptr) : of(s_.waited())},
             {"rejected", s_.rejected},
             {"killed", s_.killed},
             {"ahead", {{"count", s_.ahead_count}, {"jobs", ids(s_.ahead)}}},
             {"place", s_.best_place == 0
                           ? Json(nullptr)
                           : Json{{"best", s_.best_place}, {"worst", s_.worst_place}, {"later_ahead", s_.later_ahead}}},
             {"free", s_.free}};
    if (s_.rejected) out["rejection"] = {{"at", of(s_.given_up)}, {"text", rejected_text(s_, c_)}};
    if (s_.release) out["released"] = released();
    if (s_.withdrawn) out["withdrawn"] = of(s_.given_up);
    if (s_.unfulfilled) out["unfulfilled"] = {{"at", of(s_.given_up)}, {"by", id(s_.unfulfilled_by)}};
    out["phases"] = list(s_.phases);
    out["earlier_runs"] = list(s_.earlier);
    out["stood_still"] = of(s_.still);
    out["promises"] = list(s_.promises);
    out["passed_by"] = list(s_.passings);
    out["groups_refused"] = list(s_.refused);
    out["guest_refusals"] = {{"nodes", s_.foreign_refusals[0]},
                             {"own_nodes", s_.foreign_refusals[1]},
                             {"reservation", s_.foreign_refusals[2]}};
    out["start"] = s_.started == kNever ? Json(nullptr) : start();
    out["events"] = list(s_.events);
    return out;
  }

 private:
  Json id(JobIndex j) const { return j == kNoJob ? Json(nullptr) : Json(c_.result->workload->jobs[j].id); }
  Json released() const {
    static const char* const kWhat[] = {"begin", "hold", "job", "array"};
    return {{"what", kWhat[s_.release->what]}, {"by", id(s_.release->by)}};
  }
  Json ids(const std::vector<JobIndex>& jobs) const {
    Json out = Json::array();
    for (const JobIndex j : jobs) out.push_back(id(j));
    return out;
  }
  static Json words(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
  template <class T>
  Json list(const std::vector<T>& items) const {
    Json out = Json::array();
    for (const T& item : items) out.push_back(one(item));
    return out;
  }

  Json one(const WaitPhase& p) const {
    return {{"from", of(p.from)},          {"to", of(p.to)},
            {"why", words::name(p.why)},   {"job", id(p.by)},
            {"job_start", of(p.by_start)}, {"needed", p.needed},
            {"free", {p.least, p.most}},   {"holders", ids(p.holders)},
            {"next", of(p.next)},          {"next_what", words(p.next_what)},
            {"words", words(p.words)},     {"text", wait_reason_text(p, c_)}};
  }
  Json one(const StoryRun& r) const {
    return {{"from", of(r.from)}, {"to", of(r.to)}, {"stood_still", of(r.still)}, {"lost_work", of(r.lost)}};
  }
  Json one(const PromisedStart& p) const {
    return {{"at", of(p.at)}, {"start", of(p.start)}, {"reserved", p.held}, {"after_end_of", id(p.after)}};
  }
  Json one(const Passing& p) const {
    return {{"at", of(p.at)},
            {"job", id(p.job)},
            {"how", words::name(p.reason)},
            {"by_order", p.by_order},
            {"nodes", p.nodes},
            {"planned_end", of(later(p.at, p.planned))},
            {"protected", id(p.head)},
            {"protected_start", of(p.head_start)},
            {"extra_nodes", p.extra},
            {"promised", of(p.promised)},
            {"moved_to", of(p.moved_to)},
            {"text", passing_text(p, s_, c_)}};
  }
  Json one(const RefusedGroup& g) const {
    return {{"first", of(g.first)},      {"last", of(g.last)},        {"times", g.times},
            {"primary", id(g.primary)},  {"matched", ids(g.matched)}, {"gain", g.gain},
            {"why", words::name(g.why)}, {"hurt", id(g.hurt)},        {"words", words(g.words)}};
  }
  Json start() const {
    const StartFacts& f = s_.start;
    return {{"how", words::name(f.reason)}, {"passed", {{"count", f.passed_count}, {"jobs", ids(f.passed)}}},
            {"protected", id(f.head)},      {"protected_start", of(f.head_start)},
            {"extra_nodes", f.extra},       {"after_end_of", ids(f.ended)},
            {"slice_began", f.slice_began}, {"words", words(f.words)},
            {"text", start_text(s_, c_)}};
  }
  Json one(const JobEvent& e) const {
    Json out{{"at", of(e.at)}, {"what", words::name(e.kind)}};
    if (e.other != kNoJob)
      out[e.kind == JobEvent::kGroup ? "primary" : e.kind == JobEvent::kShared ? "with" : "for"] = id(e.other);
    if (e.kind == JobEvent::kGroup) {
      out["matched"] = ids(e.members);
      out["gain"] = e.value;
    }
    if (e.kind == JobEvent::kRate) out["rate"] = e.value;
    if (e.kind == JobEvent::kResized) out["nodes"] = static_cast<std::int64_t>(e.value);
    if (e.kind == JobEvent::kShared) {
      if (e.other == kNoJob) out["beside"] = ids(e.members);
      out["lost"] = e.lost;
      if (e.other != kNoJob) out["other_lost"] = e.other_lost;
    }
    if (e.kind == JobEvent::kLoading || e.kind == JobEvent::kSwapped || e.kind == JobEvent::kStopped ||
        e.kind == JobEvent::kShared)
      out["time"] = of(e.time);
    if ((e.kind == JobEvent::kForeign || e.kind == JobEvent::kResumed) && e.slice < c_.classes.size())
      out["slice"] = c_.classes[e.slice];
    return out;
  }

  const JobStory& s_;
  const StoryContext& c_;
};

}  // namespace

std::string story_json(const JobStory& story, const StoryContext& context) {
  return Writer(story, context).all().dump(2) + "\n";
}

}  // namespace coslice

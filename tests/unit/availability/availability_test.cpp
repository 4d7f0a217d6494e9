// The forms of the ledger that count answer alike where one count is enough, on a machine of one kind of nodes. Where
// licences are counted, too, a reservation moves in place as it does if it is taken out and put back.
#include "catch.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <random>

#include "availability/counted_availability.h"
#include "availability/whole_node_availability.h"
#include "jobs/started_jobs.h"
#include "machine/machine_spec.h"

namespace availability_test {

using namespace coslice;

namespace {

constexpr std::int32_t kNodes = 16;

MachineSpec one_kind() {
  LayoutSpec layout;
  layout.kinds.emplace_back();
  layout.kinds.back().name = "n";
  layout.kinds.back().count = kNodes;
  layout.licences = {{"x", 3, {}}};
  MachineSpec machine;
  set_layout(machine, make_layout(layout));
  return machine;
}

/// Looks for earlier starts, and moves, as if there were no other way.
class TakesOut final : public WholeNodeAvailability {
 public:
  using WholeNodeAvailability::WholeNodeAvailability;
  Time earlier(const Ask& a, Time old) override {
    unreserve(a, old);
    const Time t = earliest(a, now());
    REQUIRE(reserve(a, old, ReservationKeeps::kAskedFor) == a.hold);
    return t < old ? t : kNever;
  }
  HoldId move(const Ask& a, Time old, Time t, ReservationKeeps keeps) override {
    return Availability::move(a, old, t, keeps);
  }
};

/// Does the same to both, and compares all answers.
class Both {
 public:
  /// `on` is where the jobs of both ledgers are.
  Both(const std::vector<Job>& jobs, Availability& count, Availability& ledger, Occupancy& on, std::uint32_t seed)
      : random_(seed), count_(count), ledger_(ledger), on_(on), reserved_(jobs.size(), kNever),
        holds_(jobs.size(), {kNoHold, kNoHold}), started_(jobs.size()) {
    for (JobIndex j = 0; j != jobs.size(); ++j) queue_.insert(j, jobs[j].size, jobs[j].limit, 0);
  }

  void step() {
    const auto p = queue_.empty() ? queue_.end() : any_waiting();
    switch (between(0, 6)) {
      case 0: pass_time(); break;
      case 1: reserve_or_move(p); break;
      case 2: start(p); break;
      case 3: unreserve(p); break;
      case 4: finish(any_started()); break;
      case 5: hold(any_started()); break;
      default: pass_beside(p); break;
    }
    // To a count, what is reserved for now is taken.
    if (std::find(reserved_.begin(), reserved_.end(), now_) != reserved_.end()) return;
    CHECK(count_.free_now() == ledger_.free_now());
    CHECK(count_.most_free() == ledger_.most_free());
  }

 private:
  struct Started {
    StartedJob by_count, by_node;
  };

  std::int64_t between(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(to - from + 1));
  }
  Ask ask(WaitingQueue::Position p, std::size_t ledger = 0) const {
    return {queue_.job(p), queue_.nodes(p), queue_.duration(p), holds_[queue_.job(p)][ledger]};
  }
  WaitingQueue::Position any_waiting() {
    WaitingQueue::Position p = queue_.first();
    for (std::int64_t i = between(0, static_cast<std::int64_t>(queue_.size()) - 1); i != 0; --i) p = queue_.next(p);
    return p;
  }
  Started* any_started() {
    std::vector<Started*> all;
    for (auto& s : started_)
      if (s) all.push_back(&*s);
    return all.empty() ? nullptr : all[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(all.size()) - 1))];
  }

  /// Not beyond the first reservation; jobs end when they are expected to.
  void pass_time() {
    now_ += whole_seconds(between(0, 5));
    for (const Time t : reserved_) now_ = std::min(now_, t);
    count_.advance(now_);
    ledger_.advance(now_);
    for (auto& s : started_)
      if (s && s->by_count.expected_end <= now_) finish(&*s);
  }
  void reserve_or_move(WaitingQueue::Position p) {
    if (p == queue_.end()) return;
    const Ask a = ask(p);
    Time& own = reserved_[a.job];
    if (own != kNever) {
      const Time t = count_.earlier(a, own);
      REQUIRE(ledger_.earlier(ask(p, 1), own) == t);
      if (t == kNever) return;
      for (std::size_t i = 0; i != 2; ++i)
        holds_[a.job][i] = both()[i]->move(ask(p, i), own, t, ReservationKeeps::kAskedFor);
      own = t;
      return;
    }
    const Time t = count_.earliest(a, now_);
    REQUIRE(ledger_.earliest(a, now_) == t);
    CHECK(count_.fits_at(a, t));
    CHECK(ledger_.fits_at(a, t));
    for (std::size_t i = 0; i != 2; ++i) holds_[a.job][i] = both()[i]->reserve(a, t, ReservationKeeps::kAskedFor);
    own = t;
    ++reservations_;
  }
  void unreserve(WaitingQueue::Position p) {
    if (p == queue_.end() || reserved_[queue_.job(p)] == kNever) return;
    for (std::size_t i = 0; i != 2; ++i) both()[i]->unreserve(ask(p, i), reserved_[queue_.job(p)]);
    reserved_[queue_.job(p)] = kNever;
    --reservations_;
  }
  void start(WaitingQueue::Position p) {
    if (p == queue_.end()) return;
    const Ask a = ask(p);
    const bool reserved = reserved_[a.job] != kNever;
    if (!reserved) {
      REQUIRE(count_.fits_now(a) == ledger_.fits_now(a));
      if (!count_.fits_now(a)) return;
    } else if (reserved_[a.job] != now_) {
      return;
    }
    start_now(p, reserved);
  }
  void start_now(WaitingQueue::Position p, bool reserved) {
    const Ask a = ask(p);
    Started& s = started_[a.job].emplace();
    s.by_count.hold = holds_[a.job][0];
    s.by_node.hold = holds_[a.job][1];
    for (StartedJob* job : {&s.by_count, &s.by_node}) {
      job->index = a.job;
      job->node_count = job->held = a.nodes;
      job->expected_end = later(now_, a.duration);
    }
    count_.start(s.by_count, reserved);
    ledger_.start(s.by_node, reserved);
    CHECK(s.by_node.nodes.count() == a.nodes);
    on_.come(s.by_node);
    reserved_[a.job] = kNever;
    reservations_ -= reserved ? 1 : 0;
    queue_.take(p);
  }
  void finish(Started* s) {
    if (s == nullptr) return;
    on_.go(s->by_node);
    count_.finish(s->by_count);
    ledger_.finish(s->by_node);
    started_[s->by_count.index].reset();
  }
  void hold(Started* s) {
    if (s == nullptr) return;
    const Time end = now_ + whole_seconds(between(1, 30));
    const bool longer = end > s->by_count.expected_end;
    if (longer) {
      const bool room = count_.room_to_hold(s->by_count, end);
      REQUIRE(ledger_.room_to_hold(s->by_node, end) == room);
      if (!room) return;
    }
    count_.hold(s->by_count, end);
    ledger_.hold(s->by_node, end);
    s->by_count.expected_end = s->by_node.expected_end = end;
  }
  /// Which jobs pass one that has to wait, also while they start.
  void pass_beside(WaitingQueue::Position head) {
    if (head == queue_.end() || reservations_ != 0 || count_.fits_now(ask(head))) return;
    const Time shadow = count_.shield(ask(head));
    CHECK(ledger_.shield(ask(head)) == shadow);
    for (WaitingQueue::Position p = queue_.first(); p < queue_.end();) {
      const auto passing = count_.next_passing(queue_, p, queue_.end());
      REQUIRE(ledger_.next_passing(queue_, p, queue_.end()) == passing);
      if (passing >= queue_.end()) break;
      if (between(0, 1) == 1) start_now(passing, false);
      p = passing + 1;
    }
    for (Availability* x : both()) x->unshield();
  }
  std::array<Availability*, 2> both() { return {&count_, &ledger_}; }

  std::mt19937 random_;
  Availability& count_;
  Availability& ledger_;
  Occupancy& on_;
  WaitingQueue queue_;
  Time now_{};
  std::vector<Time> reserved_;                ///< by JobIndex; kNever: not
  std::vector<std::array<HoldId, 2>> holds_;  ///< by JobIndex
  std::size_t reservations_ = 0;
  std::deque<std::optional<Started>> started_;  ///< by JobIndex
};

std::vector<Job> random_jobs(std::mt19937& random) {
  std::vector<Job> jobs(30);
  for (Job& job : jobs) {
    job.size = 1 + static_cast<std::int32_t>(random() % kNodes);
    job.limit = job.runtime = whole_seconds(1 + static_cast<std::int64_t>(random() % 20));
  }
  return jobs;
}

}  // namespace

TEST_CASE("one count of nodes and counts of one kind give the same answers", "[availability]") {
  const MachineSpec machine = one_kind();
  std::mt19937 random(7);
  for (std::uint32_t seed = 0; seed != 300; ++seed) {
    INFO("seed " << seed);
    const std::vector<Job> jobs = random_jobs(random);
    const JobDemands demands(machine, jobs, nullptr, EngineOptions{});
    CountedAvailability count(kNodes, Time{});
    Occupancy on(kNodes);
    WholeNodeAvailability ledger(demands, nullptr, on, Time{});
    Both both(jobs, count, ledger, on, seed);
    for (int i = 0; i != 150; ++i) both.step();
  }
}

TEST_CASE("a reservation of nodes and licences moves up in place as if it were taken out and put back",
          "[availability]") {
  const MachineSpec machine = one_kind();
  std::mt19937 random(11);
  for (std::uint32_t seed = 0; seed != 300; ++seed) {
    INFO("seed " << seed);
    std::vector<Job> jobs = random_jobs(random);
    RequestTable requests;
    for (Job& job : jobs) {
      Request r = whole_nodes(job.size, 1);
      if (random() % 2 == 0) r.licences = {{0, 1 + static_cast<std::int32_t>(random() % 3)}};
      job.request = requests.intern(r);
    }
    const JobDemands demands(machine, jobs, &requests, EngineOptions{});
    REQUIRE(demands.scarce_licences().size() == 1);
    Occupancy on(kNodes);
    WholeNodeAvailability in_place(demands, nullptr, on, Time{});
    TakesOut taken_out(demands, nullptr, on, Time{});
    Both both(jobs, in_place, taken_out, on, seed);
    for (int i = 0; i != 150; ++i) both.step();
  }
}

}  // namespace availability_test

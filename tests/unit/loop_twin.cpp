#include "loop_twin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "loop_ledger.h"

namespace coslice::loop {

namespace {

class Twin : private Ledger {
 public:
  using Ledger::Ledger;

  std::vector<Fate> run() {
    now_ = seconds(c_.jobs.front().submit);
    for (NodeState& n : nodes_) n.free_since = now_;
    for (;;) {
      handle();
      const Tick next = next_instant();
      if (next == kNever) break;
      now_ = next;
    }
    for (int j = 0; j != count(); ++j)
      if (job(j).phase == Phase::kToCome) fate(j).state = State::kUnfulfilled;
    return fates_;
  }

 private:
  // --- what happens

  Tick next_instant() {
    Tick next = kNever;
    const auto at = [&](Tick t) {
      if (t > now_) next = std::min(next, t);
    };
    for (int j = 0; j != count(); ++j) {
      const Progress& p = job(j);
      if (p.phase == Phase::kRunning) at(p.ends), at(held(j).to);
      if (p.phase == Phase::kToCome && !p.never) at(comes(j));
      if (p.phase <= Phase::kWaiting && said(j).withdrawn >= 0) at(withdrawal(j));
    }
    for (const Hold& h : holds_)
      if (h.job >= 0 && job(h.job).reserved) at(h.from);
    for (const NodeState& n : nodes_) {
      at(n.until);
      if (n.down) at(n.believed);
    }
    for (const Outage& o : c_.outages) at(seconds(o.from));
    for (const Reserved& r : c_.reservations)
      if (r.floating < 0)
        for (const int t : {r.from, r.from + r.length, r.announced}) at(seconds(t));
    return next;
  }

  Hold& held(int j) {
    return *std::find_if(holds_.begin(), holds_.end(), [j](const Hold& h) { return h.job == j; });
  }

  void handle() {
    ended_ = false;
    for (;;) {  // in the order of their starts
      int first = -1;
      for (const int j : started_)
        if (job(j).ends == now_ && first < 0) first = j;
      if (first < 0) break;
      finish(first);
    }
    outages();
    reservations();
    corrections();
    arrivals();
    for (;;) {  // a start may let others come at once
      pass();
      if (!arrivals()) break;
    }
  }

  void drop(int j) {
    std::erase_if(holds_, [&](const Hold& h) { return h.job == j; });
  }
  /// What it holds is free from now on.
  void give_back(int j) {
    for (const Hold& h : holds_) freed_early_ = freed_early_ || (h.job == j && h.to > now_);
    drop(j);
  }

  void leave(int j) {
    give_back(j);
    std::erase(started_, j);
    ended_ = true;
    for (const int n : fate(j).nodes)
      if (jobs_on(n).empty()) node(n).free_since = std::max(now_, node(n).up);
  }

  /// When a node is up that a job gets now.
  Tick comes_up(int n) const {
    const NodeState& s = nodes_[static_cast<std::size_t>(n)];
    const Tick off = s.free_since + seconds(c_.idle);
    const bool used = std::any_of(started_.begin(), started_.end(),
                                  [&](int j) { return has(fates_[static_cast<std::size_t>(j)].nodes, n); });
    if (!c_.power || n == c_.always_on || used || now_ <= off) return std::max(now_, s.up);
    return std::max(now_, off + seconds(c_.shutdown)) + seconds(c_.boot);
  }

  /// Jobs that are believed to have ended and have not.
  void corrections() {
    static constexpr Tick kSteps[] = {60, 5 * 60, 15 * 60, 30 * 60, 3600};
    for (int j = 0; j != count(); ++j) {
      Progress& p = job(j);
      if (p.phase != Phase::kRunning || held(j).to != now_) continue;
      Hold& h = held(j);
      h.to = std::min(now_ + kSteps[std::min<std::size_t>(p.corrected++, 4)] * kSecond, p.gone);
      if (collides(h, now_)) put_reservations_back();
    }
  }

  void over(int j, State state, bool failed) {
    Progress& p = job(j);
    const bool was_there = p.phase != Phase::kToCome || p.has_place;
    p.phase = Phase::kOver;
    if (was_there) leave_array(j);
    p.failed = failed || said(j).status == 0 || said(j).status == 5;
    p.over = now_;
    fate(j).state = state;
    std::erase(queue_, j);
    p.reserved = false;
  }

  void finish(int j) {
    leave(j);
    fate(j).end = now_;
    over(j, job(j).killed ? State::kKilled : State::kCompleted, job(j).killed);
    left(fate(j).nodes);
  }

  /// Nodes that were to go when their jobs had ended.
  void left(const std::vector<int>& nodes) {
    for (const int n : nodes)
      if (node(n).draining && node(n).until > now_ && jobs_on(n).empty()) take_down(n);
  }

  std::vector<int> jobs_on(int n) {
    std::vector<int> jobs;
    for (const int j : started_)
      if (has(fate(j).nodes, n)) jobs.push_back(j);
    return jobs;
  }

  // --- nodes that go and come back

  void outages() {
    for (int n = 0; n != machine(); ++n) {
      NodeState& s = node(n);
      if (s.until == now_) {
        s.draining = false;
        if (!s.down) continue;
        s.down = false;
        give_back(-1 - n);
        s.free_since = now_;
        s.up = 0;
        ended_ = true;
      } else if (s.down && s.believed == now_) {
        believe(n, now_ + seconds(c_.believed_repair));
        ended_ = true;
      }
    }
    for (const Outage& o : c_.outages) {
      if (seconds(o.from) > now_ || begun_.count(&o) != 0) continue;
      begun_.insert(&o);
      if (seconds(o.from + o.length) <= now_) continue;
      for (const int n : o.nodes) begin(n, o);
      ended_ = true;
    }
  }

  void begin(int n, const Outage& o) {
    NodeState& s = node(n);
    const Tick until = std::max(s.until, seconds(o.from + o.length));
    const bool longer = until > s.until;
    s.until = until;
    if (o.kind == Away::kFailure) {
      s.kind = o.kind;
      for (const int j : jobs_on(n)) interrupt(j);
    } else if (!s.down) {
      s.kind = o.kind;
    }
    if (s.down && longer) believe(n, believed(n));
    else if (!s.down && (!whole_ || jobs_on(n).empty())) take_down(n);  // where jobs share nodes at once
    else if (!s.down) s.draining = true;
  }

  Tick believed(int n) {
    NodeState& s = node(n);
    return s.kind == Away::kFailure && c_.believed_repair > 0 ? now_ + seconds(c_.believed_repair) : s.until;
  }

  void take_down(int n) {
    node(n).draining = false;
    node(n).down = true;
    believe(n, believed(n));
  }

  /// Schedulers believe that the node, which is away, is back then.
  void believe(int n, Tick until) {
    for (const Hold& h : holds_) freed_early_ = freed_early_ || (h.job == -1 - n && until < h.to);
    drop(-1 - n);
    node(n).believed = until;
    holds_.push_back({-1 - n, {{n, 0}}, now_, until});
    if (collides(Hold(holds_.back()), now_)) put_reservations_back();
  }

  void interrupt(int j) {
    Progress& p = job(j);
    const std::vector<int> nodes = fate(j).nodes;
    fate(j).interrupted.push_back({fate(j).start, now_});
    leave(j);
    if (c_.lose) {
      fate(j).end = now_;
      over(j, State::kLost, true);
    } else {
      save(j, std::max<Tick>(0, now_ - p.up) * halves(j) / 2);
      p.phase = Phase::kWaiting;
      p.interrupted = true;
      p.came = now_;
      fate(j).start = fate(j).end = kNever;
      fate(j).nodes.clear();
      fate(j).gpus.clear();
      queue_.push_back(j);
    }
    left(nodes);
  }

  void save(int j, Tick done) {
    Progress& p = job(j);
    if (c_.interval == 0) return;
    if (p.saved > 0) done -= seconds(c_.restart);
    if (done > 0) p.saved += done / seconds(c_.interval + c_.cost) * seconds(c_.interval);
  }

  // --- reservations of nodes

  void reservations() {
    for (const Reserved& r : c_.reservations) {
      if (r.floating >= 0) continue;
      for (const int t : {r.from, r.from + r.length, r.announced}) ended_ = ended_ || seconds(t) == now_;
      if (r.announced > 0 && seconds(r.announced) == now_) put_reservations_back();
    }
    for (int j = 0; j != count(); ++j)
      if (job(j).phase == Phase::kWaiting && too_late(j)) reject(j);
  }
  /// It names a reservation that is over for good.
  bool too_late(int j) const {
    const Reserved* const r = named(j);
    return r != nullptr && seconds(r->from + r->length) <= now_;
  }
  void reject(int j) {
    give_back(j);
    over(j, State::kRejected, true);
  }

  // --- jobs come and are withdrawn

  Tick withdrawal(int j) const { return seconds(std::max(said(j).withdrawn, said(j).submit)); }

  /// When what it needs of another job has happened: kNever if not yet, -1 if it never can.
  Tick happened(const Need& need) const {
    const Progress& p = job(need.on);
    switch (need.what) {
      case After::kStart:
        if (p.started_once != kNever) return p.started_once + seconds(60 * need.delay);
        if (p.phase == Phase::kOver) return p.over + seconds(60 * need.delay);
        return p.never ? -1 : kNever;
      case After::kAny: return p.phase == Phase::kOver ? p.over : p.never ? -1 : kNever;
      default:
        if (p.phase != Phase::kOver) return p.never ? -1 : kNever;
        return p.failed == (need.what == After::kNotOk) ? p.over : -1;
    }
  }

  /// When it may come: kNever if that is not known yet, -1 if it never can.
  Tick comes(int j) const {
    const Job& s = said(j);
    Tick t = seconds(std::max({s.submit, s.begin, s.held}));
    if (s.needs.empty()) return t;
    Tick all = 0, one = kNever;
    bool never = false, possible = false;
    for (const Need& need : s.needs) {
      const Tick h = happened(need);
      never = never || h == -1;
      possible = possible || h != -1;
      if (h != -1) all = std::max(all, h), one = std::min(one, h);
    }
    if (s.any ? !possible : never) return -1;
    const Tick ready = s.any ? one : all;
    return ready == kNever ? kNever : std::max(t, ready);
  }

  bool array_is_full(int j) const {
    int in = 0;
    for (int k = 0; k != count(); ++k)
      in += said(k).array == said(j).array && (job(k).phase == Phase::kWaiting || job(k).phase == Phase::kRunning);
    return said(j).array >= 0 && in >= kArrayLimit;
  }
  /// An element of the array is gone. Of those that have waited for its place, one may come now.
  void leave_array(int j) {
    int next = -1;
    for (int k = 0; k != count(); ++k)
      if (said(j).array >= 0 && said(k).array == said(j).array && job(k).phase == Phase::kToCome && job(k).parked &&
          (next < 0 || job(k).may_come < job(next).may_come))
        next = k;
    if (next < 0) return;
    job(next).parked = false;
    job(next).has_place = true;
    job(next).may_come = now_;
  }

  /// Jobs that wait for what will not be leave. Whether there was one.
  bool some_can_never_come() {
    bool any = false;
    for (int j = 0; j != count(); ++j) {
      Progress& p = job(j);
      if (p.phase != Phase::kToCome || p.never || comes(j) != -1) continue;
      any = true;
      if (c_.cancel) over(j, State::kUnfulfilled, true);
      else p.never = true, p.over = now_;
    }
    return any;
  }

  /// Whether any job came or went.
  bool arrivals() {
    bool any = false;
    for (bool again = true; again;) {
      again = some_can_never_come();
      any = any || again;
      int next = -1;
      for (int j = 0; j != count(); ++j) {
        Progress& p = job(j);
        if (p.phase != Phase::kToCome || p.never) continue;
        const Tick t = comes(j);
        if (t != -1 && t <= now_ && !p.parked) {
          p.may_come = std::max(p.may_come, t);
          if (next < 0 || p.may_come < job(next).may_come) next = j;
        }
      }
      if (!again && next >= 0) {
        again = true;
        Progress& p = job(next);
        if (array_is_full(next)) {
          p.parked = true;
          continue;
        }
        any = true;
        p.came = now_;
        p.has_place = false;
        p.phase = Phase::kWaiting;
        if (hopeless(next) || too_late(next)) over(next, State::kRejected, true);
        else queue_.push_back(next);
      }
      if (again) continue;
      for (int j = 0; j != count(); ++j) {  // all of them, before what waits for them comes
        Progress& p = job(j);
        if (p.phase > Phase::kWaiting || said(j).withdrawn < 0 || withdrawal(j) > now_ || p.started_once != kNever)
          continue;
        if (p.never && p.phase == Phase::kToCome) continue;
        again = any = true;
        give_back(j);
        over(j, State::kWithdrawn, true);
        while (some_can_never_come()) {}
        ended_ = true;
      }
    }
    return any;
  }

  // --- the queue

  int tier(int j) const {
    if (job(j).interrupted && c_.requeue == Requeue::kFront) return 1'000'000;
    if (c_.partitions.empty()) return 1;
    int tier = 0;  // the highest of those that it may use
    for (const Unit& u : units_[static_cast<std::size_t>(j)])
      tier = std::max(tier, c_.partitions[static_cast<std::size_t>(u.partition)].tier);
    return tier;
  }
  Tick key(int j) const {
    return job(j).interrupted && c_.requeue == Requeue::kBack ? job(j).came : seconds(said(j).submit);
  }
  void sort_queue() {
    std::sort(queue_.begin(), queue_.end(), [&](int a, int b) {
      if (tier(a) != tier(b)) return tier(a) > tier(b);
      if (key(a) != key(b)) return key(a) < key(b);
      return a < b;
    });
  }

  // --- passes

  void start(int j, const Choice& choice) {
    Progress& p = job(j);
    Fate& f = fate(j);
    f.start = now_;
    f.nodes.clear();
    f.gpus.clear();
    std::vector<Piece> got = choice.pieces;
    drop(j);
    if (whole_) use_idle(j, *choice.unit, got);
    std::sort(got.begin(), got.end(), [](const Piece& a, const Piece& b) { return a.node < b.node; });
    for (const Piece& piece : got) {
      f.nodes.push_back(piece.node);
      if (!whole_) f.gpus.push_back(piece.gpus);
    }
    p.up = now_;
    for (const Piece& piece : got) p.up = std::max(p.up, comes_up(piece.node));
    for (const Piece& piece : got) node(piece.node).up = std::max(node(piece.node).up, comes_up(piece.node));
    holds_.push_back({j, got, now_, now_ + planned(j), choice.unit});
    p.phase = Phase::kRunning;
    p.reserved = false;
    if (p.started_once == kNever) p.started_once = now_;
    const Tick takes = at_speed(with_checkpoints(j, seconds(said(j).runtime)), halves(j));
    const Tick killed = killed_at(p.up + limit(j) + over_limit(choice.unit->partition));
    p.killed = !c_.extend && p.up + takes > killed;
    p.gone = killed + seconds(c_.kill_wait);
    p.ends = std::max(now_ + 1, p.killed ? std::min(p.up + takes, p.gone) : p.up + takes);
    p.corrected = 0;
    started_.push_back(j);
    std::erase(queue_, j);
  }

  /// Of nodes that are alike the first ones that are idle.
  void use_idle(int j, const Unit& unit, std::vector<Piece>& got) {
    std::map<int, int> wanted;
    for (const Piece& piece : got) ++wanted[class_of(piece.node)];
    got.clear();
    for (int n = 0; n != machine() && got.size() < static_cast<std::size_t>(said(j).nodes); ++n)
      if (has(unit.nodes, n) && !node(n).down && jobs_on(n).empty() && wanted[class_of(n)]-- > 0) got.push_back({n, 0});
  }

  Tick over_limit(int partition) const {
    const int own = partition < 0 ? -1 : c_.partitions[static_cast<std::size_t>(partition)].over_limit;
    return seconds(own >= 0 ? own : c_.over_limit);
  }
  /// The first instant from then on at which limits are looked at.
  Tick killed_at(Tick t) const {
    if (c_.limit_check == 0) return t;
    Tick look = seconds(c_.first_limit_check % c_.limit_check);
    while (look < t) look += seconds(c_.limit_check);
    return look;
  }

  void pass() {
    sort_queue();
    if (c_.policy == Policy::kConservative) return conservative_pass();
    if (c_.policy >= Policy::kFcfsByPartition) return pass_by_partition();
    while (!queue_.empty()) {
      const Choice choice = choose(queue_[0], now_, now_ + planned(queue_[0]));
      if (!choice.found) break;
      start(queue_[0], choice);
    }
    if (c_.policy == Policy::kFcfs || queue_.empty()) return;
    const int head = queue_[0];
    shield(head);
    for (std::size_t i = 1; i < queue_.size();) {
      const Choice choice = choose(queue_[i], now_, now_ + planned(queue_[i]));
      if (choice.found) start(queue_[i], choice);
      else ++i;
    }
    drop(head);
  }

  /// Of each partition the first job that cannot start is in the way of the others: of all of them, or of those that
  /// would delay it. A job waits in the queue of the first partition that it may use.
  void pass_by_partition() {
    const bool passing = c_.policy == Policy::kEasyByPartition;
    std::set<int> blocked;
    std::vector<int> shielded;
    for (std::size_t i = 0; i < queue_.size();) {
      const int j = queue_[i], partition = units_[static_cast<std::size_t>(j)].front().partition;
      const Choice choice = choose(j, now_, now_ + planned(j));
      if (choice.found && (passing || blocked.count(partition) == 0)) {
        start(j, choice);
        continue;
      }
      ++i;
      if (!blocked.insert(partition).second || !passing) continue;
      const Tick t = earliest(j, kNever);
      if (t == kNever) continue;
      holds_.push_back({j, choose(j, t, t + planned(j)).pieces, t, t + planned(j)});
      shielded.push_back(j);
    }
    for (const int j : shielded) drop(j);
  }

  /// Whether the first job, with that place, has a reservation until the pass is over: it may run into what is planned.
  /// Where nodes are counted, whenever something is.
  bool has_reservation(Tick to) const {
    bool names = false;
    for (int j = 0; j != count(); ++j) names = names || named(j) != nullptr;
    for (const Outage& o : c_.outages)
      if (o.kind == Away::kMaintenance && seconds(o.from) > now_ && (whole_ || to > seconds(o.from))) return true;
    for (const Reserved& r : c_.reservations) {
      bool is_named = false;  // also by a job that has been rejected
      for (int j = 0; j != count(); ++j) is_named = is_named || named(j) == &r;
      if (r.floating >= 0 || (seconds(r.announced) > now_ && !(whole_ && is_named))) continue;
      if (whole_ ? seconds(r.from + r.length) > now_ : to > seconds(r.from)) return true;
    }
    return names && !whole_;
  }

  /// The first job's place: where it fits first, and of the nodes on which it fits then, first those on which it does
  /// not fit now.
  void shield(int j) {
    const Tick d = planned(j), t = earliest(j, kNever);
    if (t == kNever) return;
    if (whole_ && has_reservation(t + d)) {
      holds_.push_back({j, choose(j, t, t + d).pieces, t, t + d});
      return;
    }
    for (const Unit& u : units_[static_cast<std::size_t>(j)]) {
      const std::vector<int> then = fitting(j, u, t, t + d), now = fitting(j, u, now_, now_ + 1);
      if (then.size() < static_cast<std::size_t>(said(j).nodes)) continue;
      std::vector<int> order, later;
      std::map<int, int> now_free, then_free;
      for (const int n : now) ++now_free[class_of(n)];
      for (const int n : then) ++then_free[class_of(n)];
      for (const int n : then) {
        const bool gained = whole_ ? then_free[class_of(n)]-- > now_free[class_of(n)] : !has(now, n);
        (gained ? order : later).push_back(n);
      }
      order.insert(order.end(), later.begin(), later.end());
      holds_.push_back({j, pieces(j, order, t, t + d), t, t + d});
      return;
    }
  }

  // --- conservative backfilling

  const Hold* reservation(int j) const {
    for (const Hold& h : holds_)
      if (h.job == j && job(j).reserved) return &h;
    return nullptr;
  }

  void reserve(int j, Tick t) {
    drop(j);
    job(j).reserved = true;
    job(j).promise = ++promises_;
    const Choice choice = choose(j, t, t + planned(j));
    holds_.push_back({j, choice.pieces, t, t + planned(j), choice.unit});
  }

  /// All of them, in the order of their starts and of the queue, each at its earliest.
  void put_reservations_back() {
    sort_queue();
    std::vector<std::pair<Tick, int>> all;
    for (const int j : queue_)
      if (const Hold* const h = reservation(j); h != nullptr) all.emplace_back(h->from, j);
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [t, j] : all) drop(j);
    for (const auto& [t, j] : all) {
      const int promise = job(j).promise;
      const Tick now = earliest(j, kNever);
      reserve(j, now);
      if (now == t) job(j).promise = promise;
    }
  }

  /// Those that have reservations move up first; then new jobs get theirs.
  void conservative_pass() {
    if (std::exchange(ended_, false) && (std::exchange(freed_early_, false) || moved_)) {
      moved_ = false;
      for (const int j : queue_) {
        if (!job(j).reserved) continue;
        const Hold own = *reservation(j);
        if (own.from <= now_) continue;
        drop(j);
        const Tick t = earliest(j, own.from);
        if (t == kNever) {
          holds_.push_back(own);
        } else {
          reserve(j, t);
          moved_ = true;
        }
      }
    }
    for (const int j : queue_)
      if (!job(j).reserved)
        if (const Tick t = earliest(j, kNever); t != kNever) reserve(j, t);
    std::vector<int> due;
    for (const int j : queue_)
      if (const Hold* const h = reservation(j); h != nullptr && h->from <= now_) due.push_back(j);
    std::sort(due.begin(), due.end(), [&](int a, int b) { return job(a).promise < job(b).promise; });
    for (const int j : due) start(j, {true, reservation(j)->pieces, reservation(j)->unit});
  }

  std::vector<int> started_;  ///< in the order of their starts
  std::vector<int> queue_;
  int promises_ = 0;
  bool ended_ = false;        ///< something happened at this instant that may give something back
  bool freed_early_ = false;  ///< and did, before it was to be, since the last walk along the reservations
  bool moved_ = false;        ///< in the last walk some moved
};

}  // namespace

std::vector<Fate> simulate(const Case& c) { return Twin(c).run(); }

std::string text_of(const std::vector<Fate>& fates) {
  static const char* const kStates[] = {"left", "completed", "killed", "rejected", "lost", "unfulfilled", "withdrawn"};
  const auto when = [](Tick t) {
    return t == kNever ? std::string("-") : fmt::format("{}", static_cast<double>(t) / kSecond);
  };
  std::string text;
  for (std::size_t j = 0; j != fates.size(); ++j) {
    const Fate& f = fates[j];
    text += fmt::format("  {}: {} {} to {} on {}", j + 1, kStates[static_cast<std::size_t>(f.state)], when(f.start),
                        when(f.end), f.nodes);
    if (std::any_of(f.gpus.begin(), f.gpus.end(), [](std::uint64_t mask) { return mask != 0; }))
      text += fmt::format(" {}", f.gpus);
    for (const Interrupted& run : f.interrupted)
      text += fmt::format(", interrupted {} to {}", when(run.from), when(run.to));
    text += '\n';
  }
  return text;
}

}  // namespace coslice::loop

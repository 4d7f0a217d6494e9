#include "loop_twin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "loop_speeds.h"

namespace coslice::loop {

namespace {

class Twin : private Speeds {
 public:
  using Speeds::Speeds;

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
      if (p.phase == Phase::kRunning && p.booting) at(p.up);
      if (p.phase == Phase::kToCome && !p.never && !array_is_full(j)) at(comes(j));
      if (p.phase <= Phase::kWaiting && said(j).withdrawn >= 0 && !p.never) at(withdrawal(j));
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
    if (next == kNever) return next;
    // There are passes, too, where a run would have ended that was broken off, a node would have been back, and where a
    // slice begins: jobs choose their sizes anew.
    if (const auto end = in_vain_.upper_bound(now_); end != in_vain_.end()) at(*end);
    if (c_.sliced) at((now_ / seconds(kInterval) + 1) * seconds(kInterval));
    return next;
  }

  void handle() {
    ended_ = false;
    for (int j = 0; j != count(); ++j) {  // those that have come since the last instant, and found no place
      Progress& p = job(j);
      if (p.phase != Phase::kToCome || p.never || p.parked || comes(j) >= now_ || !array_is_full(j)) continue;
      p.parked = true;
      p.may_come = std::max(p.may_come, comes(j));
    }
    for (;;) {  // in the order in which they were found
      int first = -1;
      for (const int j : started_)
        if (job(j).ends == now_ && (first < 0 || job(j).order < job(first).order)) first = j;
      if (first < 0) break;
      finish(first);
    }
    for (const int j : started_)
      if (job(j).booting && job(j).up == now_) boots(j);
    outages();
    reservations();
    corrections();
    arrivals();
    for (;;) {  // a start may let others come at once
      pass();
      for (; !stopped_.empty(); pass()) {
        queue_.insert(queue_.end(), stopped_.begin(), stopped_.end());
        stopped_.clear();
        ended_ = true;
      }
      if (!arrivals()) break;
    }
  }

  /// Its nodes are up.
  void boots(int j) {
    job(j).booting = false;
    schedule(j);
    change_speeds();
    ended_ = true;
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
    const int partition = runs_in(j);
    give_back(j);
    if (!whole_ && (!alone(j) || said(j).ask.shares)) pack(partition);
    std::erase(started_, j);
    changed_.erase(j);
    change_speeds();
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
      if (p.phase != Phase::kRunning || held(j).to != now_ || (c_.extend && c_.contends && !c_.sliced)) continue;
      Hold& h = held(j);
      h.to = std::min(now_ + kSteps[std::min<std::size_t>(p.corrected++, 4)] * kSecond, p.gone);
      if (c_.sliced) account(j), p.planned_left = static_cast<Wide>(h.to - now_) * p.rate;
      for (const Loan& loan : loans_)
        if (loan.borrower == j) held(loan.lender).to = expected_end(loan.lender);
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
    give_back_lent(j);
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
        believe(n, std::max(now_ + seconds(c_.believed_repair), s.known));
        ended_ = true;
      }
    }
    std::set<std::pair<int, const Outage*>> due;  // in order of their beginnings
    for (const Outage& o : c_.outages)
      if (seconds(o.from) <= now_ && begun_.count(&o) == 0) due.insert({o.from, &o});
    for (const auto& [from, o] : due) {
      begun_.insert(o);
      if (seconds(o->from + o->length) <= now_) continue;
      for (const int n : o->nodes) begin(n, *o);
      ended_ = true;
    }
  }

  void begin(int n, const Outage& o) {
    NodeState& s = node(n);
    const Tick until = std::max(s.until, seconds(o.from + o.length));
    const bool longer = until > s.until;
    s.until = until;
    if (longer) in_vain_.insert(until);
    if (o.kind != Away::kFailure) s.known = std::max(s.known, seconds(o.from + o.length));
    if (o.kind == Away::kFailure) {
      s.kind = o.kind;
      for (const int j : jobs_on(n)) interrupt(j);
    } else if (!s.down) {
      s.kind = o.kind;
    }
    if (s.down && (longer || s.believed < s.known)) believe(n, longer ? believed(n) : s.known);
    else if (!s.down && (!whole_ || jobs_on(n).empty())) take_down(n);  // where jobs share nodes at once
    else if (!s.down) s.draining = true;
  }

  Tick believed(int n) {
    NodeState& s = node(n);
    return s.kind == Away::kFailure && c_.believed_repair > 0 ? std::max(now_ + seconds(c_.believed_repair), s.known)
                                                              : s.until;
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
    in_vain_.insert(until);
    node(n).believed = until;
    holds_.push_back({-1 - n, {{n, 0}}, now_, until});
    if (collides(Hold(holds_.back()), now_)) put_reservations_back();
  }

  void interrupt(int j) {
    Progress& p = job(j);
    const std::vector<int> nodes = fate(j).nodes;
    fate(j).interrupted.push_back({fate(j).start, now_});
    if (!c_.contends && p.ends != kNever) in_vain_.insert(p.ends);
    const Tick done = this->done(j);
    leave(j);
    if (c_.lose && !preempting_) {
      fate(j).end = now_;
      over(j, State::kLost, true);
    } else {
      save(j, done);
      p.fixed = p.saved > 0;
      p.phase = Phase::kWaiting;
      p.interrupted = true;
      p.came = now_;
      fate(j).start = fate(j).end = kNever;
      fate(j).nodes.clear();
      fate(j).gpus.clear();
      (preempting_ ? stopped_ : queue_).push_back(j);
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

  int tier(int j) const { return c_.preempts ? tier_of(j) * 2 + (said(j).user == 1 ? 1 : 0) : tier_of(j); }
  int tier_of(int j) const {
    if (job(j).interrupted && c_.requeue == Requeue::kFront) return 1'000'000;
    if (c_.partitions.empty()) return 1;
    int tier = 0;  // the highest of those that it may use with one of its sizes
    for (const Form& form : forms(j))
      for (const Unit& u : form.units) tier = std::max(tier, tier_in(u));
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

  /// On these nodes, and on those that others lend it.
  void start(int j, const Choice& choice, const std::vector<int>& lent = {}) {
    Progress& p = job(j);
    Fate& f = fate(j);
    f.start = now_;
    f.nodes.clear();
    f.gpus.clear();
    std::vector<Piece> got = choice.pieces;
    drop(j);
    if (whole_) use_idle(*choice.unit, got);
    const std::vector<Piece> own = got;
    for (const int n : lent) got.push_back({n, 0});
    std::sort(got.begin(), got.end(), [](const Piece& a, const Piece& b) { return a.node < b.node; });
    for (const Piece& piece : got) {
      f.nodes.push_back(piece.node);
      if (!whole_) f.gpus.push_back(piece.gpus);
    }
    p.up = p.began = now_;
    for (const Piece& piece : got) p.up = std::max(p.up, comes_up(piece.node));
    for (const Piece& piece : got) node(piece.node).up = std::max(node(piece.node).up, comes_up(piece.node));
    holds_.push_back({j, own, now_, now_ + planned(j), choice.unit});
    p.phase = Phase::kRunning;
    p.fixed = true;
    p.reserved = false;
    p.suspended = false;
    p.booting = p.up > now_ && (c_.contends || c_.sliced);
    if (p.started_once == kNever) p.started_once = now_;
    p.corrected = 0;
    started_.push_back(j);
    std::erase(queue_, j);
    begin_run(j);
    if (c_.contends || (c_.sliced && longest_boot() == 0)) changed_.insert(j);
    change_speeds();
  }

  /// Of nodes that are alike the first ones that are idle.
  void use_idle(const Unit& unit, std::vector<Piece>& got) {
    const std::size_t enough = got.size();
    std::map<int, int> wanted;
    for (const Piece& piece : got) ++wanted[class_of(piece.node)];
    got.clear();
    for (int n = 0; n != machine() && got.size() < enough; ++n)
      if (has(unit.nodes, n) && !node(n).down && jobs_on(n).empty() && wanted[class_of(n)]-- > 0) got.push_back({n, 0});
  }

  // --- what schedulers are told between passes

  /// Jobs that have another speed now, or nodes that are not the slowest, are believed to end at another time. Whether
  /// there are some.
  bool tell_speeds() {
    const std::set<int> changed = std::exchange(changed_, {});
    if (c_.sliced || c_.extend)
      for (const int j : changed) hold_rest(j);
    return !changed.empty();
  }
  void hold_rest(int j) {
    account(j);
    Hold& h = held(j);
    const Tick to = std::max(now_, job(j).up) + time_at(job(j).planned_left, job(j).rate);
    freed_early_ = freed_early_ || to < h.to;
    const bool later = to > h.to;
    h.to = to;
    if (later && collides(Hold(h), now_)) put_reservations_back();
  }
  bool one_is_due() const {
    return std::any_of(holds_.begin(), holds_.end(),
                       [&](const Hold& h) { return h.job >= 0 && job(h.job).reserved && h.from <= now_; });
  }

  void pass() {
    if (tell_speeds() && c_.sliced) ended_ = true;
    ended_ = ended_ || (c_.sliced && freed_early_);
    in_pass_ = true;
    choose_sizes();
    decide();
    while (tell_speeds())
      if (one_is_due()) ended_ = true, decide();
    in_pass_ = false;
  }

  void choose_sizes() {
    sort_queue();
    for (const int j : queue_) {
      if (c_.molding == Molding::kAsked || forms(j).size() < 2 || job(j).fixed || job(j).reserved) continue;
      const std::size_t i = best_form(j);
      if (i == form_of(j)) continue;
      take_form(j, i);
      ended_ = true;  // what was found not to fit may do now
    }
  }

  void decide() {
    if (c_.preempts) preempt();
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

  // --- jobs that make way

  /// Jobs of user 1 are first, and start in order on what others have.
  void preempt() {
    preempting_ = true;
    while (!queue_.empty() && said(queue_[0]).user == 1) {
      const int j = queue_[0];
      Choice choice = choose(j, now_, now_ + planned(j));
      if (!choice.found && c_.suspends) {
        const std::vector<int> lenders = lenders_for(j);
        if (lenders.empty()) break;
        start_over(j, lenders);
        continue;
      }
      if (!choice.found) {
        const std::vector<int> victims = victims_for(j);
        if (victims.empty()) break;
        for (const int victim : victims) interrupt(victim);
        choice = choose(j, now_, now_ + planned(j));
      }
      start(j, choice);
    }
    preempting_ = false;
  }

  /// The first ones with which it fits; of them, those that are not needed are left out, the last ones first.
  std::vector<int> victims_for(int j) {
    std::vector<int> all;
    for (auto k = started_.rbegin(); k != started_.rend(); ++k)
      if (said(*k).user != 1 && useful(*k, j)) all.push_back(*k);
    std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return rank(a) < rank(b); });
    return fewest(all, [&](const std::vector<int>& some) { return fits_without(j, some); });
  }
  template <class Fits>
  static std::vector<int> fewest(const std::vector<int>& all, Fits&& fits) {
    std::vector<int> some;
    for (std::size_t n = 0; n != all.size() && !fits(some); ++n) some.push_back(all[n]);
    if (!fits(some)) return {};
    for (std::size_t i = some.size(); i-- > 0 && some.size() > 1;) {
      std::vector<int> others = some;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (fits(others)) some = others;
    }
    return some;
  }
  // --- jobs that are suspended in place, and lend their nodes

  struct Loan {
    int lender, borrower;
    std::vector<int> nodes;
  };
  /// On nodes of its own and lent ones; whose they are.
  struct Over {
    Choice own;
    std::vector<std::pair<int, int>> lent;  ///< node, lender
    bool found = false;
  };

  std::vector<int> lendable(int j) {
    std::vector<int> nodes = fate(j).nodes;
    for (const Loan& loan : loans_) {
      if (loan.borrower == j) return {};
      if (loan.lender == j) std::erase_if(nodes, [&](int n) { return has(loan.nodes, n); });
    }
    return nodes;
  }

  /// Where nodes are counted, one lender after the other; else the first nodes of each class.
  Over over_lenders(int j, const std::vector<int>& lenders) {
    for (const Unit& u : units_[static_cast<std::size_t>(j)]) {
      Over over;
      over.own.unit = &u;
      std::vector<int> own = fitting(j, u, now_, now_ + planned(j));
      const auto wanted = static_cast<std::size_t>(said(j).nodes);
      own.resize(std::min(own.size(), wanted));
      for (const int n : own) over.own.pieces.push_back({n, 0});
      for (const int lender : lenders)
        for (const int n : lendable(lender))
          if (has(u.nodes, n)) over.lent.push_back({n, lender});
      const auto before = [&](const auto& a, const auto& b) {
        return std::pair(class_of(a.first), a.first) < std::pair(class_of(b.first), b.first);
      };
      if (!counted()) std::sort(over.lent.begin(), over.lent.end(), before);
      if (own.size() + over.lent.size() < wanted) continue;
      over.lent.resize(wanted - own.size());
      over.found = true;
      return over;
    }
    return {};
  }
  /// Whether no job tells one node from another.
  bool counted() const {
    for (int j = 0; j != count(); ++j)
      for (const Unit& u : units_[static_cast<std::size_t>(j)])
        if (std::ssize(u.nodes) != machine()) return false;
    return std::all_of(class_of_.begin(), class_of_.end(), [](int c) { return c == 0; });
  }

  std::vector<int> lenders_for(int j) {
    std::vector<int> all;
    for (auto k = started_.rbegin(); k != started_.rend(); ++k)
      if (said(*k).user != 1 && useful(*k, j) && !lendable(*k).empty()) all.push_back(*k);
    const auto rank_of = [&](int k) { return job(k).suspended ? -1 : rank(k); };
    std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return rank_of(a) < rank_of(b); });
    return fewest(all, [&](const std::vector<int>& some) { return over_lenders(j, some).found; });
  }

  void start_over(int j, const std::vector<int>& lenders) {
    const Over over = over_lenders(j, lenders);
    for (const int lender : lenders) {
      std::vector<int> nodes;
      for (const auto& [n, of] : over.lent)
        if (of == lender) nodes.push_back(n);
      if (nodes.empty()) continue;
      Progress& p = job(lender);
      if (!p.suspended) {
        account(lender);
        p.suspended = true;
        p.suspended_at = now_;
        p.planned_rest = std::max<Tick>(held(lender).to - now_, 1);
        in_vain_.insert(std::exchange(p.ends, kNever));
        suspended_.push_back(lender);
      }
      loans_.push_back({lender, j, nodes});
    }
    std::vector<int> nodes;
    for (const auto& [n, of] : over.lent) nodes.push_back(n);
    start(j, over.own, nodes);
    for (const Loan& loan : loans_)
      if (loan.borrower == j) held(loan.lender).to = expected_end(loan.lender);
  }

  Tick expected_end(int lender) {
    Tick end = job(lender).suspended_at;
    for (const Loan& loan : loans_)
      if (loan.lender == lender) end = std::max(end, held(loan.borrower).to);
    return end + job(lender).planned_rest;
  }

  /// Those that have lent nothing any more go on, in the order in which they were suspended.
  void give_back_lent(int j) {
    std::erase_if(loans_, [j](const Loan& loan) { return loan.borrower == j; });
    for (const int k : std::vector<int>(suspended_)) {
      const bool lends = std::any_of(loans_.begin(), loans_.end(), [k](const Loan& loan) { return loan.lender == k; });
      Progress& p = job(k);
      if (!lends) {
        std::erase(suspended_, k);
        p.suspended = false;
        p.stopped += now_ - p.suspended_at;
        p.since = now_;
        p.corrected = 0;
        schedule(k);
      }
      held(k).to = lends ? expected_end(k) : now_ + p.planned_rest;
    }
  }

  /// It has a node that the other job may have, which may also wait for licences.
  bool useful(int running, int j) const {
    if (said(j).ask.licences > 0) return true;
    for (const Unit& u : units_[static_cast<std::size_t>(j)])
      for (const int n : fates_[static_cast<std::size_t>(running)].nodes)
        if (has(u.nodes, n)) return true;
    return false;
  }
  Tick rank(int j) {
    const Tick ran = now_ - fate(j).start, nodes = std::ssize(fate(j).nodes);
    return c_.rank == Rank::kFewestNodes ? nodes : c_.rank == Rank::kNewest ? ran : ran * nodes;
  }
  bool fits_without(int j, const std::vector<int>& gone) {
    const std::vector<Hold> all = holds_;
    std::erase_if(holds_, [&](const Hold& h) { return has(gone, h.job); });
    const bool fits = choose(j, now_, now_ + planned(j)).found;
    holds_ = all;
    return fits;
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
      hold_place(j, t, t + planned(j));
      shielded.push_back(j);
    }
    for (const int j : shielded) drop(j);
  }

  /// Whether the first job, with that place, has a reservation until the pass is over: it may run into what is planned.
  bool has_reservation(Tick to) const {
    bool meets = false, ahead = false;
    for (int j = 0; j != count(); ++j) meets = meets || named(j) != nullptr;
    for (const Outage& o : c_.outages) {
      if (o.kind != Away::kMaintenance || seconds(o.from) <= now_) continue;
      ahead = true;
      meets = meets || to > seconds(o.from);
    }
    for (const Reserved& r : c_.reservations) {
      bool is_named = false;  // also by a job that has been rejected
      for (int j = 0; j != count(); ++j) is_named = is_named || named(j) == &r;
      const bool known = seconds(r.announced) <= now_;
      if (r.floating >= 0 || !(known || is_named)) continue;
      ahead = ahead || seconds(r.from + r.length) > now_;
      meets = meets || (known && to > seconds(r.from));
    }
    return meets && (ahead || !whole_);
  }

  /// The first job's place: where it fits first, and of the nodes on which it fits then, first those on which it does
  /// not fit now.
  void shield(int j) {
    const Tick d = planned(j), t = earliest(j, kNever);
    if (t == kNever) return;
    if (whole_ && has_reservation(t + d)) {
      hold_place(j, t, t + d);
      return;
    }
    if (several(j)) return shield_apart(j, t, d);
    for (const Unit& u : units_[static_cast<std::size_t>(j)]) {
      std::vector<int> then = fitting(j, u, t, t + d);
      const std::vector<int> now = fitting(j, u, now_, now_ + 1);
      if (then.size() < static_cast<std::size_t>(said(j).nodes)) continue;
      const int row = home(j) < 0 ? kIdle : first_row(j, then, t, t + d);
      if (row < kOtherTiers) continue;
      std::vector<int> order, later;
      std::map<int, int> now_free, then_free;
      for (const int n : now) ++now_free[class_of(n)];
      for (const int n : then) ++then_free[class_of(n)];
      for (const int n : then) {
        const bool gained = whole_ ? then_free[class_of(n)]-- > now_free[class_of(n)] : !has(now, n);
        (gained ? order : later).push_back(n);
      }
      order.insert(order.end(), later.begin(), later.end());
      holds_.push_back({j, {}, t, t + d, &u});
      std::vector<Piece> its = pieces(j, order, t, t + d);
      if (home(j) >= 0) number_cores(j, row, its, t, t + d);
      holds_.back().pieces = its;
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
    hold_place(j, t, t + planned(j));
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

  std::vector<int> stopped_;  ///< by others in this pass: they wait again when it is over
  bool preempting_ = false;
  std::set<Tick> in_vain_;  ///< instants for nothing
  std::vector<Loan> loans_;
  std::vector<int> suspended_;  ///< in this order
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

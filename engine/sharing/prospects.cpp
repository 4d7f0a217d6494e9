#include "sharing/prospects.h"

#include <algorithm>

#include "jobs/engine_options.h"

namespace coslice {

/// Ends earlier than that, s, are as good as none: no lower bound is taken from them.
constexpr double kInstant = 1e-3;

void Prospects::note(JobIndex j, const Choices& choices) {
  if (known_.size() <= j) known_.resize(std::max<std::size_t>(j + 1, known_.size() * 2));
  if (is_noted(j)) forget(j);
  Known& k = known_[j];
  k.noted = k.as_noted = true;
  k.choices = choices;
}

/// The job waits again, and may have another duration than before.
void Prospects::forget(JobIndex j) {
  known_[j] = {};
  const auto end = slot_.begin() + static_cast<std::ptrdiff_t>(slots_used_), at = std::find(slot_.begin(), end, j);
  if (at == end) return;
  for (Known& k : known_) k.slots &= ~(std::uint64_t{1} << (at - slot_.begin()));
}

void Prospects::spread(const View& view, View::Position p, std::int32_t ppn) {
  const JobIndex j = view.queue().job(p);
  if (!is_noted(j)) return;
  Known& k = known_[j];
  k.as_noted = ppn == k.choices.ppn;
  k.tried.gains = View::TriedPpn{}.gains;
  if (ppn != k.choices.most) return;
  k.tried.nodes = view.queue().nodes(p);
  k.tried.duration = view.queue().duration(p);
}

const Candidate& Prospects::candidate(const View& view, JobIndex j) {
  Known& k = known(j);
  if (!k.has_candidate) k.candidate = waiting_candidate(view, j);
  k.has_candidate = true;
  return k.candidate;
}

View::Position Prospects::next(View& view, View::Position p, JobIndex head, const Search& search) {
  if (how_.tolerance != search.tolerance) {
    for (Known& k : known_) {
      k.all = k.serial = {};
      k.slots = k.borne_by = 0;
    }
  }
  how_ = search;
  head_ = head;
  idle_ = std::min(view.ceiling(), view.capacity());
  const WaitingQueue& queue = view.queue();
  if (idle_ == 0 || view.explained()) return p;
  for (; p < queue.end(); ++p) {
    if (!queue.live(p)) continue;
    const JobIndex j = queue.job(p);
    if (!is_noted(j) || alone_possible(view, p) || sharing_possible(view, p)) return p;
    dismiss(view, p);
  }
  return p;
}

/// Whether the job may start by itself, or it has to be found out.
bool Prospects::alone_possible(const View& view, View::Position p) {
  const WaitingQueue& queue = view.queue();
  const Known& k = known(queue.job(p));
  const Time reserved = queue.reserved(p);
  if (reserved > view.now() && k.choices.most == k.choices.ppn) return false;
  if (!view.available().by_count()) return true;
  if (reserved <= view.now()) return queue.nodes(p) <= view.ceiling() || k.choices.most != k.choices.ppn;
  if (!k.as_noted || reserved == kNever) return true;
  const std::int32_t nodes = nodes_for(view.job(queue.job(p)).size, k.choices.most);
  if (nodes > view.ceiling()) return false;
  if (k.tried.nodes != nodes) return true;
  // Before its own reservation begins, that makes no difference.
  return view.profile().min_free(view.now(), std::min(reserved, later(view.now(), k.tried.duration))) >= nodes;
}

bool Prospects::sharing_possible(View& view, View::Position p) {
  const JobIndex j = view.queue().job(p);
  if (how_.groups == Search::Groups::kNone || !known(j).choices.searches) return false;
  if (!known(j).choices.shares) return true;
  if (view.job(j).size != 1) return candidate(view, j).nodes <= idle_ && around(view, j, false, kNoJob);
  if (how_.primaries > kSlots) return true;
  find_primaries(view);
  for (std::uint64_t left = bearing(view, j); left != 0; left &= left - 1)
    if (around(view, slot_[static_cast<std::size_t>(__builtin_ctzll(left))], true, j)) return true;
  return false;
}

/// The jobs with reservations over that instant, as far as they could be in a group that starts now.
const std::vector<Prospects::Giver>& Prospects::givers(const View& view, Time t) {
  const std::tuple now(reserved_.made(), head_, idle_);
  if (std::exchange(givers_of_, now) != now) givers_.clear();
  for (const Givers& g : givers_)
    if (g.at == t) return g.jobs;
  std::vector<Giver>& jobs = givers_.emplace_back(Givers{t, {}}).jobs;
  for (const ReservedSteps::Rectangle& r : reserved_.rectangles()) {
    if (!r.waiting || !r.covers(t) || r.job == head_ || !may_share(r.job)) continue;
    if (candidate(view, r.job).nodes <= idle_) jobs.push_back({r.job, r.nodes, view.job(r.job).size == 1});
  }
  return jobs;
}

/// Whether a group around that waiting primary could leave all reservations where they are. Where nodes are lacking
/// while the primary has its own, some member must give some back there.
bool Prospects::around(const View& view, JobIndex primary, bool serial, JobIndex must) {
  const Candidate& c = candidate(view, primary);
  const double least = search_.least_end(c);
  const Time until = later(view.now(), least < kInstant ? Duration{1} : at_most_a_century(least));
  const ReservedSteps::Lack lack = reserved_.first_lack(view, c.nodes, until);
  if (lack.from == kNever) return true;
  const bool pairs = how_.groups == Search::Groups::kPairs;
  std::int32_t free = lack.free, reserved = lack.reserved, most_free = free, least_reserved = reserved;
  const auto may_give = [&](const Giver& g) { return (!serial || g.serial) && (!pairs || !serial || g.job == must); };
  const std::vector<Giver>& jobs = givers(view, lack.from);
  for (const Giver& g : jobs) {
    if (g.job == primary) {
      free += g.nodes;
      reserved -= g.nodes;
    } else if (!may_give(g)) {
      continue;
    }
    most_free += g.nodes;
    least_reserved -= g.nodes;
  }
  const auto enough = [&](std::int32_t f, std::int32_t r) { return f >= c.nodes || r <= 0; };
  if (!enough(most_free, least_reserved)) return false;
  if (enough(free, reserved)) return true;
  for (const Giver& g : jobs) {
    if (g.job == primary || !may_give(g) || (pairs && !enough(free + g.nodes, reserved - g.nodes))) continue;
    if (!search_.tolerated(c, candidate(view, g.job), how_.tolerance)) continue;
    if (pairs) return true;
    free += g.nodes;
    reserved -= g.nodes;
    if (enough(free, reserved)) return true;
  }
  return false;
}

/// How many waiting jobs the primary tolerates; all from kFewCandidates on are the same.
std::size_t Prospects::tolerated(const View& view, JobIndex primary, bool serial) {
  Some& some = serial ? known(primary).serial : known(primary).all;
  const std::vector<JobIndex>& arrivals = view.arrivals();
  const auto gone = [&](JobIndex j) { return !view.waits(j); };
  const auto end = std::remove_if(some.jobs.begin(), some.jobs.begin() + some.count, gone);
  some.count = static_cast<std::uint32_t>(end - some.jobs.begin());
  const Candidate c = candidate(view, primary);
  for (; some.count != kEnough && some.seen != arrivals.size(); ++some.seen) {
    const JobIndex j = arrivals[some.seen];
    if (!view.waits(j) || !may_share(j) || (serial && view.job(j).size != 1)) continue;
    if (std::find(some.jobs.begin(), some.jobs.begin() + some.count, j) != some.jobs.begin() + some.count)
      continue;  // it has come again
    if (search_.tolerated(c, candidate(view, j), how_.tolerance)) some.jobs[some.count++] = j;
  }
  return static_cast<std::size_t>(
      std::count_if(some.jobs.begin(), some.jobs.begin() + some.count, [&](JobIndex j) { return j != head_; }));
}

/// The first parallel jobs that could start now, without the head.
void Prospects::find_primaries(const View& view) {
  const WaitingQueue& queue = view.queue();
  const std::tuple now(view.arrivals().size(), queue.size(), head_, idle_);
  if (std::exchange(primaries_of_, now) == now) return;
  std::vector<JobIndex> found;
  for (View::Position p = queue.first(); p < queue.end() && found.size() != how_.primaries; p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    if (j == head_ || view.job(j).size == 1 || !may_share(j)) continue;
    if (candidate(view, j).nodes <= idle_) found.push_back(j);
  }
  primaries_ = 0;
  std::vector<JobIndex> fresh;
  for (const JobIndex j : found) {
    const auto end = slot_.begin() + static_cast<std::ptrdiff_t>(slots_used_), at = std::find(slot_.begin(), end, j);
    if (at == end) fresh.push_back(j);
    else primaries_ |= std::uint64_t{1} << (at - slot_.begin());
  }
  for (const JobIndex j : fresh) primaries_ |= std::uint64_t{1} << slot_of(view, j);
}

/// A slot for a primary that has none: what is known of the one that had it is forgotten.
std::size_t Prospects::slot_of(const View& view, JobIndex primary) {
  if (slots_used_ != kSlots) {
    slot_[slots_used_] = primary;
    return slots_used_++;
  }
  while ((primaries_ >> next_slot_ & 1) != 0) next_slot_ = (next_slot_ + 1) % kSlots;
  const WaitingQueue& queue = view.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p))
    if (queue.job(p) < known_.size()) known_[queue.job(p)].slots &= ~(std::uint64_t{1} << next_slot_);
  slot_[next_slot_] = primary;
  return next_slot_;
}

/// The slots of the primaries that tolerate the serial job.
std::uint64_t Prospects::bearing(const View& view, JobIndex serial) {
  const Candidate c = candidate(view, serial);
  for (std::uint64_t left = primaries_ & ~known(serial).slots; left != 0; left &= left - 1) {
    const std::uint64_t bit = left & -left;
    const Candidate& primary = candidate(view, slot_[static_cast<std::size_t>(__builtin_ctzll(left))]);
    Known& k = known(serial);
    k.slots |= bit;
    k.borne_by = search_.tolerated(primary, c, how_.tolerance) ? k.borne_by | bit : k.borne_by & ~bit;
  }
  return known(serial).borne_by & primaries_;
}

void Prospects::dismiss(View& view, View::Position p) {
  count(view, p);
  Known& k = known(view.queue().job(p));
  if (k.choices.most == k.choices.ppn) return;
  view.try_ppn_alone(p, k.choices.most, k.choices.ppn, k.tried);
}

/// Counts the searches as the job's walk would have: one around a parallel job that fits, one around each primary that
/// tolerates a serial one.
void Prospects::count(View& view, View::Position p) {
  const JobIndex j = view.queue().job(p);
  if (how_.groups == Search::Groups::kNone || !known(j).choices.searches) return;
  if (view.job(j).size != 1) {
    if (candidate(view, j).nodes <= idle_) view.count_attempt(tolerated(view, j, false));
    return;
  }
  for (std::uint64_t left = bearing(view, j); left != 0; left &= left - 1)
    view.count_attempt(tolerated(view, slot_[static_cast<std::size_t>(__builtin_ctzll(left))], true));
}

}  // namespace coslice

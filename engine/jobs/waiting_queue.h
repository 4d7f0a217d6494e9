// The waiting queue: contiguous arrays, because a scan for backfill candidates over a list is twice as slow and long
// queues (20,000 jobs) are scanned at each pass. The scan reads one number per block of the queue, the fewest nodes
// that any of its jobs needs, and looks only into blocks where a job fits.
//
// Invariants:
//  1. Live entries are sorted by (key, job index); lowest first. Where there are tiers, by them before, highest first.
//  2. A taken entry stays as a tombstone that fits nowhere (nodes = INT32_MAX) until compact(); so positions are
//     stable between two calls of compact(), insert() and resort().
//  3. first() is the position of the first live entry, or end().
//     Where the queue may be unsorted (allow_unsorted()) this holds after sort_now(); before, new entries are last.
//  4. least_[b] is the smallest of nodes_[b * kBlock] up to the next block or the end.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "jobs/job.h"

namespace coslice {

/// The number of the record in which a ledger (availability.h) keeps what a job holds, or what is reserved for it.
using HoldId = std::int32_t;
constexpr HoldId kNoHold = -1;

/// What the reservation of a waiting job keeps from other jobs.
enum class ReservationKeeps : std::uint8_t {
  kAskedFor,    ///< what the job asks for
  kWholeNodes,  ///< whole nodes, though the job asks for parts of them (Slurm's backfill scheduler)
};

/// What a waiting job leaves to others where one count of nodes says it (CountedAvailability::hole): anything that ends
/// by the shadow time, or takes at most the spare nodes.
struct EasyHole {
  bool in_time(Duration d) const { return d <= window; }
  /// Returns whether a job of n nodes may pass. Has no branch, which makes scans of long queues fast.
  bool takes(Duration d, std::int32_t n) const { return static_cast<bool>(int{in_time(d)} | int{n <= extra}); }
  /// Reduces the hole by a job that passes and starts.
  void start(Duration d, std::int32_t n) {
    if (!in_time(d)) extra -= n;
  }

  Time shadow = kNever;    ///< when the job can start at the latest; kNever if it never can
  std::int32_t extra = 0;  ///< spare nodes: what it leaves then, for as long as it is believed to run
  Duration window{};       ///< from now to the shadow time
};

class WaitingQueue {
 public:
  using Position = std::size_t;

  /// Puts jobs of a higher tier before all others from now on. `tiers` by JobIndex; empty: there are none. They outlive
  /// the queue.
  void use_tiers(const std::vector<std::int32_t>& tiers) { tiers_ = tiers.empty() ? nullptr : &tiers; }
  bool tiered() const { return tiers_ != nullptr; }
  /// Adds a job that needs `nodes` nodes for `duration`, behind all entries with the same key and a lower index.
  void insert(JobIndex job, std::int32_t nodes, Duration duration, double key);
  /// Takes the entry out; its position becomes a tombstone.
  void take(Position p);
  /// Changes the nodes and the duration that the live entry at p needs. Positions stay.
  void resize(Position p, std::int32_t nodes, Duration duration);
  /// Removes tombstones when they are many. Positions change; order_version() tells.
  void compact() {
    const std::size_t tombstones = end() - live_;
    if (tombstones > 64 && tombstones > live_ / 2) drop_tombstones();
  }
  /// Gives each live entry the key f(job) and sorts again. Removes all tombstones.
  template <class F>
  void resort(F&& key_of) {
    finish_ = nullptr;
    drop_tombstones();
    for (Position p = 0; p != end(); ++p) key_[p] = key_of(job_[p]);
    sort_by_key();
    unsorted_ = false;
  }

  /// Says whether entries are appended without sorting, and keys may be set without sorting: for a scheduler that
  /// changes keys at most passes and needs the first few only.
  void allow_unsorted(bool allow) { may_be_unsorted_ = allow; }
  /// Returns the keys by position, to be set: for tombstones they mean nothing. sort_now() is wanted before positions
  /// mean an order.
  double* set_keys() { return set_keys({}); }
  /// Returns the keys by position, of which only some are set now: whatever needs all of them, or moves entries, lets
  /// finish(keys) set the rest.
  double* set_keys(std::function<void(double* keys)> finish) {
    unsorted_ = true;
    finish_ = std::move(finish);
    return key_.data();
  }
  const double* keys() const { return key_.data(); }
  /// Returns whether entries may be out of order.
  bool unsorted() const { return unsorted_; }
  /// Sorts entries by their keys. Removes all tombstones.
  void sort_now() {
    finish_keys();
    drop_tombstones();
    sort_by_key();
    unsorted_ = false;
  }

  std::size_t size() const { return live_; }
  bool empty() const { return live_ == 0; }
  Position first() const { return first_; }
  Position end() const { return job_.size(); }
  /// Returns the next live position after p, or end().
  Position next(Position p) const {
    do ++p;
    while (p < end() && !live(p));
    return p;
  }
  /// Returns the first live position at or after p whose job needs at most n nodes, or end().
  Position next_fitting(Position p, std::int32_t n) const;
  /// Returns the first live position in [p, stop) whose job needs at most n nodes and may pass beside the hole; `stop`
  /// if there is none.
  Position next_passing(Position p, Position stop, std::int32_t n, const EasyHole& hole) const;
  /// Entries of a block: what is known of all of them together is known by block.
  static constexpr std::size_t kBlock = 64;
  /// Returns the fewest nodes that an entry of the block needs.
  std::int32_t least_nodes(std::size_t block) const { return least_[block]; }
  /// Returns where the block of p ends, which may be beyond the queue's end.
  static Position block_end(Position p) { return (p / kBlock + 1) * kBlock; }
  /// Returns the position of a waiting job, or end(). Linear.
  Position find(JobIndex job) const {
    for (Position p = first_; p < end(); ++p)
      if (job_[p] == job && live(p)) return p;
    return end();
  }

  bool live(Position p) const { return nodes_[p] != kTaken; }
  JobIndex job(Position p) const { return job_[p]; }
  std::int32_t nodes(Position p) const { return nodes_[p]; }
  Duration duration(Position p) const { return duration_[p]; }
  double key(Position p) const { return key_[p]; }

  /// Returns the start of the job's reservation; kNever if it has none.
  Time reserved(Position p) const { return reserved_[p]; }
  /// Appends the positions whose reservations are for `now` or before. Returns the first instant of the others; kNever
  /// if there are none.
  Time find_due(Time now, std::vector<Position>& due) const;
  /// Returns the number of the decision that set the reservation: equal starts take effect in this order.
  std::uint64_t reservation_order(Position p) const { return reservations_[p].order; }
  void set_reserved(Position p, Time start, std::uint64_t order) {
    reserved_[p] = start;
    reservations_[p].order = order;
  }
  /// Returns what the ledger keeps of it.
  HoldId hold(Position p) const { return reservations_[p].hold; }
  void set_hold(Position p, HoldId hold) { reservations_[p].hold = hold; }

  /// Changes whenever positions, the order of entries or what they need change other than by appending at the end.
  std::uint64_t order_version() const { return order_version_; }

  /// Returns what entries need, by position; kTaken for tombstones.
  const std::int32_t* needs() const { return nodes_.data(); }
  static constexpr std::int32_t kTaken = std::numeric_limits<std::int32_t>::max();

 private:
  void finish_keys() {
    if (const auto finish = std::exchange(finish_, nullptr)) finish(key_.data());
  }
  /// Calls f for each array of which an entry has an element.
  template <class F>
  void each_array(F&& f) {
    f(nodes_), f(job_), f(duration_), f(key_), f(reserved_), f(reservations_);
  }
  void find_least(std::size_t block);
  /// Finds the least numbers of blocks again from that block on, after entries have moved.
  void find_least_from(std::size_t block) {
    least_.resize((nodes_.size() + kBlock - 1) / kBlock);
    for (; block < least_.size(); ++block) find_least(block);
  }
  /// Where an entry goes when the queue is sorted.
  struct Rank {
    double key;
    JobIndex job;
    std::uint32_t from;
    bool operator<(const Rank& o) const { return key < o.key || (key == o.key && job < o.job); }
  };
  std::int32_t tier(JobIndex j) const { return tiers_ == nullptr ? 0 : (*tiers_)[j]; }
  struct Reservation {
    std::uint64_t order = 0;
    HoldId hold = kNoHold;
  };
  void sort_ranks();
  void apply_ranks();
  void sort_by_key();
  void drop_tombstones();

  std::vector<std::int32_t> nodes_;
  std::vector<std::int32_t> least_;
  std::vector<JobIndex> job_;
  std::vector<Duration> duration_;
  std::vector<double> key_;
  std::vector<Time> reserved_;
  std::vector<Reservation> reservations_;
  std::vector<Rank> ranks_, dropped_;  ///< only during a sort
  const std::vector<std::int32_t>* tiers_ = nullptr;
  std::size_t live_ = 0;
  Position first_ = 0;
  std::uint64_t order_version_ = 0;
  bool may_be_unsorted_ = false;
  bool unsorted_ = false;
  std::function<void(double*)> finish_;  ///< sets the keys that have not been set yet; empty: all are
};

}  // namespace coslice

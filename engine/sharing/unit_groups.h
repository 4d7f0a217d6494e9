// Groups of jobs that share units, each unit with one other job: a primary job, and guests beside it. Which of them
// jobs that wait can form, with one another and with those that run; what each gains; and whether it is fair. (Sodan &
// Lan 2005; Zeng 2009.)
#pragma once

#include <optional>
#include <vector>

#include "sharing/unit_ledger.h"

namespace coslice {

class UnitGroups {
 public:
  using Tenant = UnitLedger::Tenant;

  struct Rules {
    std::size_t depth = 0;    ///< how many waiting jobs are looked at, the first ones
    double max_slowdown = 0;  ///< largest slowdown that a job tolerates
    double min_gain = 0;      ///< a group gains more
    double slack = 0;         ///< response time that jobs may have, over what they could expect; 0: any
  };
  /// A job beside a primary one.
  struct Member {
    Tenant* job;
    double kept, of_primary;  ///< what it and the primary keep of their speeds
    double work;              ///< s, alone
  };
  struct Group {
    Tenant* primary;
    std::int32_t kind, idle;  ///< kind of its units; how many units without jobs it takes
    double gain;              ///< what it adds to that of the jobs that run
    std::size_t order;        ///< in which it was found
    std::vector<Member> guests;
  };

  /// Makes the search for groups in the ledger, which outlives it.
  explicit UnitGroups(UnitLedger& ledger) : ledger_(ledger) {}

  /// Sets what waiting jobs that have come can expect: the queue ahead of them, each with what it asks for to itself.
  void expect();
  /// Returns the groups that the first waiting jobs can form, those that gain most first. They are kept until the next
  /// search.
  const std::vector<Group>& search(const Rules& rules);
  /// Returns those of the groups of search() in which the waiting job would be faster beside a running one, on a faster
  /// kind, than alone now.
  const std::vector<Group>& search_faster(Tenant& head, const Rules& rules);
  const std::vector<Group>& found() const { return found_; }
  /// Returns whether, with the group, one of those found, no job of it, and none that waits ahead of its last one, ends
  /// later than the slack allows, or, where that has passed, than without.
  bool fair(const Group& group);
  /// Forgets the groups that were found: jobs have come or gone.
  void forget() { found_.clear(); }

 private:
  void begin(const Rules& rules);
  void finish();
  Member member(Tenant& primary, Tenant& guest, std::int32_t kind);
  std::optional<Member> bearable(Tenant& primary, Tenant& guest, std::int32_t kind);
  void add(Tenant& primary, std::int32_t kind, std::vector<Member> guests, std::int32_t idle);
  template <class F>
  void add_sets(Tenant& primary, std::int32_t kind, std::vector<Member>& members, std::int32_t room, std::int32_t least,
                F&& idle);
  void among_waiting(std::size_t i);
  void beside_equal(Tenant& t, const std::vector<Tenant*>& hosts);
  void over_running(Tenant& t, const std::vector<Tenant*>& hosts);
  void beside_running(Tenant& host);
  std::vector<Tenant*> ahead_of(const UnitLedger::WhatIf& group) const;

  UnitLedger& ledger_;
  Rules rules_;
  std::vector<Tenant*> block_;
  std::vector<Group> found_;
  std::vector<Time> without_;  ///< when jobs of the block would end, if no group starts; kNever: they do not start
};

/// Returns the jobs of the view's queue, the first ones.
std::vector<UnitLedger::Tenant*> waiting_tenants(UnitLedger& ledger, std::size_t most);
/// Returns what the group would be in the ledger.
UnitLedger::WhatIf what_if(const UnitGroups::Group& group);

// When those that wait would start and end if each had the units that it asks for to itself, in order, as units come
// free (UnitLedger::free_later).

struct UnitSlot {
  std::int32_t kind;  ///< -1: it fits no kind alone, and has units of all that it may have, at the pace of the slowest
  Time start, finish;
  std::int32_t spare;  ///< units that are left over then
};

/// Returns where the waiting job would end soonest, not starting before an instant; nothing if it asks for no units or
/// never starts. `free` never falls from then on.
std::optional<UnitSlot> first_slot(const UnitLedger::Tenant& t, const std::vector<Profile>& free, Time not_before);

}  // namespace coslice

#include "scenario/machine/reservation_spec.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenario/jobs/placed_records.h"

namespace coslice {
namespace {

#define RESERVATION(member) COSLICE_FIELD(ReservationSpec, member)

template <class Field>
Codec<ReservationSpec> reservation_instant(Field field) {
  const std::string words = codec::real_words("seconds", {0, kMaxSubmitSeconds});
  return {words,
          [=](ReservationSpec& r, const Value& v, const std::string& p) {
            field(r) = at_seconds(codec::read_real(v, p, words, {0, kMaxSubmitSeconds}));
          },
          [=](const ReservationSpec& r) -> std::optional<Value> {
            const std::optional<Time>& t = field(const_cast<ReservationSpec&>(r));
            if (!t) return std::nullopt;
            return codec::seconds_value(t->time_since_epoch());
          }};
}

template <class Field>
Codec<ReservationSpec> reservation_numbers(Field field, const std::string& words, double high) {
  return {words,
          [=](ReservationSpec& r, const Value& v, const std::string& p) {
            if (!v.list() || v.list()->empty()) codec::wrong(v, p, words);
            field(r).clear();
            for (const Value& n : *v.list())
              field(r).push_back(codec::read_integer(n, p, words, 0, static_cast<std::int64_t>(high)));
          },
          [=](const ReservationSpec& r) -> std::optional<Value> {
            const std::vector<std::int64_t>& all = field(const_cast<ReservationSpec&>(r));
            if (all.empty()) return std::nullopt;
            return Value(Value::List(all.begin(), all.end()));
          }};
}

const std::vector<Key<ReservationSpec>>& reservation_keys() {
  static const std::vector<Key<ReservationSpec>> keys = {
      {"name", codec::text<ReservationSpec>(RESERVATION(name)),
       "Its name, which jobs may say as `reservation`. A later table of the same name with only `from`, `length` and "
       "`every` adds times to it.",
       true},
      {"nodes", codec::texts<ReservationSpec>(RESERVATION(nodes)),
       "Its nodes: names of kinds, of nodes, or ranges of them; on a machine of equal nodes their numbers: `\"0-15\"`. "
       "Default: all."},
      {"count", codec::integer<ReservationSpec>(RESERVATION(count), 1, 100'000, 0),
       "Only so many of `nodes`: the last ones that no table before has at the same time, because jobs take the first "
       "ones."},
      {"from", reservation_instant(RESERVATION(from)), "When it begins, s."},
      {"length", codec::seconds<ReservationSpec>(RESERVATION(length), {0, kMaxSeconds, true}), "How long it lasts, s."},
      {"every", codec::seconds<ReservationSpec>(RESERVATION(every), {0, kMaxSeconds, true}),
       "It repeats every this many seconds: 86400 is daily. Default: once."},
      {"floating", codec::seconds<ReservationSpec>(RESERVATION(floating), {0, kMaxSeconds}),
       "Instead of `from` and `length`: it begins always so many seconds from now, so that jobs of others with longer "
       "limits do not run on the nodes."},
      {"announced", reservation_instant(RESERVATION(announced)),
       "When schedulers learn of it, s. Jobs that run on the nodes then run on. Default: from the beginning."},
      {"users", reservation_numbers(RESERVATION(users), "a list of users' numbers", 2e9),
       "Users whose jobs may run in it."},
      {"accounts", reservation_numbers(RESERVATION(accounts), "a list of groups' numbers", 2e9),
       "Accounts (groups) whose jobs may run in it."},
      {"jobs", reservation_numbers(RESERVATION(jobs), "a list of jobs' ids", 9e15),
       "Jobs that may run in it, by `id`."},
      {"backfill", codec::seconds<ReservationSpec>(RESERVATION(backfill), {0, kMaxSeconds}),
       "Jobs of others whose limits are no longer than that may use what is free in it, s. Default: none may."},
  };
  return keys;
}

[[noreturn]] void refuse_reservation(const ReservationSpec& r, const std::string& problem,
                                     const std::string& expected) {
  fail_at(r.place, fmt::format("the reservation '{}' {}", r.name, problem), expected);
}

void check_times(const ReservationSpec& r) {
  if (r.floating) {
    if (r.from || r.length || r.every || r.announced || r.backfill)
      refuse_reservation(r, "floats and has times of its own", "without from, length, every, announced and backfill");
    return;
  }
  if (!r.from || !r.length) refuse_reservation(r, "does not say when it is", "from and length, or floating");
  if (r.every && *r.every <= *r.length) refuse_reservation(r, "begins again before it is over", "every above length");
  if (!r.every && r.announced && *r.announced >= later(*r.from, *r.length))
    refuse_reservation(r, "is over when it is announced", "announced before from + length");
}

/// Whether a table says nothing but when: more windows of the reservation whose name it has.
bool only_times(const ReservationSpec& r) {
  return r.nodes.empty() && r.count == 0 && !r.floating && !r.announced && !r.backfill && r.users.empty() &&
         r.accounts.empty() && r.jobs.empty();
}

}  // namespace

void check_reservations(const std::vector<ReservationSpec>& specs) {
  for (auto r = specs.begin(); r != specs.end(); ++r) {
    if (r->name.empty()) fail_at(r->place, "a reservation has an empty name", "a name");
    const auto first =
        std::find_if(specs.begin(), r, [&](const ReservationSpec& other) { return other.name == r->name; });
    if (first != r && (first->floating || !only_times(*r)))
      refuse_reservation(*r, "appears twice", "each name once, or further times of it alone: from, length, every");
    check_times(*r);
  }
}

std::vector<Key<Scenario>> keys_of_reservations() {
  return {{"reservations", placed_records(COSLICE_FIELD(Scenario, reservations), reservation_keys()),
           "Nodes that are kept for some jobs for a time ([reservations.md](reservations.md))."}};
}

}  // namespace coslice

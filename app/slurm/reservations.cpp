// Reservations of a site as tables of a scenario.
#include "slurm/reservations.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "core/value.h"
#include "machine/node_names.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

constexpr std::int64_t kDaySeconds = 86'400, kWeekSeconds = 7 * kDaySeconds;

/// What a flag is here: understood, or something that is not modelled.
struct FlagRow {
  std::string_view name, effect = {};
};
constexpr FlagRow kFlags[] = {
    {"DAILY"},
    {"WEEKLY"},
    {"WEEKDAY"},
    {"WEEKEND"},
    {"HOURLY"},
    {"MAINT"},
    {"OVERLAP"},
    {"SPEC_NODES"},
    {"ALL_NODES"},
    {"PART_NODES"},
    {"STATIC"},
    {"STATIC_ALLOC"},
    {"FIRST_CORES"},
    {"MAGNETIC"},
    {"USER_DELETE"},
    {"ANY_NODES"},
    {"NO_HOLD_JOBS_AFTER"},
    {"NO_HOLD_JOBS_AFTER_END"},
    {"TIME_FLOAT"},
    {"IGNORE_JOBS",
     "schedulers know of it from the beginning; Slurm let jobs run into it that ran when it was made (`announced`)"},
    {"FLEX", "jobs that name it neither begin before it nor go on after it"},
    {"REPLACE", "its nodes stay the same, also those that jobs of it have"},
    {"REPLACE_DOWN", "its nodes stay the same, also those that fail"},
    {"PURGE_COMP", "it keeps its nodes to its end, also when no job wants them any more"},
};

/// Fields that say nothing that counts here, or say it again.
constexpr std::string_view kNothingMore[] = {"ReservationName", "State",   "TRES",     "Watts",   "CoreCnt",
                                             "NodeName",        "CoreIDs", "Features", "Comment", "CPUCnt"};

struct FieldCost {
  std::string_view key, effect;
};
constexpr FieldCost kFieldCosts[] = {
    {"Groups", "members of these groups may not run in it unless their jobs name it"},
    {"Licenses", "its licences are not kept"},
    {"BurstBuffer", "burst buffers are not modelled"},
    {"QOS", "jobs of these qualities of service may not run in it unless they name it"},
    {"AllowedPartitions", "jobs of all partitions may name it"},
    {"AllowedQOS", "jobs of all qualities of service may name it"}};

class ReservationWriter {
 public:
  ReservationWriter(const Site& site, const ReservedTrace& trace, ImportPage& page)
      : site_(site), trace_(trace), page_(page) {}

  std::string text(const SiteReservation& r) {
    note_flags(r);
    note_fields(r);
    if (r.has_flag("TIME_FLOAT")) return nothing(r, "when it is moves on with the time: write it with `floating`");
    std::string head = fmt::format("\n[[reservations]]\nname = {}\n", toml_text(Value(r.name)));
    if (!add_nodes(r, head)) return "";
    if (const Setting* s = r.find("MaxStartDelay")) {
      const auto span = read_span(s->value);
      if (!span) fail_at(s->place, fmt::format("MaxStartDelay={} is not a time", s->value), "a time like 00:10:00");
      head += fmt::format("backfill = {}\n", span->endless ? kWeekSeconds * 52 : span->seconds);
      page_.understood(*s, "backfill: jobs of others that are no longer");
    }
    add_entitled(r, head);
    const std::vector<std::string> times = tables_of_times(r);
    if (times.empty()) return nothing(r, "over before the first job was submitted");
    std::string out = head + times.front();
    for (std::size_t i = 1; i < times.size(); ++i)
      out += fmt::format("\n[[reservations]]\nname = {}\n{}", toml_text(Value(r.name)), times[i]);
    page_.understood(fmt::format("ReservationName={}", r.name), place_text(r.place), "[[reservations]]");
    return out;
  }

 private:
  std::string nothing(const SiteReservation& r, const char* why) {
    page_.ignored(fmt::format("ReservationName={}", r.name), place_text(r.place), why);
    return "";
  }

  void cost(const SiteReservation& r, const std::string& what, std::string_view effect) {
    page_.costs(fmt::format("`{}` of the reservation {} ({})", what, r.name, place_text(r.place)), std::string(effect));
  }

  void note_flags(const SiteReservation& r) {
    const Setting* all = r.find("Flags");
    for (const std::string& flag : r.flags) {
      const std::string word = flag.substr(0, flag.find_first_of("=:"));
      const auto row =
          std::find_if(std::begin(kFlags), std::end(kFlags), [&](const FlagRow& f) { return same_word(f.name, word); });
      if (row == std::end(kFlags)) page_.ignored({"Flags", flag, all->place}, unknown_flag(word));
      else if (row->effect.empty())
        page_.understood({"Flags", flag, all->place}, fmt::format("of the reservation {}", r.name));
      else cost(r, flag, row->effect);
    }
  }

  static std::string unknown_flag(const std::string& word) {
    std::vector<std::string> known;
    for (const FlagRow& f : kFlags) known.emplace_back(f.name);
    const std::string meant = did_you_mean(word, known);
    return meant.empty() ? "not known" : "not known; " + meant;
  }

  void note_fields(const SiteReservation& r) {
    static constexpr std::string_view used[] = {"StartTime", "EndTime",  "Duration",      "Nodes", "NodeCnt",
                                                "Users",     "Accounts", "PartitionName", "Flags", "MaxStartDelay"};
    const auto among = [](const auto& names, const Setting& s) {
      return std::any_of(std::begin(names), std::end(names), [&](std::string_view n) { return same_word(n, s.key); });
    };
    for (const Setting& s : r.fields) {
      if (among(used, s) || among(kNothingMore, s)) continue;
      const auto row = std::find_if(std::begin(kFieldCosts), std::end(kFieldCosts),
                                    [&](const FieldCost& f) { return same_word(f.key, s.key); });
      if (row == std::end(kFieldCosts)) page_.ignored(s, "not known");
      else cost(r, fmt::format("{}={}", s.key, s.value), row->effect);
    }
  }

  std::int64_t cores_of(const std::vector<std::string>& nodes) const {
    const std::set<std::string> wanted(nodes.begin(), nodes.end());
    std::int64_t cores = 0;
    for (const NodeGroup& g : site_.machine.groups)
      for (const std::string& node : g.nodes)
        if (wanted.count(node) != 0) cores += std::int64_t{g.spec.processors} * g.spec.cores;
    return cores;
  }

  /// False, and a word on the page, if it has none.
  bool add_nodes(const SiteReservation& r, std::string& out) {
    const Setting *nodes = r.find("Nodes"), *count = r.find("NodeCnt"), *partition = r.find("PartitionName");
    if (r.has_flag("ANY_NODES")) return nothing(r, "it is for what no node has (ANY_NODES)"), false;
    if (nodes != nullptr && !same_word(nodes->value, "ALL")) return add_named(r, *nodes, out);
    if (nodes != nullptr) return true;  // all of the machine
    if (partition != nullptr) {
      const SitePartition* p = site_.machine.find_partition(partition->value);
      if (p == nullptr)
        fail_at(partition->place, fmt::format("partition '{}' is not in slurm.conf", partition->value),
                "a PartitionName of slurm.conf");
      if (!p->spec.nodes.empty())
        out += fmt::format("nodes = {}\n", toml_text(Value(Value::List(p->spec.nodes.begin(), p->spec.nodes.end()))));
    }
    const auto some = count == nullptr ? std::optional<std::int64_t>(0) : whole_number(count->value);
    if (!some) fail_at(count->place, fmt::format("NodeCnt={} is not a number", count->value), "a whole number");
    if (*some == 0) return nothing(r, "it has no nodes"), false;
    out += fmt::format("count = {}\n", *some);
    cost(r, fmt::format("NodeCnt={}", *some),
         "which nodes they are is not said: the last ones that no other reservation has");
    return true;
  }

  bool add_named(const SiteReservation& r, const Setting& nodes, std::string& out) {
    std::vector<std::string> known, unknown;
    for (const std::string& node : site_.machine.node_sets.nodes_of(nodes, page_))
      (site_.machine.has_node(node) ? known : unknown).push_back(node);
    if (!unknown.empty())
      page_.ignored(nodes, fmt::format("the machine has no nodes {}", compress_node_names(unknown)));
    if (known.empty()) return nothing(r, "the machine has none of its nodes"), false;
    out += fmt::format("nodes = {}\n", toml_text(Value(Value::List{Value(compress_node_names(known))})));
    if (const Setting* cores = r.find("CoreCnt"))
      if (const auto n = whole_number(cores->value); n && *n < cores_of(known))
        cost(r, fmt::format("CoreCnt={}", *n), "all cores of its nodes are kept");
    return true;
  }

  /// In Slurm a job runs in a reservation that it names, or in one that draws jobs to itself (MAGNETIC). Where records
  /// do not say what jobs named, those who might have may run in it.
  void add_entitled(const SiteReservation& r, std::string& out) {
    const bool by_name = trace_.names_reservations && !r.has_flag("MAGNETIC");
    add_list(r, "Users", "users", site_.users, by_name, out);
    add_list(r, "Accounts", "accounts", site_.accounts, by_name, out);
    if (!trace_.names_reservations && !r.has_flag("MAGNETIC"))
      page_.costs("no column says which reservation a job named (Reservation of sacct)",
                  "all jobs of a reservation's users and accounts may run in it");
  }

  void add_list(const SiteReservation& r, const char* key, const char* becomes, const NumbersOfNames& names,
                bool by_name, std::string& out) {
    const Setting* s = r.find(key);
    if (s == nullptr) return;
    Value::List numbers;
    for (const std::string& name : list_items(lower_case(s->value))) {
      if (name[0] == '-') {
        cost(r, fmt::format("{}={}", key, name), "those who are shut out are not kept from it if their jobs name it");
        continue;
      }
      if (const auto found = names.all().find(name); found != names.all().end()) numbers.emplace_back(found->second);
    }
    if (by_name) return page_.understood(*s, "jobs that name it");
    page_.understood(*s, numbers.empty() ? "the site has no jobs of these" : becomes);
    if (!numbers.empty()) out += fmt::format("{} = {}\n", becomes, toml_text(Value(numbers)));
  }

  /// "from = ..." and what belongs to it, for each table that it takes: days of the week have one each.
  std::vector<std::string> tables_of_times(const SiteReservation& r) const {
    const std::int64_t from = r.start - trace_.origin;
    const std::int64_t period = r.has_flag("HOURLY")   ? 3600
                                : r.has_flag("DAILY")  ? kDaySeconds
                                : r.has_flag("WEEKLY") ? kWeekSeconds
                                                       : 0;
    std::vector<std::string> out;
    if (r.has_flag("WEEKDAY") || r.has_flag("WEEKEND")) {
      const bool weekend = r.has_flag("WEEKEND");
      for (std::int64_t day = 0; day != 7; ++day) {
        const std::int64_t weekday =
            ((r.start / kDaySeconds + day) % 7 + 3) % 7;  // 1 January 1970 was a Thursday; 0: Monday
        if ((weekday >= 5) == weekend)
          append_times(from + day * kDaySeconds, std::min(r.length, kDaySeconds), kWeekSeconds, out);
      }
    } else {
      append_times(from, r.length, period, out);
    }
    return out;
  }

  /// What repeats has done so since the first job. A window that was open then is one of its own.
  static void append_times(std::int64_t from, std::int64_t length, std::int64_t period, std::vector<std::string>& out) {
    if (period > 0) {
      from = (from % period + period) % period;
      length = std::min(length, period - 1);
      if (from + length > period) out.push_back(fmt::format("from = 0\nlength = {}\n", from + length - period));
    } else if (from < 0) {
      length += from;
      from = 0;
    }
    if (length <= 0) return;
    out.push_back(fmt::format("from = {}\nlength = {}\n", from, length));
    if (period > 0) out.back() += fmt::format("every = {}\n", period);
  }

  const Site& site_;
  const ReservedTrace& trace_;
  ImportPage& page_;
};

}  // namespace

std::string reservations_text(const std::vector<SiteReservation>& all, const Site& site, const ReservedTrace& trace,
                              ImportPage& page) {
  if (all.empty()) return "";
  ReservationWriter writer(site, trace, page);
  std::string out;
  for (const SiteReservation& r : all) out += writer.text(r);
  page.costs("when reservations were made, and those that are over, are not on record",
             "schedulers know of those that scontrol shows from the beginning; ones that repeat have done so since the "
             "first job");
  return out;
}

}  // namespace coslice::slurm

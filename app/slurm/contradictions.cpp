#include "slurm/contradictions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/text.h"
#include "slurm/resource_lists.h"
#include "slurm/setting_types.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

bool has_word(const std::string& list, std::string_view word) {
  const std::vector<std::string> items = list_items(list);
  return std::any_of(items.begin(), items.end(), [&](const std::string& item) { return same_word(item, word); });
}

class ContradictionFinder {
 public:
  ContradictionFinder(const Site& site, ImportPage& page) : site_(site), settings_(site.settings), page_(page) {}

  void preemption() {
    const Setting *mode = settings_.find("PreemptMode"), *type = settings_.find("PreemptType");
    const bool none = type == nullptr || same_word(type->value, "preempt/none");
    const auto mode_has = [&](const char* word) { return mode != nullptr && has_word(mode->value, word); };
    if (mode_has("SUSPEND") && !mode_has("GANG"))
      page_.contradiction(*mode,
                          "Slurm does not start with SUSPEND unless GANG is set beside it; jobs are suspended here");
    if (none && (mode_has("REQUEUE") || mode_has("CANCEL") || mode_has("SUSPEND")))
      page_.contradiction(*mode, "without a PreemptType no job stops another");
    if (!none && (mode == nullptr || mode_has("OFF")) && !any_own_mode())
      page_.contradiction(*type, "with PreemptMode=OFF no job stops another");
    if (!none && has_word(type->value, "preempt/partition_prio") && one_tier())
      page_.contradiction(*type, "all partitions have the same PriorityTier: no job stops another");
  }

  void selection() {
    const Setting *type = settings_.find("SelectType"), *how = settings_.find("SelectTypeParameters");
    if (type == nullptr) return;
    if (same_word(type->value, "select/linear") && how != nullptr && lower_case(how->value) != "cr_memory" &&
        lower_case(how->value) != "none")
      page_.contradiction(*how, "is not for select/linear: jobs have whole nodes");
  }

  void scheduler() {
    const Setting* type = settings_.find("SchedulerType");
    if (type != nullptr && same_word(type->value, "sched/builtin"))
      for (const Setting& s : settings_.said)
        if (lower_case(s.key).substr(0, 3) == "bf_")
          page_.contradiction(s, "means nothing under sched/builtin, which never backfills");
    const Setting* window = settings_.find("bf_window");
    const std::int64_t minutes = window == nullptr ? 1440 : whole_number(window->value).value_or(1440);
    for (const SitePartition& p : site_.machine.partitions)
      if (p.spec.max_time && *p.spec.max_time > whole_seconds(minutes * 60) && p.find("maxtime") != nullptr)
        page_.contradiction(*p.find("maxtime"),
                            fmt::format("is longer than bf_window ({} min): backfilling does not see the end of such "
                                        "jobs of partition {}",
                                        minutes, p.spec.name));
    sums_of_depths();
  }

  void priorities() {
    const Setting* type = settings_.find("PriorityType");
    for (const Setting& s : settings_.said) {
      const bool weight = lower_case(s.key).substr(0, 14) == "priorityweight";
      if (weight && type != nullptr && same_word(type->value, "priority/basic"))
        page_.contradiction(s, "means nothing under priority/basic: jobs come in order of submission");
      else if (weight && type == nullptr && s.value != "0")
        page_.contradiction(
            s, "PriorityType is not said: Slurm before 21.08 has priority/basic then, here it is priority/multifactor");
      if (weight && type == nullptr) break;
    }
    const Setting *fades = settings_.find("PriorityDecayHalfLife"), *reset = settings_.find("PriorityUsageResetPeriod");
    if (fades != nullptr && read_span(fades->value) && read_span(fades->value)->seconds == 0 &&
        !read_span(fades->value)->endless && (reset == nullptr || same_word(reset->value, "NONE")))
      page_.contradiction(*fades,
                          "usage neither fades nor is reset (PriorityUsageResetPeriod): what was used counts for ever");
    const Setting *flags = settings_.find("PriorityFlags"), *damping = settings_.find("FairShareDampeningFactor");
    const bool fair_tree =
        flags == nullptr || !(has_word(flags->value, "NO_FAIR_TREE") || has_word(flags->value, "DEPTH_OBLIVIOUS"));
    if (damping != nullptr && damping->value != "1" && fair_tree)
      page_.contradiction(
          *damping,
          "means nothing under Fair Tree, which holds unless PriorityFlags has NO_FAIR_TREE or DEPTH_OBLIVIOUS");
  }

  void memory() {
    const Setting *cpu = settings_.find("DefMemPerCPU"), *node = settings_.find("DefMemPerNode");
    if (cpu != nullptr && node != nullptr) page_.contradiction(*cpu, "is set beside DefMemPerNode, which counts");
    const Setting *most_cpu = settings_.find("MaxMemPerCPU"), *most_node = settings_.find("MaxMemPerNode");
    if (most_cpu != nullptr && most_node != nullptr)
      page_.contradiction(*most_node, "is set beside MaxMemPerCPU: Slurm takes one of them");
  }

  void partitions() {
    const SitePartition* by_default = nullptr;
    for (const SitePartition& p : site_.machine.partitions) {
      const Setting* s = p.find("default");
      if (s != nullptr && yes_or_no(s->value).value_or(false)) {
        if (by_default != nullptr)
          page_.contradiction(
              *s, fmt::format("partition {} is the default one, too; the last of them counts", by_default->spec.name));
        by_default = &p;
      }
      times(p);
      sizes(p);
      names(p, "qos", "allowqos", "denyqos", "quality of service", [&](const std::string& n) { return has_qos(n); });
      names(p, "", "allowaccounts", "denyaccounts", "account", [&](const std::string& n) { return has_account(n); });
    }
    if (by_default == nullptr && site_.machine.partitions.size() > 1)
      page_.contradiction(site_.machine.partitions.front().said.at("partitionname"),
                          "no partition is the default one: jobs that name none go to the first, Slurm refuses them");
  }

  void gres(const std::vector<ConfLine>& conf) {
    const Setting* types = settings_.find("GresTypes");
    std::set<std::string> told;
    for (const ConfLine& line : conf) {
      const Setting* s = same_word(line.first().key, "NodeName") ? line.find("Gres") : nullptr;
      if (s == nullptr) continue;
      for (const Gres& g : read_gres(s->value, s->place))
        if ((types == nullptr || !has_word(types->value, g.name)) && told.insert(g.name).second)
          page_.contradiction(*s, fmt::format("GresTypes does not have '{}': Slurm has no such resources then{}",
                                              printable(shortened(g.name, 40)),
                                              g.name == "gpu" ? ", here nodes have them" : ""));
    }
  }

  void accounting(bool given) {
    const Setting* enforced = settings_.find("AccountingStorageEnforce");
    if (enforced == nullptr || given) return;
    for (const char* word : {"limits", "safe", "qos", "all"})
      if (has_word(enforced->value, word))
        return page_.contradiction(*enforced, "limits are to be kept, but no associations were given (--assoc)");
  }

 private:
  bool any_own_mode() const {
    const auto on = [](const std::string& mode) { return !same_word(mode, "OFF") && !same_word(mode, "CLUSTER"); };
    return std::any_of(site_.machine.partitions.begin(), site_.machine.partitions.end(),
                       [&](const SitePartition& p) {
                         return p.find("preemptmode") != nullptr && on(p.find("preemptmode")->value);
                       }) ||
           std::any_of(site_.associations.qos.begin(), site_.associations.qos.end(), [&](const SiteQos& q) {
             const auto found = q.limits.find("PreemptMode");
             return found != q.limits.end() && found->second.text() && on(*found->second.text());
           });
  }

  bool one_tier() const {
    const auto& all = site_.machine.partitions;
    return std::all_of(all.begin(), all.end(),
                       [&](const SitePartition& p) { return p.spec.tier == all.front().spec.tier; });
  }

  /// A depth of one kind above that of all jobs limits nothing.
  void sums_of_depths() {
    const Setting* all = settings_.find("bf_max_job_test");
    const std::int64_t most = all == nullptr ? 500 : whole_number(all->value).value_or(500);
    for (const char* key : {"bf_max_job_user", "bf_max_job_part", "bf_max_job_assoc", "bf_max_job_user_part"})
      if (const Setting* s = settings_.find(key); s != nullptr && whole_number(s->value).value_or(0) > most)
        page_.contradiction(*s, fmt::format("is above bf_max_job_test ({}): it limits nothing", most));
  }

  void times(const SitePartition& p) {
    const Setting *usual = p.find("defaulttime"), *most = p.find("maxtime");
    if (usual == nullptr || most == nullptr) return;
    const auto a = read_span(usual->value), b = read_span(most->value);
    if (a && b && !b->endless && (a->endless || a->seconds > b->seconds))
      page_.contradiction(*usual,
                          fmt::format("is above MaxTime={} of partition {}, which counts", most->value, p.spec.name));
  }

  std::int64_t nodes_of(const std::string& partition) const {
    for (const Partition& p : site_.machine.layout->partitions)
      if (p.name == partition) return p.nodes.count();
    return 0;
  }

  void sizes(const SitePartition& p) {
    const Setting *least = p.find("minnodes"), *most = p.find("maxnodes");
    const std::int64_t nodes = nodes_of(p.spec.name);
    const std::int64_t few = least == nullptr ? 0 : conf_number(least->value, kMostLong).value_or(0);
    const std::int64_t many = most == nullptr             ? nodes
                              : is_unlimited(most->value) ? nodes
                                                          : conf_number(most->value, kMostLong).value_or(nodes);
    if (few > nodes)
      page_.contradiction(*least,
                          fmt::format("partition {} has {} nodes: Slurm takes no job of it", p.spec.name, nodes));
    else if (few > many)
      page_.contradiction(*least, fmt::format("is above MaxNodes={} of partition {}", many, p.spec.name));
    if (most != nullptr && many == 0)
      page_.contradiction(*most, fmt::format("no job of partition {} could run; it counts as 1", p.spec.name));
  }

  bool has_qos(const std::string& name) const {
    return std::any_of(site_.associations.qos.begin(), site_.associations.qos.end(),
                       [&](const SiteQos& q) { return q.name == name; });
  }
  bool has_account(const std::string& name) const {
    return name == "root" || std::any_of(site_.associations.accounts.begin(), site_.associations.accounts.end(),
                                         [&](const SiteAccount& a) { return a.name == name; });
  }

  /// Names that nothing declares, where associations are known.
  template <class Known>
  void names(const SitePartition& p, const char* own, const char* allowed, const char* denied, const char* what,
             const Known& known) {
    if (site_.associations.accounts.empty()) return;
    for (const char* key : {own, allowed, denied}) {
      const Setting* s = p.find(key);
      if (s == nullptr || same_word(s->value, "ALL") || same_word(s->value, "N/A")) continue;
      for (const std::string& name : list_items(lower_case(s->value)))
        if (!known(name)) page_.contradiction(*s, fmt::format("there is no {} '{}'", what, name));
    }
  }

  const Site& site_;
  const SiteSettings& settings_;
  ImportPage& page_;
};

}  // namespace

void note_contradictions(const std::vector<ConfLine>& conf, const Site& site, bool gave_associations,
                         ImportPage& page) {
  ContradictionFinder finder(site, page);
  finder.preemption();
  finder.selection();
  finder.scheduler();
  finder.priorities();
  finder.memory();
  finder.partitions();
  finder.gres(conf);
  finder.accounting(gave_associations);
}

}  // namespace coslice::slurm

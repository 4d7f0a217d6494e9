// Submissions as a dump of sacct: what Slurm would give jobs that do not say it.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/time.h"
#include "formats/sacct_columns.h"
#include "formats/slurm_fields.h"
#include "slurm/simulator_events.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

constexpr std::int64_t kNano = 1'000'000'000;
constexpr std::int64_t kEndless = 900'000'000;  ///< s; no run is that long

/// Whole seconds as they are, others with their decimals: "12", "10.5".
std::string with_decimals(const std::string& seconds, std::int64_t nanoseconds) {
  if (nanoseconds == 0) return seconds;
  std::string decimals = fmt::format("{:09}", nanoseconds);
  while (decimals.back() == '0') decimals.pop_back();
  return seconds + "." + decimals;
}

std::string elapsed_text(std::int64_t nanoseconds) {
  return with_decimals(slurm_duration_text(nanoseconds / kNano * kNano), nanoseconds % kNano);
}

std::string instant_text(std::int64_t nanoseconds) {
  return with_decimals(iso_text(nanoseconds / kNano), nanoseconds % kNano);
}

class SacctOfEvents {
 public:
  SacctOfEvents(const SiteMachine& machine, const SiteSettings& settings, Associations& associations, ImportPage& page)
      : machine_(machine), settings_(settings), associations_(associations), page_(page) {}

  std::string text(std::vector<SubmittedJob> jobs) {
    std::stable_sort(jobs.begin(), jobs.end(),
                     [](const SubmittedJob& a, const SubmittedJob& b) { return a.submit < b.submit; });
    origin_ = jobs.front().submit / kNano * kNano;
    std::string out =
        "JobID|User|Account|Partition|QOS|Submit|Elapsed|NNodes|NCPUS|Timelimit|ReqTRES|Constraints|OverSubscribe";
    says_commands_ = std::ranges::any_of(jobs, [](const SubmittedJob& j) { return !command_of(j).empty(); });
    out += says_commands_ ? "|SubmitLine\n" : "\n";
    for (const SubmittedJob& job : jobs) out += line(job);
    note(jobs.size());
    return out;
  }

 private:
  /// What of the command counts beyond the columns: a range of nodes with the tasks that go on them, and segments.
  static std::string command_of(const SubmittedJob& job) {
    std::string out;
    if (job.most_nodes > 0) {
      out += fmt::format(" -N {}-{}", job.nodes, job.most_nodes);
      if (job.tasks > 0) out += fmt::format(" -n {}", job.tasks);
      if (job.cpus_per_task > 1) out += fmt::format(" -c {}", job.cpus_per_task);
    }
    if (job.segment > 0) out += fmt::format(" --segment={}", job.segment);
    return out.empty() ? out : "sbatch" + out;
  }

  std::string line(const SubmittedJob& job) {
    const SitePartition* partition = first_partition(job);
    const std::int64_t tasks = std::max<std::int64_t>(
        1, job.tasks > 0 ? job.tasks
                         : std::max<std::int64_t>(1, job.nodes) * std::max<std::int64_t>(1, job.tasks_per_node));
    const std::int64_t asked = tasks * cpus_of_task(job, *partition);
    const std::int64_t nodes = nodes_of(job, tasks, asked, *partition);
    const std::int64_t cpus = whole_parts(asked, nodes, *partition);
    const std::int64_t limit = limit_of(job, *partition);
    const std::int64_t memory = memory_of(job, *partition, cpus, nodes);
    std::string tres = fmt::format("cpu={}", cpus);
    if (memory > 0) tres += fmt::format(",mem={}M", memory * nodes);
    tres += fmt::format(",node={}", nodes);
    if (job.gpus_per_node > 0)
      tres += fmt::format(",gres/gpu{}={}", job.gpu_type.empty() ? "" : ":" + job.gpu_type, job.gpus_per_node * nodes);
    const Setting* shared = partition->find("oversubscribe");
    const bool alone = shared != nullptr && same_word(shared->value, "EXCLUSIVE");
    const bool whole = job.exclusive || alone || settings_.whole_nodes || memory < 0;
    const bool shares = job.oversubscribe && !job.exclusive && !alone && memory >= 0;
    const auto field = [](const std::string& text) { return escaped_sacct_field(text, "|"); };
    return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}{}\n", job.id, field(job.user), field(account_of(job)),
                       field(job.partition.empty() ? partition->spec.name : job.partition), field(qos_of(job)),
                       instant_text(job.submit - origin_), elapsed_text(runtime_of(job, limit)), nodes, cpus,
                       limit < 0 ? "UNLIMITED" : slurm_duration_text(limit), field(tres), field(job.features),
                       shares  ? "YES"
                       : whole ? "NO"
                               : "OK",
                       says_commands_ ? "|" + command_of(job) : "");
  }

  /// The one whose defaults count: of several, "-p a,b", the first.
  const SitePartition* first_partition(const SubmittedJob& job) const {
    const SitePartition* first = nullptr;
    const std::vector<std::string> names =
        job.partition.empty() ? std::vector<std::string>{""} : list_items(job.partition);
    for (const std::string& name : names) {
      const SitePartition* one = machine_.find_partition(name);
      if (one == nullptr)
        fail_at(job.place, fmt::format("there is no partition '{}'", name), "a PartitionName of slurm.conf");
      if (first == nullptr) first = one;
    }
    return first;
  }

  std::string account_of(const SubmittedJob& job) const {
    if (!job.account.empty()) return job.account;
    const auto found = associations_.default_account.find(job.user);
    return found == associations_.default_account.end() ? "" : found->second;
  }

  /// Its own, else the default one of its association, of the account or of the cluster, else "normal" where there is
  /// one.
  std::string qos_of(const SubmittedJob& job) {
    if (!job.qos.empty()) return job.qos;
    const std::string account = account_of(job);
    const SiteUser* user = associations_.find_user(job.user, account);
    const SiteAccount* group = associations_.find_account(account);
    const Limits none;
    const Limits& of_user = user != nullptr ? user->limits : none;
    const Limits& of_account = group != nullptr ? group->limits : none;
    for (const Limits* limits : std::initializer_list<const Limits*>{&of_user, &of_account, &associations_.root}) {
      if (const auto found = limits->find("DefaultQOS"); found != limits->end() && found->second.text())
        return *found->second.text();
    }
    return associations_.find_qos("normal") != nullptr ? "normal" : "";
  }

  std::int64_t nodes_of(const SubmittedJob& job, std::int64_t tasks, std::int64_t cpus,
                        const SitePartition& partition) {
    if (job.nodes > 0) return job.nodes;
    if (job.tasks_per_node > 0) return (tasks + job.tasks_per_node - 1) / job.tasks_per_node;
    ++placed_by_size_;
    const std::int64_t most = most_cores(partition);
    return std::max<std::int64_t>(1, (cpus + most - 1) / most);
  }

  std::int64_t most_cores(const SitePartition& partition) const {
    const MachineLayout& layout = *machine_.layout;
    std::int64_t most = 1;
    for (const Partition& p : layout.partitions) {
      if (p.name != partition.spec.name) continue;
      for (const NodeKind& kind : layout.kinds)
        if (p.nodes.intersects(kind.nodes()))
          most = std::max<std::int64_t>(most, std::int64_t{kind.processors} * kind.cores);
    }
    return most;
  }

  /// The group of the partition's nodes with the most CPUs for each core or socket.
  template <class F>
  std::int64_t most_of_groups(const SitePartition& partition, F&& of) const {
    std::int64_t most = 1;
    for (const Partition& p : machine_.layout->partitions) {
      if (p.name != partition.spec.name) continue;
      for (const NodeGroup& group : machine_.groups)
        for (const NodeKind& kind : machine_.layout->kinds)
          if (kind.name == group.spec.name && p.nodes.intersects(kind.nodes()))
            most = std::max<std::int64_t>(most, of(group));
    }
    return most;
  }

  static std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

  /// CR_ONE_TASK_PER_CORE: whole cores, which have several CPUs where these are threads.
  std::int64_t cpus_of_task(const SubmittedJob& job, const SitePartition& partition) const {
    if (!settings_.one_task_per_core) return job.cpus_per_task;
    return rounded_up(job.cpus_per_task, most_of_groups(partition, [](const NodeGroup& g) { return g.threads; }));
  }

  /// CR_Core and CR_Socket: a job has whole cores or sockets of its nodes.
  std::int64_t whole_parts(std::int64_t cpus, std::int64_t nodes, const SitePartition& partition) const {
    std::int64_t unit = 1;
    if (settings_.whole_cores) unit = most_of_groups(partition, [](const NodeGroup& g) { return g.threads; });
    if (settings_.whole_sockets) unit = most_of_groups(partition, [](const NodeGroup& g) { return g.spec.cores; });
    return unit == 1
               ? cpus
               : std::max(cpus, nodes * std::min(rounded_up((cpus + nodes - 1) / nodes, unit), most_cores(partition)));
  }

  /// Of each node, MiB; -1: all that it has.
  std::int64_t memory_of(const SubmittedJob& job, const SitePartition& partition, std::int64_t cpus,
                         std::int64_t nodes) const {
    const std::int64_t on_each = (cpus + nodes - 1) / nodes;
    if (job.memory_per_node > 0) return job.memory_per_node;
    if (job.memory_per_cpu > 0) return job.memory_per_cpu * on_each;
    if (!settings_.memory_counts) return 0;
    if (job.memory_per_node == 0) return -1;
    if (partition.memory_per_cpu > 0) return partition.memory_per_cpu * on_each;
    if (partition.memory_per_node > 0) return partition.memory_per_node;
    if (settings_.memory_per_cpu > 0) return settings_.memory_per_cpu * on_each;
    return settings_.memory_per_node > 0 ? settings_.memory_per_node : -1;
  }

  static std::int64_t limit_of(const SubmittedJob& job, const SitePartition& partition) {
    if (job.limit > 0) return job.limit;
    if (partition.spec.default_time) return partition.spec.default_time->count();
    return partition.spec.max_time ? partition.spec.max_time->count() : -1;
  }

  /// A job that never ends by itself runs past any instant at which it may be killed.
  std::int64_t runtime_of(const SubmittedJob& job, std::int64_t limit) {
    if (job.runtime == 0) return kNano / 1000;
    if (job.runtime > 0) return job.runtime;
    ++endless_;
    if (limit < 0) return kEndless * kNano;
    return limit + (settings_.over_limit + settings_.kill_wait + 60) * kNano;
  }

  void note(std::size_t jobs) {
    page_.understood(fmt::format("{} submissions", jobs), "the jobs", "jobs.sacct");
    if (origin_ > 0) page_.understood(fmt::format("-dt {}", origin_ / kNano), "the jobs", "second 0 of the simulation");
    if (endless_ > 0)
      page_.understood(fmt::format("{} jobs that never end by themselves", endless_), "the jobs",
                       "their run times are above their limits");
    if (placed_by_size_ > 0)
      page_.costs(fmt::format("{} jobs say neither nodes nor tasks per node", placed_by_size_),
                  "they get as few nodes as could hold them; Slurm may spread them");
    page_.costs("cores are spread evenly over the nodes of a job",
                "Slurm may take more of some nodes and less of others");
  }

  const SiteMachine& machine_;
  const SiteSettings& settings_;
  Associations& associations_;
  ImportPage& page_;
  std::int64_t origin_ = 0, endless_ = 0, placed_by_size_ = 0;
  bool says_commands_ = false;  ///< there is a column SubmitLine
};

}  // namespace

std::string events_as_sacct(std::vector<SubmittedJob> jobs, const SiteMachine& machine, const SiteSettings& settings,
                            Associations& associations, ImportPage& page) {
  return SacctOfEvents(machine, settings, associations, page).text(std::move(jobs));
}

}  // namespace coslice::slurm

#include "slurm/import.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "slurm/events.h"
#include "slurm/site.h"
#include "slurm/values.h"
#include "workload/packed_file.h"
#include "workload/sacct.h"

namespace coslice::slurm {
namespace {

constexpr const char* kTrace = "jobs.sacct";

std::vector<ConfLine> conf_or_nothing(const std::string& path) {
  return path.empty() ? std::vector<ConfLine>{} : read_conf(path);
}

/// The dump of sacct that the jobs become, or are already.
std::string trace_text(const ImportFiles& files, Site& site, ImportPage& page) {
  std::string text = read_packed(files.jobs);
  if (looks_like_sacct(text)) return text;
  if (looks_like_events(text))
    return events_as_sacct(read_events(text, files.jobs, page), site.machine, site.settings, site.associations, page);
  throw InputError({files.jobs, 1, "is neither a dump of sacct nor a file of events",
                    "a header with JobID, or lines -dt S -e submit_batch_job | OPTIONS SCRIPT",
                    "make a dump by: " + sacct_command(), ""});
}

/// The names of a kind by their numbers, in lower case.
std::map<std::int32_t, std::string> names_of(const RecordedWorkload& recorded, const char* kind) {
  std::map<std::int32_t, std::string> out;
  for (const RecordedWorkload::Name& n : recorded.names)
    if (n.kind == kind) out[n.number] = lower(n.name);
  return out;
}

/// Users, accounts and qualities of service of jobs that the associations do not have get entries of their own.
class Completion {
 public:
  Completion(const RecordedWorkload& recorded, Associations& all) : all_(all) {
    const auto users = names_of(recorded, "user"), accounts = names_of(recorded, "group");
    const auto name = [](const auto& names, std::int32_t number) {
      const auto found = names.find(number);
      return found == names.end() ? std::string() : found->second;
    };
    std::set<std::pair<std::int32_t, std::int32_t>> seen;
    for (const Job& job : recorded.workload.jobs)
      if (seen.emplace(job.user, job.group).second) add(name(users, job.user), name(accounts, job.group));
    for (const auto& [number, qos] : names_of(recorded, "queue")) {
      if (all_.find_qos(qos) != nullptr) continue;
      all_.qos.push_back({qos, {}});
      missing_.push_back("quality of service " + qos);
    }
  }

  void note(bool given, ImportPage& page) const {
    if (missing_.empty()) return;
    const char* what = given ? "jobs have what is not in the associations" : "without --assoc nothing is known of";
    const std::string more = missing_.size() > 1 ? fmt::format(" and {} more", missing_.size() - 1) : "";
    page.costs(fmt::format("{}: {}{}", what, missing_.front(), more),
               given ? "they have a share of 1 and no limits; Slurm would have refused their jobs"
                     : "they all have a share of 1, no limits and no priorities");
  }

 private:
  void add(const std::string& user, const std::string& account) {
    if (!account.empty() && account != "root" && all_.find_account(account) == nullptr) {
      all_.accounts.push_back({account, "root", {}});
      missing_.push_back("account " + account);
    }
    const std::string home = account.empty() ? "root" : account;
    if (user.empty() || all_.find_user(user, home) != nullptr) return;
    all_.users.push_back({user, home, {}});
    missing_.push_back(fmt::format("user {} in account {}", user, home));
  }

  Associations& all_;
  std::vector<std::string> missing_;
};

/// Partitions of jobs that slurm.conf does not have.
void note_unknown_partitions(const RecordedWorkload& recorded, const SiteMachine& machine, ImportPage& page) {
  for (const RecordedWorkload::Name& n : recorded.names) {
    if (n.kind != "partition") continue;
    const std::vector<std::string> names = list_items(n.name);
    if (names.size() > 1)
      page.costs(fmt::format("{} jobs name several partitions ({})", n.jobs, n.name),
                 "they are one job with the best of their priorities; Slurm has one for each partition");
    if (std::none_of(names.begin(), names.end(), [&](const auto& one) { return machine.find_partition(one) != nullptr; }))
      page.costs(fmt::format("slurm.conf has no partition '{}' of {} jobs", n.name, n.jobs),
                 "they go to the default partition");
  }
}

void note_what_never_is(const Site& site, ImportPage& page) {
  page.costs("when slurmctld came up is not on record",
             "its cycles, counted from there, may be some seconds off: try other values of policy.params.slurmctld_start");
  page.costs("the time that daemons take to start and to end a job", "nodes are free some tenths of a second too early");
  if (!site.settings.memory_counts)
    page.costs("memory is no resource for Slurm here (SelectTypeParameters without Memory)",
               "jobs that say memory hold it all the same");
}

}  // namespace

Import import_slurm(const ImportFiles& files) {
  Import out;
  Site site;
  const std::vector<ConfLine> conf = read_conf(files.conf);
  site.settings = read_settings(conf, out.page);
  site.machine = read_machine(conf, conf_or_nothing(files.gres), out.page);
  site.switches = read_topology(conf_or_nothing(files.topology), site.machine, out.page);
  if (!files.associations.empty()) site.associations = read_associations(files.associations, out.page);
  std::string trace = trace_text(files, site, out.page);
  const RecordedWorkload recorded = parse_sacct(trace, files.jobs, SlurmSize::kCpus);
  Completion(recorded, site.associations).note(!files.associations.empty(), out.page);
  note_unknown_partitions(recorded, site.machine, out.page);
  site.associations.sort();
  for (SiteAccount& a : site.associations.accounts) a.limits.try_emplace("Fairshare", std::int64_t{1});
  for (SiteUser& u : site.associations.users) u.limits.try_emplace("Fairshare", std::int64_t{1});
  site.users = NumbersOfNames(recorded, "user", true);
  site.accounts = NumbersOfNames(recorded, "group", true);
  site.partitions = NumbersOfNames(recorded, "partition", false);
  note_what_never_is(site, out.page);
  out.jobs = static_cast<std::int64_t>(recorded.workload.jobs.size());
  out.partitions = static_cast<std::int64_t>(site.machine.partitions.size());
  for (const NodeKind& kind : site.machine.layout->kinds) {
    out.nodes += kind.count;
    out.cores += std::int64_t{kind.count} * kind.processors * kind.cores;
  }
  out.files.emplace_back("scenario.toml", scenario_text(site, kTrace));
  out.files.emplace_back("policy.lua", policy_text(site));
  out.files.emplace_back(kTrace, std::move(trace));  // as large as the record
  out.files.emplace_back("import.md", out.page.markdown(fmt::format(
                                          "Import of {}", site.settings.cluster.empty()
                                                              ? std::filesystem::path(files.conf).filename().string()
                                                              : site.settings.cluster)));
  return out;
}

}  // namespace coslice::slurm

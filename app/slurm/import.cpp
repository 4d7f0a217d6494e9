#include "slurm/import.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "slurm/events.h"
#include "slurm/site.h"
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

const std::string& name_of_number(const RecordedWorkload& recorded, const char* kind, std::int32_t number) {
  static const std::string none;
  for (const RecordedWorkload::Name& n : recorded.names)
    if (n.number == number && n.kind == kind) return n.name;
  return none;
}

/// Users, accounts and qualities of service of jobs that the associations do not have get entries of their own.
void complete_associations(const RecordedWorkload& recorded, bool given, Associations& all, ImportPage& page) {
  std::map<std::pair<std::int32_t, std::int32_t>, bool> seen;
  std::int64_t added = 0;
  for (const Job& job : recorded.workload.jobs) {
    if (!seen.try_emplace({job.user, job.group}, true).second) continue;
    const std::string account = name_of_number(recorded, "group", job.group), user = name_of_number(recorded, "user", job.user);
    if (!account.empty() && account != "root" && all.find_account(account) == nullptr) {
      all.accounts.push_back({account, "root", {}});
      ++added;
    }
    if (user.empty() || all.find_user(user, account.empty() ? "root" : account) != nullptr) continue;
    all.users.push_back({user, account.empty() ? "root" : account, {}});
    ++added;
  }
  for (const RecordedWorkload::Name& n : recorded.names)
    if (n.kind == "queue" && all.find_qos(n.name) == nullptr) {
      all.qos.push_back({n.name, {}});
      ++added;
    }
  if (added == 0) return;
  page.costs(fmt::format("{} accounts, users or qualities of service that jobs have are not in the associations", added),
             given ? "they have a share of 1 and no limits here; Slurm would have refused the jobs"
                   : "without --assoc all have a share of 1, no limits and no priorities");
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
  const std::string trace = trace_text(files, site, out.page);
  const RecordedWorkload recorded = parse_sacct(trace, files.jobs, SlurmSize::kCpus);
  complete_associations(recorded, !files.associations.empty(), site.associations, out.page);
  site.associations.sort();
  for (SiteAccount& a : site.associations.accounts) a.limits.try_emplace("Fairshare", std::int64_t{1});
  for (SiteUser& u : site.associations.users) u.limits.try_emplace("Fairshare", std::int64_t{1});
  site.users = NumbersOfNames(recorded, "user");
  site.accounts = NumbersOfNames(recorded, "group");
  site.partitions = NumbersOfNames(recorded, "partition");
  note_what_never_is(site, out.page);
  out.jobs = static_cast<std::int64_t>(recorded.workload.jobs.size());
  out.partitions = static_cast<std::int64_t>(site.machine.partitions.size());
  for (const NodeKind& kind : site.machine.layout->kinds) {
    out.nodes += kind.count;
    out.cores += std::int64_t{kind.count} * kind.processors * kind.cores;
  }
  out.files = {{"scenario.toml", scenario_text(site, kTrace)}, {"policy.lua", policy_text(site)}, {kTrace, trace}};
  out.files.emplace_back("import.md", out.page.markdown(fmt::format(
      "Import of {}", site.settings.cluster.empty() ? std::filesystem::path(files.conf).filename().string() : site.settings.cluster)));
  return out;
}

}  // namespace coslice::slurm

// Accounts, users and qualities of service, as commands of sacctmgr or a dump of it say them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/value.h"
#include "slurm/import_page.h"
#include "slurm/resource_lists.h"

namespace coslice::slurm {

/// Settings under sacctmgr's names, in their order: Fairshare, limits, QOS lists.
using Limits = std::map<std::string, Value>;

struct SiteAccount {
  std::string name, parent;
  Limits limits;
};

/// A user in an account: users may have several.
struct SiteUser {
  std::string name, account;
  Limits limits;
};

struct SiteQos {
  std::string name;
  Limits limits;
};

struct Associations {
  std::vector<SiteAccount> accounts;  ///< without the root
  std::vector<SiteUser> users;
  std::vector<SiteQos> qos;
  Limits root;                                         ///< of the cluster itself
  std::map<std::string, std::string> default_account;  ///< by user

  SiteAccount* find_account(const std::string& name);
  SiteUser* find_user(const std::string& name, const std::string& account);
  SiteQos* find_qos(const std::string& name);
  /// Returns whether an account is another one, or stands somewhere below it.
  bool is_below(const std::string& account, const std::string& other);
  /// Returns whether a quality of service may stop jobs of its own, perhaps by way of others.
  bool preempts_itself(const std::string& qos);
  /// Sorts everything by name.
  void sort();
};

/// Reads a list of sacctmgr's commands (add, modify, remove; of account, user, qos, cluster), or a dump of it. As Slurm
/// begins, there is a quality of service "normal" and an account "root". What would make an account its own parent, or
/// let a quality of service preempt itself, Slurm refuses: it is left out, and a contradiction of the page. Throws
/// InputError with file and line: an unknown account, user or quality of service, an invalid setting or value, an
/// unknown command. `gres` are the names of the site's generic resources.
Associations read_associations(const std::string& path, ImportPage& page,
                               const std::vector<std::string>& gres = gres_names(""));

/// Returns whether the file is a dump of sacctmgr, such as `Account - 'name':Fairshare=1:...`.
bool is_association_dump(const std::string& path);
/// Reads a dump, whose entries may stand in any order; from Slurm 25.05 on it has qualities of service.
Associations read_association_dump(const std::string& path, ImportPage& page, const std::vector<std::string>& gres);

/// Returns sacctmgr's name for a setting that is kept, whichever of its spellings it has; "" for one that is not kept.
std::string limit_name(const std::string& key, bool of_qos);
/// What settings of an association or of a quality of service are read with.
struct LimitContext {
  bool of_qos = false;
  const std::vector<std::string>& gres;               ///< names of generic resources
  const std::vector<std::string>* all_qos = nullptr;  ///< qualities of service that are there; null: that is not known
};
/// Puts a setting into the limits. Throws InputError for a value that is none and for a name that is misspelt; one that
/// is not kept goes into the page.
void set_limit(Limits& limits, const Setting& setting, const LimitContext& context, ImportPage& page);

}  // namespace coslice::slurm

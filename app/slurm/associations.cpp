#include "slurm/associations.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "slurm/shown_tables.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// A word of a command: KEY=VALUE, or one without a key.
struct Word {
  std::string key, value;
};

/// The words of a line; quotes hold blanks together.
std::vector<Word> words_of(const PlainLine& line) {
  std::vector<Word> out;
  std::string word;
  bool quoted = false, any = false;
  char quote = '"';
  const auto take = [&] {
    if (!any) return;
    const std::size_t equals = word.find('=');
    if (equals == word.npos) out.push_back({"", word});
    else out.push_back({word.substr(0, equals), word.substr(equals + 1)});
    word.clear();
    any = false;
  };
  for (const char c : line.text) {
    if (quoted ? c == quote : c == '"' || c == '\'') {
      quoted = !quoted;
      quote = c;
      any = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      take();
    } else {
      word += c;
      any = true;
    }
  }
  if (quoted) fail_at(line.place, "unterminated quote", "a closing quote on the line");
  take();
  return out;
}

std::vector<std::string> lower_items(const std::string& text) { return list_items(lower_case(text)); }

/// A command taken apart: what it is about, which ones, and what is set.
struct Command {
  std::string verb, entity;
  std::vector<std::string> names, accounts, parents;
  std::vector<Setting> settings;
  std::string default_account;
  Place place;
};

class ScriptReader {
 public:
  ScriptReader(ImportPage& page, const std::vector<std::string>& gres) : page_(page), gres_(gres) {
    found_.qos.push_back({"normal", {}});
  }

  Associations read(const std::vector<PlainLine>& lines) {
    for (const PlainLine& line : lines) run(line);
    return std::move(found_);
  }

 private:
  void run(const PlainLine& line) {
    std::vector<Word> words = words_of(line);
    while (!words.empty() && words.front().key.empty() &&
           (words.front().value == "sacctmgr" || words.front().value[0] == '-'))
      words.erase(words.begin());
    if (words.empty()) return;
    const std::string verb = verb_of(lower_case(words.front().value));
    if (verb == "show") return page_.ignored(line.text, place_text(line.place), "only shows");
    if (verb == "other") return page_.ignored(line.text, place_text(line.place), "changes no associations");
    words.front().value = verb;
    if (verb == "add" || verb == "modify" || verb == "remove") {
      const std::string what = words.size() > 1 ? lower_case(words[1].value) : "";
      for (const char* other : {"coordinator", "federation", "wckey", "tres", "resource"})
        if (begins(other, what, 2))
          return page_.ignored(line.text, place_text(line.place),
                               std::string_view(other) == "resource"
                                   ? "licences of slurmdbd are not read: say them in Licenses of slurm.conf"
                                   : "does not affect scheduling");
      return run(taken_apart(words, line));
    }
    fail_at(line.place, fmt::format("'{}' is not a command of sacctmgr", printable(shortened(verb, 40))),
            "add, modify, remove, list or show", did_you_mean(verb, {"add", "modify", "remove", "list", "show"}));
  }

  /// Whether a word is the beginning of a longer one, of so many letters at least.
  static bool begins(std::string_view whole, std::string_view word, std::size_t least) {
    if (word.ends_with('s') && !whole.ends_with('s')) word.remove_suffix(1);
    return word.size() >= least && whole.starts_with(word);
  }

  /// The command that is meant, which sacctmgr knows by its first letters: add, modify or remove; "show" for what only
  /// shows, "other" for others that there are, else the word.
  static std::string verb_of(const std::string& word) {
    struct Verb {
      std::string_view name;
      std::size_t least;
      const char* is;
    };
    constexpr Verb kVerbs[] = {
        {"add", 3, "add"},       {"create", 3, "add"},     {"modify", 1, "modify"},  {"update", 1, "modify"},
        {"delete", 3, "remove"}, {"remove", 3, "remove"},  {"list", 3, "show"},      {"show", 3, "show"},
        {"dump", 3, "show"},     {"exit", 4, "show"},      {"quit", 4, "show"},      {"reconfigure", 4, "show"},
        {"version", 4, "show"},  {"help", 2, "show"},      {"ping", 4, "show"},      {"archive", 3, "other"},
        {"clear", 3, "other"},   {"rollup", 2, "other"},   {"oneliner", 1, "other"}, {"quiet", 5, "other"},
        {"verbose", 5, "other"}, {"readonly", 5, "other"}, {"shutdown", 4, "other"}};
    for (const Verb& verb : kVerbs)
      if (word.size() >= verb.least && verb.name.starts_with(word)) return verb.is;
    return word;
  }

  Command taken_apart(const std::vector<Word>& words, const PlainLine& line) const {
    Command c;
    c.verb = lower_case(words[0].value);
    c.place = line.place;
    static const std::vector<std::string> entities = {"account", "user", "qos", "cluster"};
    std::string entity = words.size() > 1 && words[1].key.empty() ? lower_case(words[1].value) : "";
    if (entity.size() > 3 && entity.back() == 's' && entity != "qos") entity.pop_back();
    if (entity == "acct") entity = "account";
    for (const std::string& whole : entities)
      if (!entity.empty() && whole.starts_with(entity)) entity = whole;
    if (std::find(entities.begin(), entities.end(), entity) == entities.end())
      fail_at(line.place, fmt::format("'{}' is not an entity of sacctmgr", printable(shortened(entity, 40))),
              "account, user, qos or cluster", did_you_mean(entity, entities));
    c.entity = entity;
    for (std::size_t i = 2; i < words.size(); ++i) add_word(words[i], c);
    return c;
  }

  /// Names may stand without a key, before or after `set` and `where`; what names something is no setting of it.
  static void add_word(const Word& w, Command& c) {
    const std::string key = lower_case(w.key);
    const auto append = [](std::vector<std::string>& to, const std::string& text) {
      for (std::string& item : lower_items(text)) to.push_back(std::move(item));
    };
    if (key.empty()) {
      const std::string word = lower_case(w.value);
      if (word != "set" && word != "where") append(c.names, w.value);
    } else if (key == "name" || key == "names" || key == c.entity || key == c.entity + "s") {
      append(c.names, w.value);
    } else if (c.entity == "user" && (key == "account" || key == "accounts")) {
      append(c.accounts, w.value);
    } else if (c.entity == "user" && (key == "defaultaccount" || key == "defaultacct")) {
      c.default_account = lower_case(w.value);
    } else if (c.entity == "account" && key == "parent") {
      append(c.parents, w.value);
    } else {
      c.settings.push_back({w.key, w.value, c.place});
    }
  }

  void run(const Command& c) {
    if (c.names.empty() && c.verb != "modify")
      fail_at(c.place, fmt::format("the command names no {}", c.entity), "name=NAME");
    if (c.entity == "cluster") {
      if (c.verb == "remove") return page_.ignored("remove cluster", place_text(c.place), "one is simulated");
      set_all(found_.root, c);
      page_.understood(fmt::format("{} cluster", c.verb), place_text(c.place), "limits of the root");
      return;
    }
    if (c.verb == "add") add(c);
    else if (c.verb == "remove") remove(c);
    else modify(c);
    page_.understood(fmt::format("{} {} {}", c.verb, c.entity, joined(c.names)), place_text(c.place), "policy.lua");
  }

  static std::string joined(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : ",") + n;
    return out.empty() ? "(all)" : out;
  }

  void set_all(Limits& limits, const Command& c) {
    std::vector<std::string> all_qos;
    for (const SiteQos& q : found_.qos) all_qos.push_back(q.name);
    for (const Setting& s : c.settings) set_limit(limits, s, {c.entity == "qos", gres_, &all_qos}, page_);
  }

  void require_account(const std::string& name, const Place& place) {
    if (name == "root" || found_.find_account(name) != nullptr) return;
    std::vector<std::string> known;
    for (const SiteAccount& a : found_.accounts) known.push_back(a.name);
    fail_at(place, fmt::format("there is no account '{}'", printable(shortened(name, 40))),
            "an account that a line above adds", did_you_mean(name, known));
  }

  void add(const Command& c) {
    for (const std::string& name : c.names) {
      if (c.entity == "account") add_account(name, c);
      else if (c.entity == "user") add_user(name, c);
      else add_qos(name, c);
    }
  }

  /// The qualities of service that what is added below an account may use, unless it says others.
  Limits inherited(const std::string& account) {
    const SiteAccount* parent = found_.find_account(account);
    const Limits& limits = parent != nullptr ? parent->limits : found_.root;
    Limits out;
    for (const char* key : {"QOS", "DefaultQOS"})
      if (const auto found = limits.find(key); found != limits.end()) out.insert(*found);
    return out;
  }

  void add_account(const std::string& name, const Command& c) {
    const std::string parent = c.parents.empty() ? "root" : c.parents.back();
    require_account(parent, c.place);
    if (name == "root") return set_all(found_.root, c);
    if (found_.find_account(name) == nullptr) found_.accounts.push_back({name, parent, inherited(parent)});
    set_all(found_.find_account(name)->limits, c);
  }

  void add_user(const std::string& name, const Command& c) {
    std::vector<std::string> accounts = c.accounts;
    if (accounts.empty() && !c.default_account.empty()) accounts.push_back(c.default_account);
    if (accounts.empty())
      fail_at(c.place, fmt::format("user '{}' has no account", name), "Account=NAME or DefaultAccount=NAME");
    for (const std::string& account : accounts) {
      require_account(account, c.place);
      if (found_.find_user(name, account) == nullptr) found_.users.push_back({name, account, inherited(account)});
      set_all(found_.find_user(name, account)->limits, c);
    }
    if (!c.default_account.empty()) found_.default_account[name] = c.default_account;
    else found_.default_account.try_emplace(name, accounts.front());
  }

  void add_qos(const std::string& name, const Command& c) {
    if (found_.find_qos(name) == nullptr) found_.qos.push_back({name, {}});
    set_qos(*found_.find_qos(name), c);
  }

  void set_qos(SiteQos& qos, const Command& c) {
    const Limits before = qos.limits;
    set_all(qos.limits, c);
    for (const Setting& s : c.settings) {
      if (!same_word(s.key.substr(0, s.key.find_last_not_of("+-") + 1), "Preempt") || !found_.preempts_itself(qos.name))
        continue;
      page_.contradiction(
          s, fmt::format("quality of service '{}' would preempt itself, which Slurm refuses: Preempt stays as it was",
                         qos.name));
      qos.limits.erase("Preempt");
      if (const auto had = before.find("Preempt"); had != before.end()) qos.limits.insert(*had);
    }
  }

  void set_parent(SiteAccount& account, const Command& c) {
    if (c.parents.empty()) return;
    const std::string& parent = c.parents.back();
    require_account(parent, c.place);
    if (!found_.is_below(parent, account.name)) account.parent = parent;
    else
      page_.contradiction(
          {"parent", parent, c.place},
          fmt::format("account '{0}' would be its own ancestor, which Slurm refuses: it stays below '{1}'",
                      account.name, account.parent));
  }

  static bool among(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }

  void remove(const Command& c) {
    const auto erase = [](auto& from, const auto& gone) {
      from.erase(std::remove_if(from.begin(), from.end(), gone), from.end());
    };
    if (c.entity == "account") erase(found_.accounts, [&](const SiteAccount& a) { return among(c.names, a.name); });
    if (c.entity == "account") erase(found_.users, [&](const SiteUser& u) { return among(c.names, u.account); });
    if (c.entity == "user")
      erase(found_.users, [&](const SiteUser& u) { return among(c.names, u.name) && among(c.accounts, u.account); });
    if (c.entity == "qos") erase(found_.qos, [&](const SiteQos& q) { return among(c.names, q.name); });
  }

  void modify(const Command& c) {
    if (c.entity == "account")
      for (SiteAccount& a : found_.accounts)
        if (among(c.names, a.name)) set_all(a.limits, c), set_parent(a, c);
    if (c.entity == "account" && !c.names.empty() && among(c.names, "root")) set_all(found_.root, c);
    if (c.entity == "user") modify_users(c);
    if (c.entity == "qos")
      for (SiteQos& q : found_.qos)
        if (among(c.names, q.name)) set_qos(q, c);
    for (const std::string& name : c.names) require_known(name, c);
  }

  void modify_users(const Command& c) {
    for (SiteUser& u : found_.users) {
      if (!among(c.names, u.name) || !among(c.accounts, u.account)) continue;
      set_all(u.limits, c);
      if (!c.default_account.empty()) found_.default_account[u.name] = c.default_account;
    }
  }

  void require_known(const std::string& name, const Command& c) {
    const auto has = [&](const auto& all) {
      return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    };
    if (c.entity == "account" && name == "root") return;
    if (c.entity == "account" ? has(found_.accounts) : c.entity == "user" ? has(found_.users) : has(found_.qos)) return;
    fail_at(c.place, fmt::format("there is no {} '{}'", c.entity, printable(shortened(name, 40))),
            "one that a line above adds");
  }

  ImportPage& page_;
  const std::vector<std::string>& gres_;
  Associations found_;
};

}  // namespace

bool Associations::is_below(const std::string& account, const std::string& other) {
  std::string at = account;
  for (std::size_t steps = 0; steps <= accounts.size(); ++steps) {
    if (at == other) return true;
    const SiteAccount* above = find_account(at);
    if (above == nullptr) return false;
    at = above->parent;
  }
  return true;
}

bool Associations::preempts_itself(const std::string& name) {
  std::set<std::string> seen;
  std::vector<std::string> left = {name};
  while (!left.empty()) {
    const SiteQos* one = find_qos(left.back());
    left.pop_back();
    if (one == nullptr) continue;
    const auto found = one->limits.find("Preempt");
    if (found == one->limits.end() || !found->second.text()) continue;
    for (const std::string& other : list_items(*found->second.text())) {
      if (other == name) return true;
      if (seen.insert(other).second) left.push_back(other);
    }
  }
  return false;
}

SiteAccount* Associations::find_account(const std::string& name) {
  const auto found =
      std::find_if(accounts.begin(), accounts.end(), [&](const SiteAccount& a) { return a.name == name; });
  return found == accounts.end() ? nullptr : &*found;
}

SiteUser* Associations::find_user(const std::string& name, const std::string& account) {
  const auto found = std::find_if(users.begin(), users.end(),
                                  [&](const SiteUser& u) { return u.name == name && u.account == account; });
  return found == users.end() ? nullptr : &*found;
}

SiteQos* Associations::find_qos(const std::string& name) {
  const auto found = std::find_if(qos.begin(), qos.end(), [&](const SiteQos& q) { return q.name == name; });
  return found == qos.end() ? nullptr : &*found;
}

void Associations::sort() {
  std::sort(accounts.begin(), accounts.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::sort(users.begin(), users.end(),
            [](const auto& a, const auto& b) { return std::tie(a.name, a.account) < std::tie(b.name, b.account); });
  std::sort(qos.begin(), qos.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

Associations read_associations(const std::string& path, ImportPage& page, const std::vector<std::string>& gres) {
  if (is_association_dump(path)) return read_association_dump(path, page, gres);
  refuse_shown_tables(path);
  return ScriptReader(page, gres).read(plain_lines(path));
}

}  // namespace coslice::slurm

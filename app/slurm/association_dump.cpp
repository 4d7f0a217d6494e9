// The dump of sacctmgr: `sacctmgr dump CLUSTER file=FILE`.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "core/text.h"
#include "formats/trace_file.h"
#include "slurm/associations.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

constexpr std::string_view kDumpBlanks = " \t\r\n\f\v";
constexpr std::string_view kNothing = "(null)";            ///< as C prints a text that is not there
constexpr std::string_view kShareOfParent = "2147483647";  ///< how Slurm writes Fairshare=parent

/// "User - 'u1':Fairshare=1:QOS='a,b'" taken apart: what it is, its name, its settings.
struct DumpEntry {
  std::string what, name;
  std::vector<Setting> settings;
  Place place;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// What an entry is, and where its name begins; "" for a line that begins none.
std::pair<std::string, std::size_t> entry_head(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kDumpBlanks);
  std::size_t at = begin;
  while (at < line.size() && is_letter(line[at])) ++at;
  if (begin == line.npos || at == begin) return {};
  const std::size_t dash = line.find_first_not_of(" \t", at);
  if (dash == at || dash == line.npos || line[dash] != '-') return {};
  std::string what = lower_case(line.substr(begin, at - begin));
  if (what == "machine") what = "cluster";
  if (what == "project" || what == "acct") what = "account";
  return {what, std::min(line.find_first_not_of(" \t", dash + 1), line.size())};
}

bool is_entry(std::string_view line) {
  constexpr std::array<std::string_view, 5> kEntries{"cluster", "parent", "account", "user", "qos"};
  return std::ranges::find(kEntries, entry_head(line).first) != kEntries.end();
}

/// Takes the text of one entry apart. sacctmgr writes texts as they are, with the quotes, colons and line ends that
/// they may have: a text ends at the quote with which the entry ends, or which the next setting follows.
class EntryParts {
 public:
  explicit EntryParts(std::string_view text) : text_(text) {}

  /// The parts, with their quotes taken off: a name, then settings. Nothing: the text ends within a quote, or its line
  /// goes on.
  std::optional<std::vector<std::string>> read() {
    std::vector<std::string> parts(1);
    while (at_ < text_.size() && !unfinished_) {
      const char c = text_[at_];
      if (c == '#') break;
      if (c == '\\' && text_.find_first_not_of(kDumpBlanks, at_ + 1) == text_.npos) return std::nullopt;
      if (c == ':' && !is_type(parts.back())) parts.emplace_back(), ++at_;
      else if ((c == '\'' || c == '"') && begins_value(parts.back())) quoted(parts.back());
      else if (c == '\'' || c == '"') ++at_;
      else parts.back() += c, ++at_;
    }
    if (unfinished_) return std::nullopt;
    while (!parts.back().empty() && kDumpBlanks.find(parts.back().back()) != kDumpBlanks.npos) parts.back().pop_back();
    return parts;
  }

 private:
  /// Whether a colon stands before the type of a resource: "GrpTRES=cpu=4,gres/gpu:a100=2".
  static bool is_type(const std::string& part) {
    const std::size_t item = part.find_last_of("=,");
    return item != part.npos && part.find('/', item) != part.npos;
  }
  static bool begins_value(const std::string& part) { return part.empty() || part.back() == '='; }

  bool ends_text(std::size_t quote) const {
    std::size_t next = text_.find_first_not_of(kDumpBlanks, quote + 1);
    if (next == text_.npos || text_[next] == '#') return true;
    if (text_[next] != ':') return false;
    next = text_.find_first_not_of(kDumpBlanks, next + 1);
    if (next == text_.npos || text_[next] == '\\') return true;
    const std::size_t key = next;
    while (next < text_.size() && is_letter(text_[next])) ++next;
    if (next < text_.size() && (text_[next] == '+' || text_[next] == '-')) ++next;
    return next > key && next < text_.size() && text_[next] == '=';
  }

  void quoted(std::string& part) {
    const std::size_t begin = at_ + 1;
    std::size_t end = text_.find(text_[at_], begin);
    while (end != text_.npos && !ends_text(end)) end = text_.find(text_[at_], end + 1);
    unfinished_ = end == text_.npos;
    if (unfinished_) return;
    part += text_.substr(begin, end - begin);
    at_ = end + 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool unfinished_ = false;
};

/// Names and lists have no quotes of their own.
bool is_free_text(const std::string& key) {
  return same_word(key, "Description") || same_word(key, "Organization") || same_word(key, "Comment");
}

/// Reads the entries of a dump one after the other.
class DumpLines {
 public:
  DumpLines(std::string text, const std::string& file)
      : text_(std::move(text)), source_(std::make_shared<const Source>(Source{file, ""})) {
    rest_ = without_byte_order_mark(text_);
  }

  std::optional<DumpEntry> next() {
    while (!rest_.empty()) {
      std::string joined(line());
      const std::size_t first = joined.find_first_not_of(kDumpBlanks);
      if (first != joined.npos && joined[first] != '#') return entry(std::move(joined));
    }
    return std::nullopt;
  }

 private:
  std::string_view line() {
    ++number_;
    std::string_view one = take_before(rest_, '\n');
    if (one.ends_with('\r')) one.remove_suffix(1);
    return one;
  }

  DumpEntry entry(std::string joined) {
    const Place place{source_, number_};
    if (!is_entry(joined))
      fail_at(place, fmt::format("'{}' is not a line of a dump of sacctmgr", printable(shortened(joined, 40))),
              "QOS, Cluster, Parent, Account or User, e.g. Account - 'physics':Fairshare=10");
    const auto [what, name_at] = entry_head(joined);
    auto parts = EntryParts(std::string_view(joined).substr(name_at)).read();
    while (!parts) {
      const std::string_view behind = rest_.substr(0, rest_.find('\n'));
      const std::size_t last = joined.find_last_not_of(" \t");
      const bool continued = last != joined.npos && joined[last] == '\\';
      if (rest_.empty() || is_entry(behind)) fail_at(place, "unterminated quote", "a closing ' on the line");
      if (continued) joined.resize(last);
      else joined += '\n';
      joined += line();
      parts = EntryParts(std::string_view(joined).substr(name_at)).read();
    }
    return settings_of(*parts, what, place);
  }

  static DumpEntry settings_of(const std::vector<std::string>& parts, const std::string& what, const Place& place) {
    DumpEntry out{what, lower_case(parts.front()), {}, place};
    if (out.name.empty()) fail_at(place, fmt::format("the {} has no name", what), "e.g. Account - 'physics'");
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::string part(trimmed(parts[i], kDumpBlanks));
      if (part.empty()) continue;
      const std::size_t equals = part.find('=');
      if (equals == std::string::npos)
        fail_at(place, fmt::format("'{}' is not a setting", printable(shortened(part, 40))), "KEY=VALUE");
      Setting s{part.substr(0, equals), part.substr(equals + 1), place};
      if (!is_free_text(s.key)) std::erase_if(s.value, [](char c) { return c == '\'' || c == '"'; });
      if (s.value == kNothing) s.value.clear();
      if (same_word(s.key, "Fairshare") && s.value == kShareOfParent) s.value = "parent";
      // sacctmgr writes seconds there, and reads minutes.
      if (same_word(s.key, "PreemptExemptTime") && whole_number(s.value)) s.value.insert(0, "0:");
      out.settings.push_back(std::move(s));
    }
    return out;
  }

  std::string text_;
  std::string_view rest_;
  std::shared_ptr<const Source> source_;
  int number_ = 0;
};

bool names_qualities(const Setting& s) {
  const std::string name = limit_name(s.key.substr(0, s.key.find_last_not_of("+-") + 1), false);
  return name == "QOS" || name == "DefaultQOS";
}

/// Entries may stand in any order: what one says of another is looked at when all are there.
class DumpReader {
 public:
  DumpReader(ImportPage& page, const std::vector<std::string>& gres) : page_(page), gres_(gres) {}

  Associations read(const std::string& path) {
    DumpLines lines(read_packed(path), path);
    while (auto entry = lines.next()) take(std::move(*entry));
    for (const auto& [name, place] : parents_)
      if (name != "root" && found_.find_account(name) == nullptr)
        fail_at(place, fmt::format("there is no account '{}'", printable(shortened(name, 40))),
                "an account of another line");
    hand_down();
    if (found_.qos.empty())
      page_.costs("qualities of service are not in a dump of sacctmgr before Slurm 25.05",
                  "they have no priorities and no limits here");
    else check_qualities();
    return std::move(found_);
  }

 private:
  void take(DumpEntry entry) {
    if (is_said_before(entry)) return;
    if (entry.what == "cluster") take_association(found_.root, entry);
    else if (entry.what == "parent") parents_.emplace_back(parent_ = entry.name, entry.place);
    else if (entry.what == "account" && !take_account(entry)) return;
    else if (entry.what == "user") take_user(entry);
    else if (entry.what == "qos") take_quality(entry);
    page_.understood(fmt::format("{} {}", entry.what, entry.name), place_text(entry.place), "policy.lua");
  }

  /// Of an account, a quality of service, and a user in an account, perhaps in a partition, the first entry counts: of
  /// further ones what it does not say. Returns whether nothing is left of the entry.
  bool is_said_before(DumpEntry& entry) {
    if (entry.what == "parent") return false;
    if (entry.what == "account" && found_.is_below(parent_, entry.name)) return false;  // take_account() says why
    std::string key = entry.what + " " + (entry.what == "cluster" ? "" : entry.name);
    const bool user = entry.what == "user";
    if (user) {
      key += " " + parent_;
      for (const Setting& s : entry.settings)
        if (same_word(s.key, "Partition") || same_word(s.key, "Partitions")) key += " " + lower_case(s.value);
    }
    const auto [at, is_new] = first_entries_.try_emplace(key, FirstEntry{entry.place, {}});
    std::set<std::string>& said = at->second.keys;
    const std::size_t repeated = std::erase_if(
        entry.settings, [&, first = is_new](const Setting& s) { return !first && said.contains(lower_case(s.key)); });
    for (const Setting& s : entry.settings) said.insert(lower_case(s.key));
    if (is_new || (!user && repeated == 0 && !entry.settings.empty())) return false;
    page_.warning({entry.what, entry.name, entry.place},
                  fmt::format("{} '{}'{} stands in {}, too, which counts: sacctmgr load passes over this one",
                              entry.what, entry.name, user ? fmt::format(" in account '{}'", parent_) : "",
                              place_text(at->second.place)));
    return user || entry.settings.empty();
  }

  bool take_account(const DumpEntry& entry) {
    if (entry.name == "root") return take_association(found_.root, entry), true;
    if (found_.is_below(parent_, entry.name)) {
      page_.contradiction(
          {"account", entry.name, entry.place},
          fmt::format("account '{}' would be its own ancestor, which Slurm refuses: the line is left out", entry.name));
      return false;
    }
    if (found_.find_account(entry.name) == nullptr) found_.accounts.push_back({entry.name, parent_, {}});
    take_association(found_.find_account(entry.name)->limits, entry);
    qualities_["account " + entry.name] = own_qualities(entry);
    return true;
  }

  void take_user(const DumpEntry& entry) {
    found_.users.push_back({entry.name, parent_, {}});
    take_association(found_.users.back().limits, entry);
    user_qualities_.push_back(own_qualities(entry));
    found_.default_account.try_emplace(entry.name, parent_);
    for (const Setting& s : entry.settings)
      if (same_word(s.key, "DefaultAccount") && !s.value.empty())
        found_.default_account[entry.name] = lower_case(s.value);
  }

  void take_quality(const DumpEntry& entry) {
    if (found_.find_qos(entry.name) == nullptr) found_.qos.push_back({entry.name, {}});
    for (const Setting& s : entry.settings) set_limit(found_.find_qos(entry.name)->limits, s, {true, gres_}, page_);
    quality_places_.try_emplace(entry.name, entry.place);
  }

  void take_association(Limits& limits, const DumpEntry& entry) {
    for (const Setting& s : entry.settings) {
      if (same_word(s.key, "DefaultAccount")) continue;
      if (names_qualities(s)) named_.push_back(s);
      if (!names_qualities(s) || entry.what == "cluster") set_limit(limits, s, {false, gres_}, page_);
    }
  }

  static std::vector<Setting> own_qualities(const DumpEntry& entry) {
    std::vector<Setting> own;
    std::ranges::copy_if(entry.settings, std::back_inserter(own), names_qualities);
    return own;
  }

  /// The qualities of service that the account above may use, changed by what the association says itself.
  void hand_down(Limits& limits, const Limits& above, const std::vector<Setting>& own) {
    for (const char* key : {"QOS", "DefaultQOS"})
      if (const auto found = above.find(key); found != above.end()) limits.insert(*found);
    for (const Setting& s : own) set_limit(limits, s, {false, gres_}, page_);
  }

  const Limits& handed_down(const std::string& name) {
    SiteAccount* account = found_.find_account(name);
    if (account == nullptr) return found_.root;
    if (const auto waiting = qualities_.find("account " + name); waiting != qualities_.end()) {
      const std::vector<Setting> own = std::move(waiting->second);
      qualities_.erase(waiting);
      hand_down(account->limits, handed_down(account->parent), own);
    }
    return account->limits;
  }

  void hand_down() {
    for (const SiteAccount& a : found_.accounts) handed_down(a.name);
    for (std::size_t u = 0; u != found_.users.size(); ++u)
      hand_down(found_.users[u].limits, handed_down(found_.users[u].account), user_qualities_[u]);
  }

  void check_qualities() {
    std::set<std::string> missing;
    for (const Setting& s : named_)
      for (std::string name : list_items(lower_case(s.value))) {
        if (name[0] == '+' || name[0] == '-') name.erase(0, 1);
        if (found_.find_qos(name) == nullptr && missing.insert(name).second)
          page_.contradiction(s, fmt::format("there is no quality of service '{}' in the dump", name));
      }
    for (SiteQos& qos : found_.qos) {
      if (!found_.preempts_itself(qos.name)) continue;
      page_.contradiction(
          {"Preempt", qos.limits.at("Preempt").text() != nullptr ? *qos.limits.at("Preempt").text() : "",
           quality_places_.at(qos.name)},
          fmt::format("quality of service '{}' would preempt itself, which Slurm refuses: Preempt is left out",
                      qos.name));
      qos.limits.erase("Preempt");
    }
  }

  ImportPage& page_;
  const std::vector<std::string>& gres_;
  Associations found_;
  std::string parent_ = "root";
  std::vector<std::pair<std::string, Place>> parents_;
  std::map<std::string, std::vector<Setting>> qualities_;  ///< of accounts, until they are handed down
  std::vector<std::vector<Setting>> user_qualities_;       ///< by user
  std::map<std::string, Place> quality_places_;
  struct FirstEntry {
    Place place;
    std::set<std::string> keys;  ///< that it says, and those behind it
  };
  std::map<std::string, FirstEntry> first_entries_;  ///< by what they say the settings of
  std::vector<Setting> named_;                       ///< where qualities of service are named
};

}  // namespace

bool is_association_dump(const std::string& path) {
  const std::string text = read_packed(path);
  std::string_view rest = without_byte_order_mark(text);
  while (!rest.empty()) {
    const std::string_view line = take_before(rest, '\n');
    const std::size_t first = line.find_first_not_of(kDumpBlanks);
    if (first != line.npos && line[first] != '#') return is_entry(line);
  }
  return false;
}

Associations read_association_dump(const std::string& path, ImportPage& page, const std::vector<std::string>& gres) {
  return DumpReader(page, gres).read(path);
}

}  // namespace coslice::slurm

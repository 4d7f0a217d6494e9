#include "cli/site/changed_nodes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"
#include "machine/node_names.h"
#include "report/markup.h"
#include "scenario/key_tables.h"

namespace coslice::cli {
namespace {

using Names = std::vector<std::string>;

std::string text_of(const Value* v) { return v != nullptr && v->text() != nullptr ? *v->text() : ""; }

Value::List* list_at(Value& tree, const std::string& path) {
  Value* const found = const_cast<Value*>(find_path(tree, path));  // of a tree that may be changed
  return found == nullptr ? nullptr : found->list();
}

/// The kind's names and so many; new ones are called after the kind: "gpu-new1".
std::vector<std::string> resized(std::vector<std::string> names, const std::string& kind, std::size_t count) {
  if (names.size() > count) names.resize(count);
  for (std::size_t n = 1; names.size() < count; ++n) names.push_back(fmt::format("{}-new{}", kind, n));
  return names;
}

NamedKind kind_of(const Value& entry) {
  NamedKind kind{text_of(entry.find("name")), {}};
  if (const Value* const names = entry.find("names"); names != nullptr && names->text() != nullptr) {
    kind.nodes = expand_node_names(*names->text(), names->place);
  } else if (const Value* const count = entry.find("count"); count != nullptr && count->integer() != nullptr) {
    for (std::int64_t n = 1; n <= std::min<std::int64_t>(*count->integer(), 100'000); ++n)
      kind.nodes.push_back(fmt::format("{}{}", kind.name, n));
  }
  return kind;
}

std::set<std::string> nodes_of(const std::vector<NamedKind>& kinds) {
  std::set<std::string> out;
  for (const NamedKind& kind : kinds) out.insert(kind.nodes.begin(), kind.nodes.end());
  return out;
}

/// Makes a tree's lists of nodes those of its new kinds.
class ChangedNodes {
 public:
  ChangedNodes(Value& tree, const std::vector<NamedKind>& before, const std::string& label)
      : tree_(tree), before_(before), after_(kinds_in(tree)), label_(label), nodes_before_(nodes_of(before)),
        nodes_after_(nodes_of(after_)) {}

  std::vector<std::string> follow() {
    drop_types_without_gpus();
    // Kinds that are called otherwise are another machine: what names them says so itself.
    if (nodes_before_ == nodes_after_ || !same_kinds()) return {};
    numbered_ = is_numbered();
    name_nodes_of_switches();
    follow_partitions();
    follow_switches();
    follow_reservations();
    follow_outages();
    for (const char* key : {"except", "off_at_first"}) follow_power(key);
    return sentences();
  }

 private:
  bool same_kinds() const {
    return !before_.empty() && std::ranges::equal(before_, after_, {}, &NamedKind::name, &NamedKind::name);
  }

  /// A kind that has no GPUs any more has no type of them.
  void drop_types_without_gpus() {
    Value::List* const kinds = list_at(tree_, "machine.nodes");
    if (kinds == nullptr) return;
    for (Value& kind : *kinds) {
      const Value* const gpus = kind.find("gpus");
      if (gpus == nullptr || gpus->integer() == nullptr || *gpus->integer() != 0) continue;
      for (const char* key : {"gpu_type", "slices"}) kind.erase(key);
    }
  }

  /// Whether the machine's nodes are equal and have numbers from 0 where it is said which.
  bool is_numbered() {
    Value* const machine = tree_.find("machine");
    return before_.front().name.empty() && machine->find("partitions") == nullptr &&
           machine->find("licences") == nullptr && machine->find("switches") == nullptr;
  }

  const NamedKind* kind_called(const std::string& name, const std::vector<NamedKind>& kinds) const {
    const auto found = std::ranges::find(kinds, name, &NamedKind::name);
    return found == kinds.end() ? nullptr : &*found;
  }

  /// The nodes that an entry of a list stands for, a kind or names.
  Names nodes_named(const Value& entry, const std::vector<NamedKind>& kinds) const {
    const std::string text = text_of(&entry);
    if (const NamedKind* const kind = kind_called(text, kinds)) return kind->nodes;
    return text.empty() ? Names{} : expand_node_names(text, entry.place);
  }

  Names nodes_of_list(const Value& list, const std::vector<NamedKind>& kinds) const {
    Names out;
    if (list.text() != nullptr) return nodes_named(list, kinds);
    if (list.list() != nullptr)
      for (const Value& entry : *list.list()) std::ranges::copy(nodes_named(entry, kinds), std::back_inserter(out));
    return out;
  }

  static Value list_of(const Names& names, const Place& place) {
    Value list{Value::List{Value(compress_node_names(names))}};
    list.list()->front().place = place;
    list.place = place;
    return list;
  }

  /// The next of so many nodes that no switch above has: each count becomes the names of its nodes, which stay there.
  void name_nodes_of_switches() {
    Value::List* const switches = list_at(tree_, "machine.switches");
    if (switches == nullptr) return;
    std::set<std::string> taken;
    Value::List named;
    for (const Value& one : *switches) {
      const Value *const nodes = one.find("nodes"), *const count = one.find("count");
      if (nodes != nullptr || count == nullptr || count->integer() == nullptr) {
        if (nodes != nullptr)
          for (const std::string& name : nodes_of_list(*nodes, before_)) taken.insert(name);
        named.push_back(one);
        continue;
      }
      for (const std::string& name : expand_node_names(text_of(one.find("name")), one.place)) {
        Names own;
        for (const NamedKind& kind : before_)
          for (const std::string& node : kind.nodes)
            if (std::ssize(own) < *count->integer() && taken.insert(node).second) own.push_back(node);
        if (std::ssize(own) < *count->integer()) return;  // more than there were: that is said where it is checked
        Value entry = one;
        entry.erase("count");
        entry.set("name", name);
        entry.set("nodes", list_of(own, one.place));
        named.push_back(std::move(entry));
      }
    }
    *switches = std::move(named);
  }

  /// "3-9" of nodes that have numbers, cut off at the last one.
  std::optional<std::string> kept_numbers(const std::string& text) const {
    const std::size_t dash = text.find('-');
    const auto first = parse_number<std::int64_t>(std::string_view(text).substr(0, dash));
    const auto last = dash == text.npos ? first : parse_number<std::int64_t>(std::string_view(text).substr(dash + 1));
    const auto left = std::ssize(nodes_after_);
    if (!first || !last || *last < left) return text;
    if (*first >= left) return {};
    return dash == text.npos || *first == left - 1 ? std::to_string(*first) : fmt::format("{}-{}", *first, left - 1);
  }

  /// Without nodes that are gone; nothing where that leaves none. Kinds, and what names none of them, stay as written.
  std::optional<Value> kept(const Value& entry) const {
    if (entry.integer() != nullptr)
      return *entry.integer() < std::ssize(nodes_after_) ? std::optional<Value>(entry) : std::nullopt;
    const std::string text = text_of(&entry);
    if (text.empty() || kind_called(text, after_) != nullptr) return entry;
    std::optional<std::string> left = text;
    if (numbered_) {
      left = kept_numbers(text);
    } else {
      Names names = expand_node_names(text, entry.place);
      const auto gone = std::erase_if(
          names, [&](const std::string& n) { return nodes_before_.count(n) != 0 && nodes_after_.count(n) == 0; });
      if (names.empty()) return {};
      if (gone != 0) left = compress_node_names(names);
    }
    if (!left) return {};
    Value out(*left);
    out.place = entry.place;
    return out;
  }

  /// Takes nodes that are gone out of `holder.key`. Returns whether any were named there; `empty` is whether none are
  /// left.
  bool shorten(Value& holder, const char* key, bool& empty) const {
    empty = false;
    Value* const nodes = holder.find(key);
    if (nodes == nullptr) return false;
    Value::List entries;
    if (nodes->list() != nullptr) entries = *nodes->list();
    else entries.push_back(*nodes);
    Value::List left;
    for (const Value& entry : entries)
      if (std::optional<Value> of = kept(entry)) left.push_back(std::move(*of));
    if (left == entries) return false;
    empty = left.empty();
    Value list{std::move(left)};
    list.place = nodes->place;
    *nodes = std::move(list);
    return true;
  }

  /// Notes what has become of `whose`, which had so many nodes.
  void note(const std::string& whose, std::size_t had, std::size_t has) {
    if (has == 0) said_.push_back(fmt::format("{} is gone", whose));
    else if (had != has) said_.push_back(fmt::format("{} has {} instead of {}", whose, counted(has), had));
  }

  static std::string counted(std::size_t nodes) { return coslice::counted(static_cast<std::int64_t>(nodes), "node"); }
  std::size_t size_before(const Value* list) const {
    return list == nullptr ? 0 : nodes_of_list(*list, before_).size();
  }
  std::size_t size_after(const Value* list) const { return list == nullptr ? 0 : nodes_of_list(*list, after_).size(); }

  /// Puts new nodes of a kind into a list that has all nodes of it by their names, or if `any`, some.
  bool lengthen(Value& holder, const NamedKind& was, const Names& added, bool any) const {
    Value* const nodes = holder.find("nodes");
    if (nodes == nullptr) return false;
    const Names listed = nodes_of_list(*nodes, before_);
    const std::set<std::string> there(listed.begin(), listed.end());
    const auto has = [&](const std::string& n) { return there.count(n) != 0; };
    if (any ? std::ranges::none_of(was.nodes, has) : !std::ranges::all_of(was.nodes, has)) return false;
    if (nodes->list() == nullptr) *nodes = list_of(listed, nodes->place);
    // A list that says the kind has them already.
    const Names now = nodes_of_list(*nodes, after_);
    if (std::ranges::find(now, added.front()) != now.end()) return true;
    nodes->list()->push_back(Value(compress_node_names(added)));
    nodes->list()->back().place = nodes->place;
    return true;
  }

  /// New nodes of each kind, and where they come: partitions or switches that have all of the kind; partitions that
  /// have some of it where none has all.
  void take_in(Value::List& lists, bool some_will_do) {
    for (std::size_t k = 0; k != after_.size(); ++k) {
      Names added;
      std::ranges::copy_if(after_[k].nodes, std::back_inserter(added),
                           [&](const std::string& n) { return nodes_before_.count(n) == 0; });
      if (added.empty()) continue;
      bool placed = false;
      for (const bool any : {false, true}) {
        if (placed || (any && !some_will_do)) continue;
        for (Value& one : lists) placed = lengthen(one, before_[k], added, any) || placed;
      }
      if (!placed && !some_will_do)
        said_.push_back(
            fmt::format("{} {} at no switch", compress_node_names(added), added.size() == 1 ? "is" : "are"));
    }
  }

  void follow_partitions() {
    Value::List* const partitions = list_at(tree_, "machine.partitions");
    if (partitions == nullptr) return;
    std::vector<std::size_t> had;
    for (const Value& p : *partitions) had.push_back(size_before(p.find("nodes")));
    take_in(*partitions, true);
    for (std::size_t p = 0; p != partitions->size(); ++p) {
      Value& partition = (*partitions)[p];
      bool empty = false;
      shorten(partition, "nodes", empty);
      const std::string name = text_of(partition.find("name"));
      // A list of none would stand for all.
      if (empty)
        throw InputError(
            {label_, 0, fmt::format("leaves partition '{}' without nodes", name), "at least one of its nodes"});
      if (partition.find("nodes") != nullptr)
        note(fmt::format("partition '{}'", name), had[p], size_after(partition.find("nodes")));
    }
  }

  void follow_switches() {
    Value::List* const switches = list_at(tree_, "machine.switches");
    if (switches == nullptr) return;
    std::vector<std::size_t> had;
    for (const Value& s : *switches) had.push_back(size_before(s.find("nodes")));
    take_in(*switches, false);
    Value::List left;
    for (std::size_t s = 0; s != switches->size(); ++s) {
      Value& one = (*switches)[s];
      bool empty = false;
      shorten(one, "nodes", empty);
      note(fmt::format("switch '{}'", text_of(one.find("name"))), had[s], empty ? 0 : size_after(one.find("nodes")));
      if (!empty) left.push_back(std::move(one));
    }
    *switches = std::move(left);
    if (switches->empty()) tree_.find("machine")->erase("switches");
  }

  /// One of which no node is left is gone, with the further times of it. One has no more nodes than there are.
  void follow_reservations() {
    Value::List* const reservations = list_at(tree_, "reservations");
    if (reservations == nullptr) return;
    std::set<std::string> gone;
    for (Value& one : *reservations) {
      const std::string name = text_of(one.find("name")), whose = fmt::format("reservation '{}'", name);
      Value* const count = one.find("count");
      const std::size_t had = numbered_ ? 0 : size_before(one.find("nodes"));
      bool empty = false;
      const bool shorter = shorten(one, "nodes", empty);
      const std::size_t there =
          one.find("nodes") == nullptr || numbered_ ? nodes_after_.size() : size_after(one.find("nodes"));
      if (empty) {
        if (gone.insert(name).second) said_.push_back(whose + " is gone");
      } else if (count != nullptr && count->integer() != nullptr) {
        if (*count->integer() <= static_cast<std::int64_t>(there)) continue;
        note(whose, static_cast<std::size_t>(*count->integer()), there);
        Value fewer(static_cast<std::int64_t>(there));
        fewer.place = count->place;
        one.set("count", std::move(fewer));
      } else if (shorter) {
        if (numbered_) said_.push_back(whose + " has the nodes that are left");
        else note(whose, had, there);
      }
    }
    std::erase_if(*reservations, [&](const Value& one) { return gone.count(text_of(one.find("name"))) != 0; });
    if (reservations->empty()) tree_.erase("reservations");
  }

  /// Outages of nodes that are gone do not come.
  void follow_outages() {
    for (const char* what : {"planned", "failures"}) {
      Value::List* const outages = list_at(tree_, std::string("outages.") + what);
      if (outages == nullptr) continue;
      const auto before = outages->size();
      std::erase_if(*outages, [&](Value& one) {
        bool empty = false;
        shorten(one, "nodes", empty);
        return empty;
      });
      if (outages->size() == before) continue;
      said_.push_back(fmt::format("{} of 'outages.{}' {} of no node that is there",
                                  coslice::counted(static_cast<std::int64_t>(before - outages->size()), "table"), what,
                                  before - outages->size() == 1 ? "is" : "are"));
      if (outages->empty()) tree_.find("outages")->erase(what);
    }
    if (Value* const all = tree_.find("outages");
        all != nullptr && all->members() != nullptr && all->members()->empty())
      tree_.erase("outages");
  }

  void follow_power(const char* key) {
    Value* const power = tree_.find("power");
    if (power == nullptr || !power->is_table()) return;
    bool empty = false;
    shorten(*power, key, empty);
    if (empty) power->erase(key);
  }

  std::vector<std::string> sentences() const {
    constexpr std::size_t kMost = 8;
    if (said_.empty()) return {};
    const std::vector<std::string> first(said_.begin(),
                                         said_.begin() + static_cast<std::ptrdiff_t>(std::min(said_.size(), kMost)));
    const std::size_t more = said_.size() - first.size();
    return {fmt::format("{}{}", fmt::join(first, ", "), more == 0 ? "" : fmt::format(", and {} more changes", more))};
  }

  Value& tree_;
  const std::vector<NamedKind>& before_;
  const std::vector<NamedKind> after_;
  const std::string& label_;
  const std::set<std::string> nodes_before_, nodes_after_;
  bool numbered_ = false;
  std::vector<std::string> said_;
};

}  // namespace

bool change_node_count(Value& tree, const std::string& key, const std::string& text, const std::string& label) {
  constexpr std::string_view kHead = "machine.nodes.", kEnd = ".count";
  if (!key.starts_with(kHead) || !key.ends_with(kEnd) || key.size() <= kHead.size() + kEnd.size()) return false;
  const std::string kind = key.substr(kHead.size(), key.size() - kHead.size() - kEnd.size());
  Value::List* const kinds = list_at(tree, "machine.nodes");
  if (kinds == nullptr) return false;
  for (Value& entry : *kinds) {
    Value* const names = entry.find("names");
    if (text_of(entry.find("name")) != kind || names == nullptr) continue;
    const auto count = parse_number<std::int32_t>(text);
    if (!count || *count < 1 || *count > 100'000)
      throw InputError(
          {label, 0, fmt::format("'{}' is not a count of nodes", text), "a whole number from 1 to 100000"});
    const std::vector<std::string> before = expand_node_names(text_of(names), names->place);
    const std::vector<std::string> now = resized(before, kind, static_cast<std::size_t>(*count));
    Value changed(compress_node_names(now));
    changed.place = names->place;
    *names = std::move(changed);
    if (entry.find("count") != nullptr) entry.set("count", Value(static_cast<std::int64_t>(now.size())));
    return true;
  }
  return false;
}

std::vector<NamedKind> kinds_in(const Value& tree) {
  const Value* const machine = tree.find("machine");
  const Value* const nodes = machine == nullptr ? nullptr : machine->find("nodes");
  std::vector<NamedKind> out;
  if (nodes == nullptr) return out;
  if (nodes->list() != nullptr)
    for (const Value& entry : *nodes->list()) out.push_back(kind_of(entry));
  if (nodes->integer() != nullptr && *nodes->integer() > 0) {
    out.push_back({"", {}});
    for (std::int64_t n = 1; n <= std::min<std::int64_t>(*nodes->integer(), 100'000); ++n)
      out.back().nodes.push_back(fmt::format("n{}", n));
  }
  return out;
}

std::vector<std::string> follow_changed_nodes(Value& tree, const std::vector<NamedKind>& before,
                                              const std::string& label) {
  return ChangedNodes(tree, before, label).follow();
}

}  // namespace coslice::cli

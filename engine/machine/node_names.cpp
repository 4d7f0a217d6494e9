#include "machine/node_names.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace coslice {
namespace {

constexpr const char* kForm = "names such as \"n[001-128]\" or \"gpu[1-4,7],big1\"";

class Reader {
 public:
  Reader(const std::string& text, const Place& place, std::size_t most) : text_(text), place_(place), most_(most) {}

  std::vector<std::string> read() {
    for (;;) {
      read_item();
      if (at_ == text_.size()) break;
      if (text_[at_] != ',') fail(fmt::format("'{}' does not belong there", text_[at_]));
      ++at_;
    }
    check_distinct();
    return std::move(names_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_at(place_, fmt::format("'{}' is not a valid list of nodes: {}", text_, what), kForm);
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string read_plain() {
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '[' && text_[at_] != ']' && text_[at_] != ' ')
      ++at_;
    return text_.substr(from, at_ - from);
  }

  /// One name, or a pattern with any number of brackets: "r[1-2]n[01-16]".
  void read_item() {
    skip_blanks();
    std::vector<std::string> heads = {""};
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ' ') {
      std::vector<std::string> tails;
      if (text_[at_] == '[') tails = read_brackets();
      else if (text_[at_] == ']') fail("a ']' without '['");
      else tails = {read_plain()};
      if (heads.size() * tails.size() > most_) too_many();
      std::vector<std::string> joined;
      for (const std::string& head : heads)
        for (const std::string& tail : tails) joined.push_back(head + tail);
      heads = std::move(joined);
    }
    if (at_ == from) fail("a name is empty");
    skip_blanks();
    names_.insert(names_.end(), heads.begin(), heads.end());
    if (names_.size() > most_) too_many();
  }

  [[noreturn]] void too_many() const {
    fail_at(place_, fmt::format("'{}' stands for too many nodes", text_), fmt::format("at most {}", most_));
  }

  std::vector<std::string> read_brackets() {
    std::vector<std::string> out;
    do {
      ++at_;  // '[' or ','
      const std::string low = read_digits();
      std::string high = low;
      if (at_ < text_.size() && text_[at_] == '-') {
        ++at_;
        high = read_digits();
      }
      append_range(low, high, out);
    } while (at_ < text_.size() && text_[at_] == ',');
    if (at_ == text_.size() || text_[at_] != ']') fail("a '[' is not closed");
    ++at_;
    return out;
  }

  std::string read_digits() {
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    if (at_ == from) fail("a number is missing in the brackets");
    if (at_ - from > 9) fail("a number in the brackets is too long");
    return text_.substr(from, at_ - from);
  }

  void append_range(const std::string& low, const std::string& high, std::vector<std::string>& out) const {
    std::int64_t from = 0, to = 0;
    std::from_chars(low.data(), low.data() + low.size(), from);
    std::from_chars(high.data(), high.data() + high.size(), to);
    if (to < from) fail(fmt::format("the range {}-{} runs backwards", low, high));
    if (static_cast<std::size_t>(to - from) >= most_) too_many();
    for (std::int64_t i = from; i <= to; ++i) out.push_back(fmt::format("{:0{}}", i, low.size()));
  }

  void check_distinct() const {
    std::unordered_set<std::string> seen;
    for (const std::string& name : names_)
      if (!seen.insert(name).second) fail(fmt::format("'{}' appears twice", name));
  }

  const std::string& text_;
  const Place& place_;
  std::size_t most_, at_ = 0;
  std::vector<std::string> names_;
};

/// A name taken apart at its last number: "r1n01x" is "r1n", "01", "x".
struct NameParts {
  std::string head, digits, tail;
};

NameParts take_apart(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto last = std::find_if(name.rbegin(), name.rend(), is_digit).base();
  auto first = last;
  while (first != name.begin() && is_digit(first[-1]) && last - first < 9) --first;
  return {std::string(name.begin(), first), std::string(first, last), std::string(last, name.end())};
}

std::int64_t number_of(const std::string& digits) {
  std::int64_t n = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return n;
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) != 0 || std::string_view("_-.:+@/").find(c) != std::string_view::npos;
  });
}

std::vector<std::string> expand_node_names(const std::string& text, const Place& place, std::size_t most) {
  return Reader(text, place, most).read();
}

NodeNameList::NodeNameList(const std::vector<std::string>& names) {
  std::map<std::tuple<std::string, std::size_t, std::string>, std::size_t> known;
  names_.reserve(names.size());
  for (const std::string& name : names) {
    NameParts parts = take_apart(name);
    const std::size_t width = parts.digits.size();
    const auto [at, is_new] = known.try_emplace({parts.head, width, parts.tail}, forms_.size());
    if (is_new) forms_.push_back({std::move(parts.head), std::move(parts.tail), width});
    names_.push_back({at->second, number_of(parts.digits), static_cast<std::int32_t>(names_.size())});
  }
  for (std::size_t n = names_.size(); n-- > 1;)
    if (names_[n - 1].form == names_[n].form && names_[n - 1].number + 1 == names_[n].number &&
        forms_[names_[n].form].width != 0)
      names_[n - 1].last = names_[n].last;
}

/// Ranges of names of one form, until a name of another follows.
class NodeNameList::Writer {
 public:
  explicit Writer(const NodeNameList& all) : all_(all) {}

  void add(std::size_t from, std::size_t to) {
    const Name& name = all_.names_[from];
    const bool same = count_ != 0 && name.form == form_ && all_.forms_[form_].width != 0;
    if (!same) end_form();
    else if (name.number != to_ + 1) end_range();
    form_ = name.form;
    if (!same || name.number != to_ + 1) from_ = name.number;
    to_ = all_.names_[to].number;
    count_ += to - from + 1;
  }

  std::string finish() {
    end_form();
    return std::move(out_);
  }

 private:
  /// Not by fmt: a third of the time in which a job's row is written.
  void add_digits(std::int64_t number) {
    char digits[24];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    const auto n = static_cast<std::size_t>(end - digits), width = static_cast<std::size_t>(all_.forms_[form_].width);
    list_.append(width > n ? width - n : 0, '0').append(digits, n);
  }

  void end_range() {
    if (!list_.empty()) list_ += ',';
    add_digits(from_);
    if (to_ == from_) return;
    list_ += '-';
    add_digits(to_);
  }

  void end_form() {
    if (count_ == 0) return;
    const Form& form = all_.forms_[form_];
    if (form.width != 0) end_range();
    if (!out_.empty()) out_ += ',';
    out_ += form.head;
    if (count_ > 1) out_.append("[").append(list_).append("]");
    else out_ += list_;
    out_ += form.tail;
    list_.clear();
    count_ = 0;
  }

  const NodeNameList& all_;
  std::string out_, list_;
  std::size_t form_ = 0, count_ = 0;  ///< of the names that are not yet in out_
  std::int64_t from_ = 0, to_ = 0;    ///< the range that is not yet in list_
};

std::string NodeNameList::text(const NodeRanges& positions) const {
  Writer writer(*this);
  for (const NodeRange& r : positions.ranges()) {
    for (NodeId n = r.first; n <= r.last;) {
      const NodeId last = std::min(r.last, names_[static_cast<std::size_t>(n)].last);
      writer.add(static_cast<std::size_t>(n), static_cast<std::size_t>(last));
      n = last + 1;
    }
  }
  return writer.finish();
}

std::string compress_node_names(const std::vector<std::string>& names) {
  NodeRanges all;
  if (!names.empty()) all.append(0, static_cast<NodeId>(names.size()) - 1);
  return NodeNameList(names).text(all);
}

NodeLookup::NodeLookup(const MachineLayout& layout) : layout_(layout) {
  for (NodeId n = 0; n < layout.node_count(); ++n) by_name_.emplace(layout.node_name(n), n);
}

std::optional<std::string> NodeLookup::insert(NodeSet& set, const std::string& text, const Place& place) const {
  for (const NodeKind& kind : layout_.kinds) {
    if (kind.name != text) continue;
    set.insert(kind.nodes());
    return {};
  }
  for (const std::string& name : expand_node_names(text, place)) {
    const auto at = by_name_.find(name);
    if (at == by_name_.end()) return name;
    set.insert(at->second);
  }
  return {};
}

}  // namespace coslice

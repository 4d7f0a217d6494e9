#include "slurm/conf_lines.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "formats/trace_file.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

namespace fs = std::filesystem;

constexpr int kMostIncludes = 8;
constexpr std::string_view kBlanks = " \t\r\f\v";

bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }

/// Without a comment and what is blank at its end. A number sign after a backslash is one of the text.
std::string without_comment(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '#') {
      out += '#';
      ++i;
    } else if (line[i] == '#') {
      break;
    } else {
      out += line[i];
    }
  }
  while (!out.empty() && is_blank(out.back())) out.pop_back();
  return out;
}

/// Takes the pairs of one line.
class PairReader {
 public:
  explicit PairReader(const PlainLine& line) : text_(line.text), place_(line.place) {}

  std::vector<Setting> read() {
    std::vector<Setting> out;
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) out.push_back(pair());
    return out;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  Setting pair() {
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != '=' && !is_blank(text_[at_])) ++at_;
    std::string key = text_.substr(from, at_ - from);
    skip_blanks();
    const auto is_operator = [](char c) { return std::string_view("-*+/").find(c) != std::string_view::npos; };
    if (at_ + 1 < text_.size() && is_operator(text_[at_]) && text_[at_ + 1] == '=') ++at_;  // "+=" sets, as "=" does
    else if (key.size() > 1 && at_ < text_.size() && text_[at_] == '=' && is_operator(key.back())) key.pop_back();
    if (key.empty() || at_ == text_.size() || text_[at_] != '=')
      fail_at(place_, fmt::format("'{}' is not a setting", printable(shortened(key.empty() ? "=" : key, 40))),
              "KEY=VALUE", "a file that was cut off ends like this");
    ++at_;
    skip_blanks();
    return {key, value(), place_};
  }

  std::string value() {
    if (at_ < text_.size() && text_[at_] == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == text_.npos) fail_at(place_, "unterminated quote", "a closing \" on the line");
      std::string quoted = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return quoted;
    }
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }

  const std::string& text_;
  const Place& place_;
  std::size_t at_ = 0;
};

/// "Include nodes.conf": what is included; "" for any other line.
std::string included_file(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  constexpr std::string_view kWord = "include";
  if (begin == text.npos || text.size() <= begin + kWord.size() || !is_blank(text[begin + kWord.size()])) return "";
  if (!same_word(std::string_view(text).substr(begin, kWord.size()), kWord)) return "";
  const std::size_t name = text.find_first_not_of(kBlanks, begin + kWord.size());
  return name == text.npos || text[name] == '=' ? "" : text.substr(name);
}

std::string text_of(const std::string& path) {
  PackedFile file(path, "a file of Slurm's settings");
  std::string text, block(1 << 16, '\0');
  while (const std::size_t n = file.read(block.data(), block.size())) text.append(block, 0, n);
  if (text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) text.erase(0, kByteOrderMark.size());
  return text;
}

/// The name with the cluster's, in lower case, in the place of "%c".
std::string with_cluster_name(std::string name, const std::vector<ConfLine>& above, const Place& place) {
  constexpr std::string_view kMark = "%c";
  for (std::size_t at = name.find(kMark); at != name.npos; at = name.find(kMark, at)) {
    const Setting* cluster = nullptr;
    for (const ConfLine& line : above)
      if (const Setting* found = line.find("ClusterName")) cluster = found;
    if (cluster == nullptr)
      fail_at(place,
              fmt::format("'{}' has the cluster's name in the place of %c, which is not known yet", printable(name)),
              "a line ClusterName=NAME above");
    const std::string value = lower_case(cluster->value);
    name.replace(at, kMark.size(), value);
    at += value.size();
  }
  return name;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Where the included file is: in one of the folders, under as many of its last parts as are there; else "".
std::string find_included(const std::string& name, const std::vector<fs::path>& folders) {
  const fs::path named = name;
  if (named.is_absolute() && is_file(named)) return name;
  std::vector<fs::path> parts;
  for (const fs::path& part : named.relative_path().lexically_normal())
    if (part != "..") parts.push_back(part);
  if (named.is_relative())
    for (const fs::path& folder : folders)
      if (is_file(folder / named)) return (folder / named).string();
  for (std::size_t from = 0; from < parts.size(); ++from) {
    fs::path last;
    for (std::size_t i = from; i != parts.size(); ++i) last /= parts[i];
    for (const fs::path& folder : folders)
      if (is_file(folder / last)) return (folder / last).string();
  }
  return "";
}

/// The file that a line Include names.
std::string path_of_included(const PlainLine& line, const std::string& said, const std::vector<fs::path>& folders,
                             const std::vector<ConfLine>& above) {
  const std::size_t end = said.find_first_of(kBlanks);
  if (end != said.npos)
    fail_at(line.place, fmt::format("'{}' follows the name of a file", printable(shortened(said.substr(end + 1), 40))),
            "Include and one file on a line");
  if (said.find('*') != said.npos)
    fail_at(line.place, fmt::format("'{}' is a pattern: Slurm includes no files by patterns", printable(said)),
            "a line Include for each file");
  const std::string name = with_cluster_name(said, above, line.place);
  std::string path = find_included(name, folders);
  if (path.empty())
    fail_at(line.place, fmt::format("the file '{}' does not exist", printable(name)), "a file that can be read",
            "put it beside the file that includes it, or take the line out");
  return path;
}

void append_conf(const std::string& path, const fs::path& first_folder, int depth, std::vector<ConfLine>& out) {
  for (const PlainLine& line : plain_lines(path)) {
    const std::string included = included_file(line.text);
    if (included.empty()) {
      out.push_back({PairReader(line).read()});
      continue;
    }
    const std::string file = path_of_included(line, included, {first_folder, fs::path(path).parent_path()}, out);
    if (depth == kMostIncludes) fail_at(line.place, "files include one another without end");
    append_conf(file, first_folder, depth + 1, out);
  }
}

}  // namespace

const Setting* ConfLine::find(std::string_view key) const {
  for (auto s = settings.rbegin(); s != settings.rend(); ++s)
    if (same_word(s->key, key)) return &*s;
  return nullptr;
}

std::vector<PlainLine> plain_lines(const std::string& path) {
  const std::string text = text_of(path);
  const auto source = std::make_shared<const Source>(Source{path, fs::path(path).parent_path().string()});
  std::vector<PlainLine> out;
  std::string joined;
  int number = 0, first = 0;
  bool continued = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = without_comment(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (!continued) first = number;
    const std::size_t text_end = line.find_last_not_of('\\');  // an odd number of backslashes continues the line
    continued = (line.size() - (text_end == line.npos ? 0 : text_end + 1)) % 2 == 1;
    if (continued) line.pop_back();
    joined += line;
    if (continued) continue;
    if (joined.find_first_not_of(kBlanks) != joined.npos) out.push_back({joined, {source, first}});
    joined.clear();
  }
  if (continued) fail_at({source, number}, "the file ends within a line", "the line that is to follow the backslash");
  return out;
}

std::vector<ConfLine> read_conf(const std::string& path) {
  std::vector<ConfLine> out;
  append_conf(path, fs::path(path).parent_path(), 0, out);
  return out;
}

void refuse_misspelt(const Setting& setting, const std::vector<std::string>& known) {
  const std::string meant = misspelt_name(setting.key, known);
  if (meant.empty()) return;
  fail_at(setting.place,
          fmt::format("there is no setting '{}': Slurm refuses such a file", printable(shortened(setting.key, 40))),
          meant, "a setting of another release that is not known here can be commented out");
}

void refuse_misspelt_words(const Setting& setting, std::string_view known) {
  for (const std::string& item : list_items(setting.value)) {
    const std::string word = item.substr(0, item.find(':'));
    const std::string meant = misspelt_name(word, list_items(known));
    if (meant.empty()) continue;
    fail_at(setting.place,
            fmt::format("{} has no '{}': Slurm refuses such a file", setting.key, printable(shortened(word, 40))),
            meant);
  }
}

void refuse_unknown_words(const Setting& setting, std::string_view known) {
  refuse_misspelt_words(setting, known);
  const std::vector<std::string> names = list_items(known);
  for (const std::string& word : list_items(setting.value))
    if (std::ranges::none_of(names, [&](const std::string& name) { return same_word(name, word); }))
      fail_at(setting.place,
              fmt::format("{} has no '{}': Slurm does not start with it", setting.key, printable(shortened(word, 40))),
              fmt::format("{}", fmt::join(names, ", ")));
}

std::string place_text(const Place& place) {
  return fmt::format("{}:{}", fs::path(place.source->name).filename().string(), place.line);
}

}  // namespace coslice::slurm

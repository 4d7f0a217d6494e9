#include "slurm/gres_conf.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/text.h"
#include "machine/node_names.h"
#include "slurm/host_names.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

const std::vector<std::string>& keys_of_gres_conf() {
  static const std::vector<std::string> known = {"AutoDetect", "Cores", "Count",         "CPUs",    "File",
                                                 "Files",      "Flags", "Ignore",        "Link",    "Links",
                                                 "Name",       "Type",  "MultipleFiles", "NodeName"};
  return known;
}

bool has_part(const std::string& text, std::string_view part) { return lower_case(text).find(part) != text.npos; }

/// Of each there is more than one on a card.
bool is_shared(const std::string& name) { return same_word(name, "mps") || same_word(name, "shard"); }

std::int64_t files_of(const Setting& s) { return std::ssize(host_names(s.value, s.place)); }

/// Count, else one for each file, else one. Several files may be one device.
std::int64_t count_of_line(const ConfLine& line, const std::string& name) {
  const Setting *file = line.find("File"), *several = line.find("MultipleFiles"), *count = line.find("Count");
  if (file == nullptr) file = line.find("Files");
  if (file != nullptr && several != nullptr)
    fail_at(several->place, "MultipleFiles stands beside File: slurmd does not start", "one of them");
  if (several != nullptr && files_of(*several) < 2)
    fail_at(several->place, fmt::format("MultipleFiles={} is one file: slurmd does not start", several->value),
            "File, or several files");
  const std::int64_t files = file != nullptr ? files_of(*file) : several != nullptr ? 1 : 0;
  if (count == nullptr) return std::max<std::int64_t>(1, files);
  const auto said = read_gres_count(count->value);
  if (!said)
    fail_at(count->place, fmt::format("Count={} is not a number", printable(shortened(count->value, 40))),
            "a whole number, with K, M, G or T behind it or without");
  if (files > 0 && files != *said && !is_shared(name))
    fail_at(count->place,
            fmt::format("Count={} does not agree with {}, which is {}: slurmd does not start", count->value,
                        several != nullptr ? "MultipleFiles" : "File", files),
            "the same number, or no Count");
  return *said;
}

void check_gres_flags(const ConfLine& line) {
  const Setting* flags = line.find("Flags");
  if (flags == nullptr || !has_part(flags->value, "no_gpu_env")) return;
  for (const char* other : {"nvidia_gpu_env", "amd_gpu_env", "intel_gpu_env", "opencl_env"})
    if (has_part(flags->value, other))
      fail_at(flags->place, fmt::format("Flags has no_gpu_env beside {}: slurmd does not start", other), "one of them");
}

}  // namespace

GresConf::GresConf(const std::vector<ConfLine>& lines, const std::vector<std::string>& types, ImportPage& page)
    : types_(types), page_(page) {
  for (const ConfLine& line : lines) take(line);
  check_together();
}

void GresConf::take(const ConfLine& line) {
  for (const Setting& s : line.settings) {
    refuse_misspelt(s, keys_of_gres_conf());
    if (std::ranges::none_of(keys_of_gres_conf(), [&](const std::string& k) { return same_word(k, s.key); }))
      page_.ignored(s, "not known");
  }
  take_detection(line);
  const Setting* name = line.find("Name");
  if (name != nullptr) return add(line, *name);
  if (line.find("AutoDetect") == nullptr)
    return page_.warning(line.first(), "the line has no Name: slurmd passes over it, as is done here");
  for (const Setting& s : line.settings) page_.ignored(s, "counts are those of slurm.conf");
}

void GresConf::take_detection(const ConfLine& line) {
  const Setting *detect = line.find("AutoDetect"), *nodes = line.find("NodeName");
  if (detect == nullptr) return;
  constexpr std::string_view kWords[] = {"full", "nvml", "rsmi", "oneapi", "nrt", "nvidia"};
  const bool known = same_word(detect->value, "off") ||
                     std::ranges::any_of(kWords, [&](std::string_view word) { return has_part(detect->value, word); });
  if (!known) page_.warning(*detect, "slurmd does not know it, and detects nothing");
  if (nodes == nullptr && same_word(line.first().key, "Name"))
    return page_.warning(*detect, "means nothing on a line that names no nodes");
  const std::vector<std::string> of =
      nodes == nullptr ? std::vector<std::string>{""} : host_names(nodes->value, nodes->place);
  for (const std::string& node : of)
    if (const auto [at, is_new] = detection_.try_emplace(node, *detect);
        !is_new && !node.empty() && !same_word(at->second.value, detect->value))
      fail_at(detect->place,
              fmt::format("AutoDetect of node '{}' is {} in {}: slurmd does not start", node, at->second.value,
                          place_text(at->second.place)),
              "the same one");
}

void GresConf::add(const ConfLine& line, const Setting& name) {
  check_gres_flags(line);
  GresLine added{name, "", count_of_line(line, name.value), false, line.find("NodeName") != nullptr};
  if (!types_.empty() && std::ranges::none_of(types_, [&](const std::string& t) { return same_word(t, name.value); }))
    page_.warning(name, "GresTypes does not have it: slurmd passes over the line");
  else if (!same_word(name.value, "gpu")) page_.ignored(name, "only GPUs are modelled");
  if (const Setting* type = line.find("Type")) added.type = type->value;
  for (const char* key : {"File", "Files", "MultipleFiles"}) added.has_file |= line.find(key) != nullptr;
  lines_.push_back(std::move(added));
  if (const Setting* nodes = line.find("NodeName"))
    for (const std::string& node : host_names(nodes->value, nodes->place)) of_[node].push_back(lines_.size() - 1);
  else of_all_.push_back(lines_.size() - 1);
}

/// Lines of one resource on one node: all have files, and all have types, or none.
void GresConf::check_together() const {
  std::set<std::pair<std::size_t, std::size_t>> seen;
  const auto check = [&](std::size_t first, std::size_t next) {
    if (!seen.emplace(first, next).second) return;
    const GresLine &a = lines_[first], &b = lines_[next];
    if (!same_word(a.name.value, b.name.value)) return;
    const auto fail = [&](const std::string& what, const char* expected) {
      fail_at(
          b.name.place,
          fmt::format("{}={} {} {}: slurmd does not start", b.name.key, b.name.value, what, place_text(a.name.place)),
          expected);
    };
    if (a.has_file != b.has_file)
      fail(b.has_file ? "has a File, other than" : "has no File, other than",
           "a File on all lines of a node, or on none");
    if (a.type.empty() != b.type.empty())
      fail(b.type.empty() ? "has no Type, other than" : "has a Type, other than",
           "a Type on all lines of a node, or on none");
    if (!a.has_file && a.type.empty()) fail("is said again, after", "a File or a Type on each line");
  };
  const auto check_all = [&](const std::vector<std::size_t>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      for (std::size_t j = i + 1; j < lines.size(); ++j) check(lines[i], lines[j]);
  };
  check_all(of_all_);
  for (const auto& [node, own] : of_) {
    std::vector<std::size_t> all = of_all_;
    all.insert(all.end(), own.begin(), own.end());
    check_all(all);
  }
}

std::vector<std::size_t> GresConf::gpus_of(const std::string& node) const {
  std::vector<std::size_t> out = of_all_;
  if (const auto own = of_.find(node); own != of_.end()) out.insert(out.end(), own->second.begin(), own->second.end());
  std::erase_if(out, [&](std::size_t i) { return !same_word(lines_[i].name.value, "gpu"); });
  return out;
}

std::string GresConf::gpus_text(const std::string& node) const {
  std::string out;
  for (const std::size_t i : gpus_of(node)) out += fmt::format("{}:{} ", lines_[i].type, lines_[i].count);
  return out;
}

std::string GresConf::type_of(const std::string& node) const {
  const std::vector<std::size_t> lines = gpus_of(node);
  if (lines.empty()) return "";
  const std::string& first = lines_[lines.front()].type;
  return std::ranges::all_of(lines, [&](std::size_t i) { return lines_[i].type == first; }) ? first : "";
}

bool GresConf::detects(const std::string& node) const {
  const auto own = detection_.find(node), all = detection_.find("");
  const auto found = own != detection_.end() ? own : all;
  return found != detection_.end() && !same_word(found->second.value, "off");
}

void GresConf::warn(std::size_t line, const std::string& what, const std::string& why) const {
  page_.warning({"Name", what, lines_[line].name.place}, why);
}

/// GPUs of one type, or of all ("").
void GresConf::compare_type(const std::string& node, const std::string& type, std::int64_t said) const {
  std::int64_t found = 0;
  std::optional<std::size_t> last;
  for (const std::size_t i : gpus_of(node)) {
    if (!type.empty() && !same_word(lines_[i].type, type)) continue;
    found += lines_[i].count;
    last = i;
  }
  if (!last || found == said) return;
  const std::string what = fmt::format("gpu{}, {} of node {}", type.empty() ? "" : ":" + type, found, node);
  if (found > said)
    return warn(*last, what, fmt::format("slurm.conf says {}, which counts: slurmd passes over the others", said));
  if (!detects(node))
    warn(*last, what, fmt::format("slurm.conf says {}, which counts here; Slurm drains nodes that have fewer", said));
}

void GresConf::compare(const std::string& node, const std::vector<Gres>& said, const Place& place) const {
  std::map<std::string, std::int64_t> by_type;
  for (const Gres& g : said)
    if (g.name == "gpu" && g.count > 0) by_type[lower_case(g.type)] += g.count;
  const std::vector<std::size_t> lines = gpus_of(node);
  if (by_type.empty()) {  // of a line for all nodes those that have GPUs are meant
    const bool none = std::ranges::any_of(said, [](const Gres& g) { return g.name == "gpu"; });
    for (const std::size_t i : lines)
      if (lines_[i].names_nodes || none)
        warn(i, fmt::format("gpu of node {}", node), "slurm.conf has no Gres=gpu for it: there are none, as in Slurm");
    return;
  }
  if (lines.empty() && !lines_.empty() && !detects(node))
    return page_.warning({"Gres", fmt::format("gpu of node {}", node), place},
                         "gres.conf has no line for it, and they count here; Slurm drains nodes that have fewer");
  if (by_type.contains("")) return compare_type(node, "", by_type[""]);
  for (const std::size_t i : lines)
    if (const GresLine& line = lines_[i]; !by_type.contains(lower_case(line.type)) && !detects(node))
      warn(i, fmt::format("gpu{}, {} of node {}", line.type.empty() ? "" : ":" + line.type, line.count, node),
           fmt::format("slurm.conf says gpu:{}: slurmd passes over {}", by_type.begin()->first,
                       line.type.empty() ? "a line without a Type" : "those of another Type"));
  for (const auto& [type, count] : by_type) {
    const bool there =
        std::ranges::any_of(lines, [&, t = type](std::size_t i) { return same_word(lines_[i].type, t); });
    if (there) compare_type(node, type, count);
    else if (!lines.empty() && !detects(node))
      warn(lines.front(), fmt::format("gpu, none of type {} of node {}", type, node),
           fmt::format("slurm.conf says {}, which counts here; Slurm drains nodes that have fewer", count));
  }
}

void GresConf::note_unused() const {
  for (const std::size_t i : of_all_)
    if (same_word(lines_[i].name.value, "gpu"))
      warn(i, "gpu", "no node of slurm.conf has Gres=gpu: there are none, as in Slurm");
}

void GresConf::note_unknown_nodes(const std::map<std::string, Place>& known) const {
  std::map<std::size_t, std::vector<std::string>> unknown;
  for (const auto& [node, lines] : of_)
    if (!known.contains(node)) unknown[lines.front()].push_back(node);
  for (const auto& [line, nodes] : unknown)
    page_.ignored({"NodeName", compress_node_names(nodes), lines_[line].name.place}, "slurm.conf has no such nodes");
}

}  // namespace coslice::slurm

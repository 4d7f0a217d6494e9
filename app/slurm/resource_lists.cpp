#include "slurm/resource_lists.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

const std::vector<std::string> kTypes = {"cpu", "mem", "node", "energy", "billing", "pages", "vmem"};
/// With a name behind them.
const std::vector<std::string> kNamedTypes = {"gres", "license", "bb", "fs", "ic"};
constexpr const char* kNames = "cpu, mem, node, billing, gres/NAME or license/NAME";

[[noreturn]] void fail_name(const Setting& s, const std::string& name, const std::vector<std::string>& known) {
  fail_at(s.place, fmt::format("{} has '{}', which is not a resource of Slurm", s.key, printable(shortened(name, 40))),
          kNames, did_you_mean(name, known));
}

void check_name(const Setting& s, const std::string& name, const std::vector<std::string>& gres) {
  const std::string small = lower_case(name);
  if (!small.empty() && small.find_first_not_of("0123456789") == small.npos)
    return;  // one that sacctmgr has no name of
  const std::size_t slash = small.find('/');
  const std::string type = small.substr(0, slash);
  const auto among = [&](const std::vector<std::string>& types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (slash == small.npos) {
    if (!among(kTypes)) fail_name(s, name, kTypes);
    return;
  }
  if (!among(kNamedTypes) || slash + 1 == small.size()) fail_name(s, type, kNamedTypes);
  if (type != "gres") return;
  const std::string meant = misspelt_name(small.substr(slash + 1, small.find(':') - slash - 1), gres);
  if (meant.empty()) return;
  fail_at(s.place, fmt::format("{} has '{}', but GresTypes does not", s.key, printable(shortened(name, 40))), kNames,
          "did you mean 'gres/" + meant + "'?");
}

/// "4", "-1" and "NONE" (no limit any more), ".03", "2.5G".
bool is_amount(std::string text) {
  if (text == "-1" || same_word(text, "none")) return true;
  if (!text.empty() && std::string_view("KMGTPEkmgtpe").find(text.back()) != std::string_view::npos) text.pop_back();
  const auto digits = std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto points = std::count(text.begin(), text.end(), '.');
  return digits > 0 && points <= 1 && static_cast<std::size_t>(digits + points) == text.size();
}

}  // namespace

std::vector<std::string> gres_names(const std::string& gres_types) {
  std::vector<std::string> names = {"gpu", "mps", "shard"};
  for (const std::string& name : list_items(lower_case(gres_types))) names.push_back(name);
  return names;
}

void check_tres_list(const Setting& setting, const std::vector<std::string>& gres) {
  for (std::string item : list_items(setting.value)) {
    item.erase(0, std::min(item.find_first_not_of(' '), item.size()));  // "CPU=1, Mem=2" in quotes
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    if (equals == item.npos)
      fail_at(setting.place, fmt::format("{} has '{}' without an amount", setting.key, printable(shortened(item, 40))),
              "a list such as cpu=100,mem=2G,gres/gpu=4");
    check_name(setting, name, gres);
    const std::string amount = item.substr(equals + 1);
    if (!is_amount(amount))
      fail_at(setting.place,
              fmt::format("{} of {} is '{}'", printable(shortened(name, 40)), setting.key,
                          printable(shortened(amount, 40))),
              "a number, e.g. 4, 0.5 or 2G");
  }
}

namespace {

bool begins_with_digit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

/// NAME, NAME:COUNT, NAME=COUNT, NAME:TYPE, NAME:TYPE:COUNT, each perhaps with the sockets in parentheses.
Gres read_item(std::string_view item, const Place& place) {
  const std::string_view all = item;
  item = item.substr(0, item.find('('));
  if (item.substr(0, 5) == "gres/") item.remove_prefix(5);
  Gres gres;
  const std::size_t name_end = item.find_first_of(":=");
  gres.name = lower_case(item.substr(0, name_end));
  while (name_end != item.npos) {
    item.remove_prefix(item.find_first_of(":=") + 1);
    const std::size_t end = item.find_first_of(":=");
    const std::string_view part = item.substr(0, end);
    const auto count = read_gres_count(part);
    if (count) gres.count = *count;
    else if (same_word(part, "no_consume")) gres.count = 0;
    else if (end != item.npos && !part.empty()) gres.type = part;  // also "1g.5gb"
    else if (begins_with_digit(part) || part.empty())
      fail_at(place, fmt::format("'{}' has no count that can be read", printable(shortened(all, 60))),
              "NAME:COUNT or NAME:TYPE:COUNT, e.g. gpu:tesla:2");
    else gres.type = part;
    if (end == item.npos) break;
  }
  return gres;
}

}  // namespace

std::optional<std::int64_t> read_gres_count(std::string_view text) {
  constexpr std::string_view kUnits = "kmgtp";
  std::int64_t unit = 1;
  if (!text.empty())
    if (const std::size_t at = kUnits.find(lower_case(text.substr(text.size() - 1))); at != kUnits.npos) {
      for (std::size_t i = 0; i <= at; ++i) unit *= 1024;
      text.remove_suffix(1);
    }
  const auto count = whole_number(text);
  if (!count || *count > std::numeric_limits<std::int64_t>::max() / unit) return {};
  return *count * unit;
}

std::vector<Gres> read_gres(std::string_view text, const Place& place) {
  std::vector<Gres> out;
  if (same_word(text, "(null)") || same_word(text, "none")) return out;
  for (const std::string& item : list_items(text)) out.push_back(read_item(item, place));
  return out;
}

}  // namespace coslice::slurm

#include "slurm/gres.h"

#include <fmt/format.h>

#include "core/text.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

bool begins_with_digit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

/// NAME, NAME:COUNT, NAME=COUNT, NAME:TYPE, NAME:TYPE:COUNT, each perhaps with the sockets in parentheses.
Gres read_item(std::string_view item, const Place& place) {
  const std::string_view all = item;
  item = item.substr(0, item.find('('));
  if (item.substr(0, 5) == "gres/") item.remove_prefix(5);
  Gres gres;
  const std::size_t name_end = item.find_first_of(":=");
  gres.name = lower(item.substr(0, name_end));
  while (name_end != item.npos) {
    item.remove_prefix(item.find_first_of(":=") + 1);
    const std::size_t end = item.find_first_of(":=");
    const std::string_view part = item.substr(0, end);
    const auto count = whole_number(part);
    if (count) gres.count = *count;
    else if (same_word(part, "no_consume")) gres.count = 0;
    else if (begins_with_digit(part) || part.empty())
      fail_at(place, fmt::format("'{}' has no count that can be read", printable(shortened(all, 60))),
              "NAME:COUNT or NAME:TYPE:COUNT, e.g. gpu:tesla:2");
    else gres.type = part;
    if (end == item.npos) break;
  }
  return gres;
}

}  // namespace

std::vector<Gres> read_gres(std::string_view text, const Place& place) {
  std::vector<Gres> out;
  for (const std::string& item : list_items(text)) out.push_back(read_item(item, place));
  return out;
}

}  // namespace coslice::slurm

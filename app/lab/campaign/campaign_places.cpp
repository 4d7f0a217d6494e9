#include "lab/campaign/campaign_report.h"

#include <algorithm>

namespace coslice {
namespace {

bool covers(const Coordinates& general, const Coordinates& at) {
  if (general == at) return false;
  for (std::size_t i = 0; i < general.size(); ++i)
    if (!general[i].empty() && general[i] != at[i]) return false;
  return true;
}

bool covers_another(const Coordinates& at, const std::vector<Coordinates>& all) {
  return std::any_of(all.begin(), all.end(), [&](const Coordinates& o) { return covers(at, o); });
}

}  // namespace

std::map<Coordinates, std::vector<Coordinates>> standing_places(const std::vector<Coordinates>& all) {
  std::map<Coordinates, std::vector<Coordinates>> out;
  for (const Coordinates& at : all) {
    std::vector<Coordinates>& places = out[at];
    if (std::find(at.begin(), at.end(), "") != at.end()) {
      for (const Coordinates& other : all)
        if (covers(at, other) && !covers_another(other, all)) places.push_back(other);
    }
    if (places.empty()) places.push_back(at);
  }
  return out;
}

}  // namespace coslice

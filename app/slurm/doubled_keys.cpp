// What stands several times in slurm.conf.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "slurm/settings.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

/// Those that begin lines of their own, of which each counts.
bool is_one_of_many(const std::string& key) {
  static constexpr std::string_view many[] = {"NodeName",     "PartitionName", "NodeSet",        "DownNodes",
                                              "FrontendName", "SlurmctldHost", "SlurmctldAction"};
  return std::any_of(std::begin(many), std::end(many), [&](std::string_view m) { return same_word(m, key); });
}

void warn_of_earlier(const Setting& later, const Setting& earlier, ImportPage& page) {
  page.warning(later, fmt::format("is set in {}, too ({}): the latest value counts, as in Slurm",
                                  place_text(earlier.place), shortened(earlier.value, 60)));
}

}  // namespace

std::vector<ConfLine> latest_settings(const std::vector<ConfLine>& conf, ImportPage& page) {
  std::map<std::string, const Setting*> latest;
  for (const ConfLine& line : conf) {
    if (is_one_of_many(line.first().key)) {
      std::map<std::string, const Setting*> of_line;
      for (const Setting& s : line.settings)
        if (const auto [at, is_new] = of_line.try_emplace(lower_case(s.key), &s); !is_new)
          warn_of_earlier(s, *std::exchange(at->second, &s), page);
      continue;
    }
    for (const Setting& s : line.settings)
      if (const auto [at, is_new] = latest.try_emplace(lower_case(s.key), &s); !is_new)
        warn_of_earlier(s, *std::exchange(at->second, &s), page);
  }
  std::vector<ConfLine> out;
  for (const ConfLine& line : conf) {
    if (is_one_of_many(line.first().key)) {
      out.push_back(line);
      continue;
    }
    ConfLine kept;
    for (const Setting& s : line.settings)
      if (latest.at(lower_case(s.key)) == &s) kept.settings.push_back(s);
    if (!kept.settings.empty()) out.push_back(std::move(kept));
  }
  return out;
}

}  // namespace coslice::slurm

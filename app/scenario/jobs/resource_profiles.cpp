#include "scenario/jobs/resource_profiles.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "core/text.h"
#include "formats/trace_file.h"
#include "jobs/literal_jobs.h"

namespace coslice {
namespace {

constexpr std::array<std::string_view, 6> kColumns = {"id", "cpu", "network", "disk", "memory", "kind"};
enum ProfileColumn : std::size_t { kId, kCpu, kNetwork, kDisk, kMemory, kKind };
const char* const kExpected = "columns id, cpu, network, disk, memory, and if wanted kind";

/// A table of what jobs use.
class ProfileTable {
 public:
  explicit ProfileTable(const std::string& path) : csv_(path, "a table of what jobs use") {
    for (const std::string_view name : csv_.names())
      if (std::ranges::find(kColumns, name) == kColumns.end())
        throw InputError({path, 1, fmt::format("'{}' is not a column of this file", printable(name)), kExpected});
    for (std::size_t c = kId; c != kKind; ++c) at_[c] = csv_.column(kColumns[c]);
  }

  ResourceProfiles read() const {
    ResourceProfiles profiles;
    for (std::size_t row = 0; row != csv_.rows(); ++row) {
      const std::int64_t id = csv_.whole(row, at_[kId], 0, std::numeric_limits<std::int64_t>::max());
      if (!profiles.emplace(id, profile(row)).second)
        csv_.fail(row, fmt::format("job {} has a second line", id), "one line for each job");
    }
    return profiles;
  }

 private:
  double fraction(std::size_t row, ProfileColumn c) const { return csv_.real(row, at_[c], 0, 1); }

  ResourceProfile profile(std::size_t row) const {
    ResourceProfile p;
    p.fraction = {fraction(row, kCpu), fraction(row, kNetwork), fraction(row, kDisk)};
    p.memory = fraction(row, kMemory);
    if (!adds_up(p.fraction)) csv_.fail(row, "cpu, network and disk do not add up to 1", "fractions of the job's time");
    p.kind = largest_fraction(p.fraction);
    const std::optional<std::size_t> column = csv_.find("kind");
    const std::string_view word = column ? csv_.cell(row, *column) : "";
    if (word.empty()) return p;
    const auto kind = std::find(kColumns.begin() + kCpu, kColumns.begin() + kMemory, word);
    if (kind == kColumns.begin() + kMemory)
      csv_.fail(row, fmt::format("kind is '{}'", printable(word)), "cpu, network or disk");
    p.kind = static_cast<Resource>(kind - kColumns.begin() - kCpu);
    return p;
  }

  CsvTable csv_;
  std::array<std::size_t, kKind> at_{};  ///< columns, by ProfileColumn
};

}  // namespace

ResourceProfiles literal_profiles(const std::vector<JobSpec>& jobs) {
  ResourceProfiles profiles;
  for (std::size_t i = 0; i != jobs.size(); ++i)
    if (const auto profile = profile_of(jobs[i])) profiles[literal_job_id(jobs[i], i)] = *profile;
  return profiles;
}

ResourceProfiles read_resource_profiles(const std::string& path) { return ProfileTable(path).read(); }

std::vector<ResourceProfile> resource_profiles(const std::string& path, const ResourceMix& mix, std::uint64_t seed,
                                               const Workload& workload, const ResourceProfiles& own,
                                               std::int64_t& unknown) {
  std::vector<ResourceProfile> profiles = draw_profiles(seed, mix, workload.jobs.size());
  const ResourceProfiles file = path.empty() ? ResourceProfiles{} : read_resource_profiles(path);
  unknown = 0;
  for (std::size_t j = 0; j != profiles.size(); ++j) {
    const std::int64_t id = workload.jobs[j].id;
    if (const auto by_itself = own.find(id); by_itself != own.end()) profiles[j] = by_itself->second;
    if (const auto said = file.find(id); said != file.end()) profiles[j] = said->second;
    else if (!path.empty()) ++unknown;
  }
  return profiles;
}

}  // namespace coslice

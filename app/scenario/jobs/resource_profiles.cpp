#include "scenario/jobs/resource_profiles.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include "core/error.h"
#include "scenario/jobs/literal_jobs.h"
#include "scenario/toml.h"

namespace coslice {
namespace {

const std::vector<std::string> kColumns = {"id", "cpu", "network", "disk", "memory", "kind"};
enum Column : std::size_t { kId, kCpu, kNetwork, kDisk, kMemory, kKind };
constexpr std::size_t kAbsent = ~std::size_t{0};

std::vector<std::string> split(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> fields;
  std::size_t from = 0;
  for (std::size_t comma = 0; comma != std::string::npos; from = comma + 1) {
    comma = line.find(',', from);
    std::string field = line.substr(from, comma == std::string::npos ? comma : comma - from);
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '"'; };
    while (!field.empty() && blank(field.back())) field.pop_back();
    while (!field.empty() && blank(field.front())) field.erase(field.begin());
    fields.push_back(std::move(field));
  }
  return fields;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), text_(read_text_file(path, "table of what jobs use")) {}

  ResourceProfiles read() {
    std::string line;
    if (!std::getline(text_, line)) fail("the file is empty", expected_columns());
    read_head(split(line));
    ResourceProfiles profiles;
    while (std::getline(text_, line)) {
      ++line_;
      const std::vector<std::string> fields = split(line);
      if (fields.size() == 1 && fields[0].empty()) continue;
      if (fields.size() != columns_)
        fail(fmt::format("the line has {} fields", fields.size()), fmt::format("{} fields", columns_));
      const std::int64_t id = whole(fields[place_[kId]]);
      if (!profiles.emplace(id, profile(fields)).second)
        fail(fmt::format("job {} has a second line", id), "one line for each job");
    }
    return profiles;
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
    throw InputError({path_, line_, problem, expected});
  }
  static std::string expected_columns() { return "columns id, cpu, network, disk, memory, and if wanted kind"; }

  void read_head(const std::vector<std::string>& names) {
    place_.assign(kColumns.size(), kAbsent);
    columns_ = names.size();
    for (std::size_t i = 0; i != names.size(); ++i) {
      const auto at = std::find(kColumns.begin(), kColumns.end(), names[i]);
      if (at == kColumns.end()) fail(fmt::format("'{}' is not a column of this file", names[i]), expected_columns());
      place_[static_cast<std::size_t>(at - kColumns.begin())] = i;
    }
    for (std::size_t c = 0; c != kKind; ++c)
      if (place_[c] == kAbsent) fail(fmt::format("the column '{}' is missing", kColumns[c]), expected_columns());
  }

  std::int64_t whole(const std::string& field) const {
    std::int64_t n = 0;
    const auto end = std::from_chars(field.data(), field.data() + field.size(), n);
    if (end.ec != std::errc{} || end.ptr != field.data() + field.size())
      fail(fmt::format("id is '{}'", field), "a whole number");
    return n;
  }

  double fraction(const std::vector<std::string>& fields, Column c) const {
    const std::string& field = fields[place_[c]];
    double x = 0;
    const auto end = fast_float::from_chars(field.data(), field.data() + field.size(), x);
    if (end.ec != std::errc{} || end.ptr != field.data() + field.size() || !(x >= 0 && x <= 1))
      fail(fmt::format("{} is '{}'", kColumns[c], field), "a number from 0 to 1");
    return x;
  }

  ResourceProfile profile(const std::vector<std::string>& fields) const {
    ResourceProfile p;
    p.fraction = {fraction(fields, kCpu), fraction(fields, kNetwork), fraction(fields, kDisk)};
    p.memory = fraction(fields, kMemory);
    if (!adds_up(p.fraction)) fail("cpu, network and disk do not add up to 1", "fractions of the job's time");
    p.kind = largest_fraction(p.fraction);
    if (place_[kKind] == kAbsent || fields[place_[kKind]].empty()) return p;
    const auto kind = std::find(kColumns.begin() + kCpu, kColumns.begin() + kMemory, fields[place_[kKind]]);
    if (kind == kColumns.begin() + kMemory)
      fail(fmt::format("kind is '{}'", fields[place_[kKind]]), "cpu, network or disk");
    p.kind = static_cast<Resource>(kind - kColumns.begin() - kCpu);
    return p;
  }

  std::string path_;
  std::istringstream text_;
  int line_ = 1;
  std::size_t columns_ = 0;
  std::vector<std::size_t> place_;
};

}  // namespace

ResourceProfiles literal_profiles(const std::vector<JobSpec>& jobs) {
  ResourceProfiles profiles;
  for (std::size_t i = 0; i != jobs.size(); ++i)
    if (const auto profile = profile_of(jobs[i])) profiles[literal_job_id(jobs[i], i)] = *profile;
  return profiles;
}

ResourceProfiles read_resource_profiles(const std::string& path) { return Reader(path).read(); }

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

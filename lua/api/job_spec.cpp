#include "api/job_spec.h"

#include <algorithm>
#include <climits>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {

Duration read_job_span(const FieldReader& f, const char* name, double least, double most) {
  const double s = f.number(name);
  if (!(s >= least && s <= most))
    f.fail("", fmt::format("job: field '{}' is {}", name, s), fmt::format("seconds from {} to {}", least, most));
  return from_seconds(s);
}

void read_job_owner(const FieldReader& f, Job& job) {
  const auto small = [&](const char* name, std::int32_t& field) {
    if (f.has(name)) field = static_cast<std::int32_t>(std::min<long long>(f.integer(name, -1), INT32_MAX));
  };
  small("user", job.user);
  small("group", job.group);
  small("queue", job.queue);
  small("partition", job.partition);
  small("executable", job.executable);
  small("status", job.status);
  small("memory", job.requested_memory_kb);
  if (f.has("after")) job.preceding = f.integer("after", 0);
}

std::optional<ResourceProfile> read_job_profile(const FieldReader& f, const std::string& who) {
  if (!f.has("cpu") && !f.has("network") && !f.has("disk") && !f.has("memory_fraction")) return std::nullopt;
  const auto part = [&](const char* name) {
    const double x = f.has(name) ? f.number(name) : 0;
    if (!(x >= 0 && x <= 1)) f.fail("", fmt::format("{}: field '{}' is {}", who, name, x), "a number from 0 to 1");
    return x;
  };
  ResourceProfile p;
  p.fraction = {part("cpu"), part("network"), part("disk")};
  p.memory = part("memory_fraction");
  if (!adds_up(p.fraction))
    f.fail("", fmt::format("{}: cpu, network and disk do not add up to 1", who), "fractions of its run time");
  p.kind = largest_fraction(p.fraction);
  return p;
}

}  // namespace coslice

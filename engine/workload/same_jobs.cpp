#include "workload/same_jobs.h"

#include <algorithm>

#include <fmt/format.h>

#include "workload/attributes.h"

namespace coslice {

namespace {

/// The first attribute in which the jobs differ; what became of them on record does not count.
std::string differs(const Job& a, const Job& b) {
  const auto say = [&](const Attribute& of, const std::string& in_a, const std::string& in_b) {
    return fmt::format("job {} differs in {}: {} in a, {} in b", a.id, of.name, in_a, in_b);
  };
  for (const Attribute& at : kAttributes) {
    if (at.has(Attribute::kOutcome)) continue;
    if (at.is_text()) {
      if (at.text(a) != at.text(b)) return say(at, "'" + at.text(a) + "'", "'" + at.text(b) + "'");
    } else if (at.is_time()) {
      if (at.span(a) != at.span(b))
        return say(at, format_seconds(at.span(a)) + " s", format_seconds(at.span(b)) + " s");
    } else if (at.whole(a) != at.whole(b)) {
      return say(at, std::to_string(at.whole(a)), std::to_string(at.whole(b)));
    }
  }
  return "";
}

}  // namespace

std::string first_difference(const Workload& a, const Workload& b) {
  const std::size_t both = std::min(a.jobs.size(), b.jobs.size());
  for (std::size_t i = 0; i != both; ++i) {
    if (a.jobs[i].id != b.jobs[i].id)
      return fmt::format("job number {} in order of submission is {} in a, {} in b", i + 1, a.jobs[i].id, b.jobs[i].id);
    if (std::string text = differs(a.jobs[i], b.jobs[i]); !text.empty()) return text;
  }
  if (a.jobs.size() == b.jobs.size()) return "";
  return fmt::format("a has {} jobs, b has {}", a.jobs.size(), b.jobs.size());
}

}  // namespace coslice

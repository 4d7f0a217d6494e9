#include "workload/job_array.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/value.h"
#include "workload/attributes.h"

namespace coslice {

namespace {

constexpr std::int64_t kMostElements = 10'000'000;
constexpr std::int64_t kHighestIndex = 4'000'000;  // Slurm's MaxArraySize is below 4000001

/// What a text says.
struct ArrayText {
  std::int64_t array = -1;            ///< of an element
  std::vector<std::int64_t> indices;  ///< in growing order
  std::int64_t limit = 0;
};

const Attribute& array_attribute() {
  static const Attribute& a = *find_attribute("array");
  return a;
}

class ArrayReader {
 public:
  explicit ArrayReader(const std::string& text) : text_(text), rest_(text) {}

  ArrayText read() {
    ArrayText out;
    if (const std::size_t bar = rest_.find('_'); bar != rest_.npos) {
      out.array = number(INT64_MAX);
      take('_') || fail();
      out.indices = {number(kHighestIndex)};
    } else {
      std::set<std::int64_t> indices;
      do range(indices);
      while (take(','));
      out.indices.assign(indices.begin(), indices.end());
    }
    if (take('%') && (out.limit = number(kMostElements)) == 0) fail();
    if (!rest_.empty()) fail();
    return out;
  }

 private:
  [[noreturn]] bool fail() const {
    fail_at(
        {}, fmt::format("array = \"{}\"", text_),
        "indices from 0 to 4000000 such as \"1-10\" or \"0,3,8-20:4\", with a limit \"1-10%3\"; or an element such as "
        "\"12_7\"");
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::int64_t number(std::int64_t most) {
    std::int64_t n = -1;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
    if (error != std::errc{} || n < 0 || n > most) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return n;
  }
  void range(std::set<std::int64_t>& out) {
    const std::int64_t from = number(kHighestIndex);
    const std::int64_t to = take('-') ? number(kHighestIndex) : from;
    const std::int64_t step = take(':') ? number(kHighestIndex) : 1;
    if (to < from || step == 0) fail();
    for (std::int64_t i = from; i <= to; i += step) out.insert(i);
  }

  const std::string& text_;
  std::string_view rest_;
};

}  // namespace

std::vector<std::int64_t> array_indices(const std::string& text) { return ArrayReader(text).read().indices; }

std::optional<ArrayElement> array_element(const Job& job) {
  const std::string& text = array_attribute().text(job);
  if (text.empty()) return std::nullopt;
  const ArrayText t = ArrayReader(text).read();
  if (t.array < 0) return std::nullopt;
  return ArrayElement{t.array, t.indices.front(), t.limit};
}

std::int64_t array_size(const Job& job) {
  const std::string& text = array_attribute().text(job);
  return text.empty() ? 1 : static_cast<std::int64_t>(ArrayReader(text).read().indices.size());
}

void expand_arrays(Workload& workload) {
  const auto said = [](const Job& j) { return j.has_extras() && !array_attribute().text(j).empty(); };
  if (std::none_of(workload.jobs.begin(), workload.jobs.end(), said)) return;
  std::int64_t largest = 0;
  for (const Job& job : workload.jobs) largest = std::max(largest, job.id);
  std::vector<Job> jobs;
  for (const Job& job : workload.jobs) {
    const ArrayText t = said(job) ? ArrayReader(array_attribute().text(job)).read() : ArrayText{};
    if (t.indices.empty() || t.array >= 0) {
      jobs.push_back(job);
      continue;
    }
    if (static_cast<std::int64_t>(jobs.size() + t.indices.size()) > kMostElements)
      fail_at({}, fmt::format("with the elements of array {} there are more than {} jobs", job.id, kMostElements),
              "fewer");
    for (const std::int64_t index : t.indices) {
      jobs.push_back(job);
      if (index != t.indices.front()) jobs.back().id = ++largest;
      const std::string limit = t.limit == 0 ? "" : fmt::format("%{}", t.limit);
      workload.extras.set(jobs.back(), array_attribute(), fmt::format("{}_{}{}", job.id, index, limit));
    }
  }
  workload.jobs = std::move(jobs);
}

}  // namespace coslice

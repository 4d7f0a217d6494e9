#include "jobs/job_sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/portable_math.h"
#include "core/text.h"
#include "core/value.h"
#include "jobs/attributes.h"
#include "jobs/workflow.h"
#include "machine/eligibility.h"
#include "machine/request_spec.h"

namespace coslice {
namespace {

constexpr std::int32_t kMostNodesOfSize = 100'000;

class SizesReader {
 public:
  SizesReader(const std::string& text, const Job& job, std::int32_t ppn, std::int32_t own_nodes, WantedSizes wanted)
      : text_(text), rest_(text), job_(job), limit_factor_(to_seconds(job.limit) / to_seconds(job.runtime)), ppn_(ppn),
        own_nodes_(own_nodes), wanted_(wanted) {
    if (own_nodes_ == 0) own_nodes_ = divided_up(job.size, ppn);
    sizes_.push_back({own_nodes_, job.size, job.runtime, job.limit});
  }

  std::vector<JobSize> read() {
    const std::int32_t first = nodes();
    if (take(':')) table(first);
    else if (take('-')) range(first);
    else fail();
    if (!rest_.empty()) fail();
    return std::move(sizes_);
  }

 private:
  [[noreturn]] bool fail() const {
    fail("nodes and seconds such as \"2:3600,4:2000\", or a range of nodes such as \"2-4\", with a model such as "
         "\"1-16 downey 12 0.5\" or \"1-16 amdahl 0.99\"");
  }
  [[noreturn]] void fail(std::string expected) const {
    fail_at({}, fmt::format("sizes = \"{}\"", text_), std::move(expected));
  }
  bool take(char c) { return take_char(rest_, c); }
  bool take_word(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  double number(double low, double high) {
    const auto x = take_number<double>(rest_);
    if (!x || !(*x >= low && *x <= high)) fail();
    return *x;
  }
  std::int32_t nodes() {
    const auto n = take_number<std::int32_t>(rest_);
    if (!n || *n < 1 || *n > kMostNodesOfSize) fail();
    return *n;
  }

  /// Its own size stands as the job says it, another one as it is said first.
  void add(std::int32_t n, double runtime) {
    if (listed_.insert(n).second && n != own_nodes_) append(n, runtime);
  }

  void append(std::int32_t n, double runtime) {
    if (!(runtime > 0 && runtime <= kMaxSeconds) || std::int64_t{n} * ppn_ > 2'000'000'000) fail();
    const double limit = std::min(kMaxSeconds, runtime * limit_factor_);
    const Duration time = std::max(from_seconds(runtime), Duration{1});
    sizes_.push_back({n, n * ppn_, time, limit == runtime ? time : std::max(from_seconds(limit), Duration{1})});
  }

  void table(std::int32_t first) {
    add(first, number(0, kMaxSeconds));
    while (take(',')) {
      const std::int32_t n = nodes();
      take(':') || fail();
      add(n, number(0, kMaxSeconds));
    }
  }

  void range(std::int32_t first) {
    const std::int32_t last = nodes();
    if (last < first) fail();
    if (rest_.empty()) {  // as long on each number
      by_speedup(first, last, [](double) { return 1; });
      for (JobSize& size : sizes_) size.range_least = first, size.range_most = last;
      return;
    }
    if (take_word(" downey ")) {
      const double a = number(1, 1e9);
      take(' ') || fail();
      const double sigma = number(0, 1e6);
      by_speedup(first, last, [=](double n) { return downey_speedup(n, a, sigma); });
    } else if (take_word(" amdahl ")) {
      const double parallel = number(0, 1);
      by_speedup(first, last, [=](double n) { return amdahl_speedup(n, parallel); });
    } else {
      fail();
    }
  }

  template <class Speedup>
  void by_speedup(std::int32_t first, std::int32_t last, Speedup&& speedup) {
    const double own = speedup(own_nodes_);
    const auto append_of = [&](std::int32_t n) {
      if (n != own_nodes_) append(n, to_seconds(job_.runtime) * own / speedup(n));
    };
    if (wanted_ == WantedSizes::kExtremes) return append_of(first), append_of(last);
    sizes_.reserve(static_cast<std::size_t>(last - first) + 2);
    for (std::int32_t n = first; n <= last; ++n) append_of(n);
  }

  const std::string& text_;
  std::string_view rest_;
  const Job& job_;
  double limit_factor_;
  std::int32_t ppn_, own_nodes_;
  WantedSizes wanted_;
  std::set<std::int32_t> listed_;
  std::vector<JobSize> sizes_;
};

}  // namespace

double downey_speedup(double n, double a, double sigma) {
  if (sigma <= 1) {
    if (n <= a) return a * n / (a + sigma * (n - 1) / 2);
    if (n <= 2 * a - 1) return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
    return a;
  }
  if (n <= a + a * sigma - sigma) return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
  return a;
}

double amdahl_speedup(double n, double parallel) { return 1 / ((1 - parallel) + parallel / n); }

std::vector<JobSize> job_sizes(const Job& job, std::int32_t ppn, std::int32_t own_nodes, WantedSizes wanted) {
  const std::string& text = attributes::kSizes.text(job);
  return text.empty() ? std::vector<JobSize>{} : SizesReader(text, job, ppn, own_nodes, wanted).read();
}

std::size_t find_size(const std::vector<JobSize>& sizes, std::int32_t nodes) {
  if (sizes.size() > 1 && nodes >= sizes[1].nodes) {
    // One of a range, in which the first size's nodes are left out.
    const std::size_t at = static_cast<std::size_t>(nodes - sizes[1].nodes) + 1;
    for (const std::size_t i : {at, at - 1})
      if (i < sizes.size() && sizes[i].nodes == nodes) return i;
  }
  return static_cast<std::size_t>(std::ranges::find(sizes, nodes, &JobSize::nodes) - sizes.begin());
}

std::vector<JobSize> sizes_of(const Job& job, std::int32_t ppn, const Request* asked, WantedSizes wanted) {
  if (asked == nullptr) return job_sizes(job, ppn, 0, wanted);
  std::vector<JobSize> sizes = job_sizes(job, std::max(1, divided_up(job.size, asked->nodes)), asked->nodes, wanted);
  if (asked->spread.cores != 0)  // the same tasks on all numbers of nodes
    for (JobSize& s : sizes) s.processes = job.size;
  return sizes;
}

std::int32_t scaled_count(std::int32_t n, double factor) {
  constexpr double kLargest = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp(std::floor(n * factor + 0.5), 1.0, kLargest));
}

std::string scaled_sizes(const std::string& text, double size_factor, double time_factor, double time_added) {
  std::string_view rest = text;
  std::string out;
  const auto take_nodes = [&] {
    const auto n = take_number<std::int32_t>(rest);
    if (n) out += fmt::format("{}", scaled_count(*n, size_factor));
    return n.has_value();
  };
  const auto take_parallelism = [&] {
    const auto a = take_number<double>(rest);
    if (a) out += fmt::format("{}", std::max(*a * size_factor, 1.0));
    return a.has_value();
  };
  const auto take_seconds = [&] {  // whole ones stay so
    const auto s = take_number<double>(rest);
    const bool whole = s && *s == std::floor(*s);
    if (!s) return false;
    const double scaled = whole ? std::max(std::floor(*s * time_factor + 0.5), 1.0) : *s * time_factor;
    out += fmt::format("{}", std::min(scaled + time_added, std::max(scaled, kMaxSeconds)));
    return true;
  };
  const auto take_text = [&](std::string_view expected) {
    const bool there = rest.substr(0, expected.size()) == expected;
    if (there) rest.remove_prefix(expected.size()), out += expected;
    return there;
  };
  if (!take_nodes()) return text;
  if (take_text("-")) {
    if (!take_nodes()) return text;
    if (rest.empty()) return out;
    if (take_text(" amdahl ")) return out.append(rest);  // the serial part stays what it is
    return take_text(" downey ") && take_parallelism() ? out.append(rest) : text;
  }
  do {
    if (!take_text(":") || !take_seconds()) return text;
    if (rest.empty()) return out;
  } while (take_text(",") && take_nodes());
  return text;
}

Request request_of_size(const JobSize& size, std::int32_t ppn, const Request* asked) {
  if (asked == nullptr) return whole_nodes(size.nodes, std::min(size.processes, ppn));
  Request request = *asked;
  request.nodes = size.nodes;
  request.range_least = size.range_least;
  // Tasks that have no room on so many nodes may have it on more of the range.
  if (request.spread.cores != 0) request.spread.nodes = std::max(size.nodes, size.range_most);
  return request;
}

Job with_size(const Job& job, const JobSize& size) {
  Job sized = job;
  sized.size = size.processes;
  sized.runtime = size.runtime;
  sized.limit = size.limit;
  return sized;
}

void add_requests_of_sizes(Workload& workload, std::int32_t ppn) {
  for (const Job& job : workload.jobs) {
    if (job.request == kNoRequest || !is_moldable(job)) continue;
    const Request asked = workload.requests[job.request];
    for (const JobSize& s : sizes_of(job, ppn, &asked)) workload.requests.intern(request_of_size(s, ppn, &asked));
  }
}

void add_requests_of_gpu_instances(Workload& workload, const MachineLayout& layout, std::int32_t ppn) {
  std::set<RequestId> seen;
  const auto add = [&](const Request& asked) {
    for (const Request& r : requests_on_gpu_instances(layout, asked)) workload.requests.intern(r);
  };
  for (const Job& job : workload.jobs) {
    if (job.request == kNoRequest) continue;
    const Request asked = workload.requests[job.request];
    if (seen.insert(job.request).second) add(asked);
    if (!is_moldable(job)) continue;
    for (const JobSize& s : sizes_of(job, ppn, &asked)) add(request_of_size(s, ppn, &asked));
  }
}

}  // namespace coslice

#include "workload/job_sizes.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "core/time.h"
#include "core/value.h"
#include "workload/attributes.h"
#include "workload/swf_line.h"

namespace coslice {

namespace {

constexpr std::int32_t kMostNodesOfSize = 100'000;

class SizesReader {
 public:
  SizesReader(const std::string& text, const Job& job, std::int32_t ppn, std::int32_t own_nodes)
      : text_(text), rest_(text), job_(job), ppn_(ppn), own_nodes_(own_nodes) {
    if (own_nodes_ == 0) own_nodes_ = job.size / ppn + (job.size % ppn != 0 ? 1 : 0);
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
    fail_at(
        {}, fmt::format("sizes = \"{}\"", text_),
        "nodes and seconds such as \"2:3600,4:2000\", or a range of nodes and a model such as \"1-16 downey 12 0.5\"");
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  double number(double low, double high) {
    double x = -1;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), x);
    if (error != std::errc{} || !(x >= low && x <= high)) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return x;
  }
  std::int32_t nodes() {
    std::int32_t n = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
    if (error != std::errc{} || n < 1 || n > kMostNodesOfSize) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return n;
  }

  void add(std::int32_t n, double runtime) {
    for (const JobSize& s : sizes_)
      if (s.nodes == n) return;
    if (!(runtime > 0 && runtime <= kMaxSeconds) || std::int64_t{n} * ppn_ > 2'000'000'000) fail();
    const double limit = std::min(kMaxSeconds, runtime * (to_seconds(job_.limit) / to_seconds(job_.runtime)));
    sizes_.push_back(
        {n, n * ppn_, std::max(from_seconds(runtime), Duration{1}), std::max(from_seconds(limit), Duration{1})});
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
    constexpr std::string_view kModel = " downey ";
    if (last < first || rest_.substr(0, kModel.size()) != kModel) fail();
    rest_.remove_prefix(kModel.size());
    const double a = number(1, 1e9);
    take(' ') || fail();
    const double sigma = number(0, 1e6);
    const double own = downey_speedup(own_nodes_, a, sigma);
    for (std::int32_t n = first; n <= last; ++n) add(n, to_seconds(job_.runtime) * own / downey_speedup(n, a, sigma));
  }

  const std::string& text_;
  std::string_view rest_;
  const Job& job_;
  std::int32_t ppn_, own_nodes_;
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

std::vector<JobSize> job_sizes(const Job& job, std::int32_t ppn, std::int32_t own_nodes) {
  static const Attribute& sizes = *find_attribute("sizes");
  const std::string& text = sizes.text(job);
  return text.empty() ? std::vector<JobSize>{} : SizesReader(text, job, ppn, own_nodes).read();
}

}  // namespace coslice

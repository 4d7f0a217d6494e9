#include "jobs/elasticity.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/text.h"
#include "core/value.h"
#include "jobs/attributes.h"

namespace coslice {
namespace {

constexpr std::int32_t kMostSteps = 1'000'000;
constexpr double kShortestStep = 0.001;  // s
constexpr std::int32_t kMostWishedNodes = 100'000;

class ElasticityReader {
 public:
  explicit ElasticityReader(const std::string& text) : text_(text), rest_(text) {}

  Elasticity read() {
    if (take("steps ")) e_.steps = whole(1, kMostSteps);
    else if (take("every ")) every();
    else if (take("at ")) parts();
    else if (!take("any")) fail();
    if (take(" cost ")) costs();
    if (take(" asks ")) wishes();
    e_.survives = take(" survives");
    if (!rest_.empty()) fail();
    std::ranges::sort(e_.parts);
    e_.parts.erase(std::unique(e_.parts.begin(), e_.parts.end()), e_.parts.end());
    return std::move(e_);
  }

 private:
  [[noreturn]] void fail() const {
    fail("\"any\", \"steps 20\", \"every 600\" (seconds of its run time) or parts of its work such as \"at 0.25,0.5\", "
         "then what a change costs, such as \"any cost 30\" or \"any cost 30+0.5\" (seconds, and seconds for each "
         "node), and behind \"any\" and \"at\" the nodes that it asks for, such as \"any asks 0.5:8\"; at last "
         "\"survives\" if it goes on where a node of it fails");
  }
  [[noreturn]] void fail(std::string expected) const {
    fail_at({}, fmt::format("elastic = \"{}\"", text_), std::move(expected));
  }
  bool take(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::int32_t whole(std::int32_t low, std::int32_t high) {
    const auto n = take_number<std::int64_t>(rest_);
    if (!n) fail();
    if (*n < low || *n > high) fail(fmt::format("a whole number from {} to {}, not {}", low, high, *n));
    return static_cast<std::int32_t>(*n);
  }
  double part() {
    const auto x = take_number<double>(rest_);
    if (!x) fail();
    if (!(*x > 0 && *x < 1)) fail(fmt::format("a part of its work, above 0 and below 1, not {}", *x));
    return *x;
  }
  Duration seconds(double least, double most) {
    const auto s = take_number<double>(rest_);
    if (!s) fail();
    if (!(*s >= least && *s <= most)) fail(fmt::format("seconds from {} to {}, not {}", least, most, *s));
    return from_seconds(*s);
  }
  void every() { e_.every = seconds(kShortestStep, kMaxSeconds); }
  void parts() {
    do {
      e_.parts.push_back(part());
    } while (take(","));
  }
  void costs() {
    e_.cost = seconds(0, kMaxSeconds);
    if (take("+")) e_.cost_of_node = seconds(0, kMaxSeconds / kMostWishedNodes);
  }
  /// Where it asks, it may change.
  void wishes() {
    if (e_.steps != 0 || e_.every != Duration{0})
      fail("\"asks\" behind \"any\" or \"at\": steps end where they do, and what it asks for has a point of its own");
    do {
      const double at = part();
      if (!take(":")) fail();
      if (!e_.wishes.empty() && at <= e_.wishes.back().part)
        fail("the parts of its work at which it asks in ascending order");
      e_.wishes.push_back({at, whole(1, kMostWishedNodes)});
    } while (take(","));
    if (!e_.any_time())
      for (const Elasticity::Wish& w : e_.wishes) e_.parts.push_back(w.part);
  }

  const std::string& text_;
  std::string_view rest_;
  Elasticity e_;
};

}  // namespace

std::int64_t Elasticity::points(const RunTime& job) const {
  if (steps != 0) return steps - 1;
  return every != Duration{0} ? (job.own - Duration{1}) / every : std::ssize(parts);
}

Work Elasticity::at(std::int64_t i, const RunTime& job) const {
  if (steps != 0) return Work(job.started).part(i + 1, steps);
  const double part =
      every != Duration{0} ? to_seconds(every * (i + 1)) / to_seconds(job.own) : parts[static_cast<std::size_t>(i)];
  return Work(from_seconds(part * to_seconds(job.started)));
}

bool is_elastic(const Job& job) { return job.has_extras() && !attributes::kElastic.text(job).empty(); }

Elasticity elasticity_of(const Job& job) { return elasticity_of_text(attributes::kElastic.text(job)); }

Elasticity elasticity_of_text(const std::string& text) { return ElasticityReader(text).read(); }

}  // namespace coslice

#include "workload/dependency.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/value.h"

namespace coslice {

namespace {

constexpr std::array<std::string_view, 5> kDependencyNames = {"after", "afterok", "afternotok", "afterany",
                                                              "singleton"};
constexpr std::int64_t kMostMinutesAfter = 10'000'000;
constexpr const char* kDependencyForms =
    "terms such as afterok:3:4, afternotok:3, afterany:7_2, after:3+5 (minutes) or singleton, between them ',' for all "
    "or '?' for any one";

[[noreturn]] void refuse_dependency(std::string_view text, const std::string& problem) {
  fail_at({}, fmt::format("depends = \"{}\": {}", text, problem), kDependencyForms);
}

/// Takes a whole number from 0 on off the front; -1 if there is none.
std::int64_t take_job_number(std::string_view& rest) {
  std::int64_t n = -1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
  if (error != std::errc{} || n < 0) return -1;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return n;
}

bool take_char(std::string_view& rest, char c) {
  if (rest.empty() || rest.front() != c) return false;
  rest.remove_prefix(1);
  return true;
}

class DependencyReader {
 public:
  explicit DependencyReader(std::string_view text) : text_(text) {}

  Dependency read() {
    std::string_view rest = text_;
    char between = 0;
    for (;;) {
      const std::size_t end = rest.find_first_of(",?");
      term(rest.substr(0, end));
      if (end == rest.npos) break;
      if (between != 0 && between != rest[end]) refuse_dependency(text_, "has both ',' and '?'");
      between = rest[end];
      rest.remove_prefix(end + 1);
    }
    out_.any = between == '?';
    return std::move(out_);
  }

 private:
  void term(std::string_view term) {
    std::string_view rest = term;
    const std::string_view word = rest.substr(0, rest.find(':'));
    rest.remove_prefix(word.size());
    std::size_t kind = 0;
    while (kind != kDependencyNames.size() && kDependencyNames[kind] != word) ++kind;
    if (kind == kDependencyNames.size()) refuse_dependency(text_, fmt::format("there is no kind '{}'", word));
    const auto k = static_cast<DependencyKind>(kind);
    if (k == DependencyKind::kSingleton) {
      if (!rest.empty()) refuse_dependency(text_, "a singleton names no job");
      out_.terms.push_back({k, {}, Duration{0}});
      return;
    }
    if (rest.empty()) refuse_dependency(text_, fmt::format("'{}' names no job", word));
    while (take_char(rest, ':')) job(k, rest);
    if (!rest.empty()) refuse_dependency(text_, fmt::format("'{}' is not the number of a job", rest));
  }

  void job(DependencyKind kind, std::string_view& rest) {
    DependencyTerm t{kind, {}, Duration{0}};
    const std::string_view whole = rest;
    t.on.id = take_job_number(rest);
    if (t.on.id < 0) refuse_dependency(text_, fmt::format("'{}' is not the number of a job", whole));
    if (take_char(rest, '_') && (t.on.element = take_job_number(rest)) < 0)
      refuse_dependency(text_, fmt::format("'{}' is not an element of an array", whole));
    if (take_char(rest, '+')) {
      const std::int64_t minutes = take_job_number(rest);
      if (kind != DependencyKind::kAfter) refuse_dependency(text_, "minutes after a start belong to 'after'");
      if (minutes < 0 || minutes > kMostMinutesAfter)
        refuse_dependency(text_, fmt::format("'{}' has no number of minutes", whole));
      t.delay = whole_seconds(60 * minutes);
    }
    out_.terms.push_back(t);
  }

  std::string_view text_;
  Dependency out_;
};

}  // namespace

Dependency read_dependency(std::string_view text) { return DependencyReader(text).read(); }

std::string_view name_of(DependencyKind kind) { return kDependencyNames[static_cast<std::size_t>(kind)]; }

std::string name_of(const JobName& job) {
  return job.element < 0 ? std::to_string(job.id) : fmt::format("{}_{}", job.id, job.element);
}

}  // namespace coslice

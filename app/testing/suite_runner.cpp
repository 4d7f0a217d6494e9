#include "testing/suite_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "core/error.h"
#include "report/files/new_file.h"
#include "testing/find_suites.h"
#include "testing/junit.h"
#include "testing/suite.h"
#include "testing/test_text.h"

namespace coslice {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

SuiteResult run_suite(const std::string& path, const TestOptions& options) {
  const auto start = Clock::now();
  SuiteResult result;
  result.file = path;
  try {
    Suite suite(path, {options.update, options.seed, options.limits});
    for (std::size_t i = 0; i != suite.size(); ++i) {
      if (matches_filter(suite.name(i), options.filter)) result.cases.push_back(suite.run(i));
      else ++result.filtered_out;
    }
    result.goldens_written = suite.goldens_written();
    result.warnings = suite.warnings();
  } catch (const std::exception& e) {
    result.load_error = e.what();
  }
  result.seconds = seconds_since(start);
  return result;
}

/// Takes results in any order and reports them in the order of the files.
class OrderedReport {
 public:
  OrderedReport(std::vector<SuiteResult>& results, std::function<void(const SuiteResult&)> show)
      : results_(results), ready_(results.size()), show_(std::move(show)) {}

  void add(std::size_t i, SuiteResult result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    results_[i] = std::move(result);
    ready_[i] = true;
    for (; next_ != ready_.size() && ready_[next_]; ++next_) show_(results_[next_]);
  }

 private:
  std::mutex mutex_;
  std::vector<SuiteResult>& results_;
  std::vector<bool> ready_;
  std::size_t next_ = 0;
  std::function<void(const SuiteResult&)> show_;
};

void run_all(const std::vector<std::string>& files, const TestOptions& options, OrderedReport& report) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded =
      [&](const auto& body) {  // what leaves a thread, or meets one that is not joined, ends the program
        try {
          body();
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex);
          if (!failure) failure = std::current_exception();
          next = files.size();
        }
      };
  const auto work = [&] {
    guarded([&] {
      for (std::size_t i; (i = next++) < files.size();) report.add(i, run_suite(files[i], options));
    });
  };
  const auto threads = std::min(static_cast<std::size_t>(std::max(options.jobs, 1)), files.size());
  std::vector<std::thread> others;
  guarded([&] {
    others.reserve(threads);
    while (others.size() + 1 < threads) others.emplace_back(work);
  });
  work();
  for (std::thread& t : others) t.join();
  if (failure) std::rethrow_exception(failure);
}

void check_something_ran(const TestReport& report, const TestOptions& options) {
  if (report.unloadable() > 0) return;
  for (const SuiteResult& s : report.suites)
    if (!s.cases.empty()) return;
  if (options.filter.empty()) throw InputError({"", 0, "the suites have no cases", "it(\"...\", function() ... end)"});
  throw InputError({"", 0, fmt::format("no case matches '{}'", options.filter), "a part of its full name"});
}

}  // namespace

bool matches_filter(std::string_view name, std::string_view filter) {
  std::string text, piece;
  for (char c : name) text += folded(c);
  std::size_t at = 0;
  for (std::size_t i = 0; i <= filter.size(); ++i) {
    if (i < filter.size() && filter[i] != '*') {
      piece += folded(filter[i]);
      continue;
    }
    at = text.find(piece, at);
    if (at == std::string::npos) return false;
    at += piece.size();
    piece.clear();
  }
  return true;
}

TestReport run_suites(const TestOptions& options, const std::function<void(std::string_view)>& out) {
  const auto start = Clock::now();
  const std::vector<std::string> files = find_suites(options.paths);
  const TestText text(files, options.colour, options.verbose);
  TestReport report;
  report.suites.resize(files.size());
  OrderedReport ordered(report.suites, [&](const SuiteResult& s) { out(text.suite(s)); });
  run_all(files, options, ordered);
  report.seconds = seconds_since(start);
  check_something_ran(report, options);
  out(text.totals(report));
  if (!options.junit.empty()) write_new_file(options.junit, junit_xml(report));
  return report;
}

}  // namespace coslice

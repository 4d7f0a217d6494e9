// A drive among faults: commands that fail, are not answered or come late, disks that are full, kills. Whatever
// happens, the ledger names each job that is not as it was, and nothing is ordered for a job that was not given.
#include "catch.h"

#include <fmt/format.h>

#include "case_range.h"
#include "core/error.h"
#include "slurm_model.h"

namespace drive_faults_test {

using namespace coslice;
using namespace coslice::drive;
using coslice::test::Killed;
using coslice::test::ModelFile;
using coslice::test::SlurmModel;

namespace {

const Log kSilent{[](std::string_view, std::string_view) {}, [](std::string_view) {}};

/// A policy without sense: it starts some jobs, cannot decide on some, and fails at times.
Judge random_judge(SlurmModel& model) {
  return {"random", [&model](const Situation& now) {
            if (model.chance(0.02)) throw SimulationError("no idea");
            Decision decision;
            for (const QueuedJob* job : now.waiting) {
              if (model.chance(0.4)) decision.starts.push_back(job);
              else if (model.chance(0.03)) decision.impossible.emplace_back(job, "it needs a GPU");
            }
            return decision;
          }};
}

/// A drive from its start to its end, as `coslice drive` runs one. Returns whether it ended with status 0.
bool run_drive(SlurmModel& model, int ticks, bool gives_back) {
  try {
    Ledger ledger(std::make_unique<ModelFile>(model));
    DriveOptions options;
    options.filter.partition = "batch";
    options.take_held = model.take_held;
    ledger.set_filter(options.filter.text());
    Driver driver(model, ledger, options, kSilent);
    bool good = true;
    try {
      const Judge judge = random_judge(model);
      for (int i = 0; i != ticks; ++i) {
        if (i > 0) model.pass(model.chance(0.1) ? 700 : 10);
        driver.tick(judge);
      }
    } catch (const std::exception&) {
      good = false;
      gives_back = true;
    }
    if (!gives_back) return good;
    const NotGivenBack left = driver.give_back();
    if (left.failed + left.unanswered != ledger.entries().size())
      model.wrong = "what was not given back is counted wrong";
    return good && ledger.entries().empty() && !left.unsaved;
  } catch (const InputError&) {
    return false;  // the ledger cannot be read
  }
}

/// What must never be and was; "": nothing.
std::string wrong_in(SlurmModel& model) {
  const int drives = 1 + model.below(3);
  for (int d = 0; d != drives && model.wrong.empty(); ++d) {
    try {
      const int ticks = model.below(5);
      if (!run_drive(model, ticks, ticks == 0 || model.chance(0.6))) model.was_killed();
    } catch (const Killed&) {
      model.was_killed();
    }
    model.check();
    model.pass(model.chance(0.3) ? 700 : 5);
  }
  model.end_faults();
  bool given_back = false;
  for (int i = 0; i != 4; ++i) {
    given_back = run_drive(model, 0, true);
    model.check();
    model.pass(700);
  }
  if (!given_back && model.wrong.empty()) model.wrong = "not all is given back without faults";
  model.check_at_the_end();
  return model.wrong;
}

/// Half of them have many faults, half a single one.
SlurmModel model_of(std::uint64_t seed) {
  const std::optional<int> at = seed % 2 == 0 ? std::optional<int>(1 + static_cast<int>(seed / 2 % 60)) : std::nullopt;
  return {seed, 0.02 * static_cast<double>(1 + seed % 7), at};
}

void check_schedules(test::CaseRange seeds) {
  int faults = 0, orders = 0;
  for (const std::uint64_t seed : seeds) {
    SlurmModel model = model_of(seed);
    if (wrong_in(model) != "") {
      SlurmModel again = model_of(seed);
      again.telling = true;
      wrong_in(again);
      UNSCOPED_INFO(again.story);
      REQUIRE(fmt::format("schedule {}: {}", seed, again.wrong) == "");
    }
    faults += model.faults;
    orders += model.orders;
  }
  CHECK(faults > 0);
  CHECK(orders > faults);
}

}  // namespace

TEST_CASE("no job is held that the ledger does not name, whatever fails", "[drive]") { check_schedules({0, 2'000}); }

TEST_CASE("no job is held that the ledger does not name, at length", "[.][at_length][drive]") {
  check_schedules(test::cases_at_length(2'000, 10'000));
}

}  // namespace drive_faults_test

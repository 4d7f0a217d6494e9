// Slowdowns from what jobs use (Sodan & Lan 2005, Sections 4.1 and 6.1).
#include "jobs/slowdown.h"

#include <cmath>

#include "catch.h"

namespace resource_slowdowns_test {

using namespace coslice;

namespace {

ResourceProfile profile(double cpu, double network, double disk, double memory = 0.1) {
  ResourceProfile p;
  p.fraction = {cpu, network, disk};
  p.memory = memory;
  return p;
}

double complete(const ResourceProfile& a, const ResourceProfile& b, double cpu) {
  ResourceConflicts c;
  c.overlap = ResourceConflicts::Overlap::kComplete;
  return ResourceSlowdowns::of(a, b, cpu, c);
}

double printed(const ResourceProfile& a, const ResourceProfile& b, double cpu) {
  return ResourceSlowdowns::of(a, b, cpu, {});
}

/// A value within 1e-12.
bool is(double x, double expected) { return std::fabs(x - expected) < 1e-12; }

}  // namespace

TEST_CASE("the complete estimate gives the authors' own six (Sodan & Lan 2005, Table 2)", "[lomarc]") {
  const ResourceProfile more_cpu = profile(.6, .4, 0), less_cpu = profile(.4, .6, 0);
  CHECK(is(complete(more_cpu, more_cpu, 2), 2));
  CHECK(is(complete(more_cpu, more_cpu, 1), 1.4));
  CHECK(is(complete(more_cpu, less_cpu, 2), 1.8));
  CHECK(is(complete(more_cpu, less_cpu, 1), 1.4));
  CHECK(is(complete(less_cpu, less_cpu, 2), 2));
  CHECK(is(complete(less_cpu, less_cpu, 1), 1.6));
  CHECK(is(complete(profile(.8, .1, .1), profile(.3, .2, .5), 2), 1.5));
  CHECK(is(complete(profile(.8, .1, .1), profile(.7, .2, .1), 1.4), 1.48));
}

TEST_CASE("the printed estimate leaves out what does not overlap, but is 1 at least", "[lomarc]") {
  CHECK(is(printed(profile(.6, .4, 0), profile(.4, .6, 0), 2), 1.6));
  CHECK(is(printed(profile(.6, .4, 0), profile(.4, .6, 0), 1), 1.2));
  CHECK(is(printed(profile(.8, .1, .1), profile(.3, .2, .5), 2), 1));
  CHECK(is(printed(profile(.8, .1, .1), profile(.7, .2, .1), 1.4), 1.38));
  CHECK(is(printed(profile(1, 0, 0), profile(0, 0, 1), 2), 1));
}

TEST_CASE("memory conflicts page", "[lomarc]") {
  const std::vector<ResourceProfile> jobs = {profile(.8, .1, .1, .6), profile(.3, .2, .5, .4),
                                             profile(.3, .2, .5, .41)};
  ResourceConflicts conflicts;
  conflicts.compatible_share = 0;
  CHECK(ResourceSlowdowns(1, jobs, conflicts).beside(0, 1) == 1);
  CHECK(ResourceSlowdowns(1, jobs, conflicts).beside(0, 2) == 2.5);
  conflicts.paging = ResourceConflicts::Paging::kAdded;
  CHECK(ResourceSlowdowns(1, jobs, conflicts).beside(0, 2) == 3.5);
}

TEST_CASE("pairs slow each other down alike, and a third of them goes well together", "[lomarc]") {
  const ResourceSlowdowns model(7, draw_profiles(7, {0.4, 0.3, 0.3}, 400));
  int compatible = 0, pairs = 0;
  for (JobIndex i = 0; i != 400; ++i) {
    for (JobIndex j = i + 1; j != 400; ++j) {
      REQUIRE(model.beside(i, j) == model.beside(j, i));
      REQUIRE(model.competition(Resource::kCpu, i, j) == model.competition(Resource::kCpu, j, i));
      compatible += model.competition(Resource::kCpu, i, j) == 1.4;
      ++pairs;
    }
  }
  CHECK(std::fabs(compatible / double(pairs) - 0.33) < 0.01);
  CHECK(model.competition(Resource::kDisk, 1, 2) == 2);
}

TEST_CASE("drawn profiles keep the ranges of each kind, and the mix", "[lomarc]") {
  const std::size_t n = 20000;
  const auto jobs = draw_profiles(3, {0.3, 0.5, 0.2}, n);
  double of_kind[3] = {0, 0, 0};
  int low_memory = 0, middle_memory = 0;
  for (const ResourceProfile& p : jobs) {
    const auto kind = static_cast<std::size_t>(p.kind);
    ++of_kind[kind];
    const double cpu = p.fraction[0], network = p.fraction[1], disk = p.fraction[2];
    REQUIRE(std::fabs(cpu + network + disk - 1) < 1e-12);
    if (p.kind == Resource::kCpu)
      REQUIRE((cpu >= .5 && cpu < .9 && disk >= .05 && disk < .4 && cpu + disk >= .6 && cpu + disk < .95));
    if (p.kind == Resource::kDisk)
      REQUIRE(
          (disk >= .4 && disk < .65 && network >= .05 && network < .4 && disk + network >= .5 && disk + network < .8));
    if (p.kind == Resource::kNetwork)
      REQUIRE(
          (network >= .4 && network < .65 && disk >= .05 && disk < .4 && disk + network >= .5 && disk + network < .8));
    REQUIRE((p.memory >= .05 && p.memory <= 1));
    low_memory += p.memory < .5;
    middle_memory += p.memory >= .5 && p.memory < .8;
  }
  CHECK(std::fabs(of_kind[0] / n - 0.3) < 0.01);
  CHECK(std::fabs(of_kind[1] / n - 0.5) < 0.01);
  CHECK(std::fabs(of_kind[2] / n - 0.2) < 0.01);
  CHECK(std::fabs(low_memory / double(n) - 0.7) < 0.01);
  CHECK(std::fabs(middle_memory / double(n) - 0.25) < 0.01);
}

TEST_CASE("of some pairs the slowdown turns out to be another one than the estimate", "[lomarc]") {
  const auto jobs = draw_profiles(7, {0.4, 0.3, 0.3}, 200);
  ResourceConflicts wrong;
  wrong.misjudged_share = 0.25;
  wrong.misjudged = 3;
  const ResourceSlowdowns model(7, jobs, wrong), right(7, jobs);
  int misjudged = 0, pairs = 0;
  for (JobIndex i = 0; i != 200; ++i) {
    for (JobIndex j = i + 1; j != 200; ++j, ++pairs) {
      REQUIRE(model.beside(i, j) == right.beside(i, j));  // the estimate knows nothing of it
      REQUIRE(right.really_beside(i, j) == right.beside(i, j));
      const double really = model.really_beside(i, j);
      REQUIRE(really == model.really_beside(j, i));
      if (really == model.beside(i, j)) continue;
      REQUIRE(is(really, 3 * model.beside(i, j)));
      ++misjudged;
    }
  }
  CHECK(std::fabs(misjudged / double(pairs) - 0.25) < 0.01);
  wrong.misjudged = 0.1;
  CHECK(ResourceSlowdowns(7, jobs, wrong).really_beside(0, 1) >= 1 - 1e-12);
}

}  // namespace resource_slowdowns_test

// Jobs on record that did not simply run and end: cancelled while they waited, preempted and started again.
#include "catch.h"
#include "core/error.h"
#include "formats/sacct.h"
#include "formats/slurm_fields.h"
#include "jobs/attributes.h"

namespace sacct_losses_test {

using namespace coslice;

namespace {

const std::string kHead =
    "JobID|User|Submit|Start|End|Elapsed|State|AllocCPUS|NCPUS|NNodes|Timelimit|AllocTRES|ReqTRES\n";
const std::string kRan = "1|ann|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T09:00:00|01:00:00|COMPLETED|8|8|1|"
                         "02:00:00|cpu=8,node=1|\n";

RecordedWorkload read(const std::string& lines) { return parse_sacct(kHead + lines, "x.sacct", SlurmSize::kCpus); }

}  // namespace

TEST_CASE("sacct: a job that was cancelled while it waited waits until then", "[convert][withdrawal]") {
  const RecordedWorkload r =
      read(kRan + "2|ann|2026-03-01T08:10:00|Unknown|2026-03-01T08:30:00|00:00:00|CANCELLED by "
                  "1000|0|0|0|01:00:00||cpu=32,mem=64G,node=4\n"
                  "3|bob|2026-03-01T08:11:00|None|Unknown|00:00:00|CANCELLED|0|4|1|01:00:00||cpu=4,node=1\n"
                  "4|bob|2026-03-01T08:12:00|Unknown|2026-03-01T08:13:00|00:00:00|DEADLINE|0|4|1|01:00:00||\n");
  REQUIRE(r.workload.jobs.size() == 3);
  const Job& job = r.workload.jobs[1];
  CHECK(job.size == 32);
  CHECK(job.extras->withdrawn_at == whole_seconds(30 * 60));
  CHECK(job.limit == whole_seconds(3600));
  CHECK(r.wait(1) < Duration{0});
  CHECK(r.requests[job.request].nodes == 4);
  CHECK(r.workload.jobs[0].extras->withdrawn_at < Duration{0});
  CHECK(r.workload.jobs[2].extras->withdrawn_at == whole_seconds(13 * 60));
  REQUIRE(r.workload.notes.size() == 2);
  CHECK(r.workload.notes[0].reason == "never started, and when it was cancelled is not on record");
  CHECK(r.workload.notes[1].reason == "cancelled while it waited: it waits until then");
  CHECK(r.workload.notes[1].count == 2);

  const RecordedWorkload again = parse_sacct(sacct_text(r), "y.sacct", SlurmSize::kCpus);
  REQUIRE(again.workload.jobs.size() == 3);
  CHECK(again.workload.jobs[1].extras->withdrawn_at == job.extras->withdrawn_at);
  CHECK(again.workload.jobs[1].size == 32);
}

TEST_CASE("sacct: runs that were preempted are one job with the run that followed", "[convert]") {
  const auto run = [](const char* id, const char* submit, const char* start, const char* end, const char* elapsed,
                      const char* state) {
    return std::string(id) + "|ann|2026-03-01T" + submit + "|2026-03-01T" + start + "|2026-03-01T" + end + "|" +
           elapsed + "|" + state + "|8|8|1|02:00:00|cpu=8,node=1|\n";
  };
  const RecordedWorkload r = read(run("7", "08:00:00", "08:00:00", "08:20:00", "00:20:00", "PREEMPTED") +
                                  run("8", "08:05:00", "08:20:00", "08:40:00", "00:20:00", "COMPLETED") +
                                  run("7", "08:20:00", "08:40:00", "09:10:00", "00:30:00", "PREEMPTED") +
                                  run("7", "09:10:00", "09:30:00", "10:30:00", "01:00:00", "COMPLETED") +
                                  run("9", "09:00:00", "09:00:00", "09:05:00", "00:05:00", "PREEMPTED"));
  REQUIRE(r.workload.jobs.size() == 3);
  const Job& job = r.workload.jobs[0];
  CHECK(job.id == 7);
  CHECK(job.submit == Time{});
  CHECK(job.runtime == whole_seconds(3600));
  CHECK(r.wait(0) == whole_seconds(90 * 60));
  CHECK(r.workload.jobs[1].id == 8);
  CHECK(r.workload.jobs[2].id == 9);
  CHECK(r.workload.jobs[2].runtime == whole_seconds(300));
}

TEST_CASE("sacct: a job that got other nodes while it ran is one job, with the size that it had for longest",
          "[convert]") {
  const auto record = [](const char* submit, const char* start, const char* end, const char* elapsed, const char* state,
                         const char* cpus) {
    return std::string("7|ann|2026-03-01T") + submit + "|2026-03-01T" + start + "|2026-03-01T" + end + "|" + elapsed +
           "|" + state + "|" + cpus + "|" + cpus + "|1|02:00:00|cpu=" + cpus + ",node=1|\n";
  };
  const RecordedWorkload r = read(
      record("08:00:00", "08:10:00", "08:15:00", "00:05:00", "RESIZING", "16") + kRan +
      record("08:15:00", "08:15:00", "08:45:00", "00:30:00", "RESIZING", "8") +
      record("08:45:00", "08:45:00", "08:50:00", "00:05:00", "COMPLETED", "4") +
      "9|bob|2026-03-01T09:00:00|2026-03-01T09:00:00|2026-03-01T09:10:00|00:10:00|RESIZING|8|8|1|02:00:00|cpu=8|\n");
  REQUIRE(r.workload.jobs.size() == 3);
  const Job& job = r.workload.jobs[0];
  CHECK(job.id == 7);
  CHECK(job.size == 8);
  CHECK(job.runtime == whole_seconds(40 * 60));
  CHECK(job.limit == whole_seconds(7200));
  CHECK(job.status == 1);
  CHECK(r.wait(0) == whole_seconds(600));
  CHECK(r.workload.jobs[2].runtime == whole_seconds(600));  // what followed is not in the dump
  CHECK(r.workload.notes.back().reason.find("got other nodes while it ran") == 0);
  CHECK(r.workload.notes.back().count == 2);
  for (const TraceNote& n : r.workload.notes) {
    CHECK(n.reason.find("numbered anew") == std::string::npos);
    CHECK(n.reason.find("has not ended") == std::string::npos);
  }
}

TEST_CASE("sacct: states that a narrow column has cut off", "[convert]") {
  CHECK(read("1|ann|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T09:00:00|01:00:00|OUT_OF_ME+|8|8|1|02:00:00||\n")
            .workload.jobs[0]
            .status == 0);
  CHECK_THROWS(
      read("1|ann|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T09:00:00|01:00:00|OUT+|8|8|1|02:00:00||\n"));
}

TEST_CASE("sacct: a job whose time is below zero by its clocks ran as long as its ends are apart, or not at all",
          "[convert]") {
  const RecordedWorkload r =
      read("1|ann|2026-03-29T01:00:00|2026-03-29T01:10:00|2026-03-29T01:50:00|INVALID|COMPLETED|8|8|1|02:00:00||\n"
           "2|ann|2026-10-25T02:30:00|2026-10-25T02:55:00|2026-10-25T02:05:00|INVALID|COMPLETED|8|8|1|02:00:00||\n");
  REQUIRE(r.workload.jobs.size() == 2);
  CHECK(r.workload.jobs[0].runtime == whole_seconds(2400));
  CHECK(r.workload.jobs[1].runtime == whole_seconds(1));
}

TEST_CASE("sacct: a survey counts what did not simply run and end", "[slurm_import]") {
  SacctSurveyor surveyor("x.sacct", nullptr, [](std::string_view) {});
  surveyor.take(
      kHead + kRan +
      "2|ann|2026-03-01T08:10:00|Unknown|2026-03-01T08:30:00|00:00:00|CANCELLED|0|4|1|01:00:00||\n"
      "3|ann|2026-03-01T08:10:00|Unknown|Unknown|00:00:00|CANCELLED|0|4|1|01:00:00||\n"
      "4|ann|2026-03-01T08:10:00|Unknown|Unknown|00:00:00|PENDING|0|4|1|01:00:00||\n"
      "5|ann|2026-03-01T08:10:00|2026-03-01T08:10:00|2026-03-01T08:30:00|00:20:00|PREEMPTED|4|4|1|01:00:00||\n"
      "6|ann|2026-03-01T08:10:00|2026-03-01T08:10:00|2026-03-01T08:30:00|00:20:00|NODE_FAIL|4|4|1|01:00:00||\n");
  const SacctSurvey survey = surveyor.finish();
  CHECK(survey.losses.withdrawn == 1);
  CHECK(survey.losses.never_started == 1);
  CHECK(survey.losses.not_ended == 1);
  CHECK(survey.losses.preempted == 1);
  CHECK(survey.losses.requeued == 1);
  CHECK(survey.has_starts);
}

TEST_CASE("sacct: a row that stands there twice is one job", "[convert][slurm_import]") {
  const std::string again =
      "1|ann|2026-03-01T08:00:00|2026-03-01T09:00:00|2026-03-01T10:00:00|01:00:00|COMPLETED|8|8|1|"
      "02:00:00|cpu=8,node=1|\n";  // requeued: another start
  const std::string text = kHead + kRan + again + kHead + kRan + kRan;
  const RecordedWorkload r = parse_sacct(text, "x.sacct", SlurmSize::kCpus);
  CHECK(r.workload.jobs.size() == 2);
  CHECK(r.workload.records == 4);
  REQUIRE(r.workload.notes.size() == 2);
  CHECK(r.workload.notes[1].reason == "a repeated row: the same job again, as where dumps overlap");
  CHECK(r.workload.notes[1].count == 2);
  CHECK(r.workload.notes[1].dropped);
  std::string copy;
  SacctSurveyor surveyor("x.sacct", nullptr, [&](std::string_view lines) { copy += lines; });
  surveyor.take(text);
  const SacctSurvey survey = surveyor.finish();
  CHECK(survey.jobs == 2);
  CHECK(survey.repeated == 2);
  CHECK(copy == kHead + kRan + again);
  std::string many = kHead;
  for (int i = 0; i != 3000; ++i) many += std::to_string(i + 2) + kRan.substr(1);
  const RecordedWorkload all = parse_sacct(many + many.substr(kHead.size()), "x.sacct", SlurmSize::kCpus);
  CHECK(all.workload.jobs.size() == 3000);
  CHECK(all.workload.notes.back().count == 3000);
}

TEST_CASE("sacct: a survey tells components that are joined from those that are not", "[slurm_import]") {
  const auto row = [](const std::string& id, const char* state = "COMPLETED") {
    return id + "|ann|2026-03-01T08:10:00|2026-03-01T08:10:00|2026-03-01T08:30:00|00:20:00|" + state +
           "|4|4|1|01:00:00||\n";
  };
  SacctSurveyor surveyor("x.sacct", nullptr, [](std::string_view) {});
  surveyor.take(kHead + row("11+0") + row("11+1") + row("11+2") + row("15+0") + row("17+1"));
  const SacctSurvey survey = surveyor.finish();
  CHECK(survey.het_jobs.jobs() == 1);
  CHECK(survey.het_jobs.components() == 3);
  CHECK(survey.lone_components.jobs() == 2);
  CHECK(survey.lone_components.components() == 2);
}

TEST_CASE("sacct: jobs without a size are not said not to have run", "[convert]") {
  try {
    parse_sacct("JobID|Submit|Elapsed|NCPUS\n1|2026-03-01T08:10:00|00:20:00|\n", "x.sacct", SlurmSize::kCpus);
    FAIL("no error");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("no job of the dump says its size") != std::string::npos);
  }
}

TEST_CASE("sacct: states that only squeue prints are known", "[convert]") {
  for (const char* state : {"REQUEUE_HOLD", "SPECIAL_EXIT", "STOPPED", "CONFIGURING", "STAGE_OUT", "PD", "CG"}) {
    CAPTURE(state);
    CHECK(slurm_end(state) == SlurmEnd::kNotEnded);
  }
  for (const char* state : {"LAUNCH_FAILED", "BF", "DL"}) CHECK(slurm_end(state) == SlurmEnd::kFailed);
  for (const char* state : {"FROBBED", "RUN", ""}) CHECK_FALSE(slurm_end(state));
}

TEST_CASE("elements of an array that wait as one line", "[convert]") {
  using List = std::vector<std::int64_t>;
  const auto read = [](const char* text) { return slurm_tasks(text).value_or(SlurmTasks{}); };
  CHECK(read("[1-3,7%2]").indices == List{1, 2, 3, 7});
  CHECK_FALSE(read("[1-3,7%2]").cut);
  CHECK(read("[0-20:5]").indices == List{0, 5, 10, 15, 20});
  CHECK(read("[2-6:2%3]").indices == List{2, 4, 6});
  CHECK(read("[4]").indices == List{4});
  for (const char* cut : {"[1-3,7,...]", "[1-3,7,...%4]", "[1-3,7,1...]", "[1-3,7,1", "[1-3,7,", "[1-3,7,.."}) {
    CAPTURE(cut);
    CHECK(read(cut).indices == List{1, 2, 3, 7});
    CHECK(read(cut).cut);
  }
  CHECK(read("[1,5-1...]").indices == List{1, 5});
  CHECK(read("[1,5-7...]").indices == List{1, 5, 6, 7});  // to 7 at least
  CHECK(read("[1,10-20:...]").indices == List{1, 10});
  for (const char* none : {"", "7", "[]", "[...]", "[a]", "[3-1]", "[1]x", "[1.5]"}) CHECK_FALSE(slurm_tasks(none));
}

TEST_CASE("sacct: elements of an array that were cancelled while they waited stand on one line",
          "[convert][slurm_import]") {
  const std::string waiting =
      "9_[3-4%1]|ann|2026-03-01T08:10:00|Unknown|2026-03-01T08:30:00|00:00:00|CANCELLED|0|4|1|01:00:00||\n";
  const RecordedWorkload r = read(kRan + waiting);
  REQUIRE(r.workload.jobs.size() == 3);
  CHECK(r.site_ids[1] == "9_3");
  CHECK(r.site_ids[2] == "9_4");
  CHECK(r.workload.jobs[1].id != r.workload.jobs[2].id);
  CHECK(find_attribute("array")->text(r.workload.jobs[2]) == "9_4%1");
  CHECK(r.workload.jobs[2].extras->withdrawn_at == whole_seconds(30 * 60));
  CHECK(r.workload.records == 3);
  CHECK(r.workload.notes[0].count == 2);
  const auto cut = [&](const std::string& list) {
    const std::string row = "9_" + list + waiting.substr(waiting.find('|'));
    const RecordedWorkload read_ = read(kRan + row);
    SacctSurveyor surveyor("x.sacct", nullptr, [](std::string_view) {});
    surveyor.take(kHead + kRan + row);
    const SacctSurvey survey = surveyor.finish();
    CHECK((survey.cut_lists.lists == 1 && survey.cut_lists.first == "9_" + list));
    CHECK(read_.workload.notes.back().reason.find("list of elements of an array that sacct has cut off (9_[") == 2);
    CHECK(read_.workload.notes.back().first_line == 3);
    CHECK(survey.jobs == std::ssize(read_.workload.jobs));
    return std::pair(std::ssize(read_.workload.jobs) - 1, read_.site_ids.back());
  };
  CHECK(cut("[3,5,...]") == std::pair(std::ptrdiff_t{2}, std::string("9_5")));
  CHECK(cut("[1-400...") == std::pair(std::ptrdiff_t{400}, std::string("9_400")));
  CHECK(cut("[1-5,...%2]") == std::pair(std::ptrdiff_t{5}, std::string("9_5")));
  CHECK(cut("[7,12...]") == std::pair(std::ptrdiff_t{1}, std::string("9_7")));
  CHECK(cut("[...]") == std::pair(std::ptrdiff_t{1}, std::string("9_[...]")));

  SacctSurveyor surveyor("x.sacct", nullptr, [](std::string_view) {});
  surveyor.take(kHead + kRan + waiting);
  const SacctSurvey survey = surveyor.finish();
  CHECK(survey.jobs == 3);
  CHECK(survey.losses.withdrawn == 2);
}

}  // namespace sacct_losses_test

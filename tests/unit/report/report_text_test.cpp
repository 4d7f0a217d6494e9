// What a run shows: tables, sparklines, progress.
#include "catch.h"
#include "core/error.h"
#include "report/markup.h"
#include "report/tables/summary_table.h"
#include "report/tables/table.h"
#include "report/tables/terminal.h"

namespace report_text_test {

using namespace coslice;

TEST_CASE("numbers for people", "[report]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(-123) == "-123");
  CHECK(grouped(12345.678, 1) == "12,345.7");
  CHECK(grouped(999.96, 1) == "1,000.0");
  CHECK(grouped(0.25, 0) == "0");
  CHECK(readable(0) == "0");
  CHECK(readable(0.05) == "0.05");
  CHECK(readable(9.996) == "10.0");
  CHECK(readable(99.96) == "100");
  CHECK(readable(12345.6) == "12,346");
  CHECK(percent(0.8472) == "84.7 %");
}

TEST_CASE("widths are those of the screen", "[report]") {
  CHECK(display_width("plain") == 5);
  CHECK(display_width("café") == 4);
  CHECK(display_width("e\xCC\x81") == 1);  // e and a combining accent
  CHECK(display_width("日本") == 4);
  CHECK(display_width("█▁") == 2);
  CHECK(display_width("😀") == 2);
  CHECK(display_width("caf\xE9") == 4);   // not UTF-8
  CHECK(display_width("\xE6\x97") == 2);  // cut off
  CHECK(pad_left("é", 3) == "  é");
  CHECK(pad_right("é", 3) == "é  ");
  CHECK(pad_both("ab", 5) == " ab  ");
  CHECK(pad_left("long", 2) == "long");
}

TEST_CASE("colour is made only when asked for", "[report]") {
  CHECK(paint("x", Tone::kGood, false) == "x");
  CHECK(paint("x", Tone::kGood, true) == "\x1b[32mx\x1b[0m");
  CHECK(paint("x", Tone::kPlain, true) == "x");
}

namespace {

Table sample_table() {
  Table t({{"name", false, "", false},
           {"n", true, "", false},
           {"mean", true, "wait", false},
           {"max", true, "wait", false}});
  t.add_row({"first", "1", "2.5", "10"});
  t.add_rule();
  t.add_row({Cell("zweïter", Tone::kBold), "1,000"});
  return t;
}

}  // namespace

TEST_CASE("a table in boxes", "[report]") {
  CHECK(sample_table().render(TableStyle::kBox) == "┌─────────┬───────┬───────────┐\n"
                                                   "│         │       │   wait    │\n"
                                                   "│ name    │     n │ mean  max │\n"
                                                   "├─────────┼───────┼───────────┤\n"
                                                   "│ first   │     1 │  2.5   10 │\n"
                                                   "├─────────┼───────┼───────────┤\n"
                                                   "│ zweïter │ 1,000 │           │\n"
                                                   "└─────────┴───────┴───────────┘\n");
  CHECK(sample_table().width() == 31);
}

TEST_CASE("a plain table", "[report]") {
  CHECK(sample_table().render(TableStyle::kPlain) == "                    wait\n"
                                                     "name          n   mean  max\n"
                                                     "---------------------------\n"
                                                     "first         1    2.5   10\n"
                                                     "---------------------------\n"
                                                     "zweïter   1,000\n");
}

TEST_CASE("tables for documents and machines", "[report]") {
  CHECK(sample_table().render(TableStyle::kMarkdown) == "| name | n | wait mean | wait max |\n"
                                                        "| --- | ---: | ---: | ---: |\n"
                                                        "| first | 1 | 2.5 | 10 |\n"
                                                        "| zweïter | 1,000 |  |  |\n");
  CHECK(sample_table().render(TableStyle::kCsv) == "name,n,wait mean,wait max\nfirst,1,2.5,10\nzweïter,\"1,000\",,\n");
  Table t({{"a|b", false, "", false}});
  t.add_row({"c|d|e"});
  CHECK(t.render(TableStyle::kMarkdown) == "| a\\|b |\n| --- |\n| c\\|d\\|e |\n");
}

TEST_CASE("a group title wider than its columns widens them", "[report]") {
  Table t({{"a", true, "a long title", false}, {"b", true, "a long title", false}});
  t.add_row({"1", "2"});
  CHECK(t.render(TableStyle::kBox) == "┌──────────────┐\n"
                                      "│ a long title │\n"
                                      "│         a  b │\n"
                                      "├──────────────┤\n"
                                      "│         1  2 │\n"
                                      "└──────────────┘\n");
}

TEST_CASE("merged columns leave out what stands above", "[report]") {
  Table t({{"q", false, "", true}, {"c", false, "", true}, {"v", true, "", false}});
  t.add_row({"wait", "all", "1"});
  t.add_row({"wait", "all", "1"});
  t.add_row({"slow", "all", "1"});
  CHECK(t.render(TableStyle::kPlain) == "q      c     v\n"
                                        "--------------\n"
                                        "wait   all   1\n"
                                        "             1\n"
                                        "slow   all   1\n");
  CHECK(t.render(TableStyle::kCsv) == "q,c,v\nwait,all,1\nwait,all,1\nslow,all,1\n");
}

TEST_CASE("colour does not move columns", "[report]") {
  std::string coloured = sample_table().render(TableStyle::kBox, true), bare;
  CHECK(coloured.find("\x1b[1mzweïter\x1b[0m") != std::string::npos);
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') i = coloured.find('m', i);
    else bare += coloured[i];
  }
  CHECK(bare == sample_table().render(TableStyle::kBox));
}

namespace {

GroupSummary group(const char* name, std::int64_t jobs, double scale) {
  GroupSummary g;
  g.name = name;
  g.jobs = jobs;
  g.wait = {scale, scale / 2, scale * 2, scale * 4};
  g.response = {scale + 1000, scale + 900, scale * 3 + 1000, scale * 5 + 1000};
  g.bounded_slowdown = {scale / 10 + 1, 1, scale + 1, scale * 2 + 1};
  return g;
}

Summary summary(double scale) {
  Summary s;
  s.jobs = 1500, s.finished = 1490, s.killed = 2, s.rejected = 3, s.rejected_for = {1, 0, 2, 0};
  s.makespan = 100000, s.utilization = 0.847 - scale / 1e5, s.mean_queue = scale / 20, s.max_queue = 42;
  s.by_class = {group("short", 1000, scale), group("long", 0, 0)};
  s.all = group("all", 1490, scale * 2);
  return s;
}

}  // namespace

TEST_CASE("the table of one policy", "[report]") {
  CHECK(summary_table({{"easy", summary(1234)}}, {}) ==
        "policy      easy\n"
        "jobs        1,500, 2 killed at their limit, 3 rejected (1 can never run here, 2 refused by the policy), 7 not "
        "ended\n"
        "makespan    1 d 03:46:40 (100,000 s)\n"
        "utilization 83.5 %\n"
        "queue       61.7 mean, 42 max\n"
        "\n"
        "┌──────────────────┬───────┬───────┬────────────────────────────────────┐\n"
        "│                  │ class │  jobs │   mean  median       p95       max │\n"
        "├──────────────────┼───────┼───────┼────────────────────────────────────┤\n"
        "│ wait, s          │ short │ 1,000 │  1,234     617     2,468     4,936 │\n"
        "│                  │ all   │ 1,490 │  2,468   1,234     4,936     9,872 │\n"
        "├──────────────────┼───────┼───────┼────────────────────────────────────┤\n"
        "│ response, s      │ short │ 1,000 │  2,234   2,134     4,702     7,170 │\n"
        "│                  │ all   │ 1,490 │  3,468   3,368     8,404    13,340 │\n"
        "├──────────────────┼───────┼───────┼────────────────────────────────────┤\n"
        "│ bounded slowdown │ short │ 1,000 │ 124.40    1.00  1,235.00  2,469.00 │\n"
        "│                  │ all   │ 1,490 │ 247.80    1.00  2,469.00  4,937.00 │\n"
        "└──────────────────┴───────┴───────┴────────────────────────────────────┘\n");
}

TEST_CASE("short times are shown with a decimal", "[report]") {
  const std::string text = summary_table({{"easy", summary(4)}}, {TableStyle::kPlain, false, 80});
  CHECK(text.find("wait, s            short   1,000     4.0     2.0    8.0   16.0\n") != std::string::npos);
}

TEST_CASE("several policies stand side by side", "[report]") {
  const std::string text = summary_table({{"fcfs", summary(5000)}, {"easy", summary(1234)}}, {});
  CHECK(text.substr(0, text.find("│ response, s")) ==
        "┌──────────────────┬───────┬──────────┬─────────────────────┐\n"
        "│                  │ class │          │      fcfs      easy │\n"
        "├──────────────────┼───────┼──────────┼─────────────────────┤\n"
        "│ jobs             │       │ ran      │     1,490     1,490 │\n"
        "│                  │       │ killed   │         2         2 │\n"
        "│                  │       │ rejected │         3         3 │\n"
        "│ makespan, s      │       │          │   100,000   100,000 │\n"
        "│ utilization      │       │          │    79.7 %    83.5 % │\n"
        "│ queue            │       │ mean     │     250.0      61.7 │\n"
        "│                  │       │ max      │        42        42 │\n"
        "├──────────────────┼───────┼──────────┼─────────────────────┤\n"
        "│ wait, s          │ short │ mean     │     5,000     1,234 │\n"
        "│                  │       │ median   │     2,500       617 │\n"
        "│                  │       │ p95      │    10,000     2,468 │\n"
        "│                  │       │ max      │    20,000     4,936 │\n"
        "│                  │ all   │ mean     │    10,000     2,468 │\n"
        "│                  │       │ median   │     5,000     1,234 │\n"
        "│                  │       │ p95      │    20,000     4,936 │\n"
        "│                  │       │ max      │    40,000     9,872 │\n"
        "├──────────────────┼───────┼──────────┼─────────────────────┤\n");
}

TEST_CASE("classes without jobs take no room, whether first or last", "[report]") {
  Summary s = summary(1234);
  std::swap(s.by_class[0], s.by_class[1]);
  const std::string one = summary_table({{"easy", s}}, {}), two = summary_table({{"easy", s}, {"fcfs", s}}, {});
  for (const std::string& text : {one, two}) {
    CHECK(text.find("long") == std::string::npos);
    CHECK(text.find("┼───────┼─") != std::string::npos);
  }
  CHECK(two.find("─┤\n│ wait, s          │ short │ mean") != std::string::npos);  // below its rule
  s.by_class[0].jobs = 1;
  CHECK(summary_table({{"easy", summary(1234)}, {"fcfs", s}}, {}).find("long") != std::string::npos);
  s.by_class.clear();
  s.all.jobs = 0;
  CHECK(summary_table({{"easy", s}, {"fcfs", s}}, {}).find("│ all   │ mean") != std::string::npos);
}

TEST_CASE("the best of a row stands out, equals do not", "[report]") {
  const SummaryTableOptions options{TableStyle::kPlain, true, 80};
  const std::string text = summary_table({{"fcfs", summary(5000)}, {"easy", summary(1234)}}, options);
  CHECK(text.find("   79.7 %  \x1b[32m  83.5 %\x1b[0m\n") != std::string::npos);
  CHECK(text.find("    5,000  \x1b[32m   1,234\x1b[0m\n") != std::string::npos);
  CHECK(text.find("\x1b[32m  100,000") == std::string::npos);
}

TEST_CASE("more policies than fit go into further tables", "[report]") {
  std::vector<NamedSummary> runs;
  for (const char* name : {"first-come", "second-come", "third-come", "fourth-come"}) {
    runs.push_back({name, summary(1234)});
  }
  const std::string narrow = summary_table(runs, {TableStyle::kBox, false, 72});
  CHECK(narrow.find("first-come  second-come │\n") != std::string::npos);
  CHECK(narrow.find("third-come  fourth-come │\n") != std::string::npos);
  for (std::size_t at = 0, end; (end = narrow.find('\n', at)) != narrow.npos; at = end + 1) {
    CHECK(display_width(std::string_view(narrow).substr(at, end - at)) <= 72);
  }
  const std::string wide = summary_table(runs, {TableStyle::kBox, false, 120});
  CHECK(wide.find("first-come  second-come  third-come  fourth-come │\n") != std::string::npos);
}

TEST_CASE("machines get exact numbers, one figure a row", "[report]") {
  const std::string text = summary_table({{"easy", summary(1234)}}, {TableStyle::kCsv, false, 80});
  CHECK(text.find("quantity,class,statistic,easy\njobs,,ran,1490\n") == 0);
  CHECK(text.find("queue,,mean,61.7\n") != std::string::npos);
  CHECK(text.find("\"wait, s\",short,mean,1234\n") != std::string::npos);
  CHECK(text.find("\"wait, s\",long,mean,\n") != std::string::npos);
  CHECK(summary_table({}, {}).empty());
}

TEST_CASE("a sparkline has eight heights and a space for nothing", "[report]") {
  CHECK(sparkline({0, 0.01, 1, 2, 3, 4, 5, 6, 7, 8, 99}, 8) == " ▁▁▂▃▄▅▆▇██");
  CHECK(sparkline({0, 0}, 0) == "  ");
  CHECK(sparkline({}, 1).empty());
}

TEST_CASE("a run at a glance", "[report]") {
  Workload workload;
  Job job;
  job.submit = Time{whole_seconds(100)};
  workload.jobs = {job};
  RunResult result;
  result.workload = &workload;
  result.machine.nodes = 4;
  // Ten columns of 10 s: full for 50 s, then half of the nodes; the queue grows from 0 to 4 in the last 20 s.
  result.timeline = {{Time{whole_seconds(100)}, 0, 4, 4},
                     {Time{whole_seconds(150)}, 0, 2, 2},
                     {Time{whole_seconds(180)}, 2, 2, 2},
                     {Time{whole_seconds(190)}, 4, 2, 2},
                     {Time{whole_seconds(200)}, 0, 0, 0}};
  Summary s;
  s.finished = 1, s.makespan = 100, s.utilization = 0.75, s.max_queue = 4;
  const std::string text = run_sparklines(result, s, 33, false);
  CHECK(text == "used nodes  █████▄▄▄▄▄  75.0 %\n"
                "queue               ▄█  4 at most\n"
                "            0 s1 min 40 s\n");
  CHECK(run_sparklines(result, Summary{}, 80, false).empty());
}

namespace {

struct FakeTerminal {
  std::string text;
  double now = 100;
  ProgressOptions options(int width = 80) {
    return {true, sink_to(text), [this] { return now; }, width, false, false};
  }
};

}  // namespace

TEST_CASE("the progress bar waits a second, draws at most ten times a second and goes away", "[report]") {
  FakeTerminal t;
  {
    Progress bar("easy", "jobs", t.options());
    t.now = 100.9;
    bar.update(1, 10);
    CHECK(t.text.empty());
    t.now = 102;
    bar.update(5000, 10000);
    CHECK(t.text == "\reasy ██████████████████░░░░░░░░░░░░░░░░░░  50 %  5,000 / 10,000 jobs  2 s left");
    t.text.clear();
    t.now = 102.05;
    bar.update(6000, 10000);
    CHECK(t.text.empty());
    t.now = 102.5;
    bar.update(10000, 10000);
    CHECK(display_width(t.text) >= 70);
  }
  const std::string end = t.text.substr(t.text.rfind('\r', t.text.size() - 2));
  CHECK(end.find_first_not_of("\r ") == std::string::npos);
}

TEST_CASE("no terminal, no bar", "[report]") {
  FakeTerminal t;
  ProgressOptions off = t.options();
  off.enabled = false;
  {
    Progress bar("easy", "jobs", off);
    t.now = 200;
    bar.update(1, 2);
  }
  CHECK(t.text.empty());
}

TEST_CASE("without a terminal, a line of progress every ten seconds", "[report]") {
  FakeTerminal t;
  ProgressOptions lines = t.options(10);
  lines.lines = true;
  {
    Progress bar("easy", "jobs", lines);
    t.now = 109;
    bar.update(1000, 10000);
    CHECK(t.text.empty());
    t.now = 110;
    bar.update(2500, 10000);
    CHECK(t.text == "easy: 25 %, 2,500 of 10,000 jobs, 30 s left\n");
    t.now = 119;
    bar.update(3000, 10000);
    bar.clear();
    t.now = 121;
    bar.update(0, 0);
  }
  CHECK(t.text == "easy: 25 %, 2,500 of 10,000 jobs, 30 s left\neasy: 0 %, 0 of 0 jobs\n");
}

TEST_CASE("a bar never breaks the line", "[report]") {
  for (int width : {0, 10, 40, 41, 60, 200}) {
    FakeTerminal t;
    Progress bar("a label", "jobs", t.options(width));
    t.now = 102;
    bar.update(123456, 1000000);
    CHECK(display_width(t.text) <= static_cast<std::size_t>(width) + 1);  // the carriage return counts here
  }
}

}  // namespace report_text_test

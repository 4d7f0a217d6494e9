// coslice reproduce --write: the page of papers, however its runs were made.
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "run_program.h"

namespace papers_page_test {

using namespace coslice_test;
using Catch::Contains;
using Json = nlohmann::json;

namespace {

const char* const kModel = "[machine]\nnodes = 16\n[workload]\ngenerator = \"lublin\"\nlublin = { jobs = 60 }\n"
                           "[policy]\nname = \"fcfs\"\n";

const char* const kPaper = R"(
local function wait(s) return s.all.wait.mean end
local function shorter(new, old) return 100 * (1 - wait(new) / wait(old)) end
local function runs(lab, policy, load)
  return lab.runs("model.toml", { policy = { name = policy }, workload = { lublin = { load = load } } })
end
return { api = 1, title = "Mine", seeds = 3, quick_seeds = 2, full_seeds = 6, experiments = {
  { label = "Fig1", title = "waits", run = function(lab)
    for _, policy in ipairs { "easy", "sjf", "fcfs" } do for _, load in ipairs { 0.9, 0.6 } do runs(lab, policy, load) end end
    for _, load in ipairs { 0.9, 0.6 } do
      for _, policy in ipairs { "easy", "sjf" } do
        lab.row { quantity = policy .. load, unit = "%", published = load < 0.7 and 30 or nil, band = { 1, 20 },
          values = lab.compare(runs(lab, policy, load), runs(lab, "fcfs", load), shorter),
          chart = { title = "Shorter waits", axis = "load" }, at = load, series = policy }
      end
    end
    lab.row { quantity = "alone", published = 1, obtained = 1 }
  end },
  { label = "T2", seeds = 2, full_seeds = 2, run = function(lab)
    for _, policy in ipairs { "fcfs", "mine.lua" } do
      lab.row { quantity = policy, unit = "s", published = 7, values = lab.each(runs(lab, policy, 0.6), wait),
        note = "seven", chart = "Mean waits", at = policy }
    end
  end },
} }
)";

const char* const kPolicy =
    "return { api = 1, name = \"mine\", version = \"1\", key = function(job) return job.nodes end }\n";
const char* const kBroken =
    "return { api = 1, name = \"mine\", version = \"1\", key = function(job) error('not yet') end }\n";

void write_paper(const Program& coslice) {
  coslice.folder.write("scenarios/papers/mine/model.toml", kModel);
  coslice.folder.write("scenarios/papers/mine/paper.lua", kPaper);
  coslice.folder.write("scenarios/papers/mine/mine.lua", kPolicy);
  coslice.folder.write("scenarios/papers/mine/notes.md", "Of all of it.\n\n### T2\n\nOf one.\n");
  coslice.folder.write("scenarios/papers/page.md", "# Papers\n\nIn <!-- time -->.\n\n<!-- papers -->\n\nBehind.\n");
}

/// The page, those of its papers, and all charts.
std::string all_of(const Program& coslice, const std::string& name) {
  std::string all = coslice.folder.read(name + ".md");
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(coslice.folder / name))
    if (entry.path().extension() != ".json") files.insert(entry.path().filename().string());
  for (const std::string& file : files) all += file + "\n" + coslice.folder.read(name + "/" + file);
  for (std::size_t at = 0; (at = all.find(name + "/", at)) != std::string::npos;) all.replace(at, name.size(), "page");
  return all;
}

}  // namespace

TEST_CASE("the page has words, charts and tables", "[papers_page]") {
  const Program coslice;
  write_paper(coslice);
  const Said said = coslice("reproduce mine --write page.md");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK(said.err == "wrote page.md, 1 paper and 2 charts\n");
  const std::string index = coslice.folder.read("page.md");
  CHECK(index.find("# Papers\n\nIn under 10 s.\n\n| paper | | experiments | CPU time | verdicts |\n"
                   "| --- | --- | ---: | ---: | --- |\n| [mine](page/mine.md) | Mine | 2 | under 10 s | ") == 0);
  const std::string end = " |\n\nBehind.\n";
  CHECK(index.substr(index.size() - end.size()) == end);
  const std::string page = coslice.folder.read("page/mine.md");
  CHECK(page.find("# mine: Mine\n\nOf all of it.\n\n| experiment |") == 0);
  for (const char* part : {
           "| [Fig1](#fig1-waits) | waits | 3 of 6 | 18 | under 10 s | ",
           "| [T2](#t2) |  | 2 | 4 | under 10 s | 2 missed |",
           "| together | | | 20 | under 10 s | ",
           "All seeds and points:\n\n```sh\ncoslice reproduce mine --full\n```\n",
           "## Fig1: waits\n\n`coslice reproduce mine --experiment Fig1`\n\n"
           "![Fig1: Shorter waits](mine-Fig1.svg)\n\nShorter waits, %\n\n| load | easy | sjf |\n",
           "| 0.6 | 30 / ",
           "| alone |  | 1 | 1 |  |  | reproduced |",
           "## T2\n\n`coslice reproduce mine --experiment T2`\n\nOf one.\n\n![",
           "| fcfs | 7 / ",
           "- fcfs, mine.lua: seven\n",
       }) {
    INFO(page << "\nlacks: " << part);
    CHECK(page.find(part) != std::string::npos);
  }
}

TEST_CASE("the page is the same however its runs were made", "[papers_page]") {
  const Program coslice;
  write_paper(coslice);
  REQUIRE(coslice("reproduce mine --write once.md -j 1").status == 0);
  const std::string page = all_of(coslice, "once");

  // It stops at the last runs, those before are kept.
  coslice.folder.write("scenarios/papers/mine/mine.lua", kBroken);
  const Said stopped = coslice("reproduce mine -o runs.sqlite --write resumed.md -j 3");
  CHECK(stopped.status == 1);
  CHECK_THAT(stopped.err, Contains("not yet"));
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "resumed.md"));
  coslice.folder.write("scenarios/papers/mine/mine.lua", kPolicy);
  REQUIRE(coslice("reproduce mine -o runs.sqlite --resume --write resumed.md -j 3").status == 0);
  CHECK(all_of(coslice, "resumed") == page);

  REQUIRE(coslice("reproduce mine -o a.sqlite --shard 1/2").status == 0);
  REQUIRE(coslice("reproduce mine -o b.sqlite --shard 2/2").status == 0);
  REQUIRE(coslice("merge -o ab.sqlite a.sqlite b.sqlite").status == 0);
  REQUIRE(coslice("reproduce mine -o ab.sqlite --resume --write merged.md").status == 0);
  CHECK(all_of(coslice, "merged") == page);

  // From its record, into a folder with the chart of an experiment that is gone, and with a user's own file.
  coslice.folder.write("again/mine-own.svg", "<svg/>");
  std::string record = coslice.folder.read("once/record.json");
  REQUIRE(coslice("reproduce --from once/record.json --write again.md").status == 0);
  CHECK(coslice.folder.read("again/record.json") == record);
  CHECK(std::filesystem::remove(coslice.folder / "again/mine-own.svg"));
  CHECK(all_of(coslice, "again") == page);
  coslice("reproduce mine -e T2 --write again.md");
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "again/mine-Fig1.svg"));
  CHECK(std::filesystem::exists(coslice.folder / "again/mine-T2.svg"));
}

TEST_CASE("how much of a paper is run", "[papers_page]") {
  const Program coslice;
  write_paper(coslice);
  const auto seeds = [&](const std::string& options) {
    const Json rows = Json::parse(coslice("reproduce mine --json " + options).out);
    return std::pair(rows.front()["seeds"].get<int>(), rows.back()["seeds"].get<int>());
  };
  CHECK(seeds("") == std::pair(3, 2));
  CHECK(seeds("--quick") == std::pair(2, 2));
  CHECK(seeds("--full") == std::pair(6, 2));
  CHECK(seeds("--full --seeds 4") == std::pair(4, 4));
  REQUIRE(coslice("reproduce mine --full --write full.md").status == 0);
  const std::string page = coslice.folder.read("full/mine.md");
  CHECK_THAT(page, Contains("| 6 |") && Contains("`coslice reproduce mine --full --experiment T2`") &&
                       !Contains("All seeds and points"));
}

TEST_CASE("all seeds of a paper as a job array", "[papers_page]") {
  const Program coslice;
  write_paper(coslice);
  coslice.folder.write("bin/sbatch", "#!/bin/sh\n[ \"$1\" != --version ] || exit 0\ncat >>jobs.sh\necho 17\n");
  const Said said = coslice.shell(
      "chmod +x bin/sbatch; PATH=$PWD/bin:$PATH coslice reproduce mine --full -o full.sqlite --slurm --parts 2");
  INFO(said.err);
  REQUIRE(said.status == 0);
  CHECK_THAT(said.out, Contains("coslice reproduce mine --full -o full.sqlite --resume"));
  const Said tasks =
      coslice.shell("sed 's/^exec //' jobs.sh >run.sh; for i in 1 2; do SLURM_ARRAY_TASK_ID=$i sh -c \"$(grep -- "
                    "--shard run.sh)\" || exit 1; done; sh -c \"$(grep \"'merge'\" run.sh)\"");
  CHECK_THAT(tasks.out, Contains("full.sqlite: 36 runs"));
  REQUIRE(coslice("reproduce mine --full -o full.sqlite --resume --write cluster.md").status == 0);
  REQUIRE(coslice("reproduce mine --full --write here.md").status == 0);
  CHECK(all_of(coslice, "cluster") == all_of(coslice, "here"));
}

TEST_CASE("a record that was edited makes no page", "[papers_page]") {
  const Program coslice;
  coslice.folder.write("scenarios/papers/mine/model.toml", kModel);
  coslice.folder.write("scenarios/papers/mine/paper.lua", R"(
return { api = 1, title = "Mine", seeds = 1, quick_seeds = 1, experiments = { { label = "A", run = function(lab)
  lab.row { quantity = "q", published = 5, values = { 4, 5, 6 }, band = { 0, 10 } }
  lab.row { quantity = "far", published = 50, values = { 4, 5, 6 }, band = { 40, 60 } }
end } } })");
  REQUIRE(coslice("reproduce mine --write page.md").status == 0);
  const std::string record = coslice.folder.read("page/record.json");
  REQUIRE(coslice("reproduce --from page/record.json --write again.md").status == 0);
  CHECK(coslice.folder.read("again/record.json") == record);
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string edited = record;
    REQUIRE(edited.find(from) != std::string::npos);
    coslice.folder.write("edited.json", edited.replace(edited.find(from), from.size(), to));
    const Said said = coslice("reproduce --from edited.json --write other.md");
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK_THAT(complaint("\"met\"", "\"superb\""),
             Contains("rows[1].verdict is \"superb\"; expected \"met\", \"missed\","));
  CHECK_THAT(complaint("\"met\"", "\"missed\""), Contains("mine, A, q: is called missed"));
  CHECK_THAT(complaint("\"missed\"", "\"met\""), Contains("mine, A, far: is called met"));
  CHECK_THAT(complaint("\"obtained\":5.0", "\"obtained\":11.0"), Contains("mine, A, q: is called met"));
  CHECK_THAT(complaint("\"agrees\":true", "\"agrees\":false"), Contains("mine, A, q: 'agrees' is false"));
  CHECK_THAT(complaint("\"published\":50.0", "\"published\":5.0"), Contains("mine, A, far: 'agrees' is false"));
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "other.md"));
}

TEST_CASE("mistakes around the page", "[papers_page]") {
  const Program coslice;
  write_paper(coslice);
  const auto complaint = [&](const std::string& arguments) {
    const Said said = coslice("reproduce " + arguments);
    CHECK(said.status == 2);
    return said.err;
  };
  CHECK_THAT(complaint("mine --quick --full"), Contains("--full: cannot be given together with --quick"));
  CHECK_THAT(complaint("--from record.json"), Contains("name one with --write"));
  CHECK_THAT(complaint("--from none.json --write page.md"), Contains("none.json: cannot be read"));
  CHECK_THAT(complaint("mine --from none.json --write page.md"),
             Contains("PAPER: is not supported together with --from"));
  CHECK_THAT(complaint("-e T2 --from none.json --write page.md"),
             Contains("--experiment: is not supported together with --from"));
  CHECK_THAT(complaint("--seeds 2 --from none.json --write page.md"),
             Contains("--seeds: is not supported together with --from"));
  CHECK_THAT(complaint("mine --write no/page.md"), Contains("there is no folder"));
  CHECK_THAT(complaint("mine --write page"), Contains("FILE.md"));
  coslice.folder.write("wrong.json", "{\"format\": 1}");
  CHECK_THAT(complaint("--from wrong.json --write page.md"), Contains("wrong.json: is not a record of papers"));
  coslice.folder.write("scenarios/papers/mine/notes.md", "### T3\n\nText.\n");
  CHECK_THAT(complaint("mine -e T2 --write page.md"),
             Contains("notes.md:1: 'T3' is not an experiment of the paper") && Contains("one of Fig1, T2"));
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "page.md"));
  const auto row = [&](const std::string& rest) {
    coslice.folder.write("p/paper.lua",
                         "return { api = 1, title = 't', seeds = 1, quick_seeds = 1, experiments = { { label "
                         "= 'A', run = function(lab)\n" +
                             rest + " end } } }");
    return complaint("p");
  };
  CHECK_THAT(row("lab.row { quantity = 'q', obtained = 1, at = 2 }"),
             Contains("p/paper.lua:2") && Contains("in no chart"));
  CHECK_THAT(row("lab.row { quantity = 'q', obtained = 1, chart = 'c' }"), Contains("p/paper.lua:2") && Contains("at"));
  CHECK_THAT(row("lab.row { quantity = 'q', obtained = 1, chart = { titel = 'c' }, at = 1 }"), Contains("title"));
  CHECK_THAT(row("for _, u in ipairs { 's', '%' } do lab.row { quantity = u, unit = u, obtained = 1, chart = 'c', at = "
                 "u } end"),
             Contains("row '%' is in '%', its chart in 's'"));
  CHECK_THAT(row("for _, q in ipairs { 'a', 'b' } do lab.row { quantity = q, obtained = 1, chart = 'c', at = 1 } end"),
             Contains("row 'b' has the place of 'a'"));
}

TEST_CASE("rows whose chart is not drawn stand in its table", "[papers_page]") {
  const Program coslice;
  const auto page = [&](const std::string& drawn) {
    coslice.folder.write("p/paper.lua", "return { api = 1, title = 't', seeds = 1, quick_seeds = 1, experiments = { {"
                                        " label = 'A', title = 'a', run = function(lab)\n"
                                        "for i, at in ipairs { 'one', 'two' } do\n"
                                        "  lab.row { quantity = at, obtained = i, at = at,\n"
                                        "            chart = { title = 'Readings', axis = 'reading'" +
                                            drawn + " } } end end } } }");
    const Said said = coslice("reproduce p --write page.md");
    INFO(said.err);
    REQUIRE(said.status == 0);
    CHECK_THAT(coslice.folder.read("page/p.md"), Contains("| reading |") && Contains("| two | 2 |"));
    return std::filesystem::exists(coslice.folder / "page/p-A.svg");
  };
  CHECK(page(""));
  CHECK(page(", drawn = true"));
  CHECK_FALSE(page(", drawn = false"));
  CHECK_THAT(coslice.folder.read("page/record.json"), Contains("\"drawn\":false"));
  REQUIRE(coslice("reproduce --from page/record.json --write again.md").status == 0);
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "again/p-A.svg"));
}

}  // namespace papers_page_test

// Published simulations of the machine Cirrus: as the paper reads them, and start by start where they are there.
#include "catch.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <string>

#include <nlohmann/json.hpp>

#include "run_program.h"
#include "shared_files.h"

namespace cirrus_test {

using namespace coslice_test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kHead = "ID,Type,Submit Time,Start Time,End Time,Wait Time,Makespan,Turnaround Time,Status";

std::string paper() { return std::string("reproduce '") + COSLICE_SOURCE + "/scenarios/papers/cirrus' --json"; }

/// The rows of these experiments, by experiment and quantity.
std::map<std::string, Json> rows_of(const Program& coslice, const std::string& arguments) {
  const Said said = coslice(paper() + " " + arguments);
  INFO(said.err);
  REQUIRE(said.status == 0);
  std::map<std::string, Json> rows;
  for (const Json& row : Json::parse(said.out))
    rows[row["experiment"].get<std::string>() + " " + row["quantity"].get<std::string>()] = row;
  return rows;
}

/// A line of a table as ElastiSim writes it.
std::string line(int id, const std::string& type, double submit, double start, double end, int nodes = 0) {
  const auto cell = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return std::string(text);
  };
  return std::to_string(id) + "," + type + "," + cell(submit) + "," + cell(start) + "," + cell(end) + "," +
         cell(start - submit) + "," + cell(end - start) + "," + cell(end - submit) + ",completed" +
         (nodes > 0 ? "," + std::to_string(nodes) : "") + "\n";
}

}  // namespace

TEST_CASE("without the published jobs each experiment says what is absent", "[cli]") {
  const Program coslice;
  const Json absent = Json::parse(coslice(paper() + " --data .").out);
  REQUIRE(absent.size() == 5);
  for (const Json& row : absent) {
    CHECK(row["verdict"] == "skipped");
    CHECK(row["note"].get<std::string>().find("--data DIR") != std::string::npos);
  }
}

// Of 13,249 cores, the first moldable job of a month takes all. That of the spring waits, and takes what the first of
// two ends of one instant leaves it.
TEST_CASE("published starts are repeated, whatever a month is called", "[cli]") {
  const Program coslice;
  coslice.folder.write("data/2031-05/measured.csv",
                       kHead + ",Nodes\n" + line(0, "Rigid", 0, 0, 100, 9000) + line(1, "Rigid", 10, 110, 210, 8000));
  coslice.folder.write("data/2031-05/cirrus-cpu-R.job_statistics.csv",
                       kHead + "\n" + line(0, "rigid", 0, 0, 100) + line(1, "rigid", 10, 100, 200));
  coslice.folder.write("data/2031-05/cirrus-cpu-M.job_statistics.csv",
                       kHead + "\n" + line(0, "moldable", 0, 0, 67.9297) + line(1, "moldable", 10, 67.9297, 128.312));
  coslice.folder.write("data/2031-05/cirrus-cpu-R_archer2-R-10pc.job_statistics.csv",
                       kHead + "\n" + line(0, "rigid", 0, 0, 100) + line(1, "rigid", 5, 5, 25) +
                           line(2, "rigid", 10, 100, 200));
  coslice.folder.write("data/2031-05/cirrus-cpu-R_archer2-M-10pc.job_statistics.csv",
                       kHead + "\n" + line(0, "rigid", 0, 0, 100) + line(1, "moldable", 5, 5, 25) +
                           line(2, "rigid", 10, 100, 200));
  coslice.folder.write("data/spring/both.jobs.json", R"({"jobs": [
    {"type": "rigid", "submit_time": 0, "num_nodes": 6000, "arguments": {"iterations": 50, "base_nodes": 6000, "jobid": "1"}},
    {"type": "rigid", "submit_time": 0, "num_nodes": 7000, "arguments": {"nstep": 50, "base_nodes": 7000, "jobid": "2"}},
    {"type": "moldable", "submit_time": 1, "num_nodes_min": 3000, "num_nodes_max": 12000,
     "arguments": {"nstep": 60, "base_nodes": 6249, "jobid": "3_ar2"}}]})");
  coslice.folder.write("data/spring/both.job_statistics.csv", kHead + "\n" + line(0, "rigid", 0, 0, 50) +
                                                                  line(1, "rigid", 0, 0, 50) +
                                                                  line(2, "moldable", 1, 50, 110));
  const auto rows = rows_of(coslice, "--data data -e starts");
  for (const char* simulation :
       {"2031-05.cirrus-cpu-R", "2031-05.cirrus-cpu-M", "2031-05.cirrus-cpu-R_archer2-R-10pc", "spring.both"}) {
    INFO(simulation);
    const Json& starts = rows.at(std::string("starts ") + simulation + ".starts");
    CHECK(starts["obtained"] == starts["published"]);
  }
  CHECK(rows.at("starts spring.both.sizes")["obtained"] == 3.0);
  CHECK(rows.at("starts spring.both.sized")["verdict"] == "met");
  CHECK(rows.at("starts 2031-05.cirrus-cpu-R_archer2-M-10pc")["verdict"] == "skipped");

  const auto ends = rows_of(coslice, "--data data -e ends");
  CHECK(ends.at("ends spring.both.by-number.near")["obtained"] == 3.0);
  CHECK(ends.at("ends spring.both.at-once.wait")["obtained"] == ends.at("ends spring.both.by-number.wait")["obtained"]);

  // EASY does better than the record; the tables are not there.
  const auto others = rows_of(coslice, "--data data -e machine -e tables");
  CHECK(others.at("machine 2031-05.easy.wait")["published"] == 50.0 / 3600);
  CHECK(others.at("machine 2031-05.easy.wait")["obtained"] == 45.0 / 3600);
  CHECK(others.at("machine spring")["verdict"] == "skipped");
  CHECK(others.at("tables 2031-05")["verdict"] == "skipped");
}

TEST_CASE("tables are made over the seconds that the record's column tells", "[cli]") {
  const Program coslice;
  coslice.folder.write("data/m/measured.csv",
                       kHead + ",Nodes\n" + line(0, "Rigid", 0, 0, 100, 9000) + line(1, "Rigid", 10, 110, 210, 9000));
  coslice.folder.write("data/m/cirrus-cpu-R.job_statistics.csv",
                       kHead + "\n" + line(0, "rigid", 0, 0, 100) + line(1, "rigid", 10, 100, 200));
  // Seconds 50 to 150: of the record 91 with 9,000 cores, of the simulation all.
  coslice.folder.write(
      "data/m/all_stats.csv",
      ",Measured,Cirrus (Rigid: R),Cirrus (M) + 20% ARCHER2 (R)\nnJobStart,1.000,1.000,1\n"
      "meanLoad,8108.000,9000.000,1\nusageIncluded,227.500,252.500,1\nusageExcluded,275.000,250.000,1\n"
      "residualWork,147.500,122.500,1\nmeanWait,0.028,0.025,1\n");
  const auto rows = rows_of(coslice, "--data data -e tables");
  for (const char* figure : {"nJobStart", "meanLoad", "usageIncluded", "usageExcluded", "residualWork", "meanWait"}) {
    INFO(figure);
    for (const char* column : {"Measured", "Cirrus (Rigid: R)"})
      CHECK(rows.at("tables m." + std::string(column) + "." + figure)["verdict"] == "met");
  }
  CHECK(rows.at("tables m.Cirrus (M) + 20% ARCHER2 (R)")["verdict"] == "skipped");
}

// Another month has other files, and tables with gaps: each experiment says what is missing, and gives the rest.
TEST_CASE("a month gives the rows that its files allow", "[cli]") {
  const Program coslice;
  const std::string emissions =
      "Dataset,usageFraction,emissionsTotal,emissionsActive,emissionsIdle\nMeasured,0.5,100,60,40\n"
      "Cirrus (Rigid: R),,120,,\n";
  const std::map<std::string, std::string> files = {
      {"measured.csv", kHead + ",Nodes\n" + line(0, "Rigid", 0, 0, 100, 9000) + line(1, "Rigid", 10, 110, 210, 9000)},
      {"cirrus-cpu-R.job_statistics.csv", kHead + "\n" + line(0, "rigid", 0, 0, 100) + line(1, "rigid", 10, 100, 200)},
      {"cirrus-cpu-M.job_statistics.csv",
       kHead + "\n" + line(0, "moldable", 0, 0, 68) + "1,moldable,10,,,,,,waiting\n"},
      {"other.job_statistics.csv", kHead + "\n" + line(0, "rigid", 0, 0, 50)},
      {"other.jobs.json", R"({"jobs": [{"type": "rigid", "submit_time": 0, "arguments": {"iterations": null}}]})"},
      {"few.job_statistics.csv", kHead + "\n" + line(0, "rigid", 0, 0, 50)},
      {"few.jobs.json", R"({"jobs": []})"},
      {"all_stats.csv", ",Measured,Cirrus (Rigid: R)\nnJobStart,1,\nmeanLoad,8108,9000\nusageIncluded,227.5,252.5\n"
                        "residualWork,147.5,\n"},
      {"all_stats_emissions.csv", emissions},
  };
  for (std::size_t absent = 0; absent <= files.size(); ++absent) {  // all of them, then each of them left out
    const std::string data = "data" + std::to_string(absent);
    std::size_t i = 0;
    std::string left_out;
    for (const auto& [name, text] : files) {
      if (++i == absent) left_out = name;
      else coslice.folder.write(data + "/1999-09/" + name, text);
    }
    CAPTURE(left_out);
    const auto rows = rows_of(coslice, "--data " + data);
    CHECK(rows.count("starts 1999-09.cirrus-cpu-M") == (left_out == "cirrus-cpu-M.job_statistics.csv" ? 0 : 1));
    CHECK(rows.size() > 5);
    if (absent != 0) continue;
    CHECK(rows.at("starts 1999-09.cirrus-cpu-R.starts")["verdict"] == "met");
    CHECK(rows.at("tables 1999-09.Measured.nJobStart")["verdict"] == "met");
    for (const char* missing :
         {"starts 1999-09.cirrus-cpu-M", "starts 1999-09.other", "starts 1999-09.few", "emissions 1999-09.emissions"}) {
      INFO(missing);
      CHECK(rows.at(missing)["verdict"] == "skipped");
    }
    CHECK(rows.at("emissions 1999-09.emissions")["note"].get<std::string>().find("usageFraction") != std::string::npos);
  }
}

// A file that cannot be read is a row that says what is wrong with it; the others give their rows.
TEST_CASE("a broken file of a month is a row, and stops nothing", "[cli]") {
  const Program coslice;
  const std::map<std::string, std::string> files = {
      {"measured.csv", kHead + ",Nodes\n" + line(0, "Rigid", 0, 0, 100, 9000) + line(1, "Rigid", 10, 110, 210, 9000)},
      {"cirrus-cpu-R.job_statistics.csv", kHead + "\n" + line(0, "rigid", 0, 0, 100) + line(1, "rigid", 10, 100, 200)},
      {"both.job_statistics.csv", kHead + "\n" + line(0, "rigid", 0, 0, 50) + line(1, "moldable", 1, 50, 110)},
      {"both.jobs.json", R"({"jobs": [
        {"type": "rigid", "submit_time": 0, "num_nodes": 6000, "arguments": {"iterations": 50, "base_nodes": 6000}},
        {"type": "moldable", "submit_time": 1, "num_nodes_min": 3000, "num_nodes_max": 12000,
         "arguments": {"nstep": 60, "base_nodes": 6249}}]})"},
      {"all_stats.csv", ",Measured,Cirrus (Rigid: R)\nmeanLoad,8108,9000\nusageIncluded,227.5,252.5\n"
                        "residualWork,147.5,122.5\n"},
      {"all_stats_emissions.csv", "Dataset,usageFraction,emissionsTotal,emissionsActive,emissionsIdle\n"
                                  "Measured,0.5,100,60,40\nCirrus (Rigid: R),0.6,120,70,50\n"},
  };
  const std::string folder = "(a folder)";
  const std::map<std::string, std::string (*)(const std::string&)> damages = {
      {"empty", [](const std::string&) { return std::string(); }},
      {"cut", [](const std::string& text) { return text.substr(0, text.size() / 2); }},
      {"cut late", [](const std::string& text) { return text.substr(0, text.size() - 12); }},
      {"rubbish",
       [](const std::string& text) { return std::string("\x1f\x8b\0\1\2\xff\xfe,\"\n\0,,\r\n", 15) + text; }},
      {"a database",
       [](const std::string&) { return std::string("SQLite format 3\0\x10\0", 18) + std::string(99, '\0'); }},
      {"wrong columns",
       [](const std::string& text) {
         return text.front() == '{' ? std::string("{\"job\": [1, null]}") : std::string("a,b\n1,2\n");
       }},
      {"no numbers", [](const std::string& text) { return std::regex_replace(text, std::regex("[0-9]+"), "x"); }},
      {"parts of cores",
       [](const std::string& text) { return std::regex_replace(text, std::regex("000\\b"), "000.5"); }},
      {"huge numbers", [](const std::string& text) { return std::regex_replace(text, std::regex("0\\b"), "0e300"); }},
      {"a folder", [](const std::string&) { return std::string("(a folder)"); }},
  };
  for (const auto& [damage, damaged] : damages) {
    for (const auto& of_file : files) {
      const std::string& broken = of_file.first;
      CAPTURE(damage, broken);
      const std::string data = damage + " " + broken;
      for (const auto& [name, text] : files) {
        const std::string written = name == broken ? damaged(text) : text;
        if (written == folder) fs::create_directories(coslice.folder / (data + "/m/" + name));
        else coslice.folder.write(data + "/m/" + name, written);
      }
      // Of a second month, which is whole, all rows are there.
      for (const auto& [name, text] : files) coslice.folder.write(data + "/whole/" + name, text);
      const auto rows = rows_of(coslice, "--data '" + data + "'");
      CHECK(rows.at("starts whole.cirrus-cpu-R.starts")["verdict"] == "met");
      CHECK(rows.at("tables whole.Measured.meanLoad")["verdict"] == "met");
      const auto said = std::ranges::any_of(rows, [&](const auto& of) {
        return of.first.find(" m") != of.first.npos && of.second["verdict"] == "skipped" &&
               of.second["note"].template get<std::string>().find(broken) != std::string::npos;
      });
      if (damage != "parts of cores" && damage != "huge numbers") CHECK(said);
      if (broken != "measured.csv" && broken.find("-R") == broken.npos)
        CHECK(rows.at("starts m.cirrus-cpu-R.starts")["verdict"] == "met");
      if (broken != "measured.csv") CHECK(rows.count("machine m.easy.wait") == 1);
      if (broken.find("both") == broken.npos) CHECK(rows.count("starts m.both.starts") == 1);
    }
  }
}

// Fewer rows of the record than the simulation has are not jobs of another machine.
TEST_CASE("a record that ends early is not taken for a smaller one", "[cli]") {
  const Program coslice;
  coslice.folder.write("data/m/measured.csv", kHead + ",Nodes\n" + line(0, "Rigid", 0, 0, 100, 9000));
  coslice.folder.write("data/m/cirrus-cpu-R.job_statistics.csv",
                       kHead + "\n" + line(0, "rigid", 0, 0, 100) + line(1, "rigid", 10, 100, 200));
  coslice.folder.write("data/m/late.jobs.json", "{}");
  coslice.folder.write("data/n/other.jobs.json", "{}");
  const auto rows = rows_of(coslice, "--data data -e starts");
  CHECK(rows.at("starts m.cirrus-cpu-R")["note"].get<std::string>().find("measured.csv") != std::string::npos);
  CHECK(rows.at("starts m.late")["note"].get<std::string>().find("late.job_statistics.csv") != std::string::npos);
  CHECK(rows.at("starts n.other")["verdict"] == "skipped");
}

// All that is published is for tests/program/papers.sh: here the rigid jobs of a quarter.
TEST_CASE("published starts of rigid jobs are repeated one by one", "[cli]") {
  const std::string shared = shared_file("cirrus/2024Q1");
  if (shared.empty()) {
    WARN("cirrus is not there: no published starts of Cirrus were repeated");
    return;
  }
  const Program coslice;
  const fs::path month = coslice.folder / "data/2024Q1";
  fs::create_directories(month);
  for (const char* simulation : {"cirrus-cpu-simple-rigid", "cirrus-cpu-rigid-archer2-rigid"}) {
    for (const char* part : {".jobs.json.gz", ".job_statistics.csv.gz"}) {
      const std::string name = std::string(simulation) + part;
      fs::create_symlink(fs::absolute(shared) / name, month / name);
    }
  }
  const auto rows = rows_of(coslice, "--data data -e starts");
  for (const char* simulation : {"cirrus-cpu-simple-rigid", "cirrus-cpu-rigid-archer2-rigid"}) {
    INFO(simulation);
    const Json& starts = rows.at(std::string("starts 2024Q1.") + simulation + ".starts");
    CHECK(starts["published"] > 10000);
    CHECK(starts["obtained"] == starts["published"]);
    CHECK(rows.at(std::string("starts 2024Q1.") + simulation + ".difference")["obtained"] == 0.0);
  }
}

}  // namespace cirrus_test

// Dumps of sacct with whatever people write into free texts, and what must come back of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "formats/sacct.h"

namespace coslice_test {

/// A dump and its jobs as they were before it was written.
struct WrittenDump {
  std::string text;
  struct Job {
    std::string id, name, constraints, user, account, partition, qos, reservation, nodes, command;
  };
  std::vector<Job> jobs;
};

/// Writes a dump. `draw(n)` gives numbers below n, by chance or from the bytes of a fuzzer.
class DumpWriter {
 public:
  explicit DumpWriter(std::function<std::size_t(std::size_t)> draw) : draw_(std::move(draw)) {}

  WrittenDump write(std::size_t rows) {
    choose_columns();
    const char* const delimiters[] = {"|", "|", "|", "^", "@@"};
    delimiter_ = delimiters[draw_(5)];
    const std::string end = draw_(4) == 0 ? "\r\n" : "\n";
    const bool trailing = draw_(3) == 0;  // --parsable
    WrittenDump out;
    out.text = joined(columns_) + (trailing ? delimiter_ : "") + end;
    for (std::size_t i = 0; i != rows; ++i) {
      const std::map<std::string, std::string> row = values(i);
      std::vector<std::string> fields;
      for (const std::string& c : columns_) fields.push_back(row.at(c));
      out.text += joined(fields) + (trailing ? delimiter_ : "") + end;
      const auto said = [&](const char* column) {  // in the dump
        return std::ranges::find(columns_, column) == columns_.end() ? std::string() : row.at(column);
      };
      out.jobs.push_back({row.at("JobID"), row.at("JobName"), row.at("Constraints"), row.at("User"), said("Account"),
                          said("Partition"), said("QOS"), said("Reservation"), said("NodeList"), said("SubmitLine")});
    }
    return out;
  }

 private:
  static bool is_free(const std::string& column) {
    for (const char* name : {"JobName", "Comment", "AdminComment", "SubmitLine", "Constraints", "WorkDir", "StdOut",
                             "Reservation", "Extra"})
      if (column == name) return true;
    return false;
  }

  std::string joined(const std::vector<std::string>& parts) const {
    std::string out = parts.front();
    for (std::size_t i = 1; i != parts.size(); ++i) out += delimiter_ + parts[i];
    return out;
  }

  /// Any order in which a column of times, states or resources stands between two free texts, and one of both ends is
  /// none: else nobody could tell where one ends and the next one begins.
  void choose_columns() {
    std::vector<std::string> anchors = {"Submit",   "Start",     "End",     "Elapsed",   "State",  "Timelimit",
                                        "Eligible", "AllocTRES", "ReqTRES", "Suspended", "Planned"};
    std::vector<std::string> texts = {"JobName", "Comment", "AdminComment", "SubmitLine", "Constraints",
                                      "WorkDir", "StdOut",  "Reservation",  "Extra"};
    std::vector<std::string> others = {"User",     "Account", "Partition", "QOS",    "Cluster",   "NodeList", "JobID",
                                       "JobIDRaw", "UID",     "NTasks",    "NNodes", "AllocCPUS", "NCPUS"};
    for (auto* list : {&anchors, &texts, &others}) shuffle(*list);
    columns_.clear();
    const auto take = [&](std::vector<std::string>& from) {
      columns_.push_back(from.back());
      from.pop_back();
    };
    if (draw_(3) == 0) take(texts);
    while (!anchors.empty()) {
      while (!others.empty() && draw_(3) == 0) take(others);
      take(anchors);
      while (!others.empty() && (draw_(3) == 0 || anchors.empty())) take(others);
      if (!texts.empty() && (draw_(2) == 0 || texts.size() > anchors.size())) take(texts);
    }
    if (is_free(columns_.front()) && is_free(columns_.back())) columns_.emplace_back("Reserved");
  }

  void shuffle(std::vector<std::string>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[draw_(i)]);
  }

  /// Every printable character, line ends, and the delimiter more often than others.
  std::string text(bool last) {
    std::string out;
    const std::size_t length = draw_(4) == 0 ? 0 : draw_(24);
    for (std::size_t i = 0; i != length; ++i) {
      const std::size_t kind = draw_(12);
      if (kind == 0) out += delimiter_;
      else if (kind == 1 && i != 0 && i + 1 != length) out += '\n';
      else if (const char c = static_cast<char>(' ' + draw_(95)); delimiter_.size() == 1 || c != delimiter_.front())
        out += c;  // half a delimiter beside a whole one would be anything
    }
    while (last && !out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
    while (!out.empty() && (out.front() == ' ' || out.front() == '\n')) out.erase(0, 1);
    return out;
  }

  std::map<std::string, std::string> values(std::size_t i) {
    const std::string number = std::to_string(1000 + i);
    std::map<std::string, std::string> v = {{"JobID", number},
                                            {"JobIDRaw", number},
                                            {"User", "ann"},
                                            {"Account", "ocean"},
                                            {"Partition", "batch"},
                                            {"QOS", "normal"},
                                            {"Cluster", "reef"},
                                            {"NodeList", "n[1-2]"},
                                            {"Flags", "SchedBackfill"},
                                            {"Submit", "2026-03-01T08:00:00"},
                                            {"Eligible", "2026-03-01T08:00:00"},
                                            {"Start", "2026-03-01T08:10:00"},
                                            {"End", "2026-03-01T09:10:00"},
                                            {"Elapsed", "01:00:00"},
                                            {"ElapsedRaw", "3600"},
                                            {"Suspended", "00:00:00"},
                                            {"Planned", "00:10:00"},
                                            {"Reserved", "00:10:00"},
                                            {"State", "COMPLETED"},
                                            {"NNodes", "2"},
                                            {"NCPUS", "8"},
                                            {"AllocCPUS", "8"},
                                            {"ReqCPUS", "8"},
                                            {"Timelimit", "02:00:00"},
                                            {"AllocTRES", "cpu=8,node=2"},
                                            {"ReqTRES", "cpu=8,node=2"},
                                            {"UID", "1001"},
                                            {"NTasks", "4"}};
    for (const std::string& c : columns_)
      if (is_free(c)) v[c] = text(c == columns_.back());
    for (const char* needed : {"JobName", "Constraints"}) v.try_emplace(needed, "");
    return v;
  }

  std::function<std::size_t(std::size_t)> draw_;
  std::vector<std::string> columns_;
  std::string delimiter_;
};

/// What came back of a job; `command` is not kept.
inline WrittenDump::Job job_read(const coslice::RecordedWorkload& r, std::size_t j) {
  const coslice::Job& job = r.workload.jobs[j];
  WrittenDump::Job out;
  out.id = r.site_id(j);
  for (const auto& n : r.names) {
    if (n.kind == "executable" && n.number == job.executable) out.name = n.name;
    if (n.kind == "user" && n.number == job.user) out.user = n.name;
    if (n.kind == "group" && n.number == job.group) out.account = n.name;
    if (n.kind == "partition" && n.number == job.partition) out.partition = n.name;
    if (n.kind == "queue" && n.number == job.queue) out.qos = n.name;
  }
  out.reservation = coslice::find_attribute("reservation")->text(job);
  if (j < r.nodes.size()) out.nodes = r.nodes[j];
  if (job.request >= 0) out.constraints = r.requests.at(static_cast<std::size_t>(job.request)).features;
  return out;
}

/// What of a difference is looked for.
enum class Compared {
  kFixed,    ///< not what stands in free texts
  kWritten,  ///< what a dump that this program writes keeps
  kAll,
};

/// "" if all jobs came back as they were; else what is wrong.
inline std::string difference(const WrittenDump& dump, const coslice::RecordedWorkload& r,
                              Compared compared = Compared::kAll) {
  if (r.workload.jobs.size() != dump.jobs.size())
    return "read " + std::to_string(r.workload.jobs.size()) + " jobs of " + std::to_string(dump.jobs.size());
  std::map<std::string, const WrittenDump::Job*> by_id;
  for (const WrittenDump::Job& job : dump.jobs) by_id[job.id] = &job;
  const bool texts = compared != Compared::kFixed, all = compared == Compared::kAll;
  for (std::size_t j = 0; j != r.workload.jobs.size(); ++j) {
    const WrittenDump::Job got = job_read(r, j);
    const auto found = by_id.find(got.id);
    if (found == by_id.end()) return "job '" + got.id + "' was never written";
    const WrittenDump::Job& was = *found->second;
    struct Pair {
      const char* what;
      const std::string &got, &was;
      bool counts;
    };
    for (const Pair& p :
         {Pair{"name", got.name, was.name, texts}, Pair{"user", got.user, was.user, true},
          Pair{"constraints", got.constraints, was.constraints, texts}, Pair{"account", got.account, was.account, true},
          Pair{"qos", got.qos, was.qos, true}, Pair{"partition", got.partition, was.partition, true},
          Pair{"reservation", got.reservation, was.reservation, texts},
          Pair{"nodes", got.nodes, was.nodes, compared != Compared::kWritten}})
      if (p.counts && p.got != p.was) return got.id + ": " + p.what + " '" + p.got + "' for '" + p.was + "'";
    const coslice::Job& job = r.workload.jobs[j];
    if (job.size != 8 || job.runtime != coslice::whole_seconds(3600) || r.wait(j) != coslice::whole_seconds(600) ||
        job.limit != coslice::whole_seconds(7200) || job.status != 1)
      return got.id + ": other times, sizes or states";
    const coslice::RecordedRequest& request = r.requests.at(static_cast<std::size_t>(job.request));
    if (request.cpus != 8 || request.nodes != 2) return got.id + ": other cores or nodes";
    auto spread = coslice::sacct_spread(was.command, 8);
    if (spread && spread->fewest_nodes != 2) spread.reset();  // not what ReqTRES says
    if (all && spread.has_value() != request.spread.has_value()) return got.id + ": another command";
  }
  return "";
}

}  // namespace coslice_test

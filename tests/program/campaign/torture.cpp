// Sweeps that are killed at random moments and meet a full disk: nothing that was finished may be lost or doubled.
// usage: torture PROGRAM FULL-DISK-LIBRARY KILLS FULL-DISKS [SEED]
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/campaign/database.h"
#include "lab/campaign/results.h"
#include "scratch_folder.h"

using namespace coslice;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kRuns = 150;
constexpr const char* kCampaign = "[campaign]\nseeds = 75\njobs = true\n[scenario]\nmachine.nodes = 64\n"
                                  "workload = { generator = \"lublin\", lublin = { jobs = 300 } }\n"
                                  "[axes]\npolicy = [\"fcfs\", \"easy\"]\n";

[[noreturn]] void failed(const std::string& what) {
  std::printf("failed: %s\n", what.c_str());
  std::exit(1);
}

/// What must never change once it is there: when a run was made tells whether it was made again.
struct Row {
  std::string key, fingerprint, jobs;
  double wall_seconds = 0;
  bool operator==(const Row& o) const {
    return key == o.key && fingerprint == o.fingerprint && jobs == o.jobs && wall_seconds == o.wall_seconds;
  }
};
using Rows = std::map<std::int64_t, Row>;

/// A reader of the file of a killed sweep finds a table with its figures.
bool has_figures(const std::string& file) {
  const Database database(file, Database::Mode::kRead);
  return database.integer("SELECT count(*) FROM pragma_table_info('results') WHERE name = 'all.wait.mean'") == 1;
}

Rows rows_of(const std::string& file) {
  Rows rows;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored) || std::filesystem::file_size(file, ignored) == 0) return rows;
  try {
    const CampaignResults results(file);
    results.each([&](CampaignRun&& r) {
      if (!r.done) failed(fmt::format("run {} did not go well: {}", r.run, r.error));
      rows[r.run] = {r.key, r.fingerprint, "", r.wall_seconds};
    });
    for (auto& [run, row] : rows) row.jobs = results.jobs_csv(run);
    if (!rows.empty() && !has_figures(file)) failed("the view has no figures");
  } catch (const InputError& e) {
    // Killed while the file was made: there is nothing in it yet.
    if (std::string(e.what()).find("holds no results") == std::string::npos) throw;
  }
  return rows;
}

class Sweeps {
 public:
  Sweeps(std::string program, std::string library) : program_(std::move(program)), library_(std::move(library)) {
    campaign_ = folder_.write("c.toml", kCampaign);
  }
  std::string file(const std::string& name) const { return folder_ / name; }

  pid_t start(const std::string& results, long long disk = -1) const {
    std::vector<std::string> words = {program_, "sweep", campaign_, "-o", results, "--workers", "2"};
    if (std::filesystem::exists(results)) words.emplace_back("--resume");
    std::vector<char*> arguments;
    for (std::string& w : words) arguments.push_back(w.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    const int nothing = open("/dev/null", O_RDWR);
    for (int f : {0, 1, 2}) dup2(nothing, f);
    if (disk >= 0) {
      setenv("LD_PRELOAD", library_.c_str(), 1);
      setenv("FULL_DISK_AFTER", std::to_string(disk).c_str(), 1);
    }
    execv(arguments[0], arguments.data());
    _exit(127);
  }

  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  std::string program_, library_, campaign_;
  ScratchFolder folder_;
};

void require_kept(const Rows& before, const Rows& after, const std::string& when) {
  for (const auto& [run, row] : before) {
    const auto at = after.find(run);
    if (at == after.end()) failed(fmt::format("run {} is lost after {}", run, when));
    if (!(at->second == row)) failed(fmt::format("run {} was made again after {}", run, when));
  }
}

/// The same figures and jobs as a sweep that was not disturbed made.
void require_same(const Rows& reference, const Rows& rows) {
  if (rows.size() != reference.size()) failed(fmt::format("{} runs instead of {}", rows.size(), reference.size()));
  for (const auto& [run, row] : reference) {
    const Row& other = rows.at(run);
    if (row.key != other.key || row.fingerprint != other.fingerprint || row.jobs != other.jobs)
      failed(fmt::format("run {} differs", run));
  }
}

/// Kills sweeps of one file until it is complete, then begins anew. The rows that were seen while it ran are finished,
/// and must be there after the kill.
void kill_sweeps(const Sweeps& sweeps, const Rows& reference, int kills, std::mt19937& random) {
  std::uniform_int_distribution<int> pause(0, 150'000);
  int round = 0;
  std::string file = sweeps.file("killed-0.sqlite");
  Rows before;
  for (int i = 0; i < kills; ++i) {
    const pid_t child = sweeps.start(file);
    std::this_thread::sleep_for(std::chrono::microseconds(pause(random)));
    Rows seen;
    if (i % 4 == 0) seen = rows_of(file);
    kill(child, SIGKILL);
    Sweeps::wait_for(child);
    const Rows after = rows_of(file);
    const std::string when = fmt::format("kill {}", i + 1);
    require_kept(before, after, when);
    require_kept(seen, after, when);
    before = after;
    if (after.size() < reference.size()) continue;
    require_same(reference, after);
    file = sweeps.file(fmt::format("killed-{}.sqlite", ++round));
    before.clear();
  }
  if (Sweeps::wait_for(sweeps.start(file)) != 0) failed("the sweep cannot be finished");
  const Rows last = rows_of(file);
  require_kept(before, last, "the last sweep");
  require_same(reference, last);
  std::printf("%d kills, %d sweeps finished\n", kills, round + 1);
}

void fill_disks(const Sweeps& sweeps, const Rows& reference, int disks, std::mt19937& random,
                const std::string& whole) {
  const auto size = static_cast<long long>(std::filesystem::file_size(whole));
  std::uniform_int_distribution<long long> space(0, size);
  for (int i = 0; i < disks; ++i) {
    const std::string file = sweeps.file(fmt::format("full-{}.sqlite", i));
    const long long bytes = i == 0 ? 0 : space(random);
    const int status = Sweeps::wait_for(sweeps.start(file, bytes));
    if (status != 1 && !(status == 0 && bytes > size / 2))
      failed(fmt::format("status {} with {} bytes of disk", status, bytes));
    const Rows before = rows_of(file);
    if (Sweeps::wait_for(sweeps.start(file)) != 0)
      failed(fmt::format("the sweep cannot go on after a disk of {} bytes", bytes));
    const Rows after = rows_of(file);
    require_kept(before, after, fmt::format("a full disk at {} bytes", bytes));
    require_same(reference, after);
    std::printf("disk full after %lld bytes: %zu runs kept\n", bytes, before.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const unsigned seed = argc > 5 ? static_cast<unsigned>(std::atoi(argv[5])) : std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  const Sweeps sweeps(argv[1], argv[2]);
  const std::string whole = sweeps.file("whole.sqlite");
  if (Sweeps::wait_for(sweeps.start(whole)) != 0) failed("the sweep does not run");
  const Rows reference = rows_of(whole);
  if (reference.size() != static_cast<std::size_t>(kRuns)) failed("the sweep is not whole");
  kill_sweeps(sweeps, reference, std::atoi(argv[3]), random);
  fill_disks(sweeps, reference, std::atoi(argv[4]), random, whole);
}

// The whole program, as its users run it: reads a trace, simulates, writes a run folder. CPU seconds on one processor,
// beside a calibration loop and beside what they may be at most.
//
//   coslice_whole PROGRAM SCRATCH-FOLDER [--runs N] [--quick]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "measure.h"

namespace fs = std::filesystem;
using namespace coslice::bench;
using Command = std::vector<std::string>;

namespace {

const std::string kSource = COSLICE_SOURCE;

class Whole {
 public:
  Whole(std::string program, const fs::path& scratch, int runs, bool quick)
      : program_(std::move(program)), scratch_(scratch), runs_(runs), quick_(quick) {
    fs::create_directories(scratch_);
  }

  void all() {
    std::printf("calibration loop: %.3f CPU s (%.1f on the machine of the targets)\n\n", calibrate(),
                kReferenceCalibration);
    speed();
    policies();
    growth();
    memory();
    keys();
    kinds();
    licences();
  }

 private:
  std::string trace_of(int jobs) {
    const fs::path path = scratch_ / ("synthetic-" + std::to_string(jobs) + ".swf");
    if (!fs::exists(path)) {
      run_program({program_, "generate", kSource + "/scenarios/workloads/synthetic.lua", "--jobs", std::to_string(jobs),
                   "--nodes", "128", "--load", "0.85", "--seed", "1", "-o", path.string()});
    }
    return path.string();
  }
  Command run_of(const std::string& trace, const std::string& policy) const {
    return {program_, "run", trace, "--policy", policy, "--quiet", "--out", (scratch_ / "out").string()};
  }
  Command synthetic(int jobs, const std::string& policy) { return run_of(trace_of(jobs), policy); }
  std::vector<Figures> measured(const std::vector<Command>& commands, int runs) const {
    return measure(commands, runs, [this] { fs::remove_all(scratch_ / "out"); });
  }
  static std::string shared(const std::string& trace) {
    const char* const folder = std::getenv("COSLICE_SHARED");
    return (folder != nullptr ? folder : kSource + "/../shared") + "/traces/" + trace;
  }

  void speed();
  void speed_of(const char* what, const Command& command, const std::string& trace, double target) const;
  void policies();
  void growth();
  void memory();
  void keys();
  void kinds();
  void licences();
  std::string scenario(const std::string& name, const std::string& trace, const std::string& machine) const;
  void against(const char* what, const char* first, const char* second, const std::string& a, const std::string& b,
               double most) const;

  std::string program_;
  fs::path scratch_;
  int runs_;
  bool quick_;
  double start_up_ = 0;  ///< CPU s of a run with hardly any jobs
  double start_memory_ = 0;
};

const char* verdict(double value, double most) { return value <= most ? "" : "  MORE"; }

void Whole::speed_of(const char* what, const Command& command, const std::string& trace, double target) const {
  if (!fs::exists(trace)) {
    std::printf("%-46s skipped: %s is not here\n", what, trace.c_str());
    return;
  }
  const Figures f = measured({command}, runs_)[0];
  std::printf("%-46s %7.3f %9.3f %10.3f %8.2f%s\n", what, f.cpu, f.ratio, f.reference(), target,
              verdict(f.reference(), target));
}

void Whole::speed() {
  const std::string ctc = shared("CTC-SP2-1996_via-predictsim.swf.gz"), ricc = shared("RICC-2010-2.swf.gz");
  std::printf("%-46s %7s %9s %10s %8s\n", "with all results written", "CPU s", "in loops", "at 0.4 s", "at most");
  speed_of("EASY, 50,000 jobs, 128 nodes, load 0.85", synthetic(50'000, "easy"), trace_of(50'000), 0.10);
  speed_of("conservative, the same", synthetic(50'000, "conservative"), trace_of(50'000), 0.30);
  speed_of("conservative, CTC-SP2 (77,199 jobs)", run_of(ctc, "conservative"), ctc, 0.60);
  speed_of("EASY, RICC-2010 (447,794 jobs)", run_of(ricc, "easy"), ricc, 2.0);
  const std::vector<Figures> start = measured({{program_, "--version"}, synthetic(10, "easy")}, runs_);
  std::printf("%-46s %7.4f\n", "coslice --version", start[0].cpu);
  std::printf("%-46s %7.4f\n\n", "a run of 10 jobs", start[1].cpu);
  start_up_ = start[1].cpu;
  start_memory_ = start[1].peak;
}

/// Policies that are scripts. What they may take at most is for the machine of the targets, too.
void Whole::policies() {
  const std::string ricc = shared("RICC-2010-2.swf.gz");
  const auto ours = [](const char* name) { return kSource + "/tests/bench/policies/" + name + ".lua"; };
  std::printf("%-46s %7s %9s %10s %8s\n", "scripts", "CPU s", "in loops", "at 0.4 s", "at most");
  const std::pair<const char*, std::string> on_ricc[] = {{"patient (README.md), RICC-2010", ours("patient")},
                                                         {"WFP3, RICC-2010", "wfp3"},
                                                         {"a veto with a table by user, RICC-2010", ours("user_table")},
                                                         {"a pass over the first ten, RICC-2010", ours("top_k")}};
  for (const auto& [what, policy] : on_ricc) speed_of(what, run_of(ricc, policy), ricc, 2.9);
  for (const char* name : {"easy_sjbf", "relaxed", "fairshare", "multifactor", "examples/easy_composed"}) {
    const bool example = std::string(name).starts_with("examples/");
    const std::string policy = example ? kSource + "/policies/" + name + ".lua" : name;
    speed_of((std::string(name) + ", 20,000 jobs, load 0.85").c_str(), synthetic(20'000, policy), trace_of(20'000),
             0.043);
  }
  const std::string composed = kSource + "/policies/examples/conservative_composed.lua";
  speed_of("examples/conservative_composed, the same", synthetic(20'000, composed), trace_of(20'000), 0.086);
  std::printf("\n");
}

void Whole::growth() {
  const std::vector<int> sizes =
      quick_ ? std::vector<int>{10'000, 100'000} : std::vector<int>{10'000, 100'000, 1'000'000};
  std::printf("%-46s %7s %9s %10s\n", "time per job at a steady queue", "us", "grows by", "log n by");
  for (const char* policy : {"easy", "conservative"}) {
    double first = 0;
    for (const int jobs : sizes) {
      const Figures f = measured({synthetic(jobs, policy)}, jobs > 100'000 ? 1 : runs_)[0];
      const double per_job = (f.cpu - start_up_) / jobs * 1e6;
      if (first == 0) first = per_job;
      const double log_n = std::log(jobs) / std::log(sizes[0]);
      std::printf("%-12s %33d %7.2f %9.2f %10.2f%s\n", policy, jobs, per_job, per_job / first, log_n,
                  verdict(per_job / first, log_n));
    }
  }
  std::printf("\n");
}

void Whole::memory() {
  const int jobs = quick_ ? 100'000 : 1'000'000;
  const Figures f = measured({synthetic(jobs, "easy")}, 1)[0];
  const double per_job = (f.peak - start_memory_) / jobs;
  std::printf("memory: %.0f bytes a job (EASY, %d jobs; at most 300)%s\n\n", per_job, jobs, verdict(per_job, 300));
}

void Whole::keys() {
  const auto policy = [&](const char* name) {
    return synthetic(50'000, kSource + "/tests/bench/policies/" + name + ".lua");
  };
  const std::vector<Figures> f =
      measured({policy("shortest_built_in"), policy("shortest_key"), policy("shortest_dynamic_key")}, 2 * runs_ + 1);
  std::printf("%-46s %7s %9s %10s\n", "shortest job first, 50,000 jobs, EASY", "CPU s", "ratio", "at most");
  const double most[] = {1, 1.2, 2};
  const char* const names[] = {"the engine's own order", "by a key in Lua", "by a dynamic key in Lua"};
  for (std::size_t i = 0; i != f.size(); ++i) {
    const double ratio = f[i].ratio / f[0].ratio;
    std::printf("%-46s %7.3f %9.2f %10.2f%s\n", names[i], f[i].cpu, ratio, most[i], verdict(ratio, most[i]));
  }
}

std::string Whole::scenario(const std::string& name, const std::string& trace, const std::string& machine) const {
  const fs::path path = scratch_ / (name + ".toml");
  std::ofstream(path) << "[machine]\n"
                      << machine << "\n[workload]\ntrace = \"" << fs::absolute(trace).string() << "\"\n";
  return path.string();
}

/// The second scenario beside the first, under both kinds of backfilling, without results and with all of them written.
void Whole::against(const char* what, const char* first, const char* second, const std::string& a, const std::string& b,
                    double most) const {
  std::printf("\n%-46s %7s %9s %10s\n", what, "CPU s", "ratio", "at most");
  for (const bool written : {false, true}) {
    for (const char* policy : {"easy", "conservative"}) {
      std::vector<Command> both = {run_of(a, policy), run_of(b, policy)};
      if (!written)
        for (Command& c : both) c.resize(c.size() - 2);  // --out and its folder
      const std::vector<Figures> f = measured(both, 2 * runs_ + 1);
      const double ratio = f[1].ratio / f[0].ratio;
      const std::string head = std::string(policy) + (written ? ", results written, " : ", ");
      std::printf("%-46s %7.3f %9.2f %10.2f\n", (head + first).c_str(), f[0].cpu, 1.0, 1.0);
      std::printf("%-46s %7.3f %9.2f %10.2f%s\n", (head + second).c_str(), f[1].cpu, ratio, most, verdict(ratio, most));
    }
  }
}

/// The same machine, written in two ways.
void Whole::kinds() {
  const std::string trace = trace_of(50'000);
  against("one kind of nodes, 50,000 jobs", "equal nodes", "one kind", scenario("equal", trace, "nodes = 128"),
          scenario("kind", trace, "nodes = [{ name = \"n\", count = 128 }]"), 1.03);
}

/// Each tenth job holds a licence: of as many as there are jobs, or of a few, which may run out.
void Whole::licences() {
  const fs::path plain = scratch_ / "synthetic-50000.sacct", asked = scratch_ / "licences-50000.sacct";
  if (!fs::exists(plain)) run_program({program_, "convert", trace_of(50'000), "--to", "sacct", "-o", plain.string()});
  std::ifstream in(plain);
  std::ofstream out(asked);
  std::string line;
  for (int n = 0; std::getline(in, line); ++n)  // ReqTRES is the last column but one
    out << (n % 10 == 1 ? line.insert(line.rfind('|'), "license/x=1") : line) << '\n';
  out.close();
  const auto of = [&](const char* name, const char* count) {
    return scenario(name, asked.string(),
                    std::string("nodes = [{ name = \"n\", count = 128 }]\nlicences = [{ name = \"x\", count = ") +
                        count + " }]");
  };
  against("a licence for each tenth of them", "more than jobs", "few", of("many", "50000"), of("few", "4"), 1.1);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  int runs = 5;
  bool quick = false;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--quick") quick = true;
    else if (words[i] == "--runs" && i + 1 < words.size()) runs = std::atoi(words[++i].c_str());
    else places.push_back(words[i]);
  }
  if (places.size() != 2 || runs < 1) {
    std::fputs("usage: coslice_whole PROGRAM SCRATCH-FOLDER [--runs N] [--quick]\n", stderr);
    return 2;
  }
  Whole(places[0], places[1], runs, quick).all();
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "coslice_whole: %s\n", e.what());
  return 1;
}

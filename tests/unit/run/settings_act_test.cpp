// Each key of a scenario, set to a value that is not its default under each kind of policy: it changes what comes of a
// run, is refused, or stands on a list with the reason.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "catch.h"
#include "core/error.h"
#include "output/jobs_csv.h"
#include "output/summary_json.h"
#include "runner/runner.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"
#include "scratch_folder.h"
#include "settings_probes.h"

namespace settings_act_test {

using namespace coslice;
using namespace coslice::test;

namespace {

/// A scenario under one kind of policy.
struct Bed {
  const char* name;
  std::string text;
  const char* params = "{ depth = 1 }";  ///< other ones than the policy has by itself
  const char* few = "0-5";               ///< some of its nodes
};

/// Thirty jobs; each says the same besides.
std::string jobs_text(const std::string& more) {
  std::string out = "[workload]\njobs = [\n";
  unsigned draw = 12345;
  const auto below = [&](int n) { return static_cast<int>((draw = draw * 1103515245U + 12345U) >> 16U) % n; };
  for (int i = 0; i != 30; ++i) {
    const int runtime = 100 * (1 + below(30)), size = 1 + below(4) + 3 * (below(4) == 0 ? 1 : 0);
    const int limit = i % 9 == 8 ? runtime / 2 : runtime * (1 + below(3)) + 50;
    out += fmt::format(
        "  {{ submit = {}, nodes = {}, runtime = {}, limit = {}, user = {}, group = {}, executable = {}, queue = {}, "
        "partition = {}{} }},\n",
        i * 100, size, runtime, limit, 1 + below(4), 1 + below(2), 1 + below(3), below(2), below(2), more);
  }
  return out + "]\n";
}

const std::vector<Bed>& beds() {
  const std::string machine = "[machine]\nnodes = 8\nprocessors = 2\ncores = 2\n",
                    drawn = "[slowdown]\nmodel = 'drawn'\n";
  static const std::vector<Bed> all = {
      {"equal", machine + jobs_text("") + "[policy]\nname = 'easy'\n"},
      {"kinds",
       "[[machine.nodes]]\nname = 'a'\ncount = 4\nprocessors = 2\ncores = 2\ngpus = 2\ngpu_type = 'x'\nmemory = '4 "
       "GB'\n"
       "[[machine.nodes]]\nname = 'b'\ncount = 4\nprocessors = 2\ncores = 4\ngpus = 2\ngpu_type = 'y'\nspeed = 2\n"
       "memory = '8 GB'\n" +
           jobs_text(", request = { cores = 2, gpus = 1, gpu_share = 0.4 }") + "[policy]\nname = 'easy'\n",
       "{ depth = 1 }", "a"},
      {"slices", machine + jobs_text("") + "[policy]\nname = 'scojo_pect'\n", "{ medium_share = 0.1 }"},
      {"groups", machine + jobs_text("") + "[slowdown]\nmodel = 'resources'\n[policy]\nname = 'lomarc'\n",
       "{ partner = \"none\" }"},
      {"groups in slices", machine + jobs_text("") + drawn + "[policy]\nname = 'glomarc_ts'\n", "{ sliced = false }"},
      {"processes",
       machine + jobs_text(", program = 'fine'") +
           "[processes]\nscript = '@/programs.lua'\n[[processes.programs]]\nname = 'fine'\ncompute = 20\n"
           "[policy]\nname = 'fcs'\nparams = { slice = 100, quantum = 50, spin = 1, dispatch = 0 }\n",
       "{ multiprogramming = 1 }"},
  };
  return all;
}

std::string log_text() {
  std::string out = "; UnixStartTime: 1000000000\n; TimeZoneString: UTC\n; MaxNodes: 8\n; MaxProcs: 32\n";
  for (int i = 1; i <= 30; ++i) {
    const int runtime = 60 * (1 + i * 7 % 11), size = 1 + i * 5 % 20;
    out += fmt::format("{} {} {} {} {} -1 -1 {} {} -1 {} {} {} {} {} {} {} {}\n", i, i * 300, i % 4 * 20, runtime, size,
                       size, i % 5 == 0 ? -1 : runtime * 2, i % 3 == 0 ? 1 : 0, 1 + i % 4, 1 + i % 2, 1 + i % 3, i % 2,
                       i % 2, i % 6 == 5 ? i - 1 : -1, i % 6 == 5 ? 50 : -1);
  }
  return out;
}

void write_files(const ScratchFolder& folder) {
  folder.write("log.swf", log_text());
  std::string nodes = "sn,cpu_milli,memory_mib,gpu,model\n", rows = "s1,b\n";
  for (int i = 0; i != 8; ++i) {
    nodes += fmt::format("n{},{},{},{},{}\n", i, i < 4 ? 4000 : 8000, 2000, 2, i < 4 ? "A" : "B");
    rows += fmt::format("{},{}\n", 7 - i, (i + 3) % 8);
  }
  folder.write("nodes.csv", nodes);
  folder.write("rows.csv", rows);
  folder.write(
      "pods.csv",
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,scheduled_time,deletion_time\n"
      "p0,1000,100,1,500,0,0,900\np1,2000,100,1,1000,10,20,700\np2,1000,100,1,300,15,30,1000\np3,1000,100,0,0,20,25,"
      "300\n");
  folder.write("order.csv", "s1,b\n3,2\n1,3\n2,1\n0,0\n");
  folder.write("jobs.lua",
               "return { api = 1, name = 'j', params = { jobs = { default = 20, min = 1, max = 99, integer = true, "
               "doc = 'n' } },\n jobs = function(params) for i = 1, params.jobs do coroutine.yield { submit = i * 50, "
               "nodes = 1 + i % 5, runtime = 200 + i * 13 % 70 } end end }\n");
  folder.write("change.lua",
               "return { api = 1, name = 'c', params = { factor = { default = 2, doc = 'x' } },\n job = "
               "function(job, params) job.limit = job.limit * params.factor job.runtime = job.runtime * params.factor "
               "return job end }\n");
  folder.write("slow.lua", "return { api = 1, name = 's', params = { factor = { default = 1.1, doc = 'x' } },\n "
                           "over_processors = function() return 1.3 end,\n beside = "
                           "function(job, other, params) return params.factor end }\n");
  folder.write("slower.lua", "return { api = 1, name = 's', params = { factor = { default = 1.5, doc = 'x' } },\n "
                             "over_processors = function() return 1.3 end,\n beside = "
                             "function(job, other, params) return params.factor end }\n");
  folder.write("apps.toml", "[[applications]]\nname = 'one'\nnumbers = [1, 2]\nbeside = 1.4\nover_processors = 1.1\n"
                            "[[applications]]\nname = 'two'\nnumbers = [3, 4]\nbeside = 1.1\nover_processors = 1.3\n");
  folder.write("others.toml",
               "[[applications]]\nname = 'one'\nnumbers = [1, 2, 3, 4]\nbeside = 1.05\nover_processors = "
               "1.02\n");
  std::string uses = "id,cpu,network,disk,memory\n";
  for (int i = 1; i <= 30; ++i)
    uses += fmt::format("{},{},{},0.1,0.2\n", i, i % 2 == 0 ? 0.8 : 0.1, i % 2 == 0 ? 0.1 : 0.8);
  folder.write("uses.csv", uses);
  for (const char* node : {"0", "a1"})
    folder.write(fmt::format("outages-{}.csv", node), fmt::format("node,from,until,kind\n{},500,3000,failure\n", node));
  folder.write("outages.lua",
               "return { api = 1, name = 'o', params = { length = { default = 2000, doc = 's' } },\n outages = "
               "function(params) coroutine.yield { nodes = { 0, 1, 2 }, from = 700, length = params.length } end }\n");
  for (const auto& [file, parts] : {std::pair{"programs.lua", 50}, std::pair{"parts.lua", 20}})
    folder.write(
        file,
        fmt::format("return {{ api = 1, name = 'p', params = {{ parts = {{ default = {}, min = 1, doc = 'n' }} }},\n "
                    "program = function(job, params) return {{ compute = job.runtime / params.parts }} end }}\n",
                    parts));
}

/// What came of a scenario.
struct Came {
  enum class End : std::uint8_t { kDone, kRefused, kFailed } end = End::kDone;
  std::string text;  ///< the files, or why not
};

class Laboratory {
 public:
  Laboratory() { write_files(folder_); }

  Came run(const Bed& bed, const std::vector<std::string>& settings) const {
    try {
      Value tree = parse_scenario_tree(placed(bed.text, bed), "s.toml");
      for (const std::string& s : settings) apply_override(tree, placed(s, bed));
      const Runner runner(check_scenario(tree));
      RunCallbacks callbacks;
      callbacks.print = [](std::string_view) {};
      const PolicyRun run = runner.run(0, callbacks);
      std::string text;
      write_jobs_csv(run.result, runner.scenario().metrics, [&](std::string_view s) { text += s; });
      RunInfo info;
      info.scenario = runner.scenario().name;
      info.notes = run.notes;
      info.policy = run.policy.name;
      info.policy_params = run.params;
      return {Came::End::kDone, text + summary_json(run.result, run.summary, runner.scenario().metrics, info)};
    } catch (const InputError& e) {
      return {Came::End::kRefused, e.what()};
    } catch (const std::exception& e) {
      return {Came::End::kFailed, e.what()};
    }
  }

 private:
  /// "%few" are some nodes of the machine.
  std::string placed(std::string text, const Bed& bed) const {
    const std::pair<std::string, std::string> words[] = {{"@/", folder_ / ""},
                                                         {"%few", bed.few},
                                                         {"%params", bed.params},
                                                         {"%node", bed.few == std::string("a") ? "a1" : "0"}};
    for (const auto& [word, stands_for] : words)
      for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += stands_for.size())
        text.replace(at, word.size(), stands_for);
    return text;
  }
  ScratchFolder folder_;
};

const Silent* reason_for(const std::string& bed, const std::string& key) {
  for (const Silent& s : silent())
    if ((s.beds.empty() || std::find(s.beds.begin(), s.beds.end(), bed) != s.beds.end()) &&
        std::find(s.keys.begin(), s.keys.end(), key) != s.keys.end())
      return &s;
  return nullptr;
}

/// What a message says of a setting that cannot be here.
bool says_why(const std::string& message) {
  for (const char* words :
       {"cannot be combined", "has no effect", "no effect without", "is set beside kinds", "is set beside machine.list",
        "beside machine.list", "is a list of pods, which ask for parts of nodes", "can never run",
        "looks for pairs by what jobs use", "the machine has no GPUs"})
    if (message.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("each key of the scenario has a probe", "[settings]") {
  std::set<std::string> probed;
  for (const Probe& p : probes()) {
    INFO(p.key);
    CHECK(find_key(p.key) != nullptr);
    CHECK(probed.insert(p.key).second);
  }
  for (const Key<Scenario>& k : scenario_keys()) {
    INFO("a probe for " << k.name);
    CHECK(probed.count(k.name) == 1);
  }
}

TEST_CASE("under each kind of policy each key acts, is refused, or has a reason why not", "[settings]") {
  const Laboratory laboratory;
  const bool table = std::getenv("COSLICE_TABLE") != nullptr;
  std::set<std::tuple<const Silent*, std::string, std::string>> seen;
  const char* const only = std::getenv("COSLICE_POLICY");
  for (const Bed& bed : beds()) {
    if (only != nullptr && bed.name != std::string(only)) continue;
    std::map<std::vector<std::string>, Came> without;
    for (const Probe& p : probes()) {
      const auto [at, fresh] = without.try_emplace(p.base);
      if (fresh) at->second = laboratory.run(bed, p.base);
      std::vector<std::string> settings = p.base;
      settings.push_back(p.key + "=" + p.value);
      const Came &before = at->second, after = laboratory.run(bed, settings);
      const Came& stopped = before.end != Came::End::kDone ? before : after;
      const bool acts = stopped.end == Came::End::kDone && before.text != after.text;
      const bool refused = stopped.end == Came::End::kRefused && says_why(stopped.text);
      if (table)
        fmt::print("{} | {} | {} | {}\n", bed.name, p.key,
                   acts                                 ? "acts"
                   : refused                            ? "refused"
                   : stopped.end == Came::End::kDone    ? "SILENT"
                   : stopped.end == Came::End::kRefused ? "REFUSED OTHERWISE"
                                                        : "FAILED",
                   stopped.end == Came::End::kDone ? "" : stopped.text.substr(0, 240));
      if (table) std::fflush(stdout);
      const Silent* const silent = reason_for(bed.name, p.key);
      INFO(bed.name << ", " << p.key << " = " << p.value << ": "
                    << (stopped.end == Came::End::kDone ? "" : stopped.text));
      if (silent != nullptr) {
        CHECK_FALSE(acts);  // take it off the list
        seen.emplace(silent, bed.name, p.key);
      } else if (!table) {
        CHECK((acts || refused));
      }
    }
  }
  if (only != nullptr) return;
  for (const Silent& s : silent())
    for (const std::string& bed : s.beds) {
      for (const std::string& key : s.keys) {
        INFO("no such probe: " << bed << ", " << key);
        CHECK(seen.count({&s, bed, key}) == 1);
      }
    }
}

}  // namespace settings_act_test

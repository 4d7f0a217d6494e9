// Each call by which the program writes files fails once, with EIO or ENOSPC, or the process is killed there: what was
// there before or what should come stands whole under its name, the exit status is right, nothing hidden stays.
// usage: faults PROGRAM ONE-FAULT-LIBRARY STRIDE [CASE]      every STRIDE-th call; 1: all, also where nothing was
// before
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scratch_folder.h"

namespace {

namespace fs = std::filesystem;

/// One kind of output. Commands are for a shell, in a folder with what prepare() writes there.
struct Case {
  std::string name;
  std::string before;                ///< makes what was there before; "" for nothing, ever
  std::string command;               ///< arguments of the program
  std::vector<std::string> targets;  ///< each is whole for itself: a file or a folder
  std::string other;                 ///< arguments of a command that writes elsewhere in the same folder
  bool refuses = false;              ///< what is there already
  bool database = false;             ///< SQLite takes some errors for no errors
  bool old_kernel = false;           ///< names cannot be exchanged
};

const char* const kOther = "gantt t.swf -o other.svg";

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"run", "coslice run t.swf -q --policy sjf --out r", "run t.swf -q --out r", {"r"}, "run t.swf -q --out r2"},
      {"run-old-kernel",
       "coslice run t.swf -q --policy sjf --out r",
       "run t.swf -q --out r",
       {"r"},
       "run t.swf -q --out r2",
       false,
       false,
       true},
      {"run-several",
       "coslice run t.swf -q --policy sjf,easy --out r",
       "run t.swf -q --policy fcfs,easy --out r",
       {"r"},
       kOther},
      {"junit",
       "coslice test one_test.lua --update --junit j.xml",
       "test pass_test.lua --junit j.xml",
       {"j.xml"},
       kOther},
      {"golden",
       "coslice test golden_test.lua --update; sed -i s/fcfs/easy/ golden_test.lua",
       "test golden_test.lua -j 1 --update",
       {"golden/golden.a.txt", "golden/golden.b.txt"},
       "test one_test.lua --update"},
      {"gantt.svg", "coslice gantt t.swf --policy sjf -o p.svg", "gantt t.swf -o p.svg", {"p.svg"}, kOther},
      {"gantt.html", "coslice gantt t.swf --policy sjf -o p.html", "gantt t.swf -o p.html", {"p.html"}, kOther},
      {"report.html", "coslice report t.swf --policy sjf -o p.html", "report t.swf -o p.html", {"p.html"}, kOther},
      {"report.svg",
       "coslice report u.swf --svg s",
       "report t.swf --svg s",
       {"s/utilization.svg", "s/queue.svg"},
       "gantt t.swf -o s/other.svg"},
      {"convert.json", "coslice convert u.swf -o c.json", "convert t.swf -o c.json", {"c.json"}, kOther},
      {"convert.swf.gz", "coslice convert u.swf -o c.swf.gz", "convert t.swf -o c.swf.gz", {"c.swf.gz"}, kOther},
      {"convert-names",
       "echo >n.csv; coslice convert u.swf -o c.swf",
       "convert d.sacct -o c.swf --names n.csv",
       {"c.swf", "n.csv"},
       kOther},
      {"perfetto",
       "coslice export t.swf --policy sjf --format perfetto -o e.json",
       "export t.swf --format perfetto -o e.json",
       {"e.json"},
       kOther},
      {"evalys",
       "coslice export u.swf --format evalys -o e.csv",
       "export t.swf --format evalys -o e.csv",
       {"e.csv"},
       kOther},
      {"generate.swf",
       "coslice generate lublin --jobs 9 -o g.swf",
       "generate lublin --jobs 700 -o g.swf",
       {"g.swf"},
       kOther},
      {"generate.swf.gz",
       "coslice generate lublin --jobs 9 -o g.swf.gz",
       "generate lublin --jobs 700 -o g.swf.gz",
       {"g.swf.gz"},
       kOther},
      {"new", "", "new policy mine", {"mine.lua", "mine_test.lua"}, kOther, true},
      {"page",
       "coslice reproduce --from old/p/record.json --write p.md",
       "reproduce --from now/p/record.json --write p.md",
       {"p/mine.md", "p/record.json", "p/mine-T2.svg"},
       "gantt t.swf -o p/other.svg && coslice gantt t.swf -o other.svg"},
      {"merge", "", "merge -o m.sqlite a.sqlite b.sqlite", {"m.sqlite"}, kOther, true, true},
  };
  return all;
}

const char* const kTrace = "; MaxProcs: 4\n"
                           "1 0 -1 100 3 -1 -1 3 120 -1 1 1 1 1 1 -1 -1 -1\n"
                           "2 1 -1 50 4 -1 -1 4 60 -1 1 1 1 1 1 -1 -1 -1\n"
                           "3 2 -1 90 1 -1 -1 1 90 -1 1 2 1 1 1 -1 -1 -1\n"
                           "4 3 -1 10 1 -1 -1 1 20 -1 1 2 1 1 1 -1 -1 -1\n";
const char* const kGolden = "local function run()\n  return simulate { nodes = 4, policy = \"fcfs\", jobs = {\n"
                            "    { submit = 0, nodes = 3, runtime = 9 }, { submit = 1, nodes = 4, runtime = 5 },\n"
                            "    { submit = 2, nodes = 1, runtime = 3 } } }\nend\n"
                            "it(\"a\", function() expect(run()).matches_golden(\"a\") end)\n"
                            "it(\"b\", function() expect(run()).matches_golden(\"b\") end)\n";
const char* const kPaper =
    "return { api = 1, title = \"Mine\", seeds = 2, quick_seeds = 1, experiments = { { label = \"T2\", run = "
    "function(lab)\n"
    "  for _, policy in ipairs { \"fcfs\", \"easy\" } do\n"
    "    lab.row { quantity = policy, unit = \"s\", published = 7, chart = \"Mean waits\", at = policy,\n"
    "      values = lab.each(lab.runs(\"model.toml\", { policy = { name = policy } }),\n"
    "        function(s) return s.all.wait.mean end) }\n  end\nend } } }\n";
const char* const kModel = "[machine]\nnodes = 16\n[workload]\ngenerator = \"lublin\"\nlublin = { jobs = 60 }\n"
                           "[policy]\nname = \"fcfs\"\n";
const char* const kCampaign = "[campaign]\nseeds = 2\n[scenario]\nmachine.nodes = 16\n"
                              "workload = { generator = \"lublin\", lublin = { jobs = 30 } }\n"
                              "[axes]\npolicy = [\"fcfs\", \"easy\"]\n";

/// Old, new, or the state after a fault: what stands under the targets, by path. A folder is one thing.
using State = std::map<std::string, std::string>;

[[noreturn]] void give_up(const std::string& what) {
  std::printf("failed: %s\n", what.c_str());
  std::exit(1);
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  // The host's time is all that may differ between two runs.
  static const std::regex host_time("\"simulation_seconds\": [-+.e0-9]+"), times(" time=\"[0-9.]*\"");
  if (file.filename() == "summary.json") return std::regex_replace(text, host_time, "");
  return file.extension() == ".xml" ? std::regex_replace(text, times, "") : text;
}

std::string content_below(const fs::path& path) {
  if (!fs::is_directory(path)) return fs::exists(path) ? content_of(path) : "(nothing)";
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files[entry.path().lexically_relative(path).string()] = content_of(entry.path());
  std::string out;
  for (const auto& [name, text] : files) out += "=== " + name + "\n" + text;
  return out;
}

class Campaign {
 public:
  Campaign(std::string program, std::string library, int stride)
      : program_(std::move(program)), library_(std::move(library)), stride_(stride) {
    prepare();
  }

  void run(const Case& c) {
    if (!c.before.empty()) run(c, true);
    if (c.before.empty() || stride_ == 1) run(c, false);
  }
  void total() const { std::printf("%ld faults, %ld failures\n", faults_, failures_); }
  bool good() const { return failures_ == 0 && faults_ > 0; }

 private:
  /// Inputs of all cases.
  void prepare() {
    inputs_.write("x/t.swf", kTrace);
    inputs_.write("x/u.swf", "; MaxProcs: 4\n1 0 -1 7 3 -1 -1 3 12 -1 1 1 1 1 1 -1 -1 -1\n");
    inputs_.write("x/one_test.lua", "it(\"one\", function() expect('x').matches_golden('one') end)\n");
    inputs_.write("x/pass_test.lua", "it(\"passes\", function() end)\nit(\"passes again\", function() end)\n");
    inputs_.write("x/golden_test.lua", kGolden);
    inputs_.write("x/d.sacct", "JobID|User|JobName|Submit|Start|End|Elapsed|State|NNodes|NCPUS|ReqMem|Timelimit\n"
                               "1|ann|cfd|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:00:10|00:00:10|"
                               "COMPLETED|1|4||00:10:00\n");
    inputs_.write("x/scenarios/papers/mine/paper.lua", kPaper);
    inputs_.write("x/scenarios/papers/mine/model.toml", kModel);
    inputs_.write("x/scenarios/papers/mine/notes.md", "Of all of it.\n");
    inputs_.write("x/scenarios/papers/page.md", "# Papers\n\n<!-- papers -->\n");
    inputs_.write("x/c.toml", kCampaign);
    inputs_.write("x/golden/keep", "");
    if (shell(inputs_ / "x",
              "mkdir old now && coslice reproduce mine --seeds 1 --write old/p.md && "
              "coslice reproduce mine --write now/p.md && mkdir p s && "
              "coslice sweep c.toml --shard 1/2 -o a.sqlite && coslice sweep c.toml --shard 2/2 -o b.sqlite") != 0)
      give_up("the inputs cannot be made: " + said_.read("said"));
  }

  int shell(const fs::path& folder, const std::string& command) const {
    const std::string line = "cd '" + folder.string() + "' && { PATH='" + fs::path(program_).parent_path().string() +
                             "':$PATH; " + command + "; } >'" + (said_ / "said") + "' 2>&1 </dev/null";
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// The folder as it is before the command.
  void restore(const ScratchFolder& from, const fs::path& folder) const {
    fs::remove_all(folder);
    fs::copy(from / "x", folder, fs::copy_options::recursive);
  }

  static State state(const Case& c, const fs::path& folder) {
    State out;
    for (const std::string& target : c.targets) out[target] = content_below(folder / target);
    return out;
  }

  static std::string hidden_in(const fs::path& folder) {
    static const std::regex made("\\..*(new|old)-[0-9]+.*");
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (std::regex_match(entry.path().filename().string(), made)) return entry.path().filename().string();
    return "";
  }

  void run(const Case& c, bool replaces) {
    const ScratchFolder base;
    fs::copy(inputs_ / "x", base / "x", fs::copy_options::recursive);
    if (!c.before.empty() && shell(base / "x", c.before) != 0) give_up(c.name + ": " + said_.read("said"));
    if (!replaces)
      for (const std::string& target : c.targets) fs::remove_all(fs::path(base / "x") / target);
    const fs::path folder = base / "y";
    old_ = state(c, base / "x");
    restore(base, folder);
    if (shell(folder, "coslice " + c.command) != 0) give_up(c.name + ": " + said_.read("said"));
    new_ = state(c, folder);
    for (const auto& [target, text] : new_)
      if (text == old_[target] || text == "(nothing)") give_up(c.name + ": the command writes no other " + target);
    const long before = faults_;
    for (const char* kind : {"KILL", "EIO", "ENOSPC"})
      for (long n = 1; one(c, base, folder, kind, n); n += stride_) {}
    std::printf("%-16s %s %ld faults\n", c.name.c_str(), replaces ? "replaced" : "new     ", faults_ - before);
    std::fflush(stdout);
  }

  /// The n-th call fails. False if there are fewer.
  bool one(const Case& c, const ScratchFolder& base, const fs::path& folder, const std::string& kind, long n) {
    restore(base, folder);
    const std::string mark = said_ / "mark";
    fs::remove(mark);
    const std::string environment = fmt::format("LD_PRELOAD='{}' FAULT_MARK='{}' FAULT_AT={} FAULT_KIND={} {}",
                                                library_, mark, n, kind, c.old_kernel ? "FAULT_OLD_KERNEL=1" : "");
    const int status = shell(folder, environment + " coslice " + c.command + "; exit $?");
    const std::string said = said_.read("said");
    if (!fs::exists(mark)) {
      if (status != 0) complain(c, kind, n, fmt::format("status {} without a fault: {}", status, said));
      return false;
    }
    ++faults_;
    const bool killed = kind == "KILL";
    const bool right = killed ? status == 137 : status == 1 || status == 2 || (c.database && status == 0);
    if (!right) complain(c, kind, n, fmt::format("status {}: {}", status, said));
    if (!killed) require_whole(c, folder, kind, n, status == 0);
    if (!killed && !hidden_in(folder).empty()) complain(c, kind, n, hidden_in(folder) + " stays");
    if (killed) {
      if (shell(folder, "coslice " + c.other) != 0) complain(c, kind, n, "then, elsewhere: " + said_.read("said"));
      require_whole(c, folder, kind, n, false);
      if (!hidden_in(folder).empty()) complain(c, kind, n, hidden_in(folder) + " stays");
    }
    again(c, folder, kind, n);
    return true;
  }

  void require_whole(const Case& c, const fs::path& folder, const std::string& kind, long n, bool must_be_new) {
    for (const auto& [target, text] : state(c, folder)) {
      if (text == new_[target] || (!must_be_new && text == old_[target])) continue;
      complain(c, kind, n, fmt::format("{} is neither what it was nor what it should be: {:.100}", target, text));
    }
  }

  /// The command once more, undisturbed.
  void again(const Case& c, const fs::path& folder, const std::string& kind, long n) {
    if (c.refuses)
      for (const std::string& target : c.targets) fs::remove_all(folder / target);
    if (shell(folder, "coslice " + c.command) != 0) complain(c, kind, n, "then: " + said_.read("said"));
    require_whole(c, folder, kind, n, true);
    if (!hidden_in(folder).empty()) complain(c, kind, n, hidden_in(folder) + " stays for good");
  }

  void complain(const Case& c, const std::string& kind, long n, const std::string& what) {
    ++failures_;
    std::printf("failed: %s, %s at call %ld: %s\n", c.name.c_str(), kind.c_str(), n, what.c_str());
  }

  std::string program_, library_;
  int stride_;
  ScratchFolder inputs_, said_;
  State old_, new_;
  long faults_ = 0, failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  setenv("COSLICE_PROGRESS", "off", 1);
  Campaign campaign(fs::absolute(argv[1]).string(), fs::absolute(argv[2]).string(), std::atoi(argv[3]));
  for (const Case& c : cases())
    if (argc < 5 || c.name == argv[4]) campaign.run(c);
  campaign.total();
  return campaign.good() ? 0 : 1;
}

#include "measure.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "host/call.h"
#include "host/script.h"

namespace coslice::bench {

namespace {

constexpr const char* kLoop = R"(
  return function(n)
    local i, sum = 0, 0
    local function squares() i = i + 1 if i <= n then return i * i end end
    for x in squares do sum = sum + x end
    return sum
  end)";
constexpr int kTurns = 24'000'000;
constexpr int kShare = 4;  // a quarter of the loop is long enough to measure

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }
double cpu_of(const rusage& used) { return seconds(used.ru_utime) + seconds(used.ru_stime); }

/// One processor for this process and its children: the last one, where interrupts are the fewest.
void stay_on_one_processor() {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) == 1) return;
  int last = CPU_SETSIZE - 1;
  while (last > 0 && !CPU_ISSET(last, &mine)) --last;
  CPU_ZERO(&mine);
  CPU_SET(last, &mine);
  sched_setaffinity(0, sizeof mine, &mine);
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  _exit(127);
}

}  // namespace

Usage run_program(const std::vector<std::string>& command) {
  stay_on_one_processor();
  const pid_t child = fork();
  if (child == 0) become(command);
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) throw std::runtime_error("cannot start a process");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::string text = "failed:";
    for (const std::string& word : command) text += " " + word;
    throw std::runtime_error(text);
  }
  return {cpu_of(used), static_cast<double>(used.ru_maxrss) * 1024};
}

double calibrate() {
  stay_on_one_processor();
  static const std::string label = "the calibration loop";
  LuaState lua(Limits{std::size_t{16} << 20, std::size_t{1} << 20, 0});  // no limit of instructions: no hook
  const LuaRef loop = run_script(lua, {label, kLoop});
  Call call(lua, loop, label);
  call.push(std::int64_t{kTurns / kShare});
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  call.invoke(0);
  getrusage(RUSAGE_SELF, &after);
  return (cpu_of(after) - cpu_of(before)) * kShare;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::vector<Figures> measure(const std::vector<std::vector<std::string>>& commands, int runs,
                             const std::function<void()>& before) {
  struct Samples {
    std::vector<double> cpu, ratio, peak;
  };
  std::vector<Samples> samples(commands.size());
  for (int run = 0; run <= runs; ++run) {
    for (std::size_t i = 0; i != commands.size(); ++i) {
      before();
      const double unit = calibrate();
      const Usage used = run_program(commands[i]);
      if (run == 0) continue;  // warms the caches up
      samples[i].cpu.push_back(used.cpu);
      samples[i].ratio.push_back(used.cpu / unit);
      samples[i].peak.push_back(used.peak);
    }
  }
  std::vector<Figures> figures;
  for (Samples& s : samples) figures.push_back({median(s.cpu), median(s.ratio), median(s.peak)});
  return figures;
}

}  // namespace coslice::bench

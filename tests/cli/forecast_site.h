// A small site with a history, and a queue of it, for tests of `coslice forecast` and `coslice whatif`.
#pragma once

#include <string>

#include "run_program.h"

namespace coslice_test {

/// A machine of two nodes, and a week of one user whose jobs run for half of their limits.
inline void make_site(const Program& coslice) {
  std::string jobs = "JobID|User|Partition|Submit|Start|End|Elapsed|State|NNodes|NCPUS|Timelimit|NodeList\n";
  for (int i = 0; i < 40; ++i) {
    const auto at = [&](int hour) {
      return "2026-03-" + std::string(i / 4 < 9 ? "0" : "") + std::to_string(i / 4 + 1) + "T" + (hour < 10 ? "0" : "") +
             std::to_string(hour) + ":00:00";
    };
    const int hour = i % 4 * 6;
    jobs += std::to_string(i + 1) + "|ann|batch|" + at(hour) + "|" + at(hour) + "|" + at(hour + 1) +
            "|01:00:00|COMPLETED|1|1|02:00:00|n1\n";
  }
  coslice.folder.write("jobs.sacct", jobs);
  coslice.folder.write(
      "scenario.toml",
      "[[machine.nodes]]\nname = \"n\"\nnames = \"n[1-2]\"\n[[machine.partitions]]\nname = \"batch\"\n"
      "default = true\ndefault_time = 7200\n[workload]\ntrace = \"jobs.sacct\"\n[policy]\nname = \"easy\"\n");
}

/// `text` with the first `from` as `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

inline const char* const kQueue =
    "JOBID|USER|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|NODELIST|REASON\n"
    "101|ann|batch|RUNNING|2026-03-12T08:00:00|2026-03-12T08:00:00|02:00:00|1|1|n1|None\n"
    "102|ann|batch|RUNNING|2026-03-12T08:15:00|2026-03-12T08:15:00|02:00:00|1|1|n2|None\n"
    "103|ann|batch|PENDING|2026-03-12T08:20:00|N/A|02:00:00|1|1||Resources\n"
    "104|bob|batch|PENDING|2026-03-12T08:25:00|N/A|02:00:00|2|2||Priority\n"
    "105|bob|batch|PENDING|2026-03-12T08:26:00|N/A|02:00:00|1|1||JobHeldUser\n";

}  // namespace coslice_test

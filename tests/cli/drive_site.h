// A Slurm that is played by two scripts (tests/slurm/drive/fake), for tests of `coslice drive`.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>

#include "run_program.h"

namespace coslice_test {

inline const std::string kFakes = std::string(COSLICE_SOURCE) + "/tests/slurm/drive/";

/// A machine of four nodes: 101 runs on two of them, 102 to 104 wait in `batch`, 105 in another partition, 106 is held
/// by its user, 107 waits for another job.
struct Site {
  Site() {
    for (const char* name : {"config", "nodes", "partitions", "jobs"}) {
      std::ifstream file(kFakes + "example/" + name);
      std::ostringstream text;
      text << file.rdbuf();
      coslice.folder.write(name, text.str());
    }
  }

  Said drive(const std::string& arguments) const { return shell("coslice drive " + arguments); }
  /// A shell line with the fake commands on the PATH.
  Said shell(const std::string& line) const {
    return coslice.shell("export FAKE_SLURM=. PATH='" + kFakes + "fake':$PATH; " + line);
  }
  std::string orders() const {
    return std::filesystem::exists(coslice.folder / "orders") ? coslice.folder.read("orders") : "";
  }
  void forget_orders() const { std::filesystem::remove(coslice.folder / "orders"); }
  /// Replaces a text that is there, once.
  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = coslice.folder.read(file);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    coslice.folder.write(file, text.replace(at, from.size(), to));
  }
  /// Why a job waits, as squeue says it.
  std::string reason_of(const std::string& job) const {
    const std::string text = "\n" + coslice.folder.read("jobs");
    const std::size_t at = text.find("\n" + job + "|PENDING|");
    REQUIRE(at != std::string::npos);
    const std::size_t from = at + job.size() + 10;
    return text.substr(from, text.find('|', from) - from);
  }
  bool has_state() const { return std::filesystem::exists(coslice.folder / "coslice-drive.toml"); }

  Program coslice;
};

inline const std::string kHolds = "scontrol hold 102\nscontrol hold 103\nscontrol hold 104\n";
inline const std::string kStarts = "scontrol release 104\nscontrol update JobId=104 Priority=2000000000\n";

}  // namespace coslice_test

// Runs the program as a shell would, and catches what it says.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "catch.h"
#include "scratch_folder.h"

namespace coslice_test {

struct Said {
  int status = 0;  ///< exit status; 128 + the signal if one killed it
  std::string out, err;
};

/// The program under test: what the environment says, else what was built with the tests.
inline std::string program() {
  const char* const other = std::getenv("COSLICE_PROGRAM");
  return other != nullptr ? other : COSLICE_PROGRAM;
}

/// A scratch folder to run the program in. Its environment is plain: no colours, no search paths, 80 columns.
class Program {
 public:
  /// `arguments` as in a POSIX shell; `before` stands in front of the command: "NO_COLOR=1".
  Said operator()(const std::string& arguments, const std::string& before = "") const {
    return shell(before + " '" + program() + "' " + arguments);
  }

  /// Any command line, in the folder; `coslice` is on the PATH. `until_ready PID` waits (a minute at most) until that
  /// process ends of a Ctrl-C as it should: before, a shell has its children ignore it. It looks for SIGTERM, which the
  /// program catches after SIGINT: a child that the shell has just forked still has the shell's own handler of SIGINT.
  Said shell(const std::string& command) const {
    const std::string functions = "until_ready() { for i in $(seq 3000); do "
                                  "grep -q '^SigCgt:.*[4567cdef]...$' /proc/$1/status && return; sleep 0.02; done; }; ";
    const std::string line = "cd '" + (folder / "") +
                             "' && env -u COSLICE_PATH -u COSLICE_TRACES -u COSLICE_DATA -u CLICOLOR_FORCE -u NO_COLOR "
                             "COSLICE_PROGRESS=off COLUMNS=80 PATH='" +
                             std::filesystem::path(program()).parent_path().string() + ":'\"$PATH\" " +
                             "sh -c \"$COSLICE_COMMAND\" >'" + (streams_ / "out") + "' 2>'" + (streams_ / "err") +
                             "' </dev/null";
    setenv("COSLICE_COMMAND", (functions + command).c_str(), 1);
    const int result = std::system(line.c_str());
    const int status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    return {status, streams_.read("out"), streams_.read("err")};
  }

  ScratchFolder folder;

 private:
  ScratchFolder streams_;
};

/// "coslice: error: " and the message, as it stands on stderr.
inline std::string error(const std::string& message, const std::string& end = "\n") {
  return "coslice: error: " + message + end;
}

/// The text without line breaks and runs of blanks.
inline std::string on_one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n') out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

/// What `run` says of a scenario that it refuses; nothing may be written.
inline std::string complaint(const std::string& scenario) {
  const Program coslice;
  coslice.folder.write("s.toml", scenario);
  const Said said = coslice("run s.toml --out out");
  CHECK(said.status == 2);
  CHECK_FALSE(std::filesystem::exists(coslice.folder / "out"));
  return said.err;
}

/// Four jobs on a machine of four nodes.
inline const char* const kTrace = "; MaxProcs: 4\n"
                                  "1 0 -1 100 3 -1 -1 3 120 -1 1 1 1 1 1 -1 -1 -1\n"
                                  "2 1 -1 50 4 -1 -1 4 60 -1 1 1 1 1 1 -1 -1 -1\n"
                                  "3 2 -1 90 1 -1 -1 1 90 -1 1 2 1 1 1 -1 -1 -1\n"
                                  "4 3 -1 10 1 -1 -1 1 20 -1 1 2 1 1 1 -1 -1 -1\n";

}  // namespace coslice_test

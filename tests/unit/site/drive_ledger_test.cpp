// The file of a drive's ledger: on the disk before it is believed to be, never half written, never taken for none.
#include "catch.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "drive/ledger.h"
#include "scratch_folder.h"

namespace drive_ledger_test {

namespace {

/// The files and folders that were synchronized, by path; the one that is to fail.
std::vector<std::string> synced;
int failing = 0;

}  // namespace

// In place of the C library's.
extern "C" int fsync(int file) {
  char path[4096];
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  synced.emplace_back(path, static_cast<std::size_t>(size > 0 ? size : 0));
  if (static_cast<int>(synced.size()) != failing) return static_cast<int>(syscall(SYS_fsync, file));
  errno = EIO;
  return -1;
}

using namespace coslice;
using namespace coslice::drive;
using Catch::Contains;

TEST_CASE("a ledger is on the disk before an order is given: the file, then its name", "[drive]") {
  const ScratchFolder folder;
  const std::string path = folder / "state.toml";
  Ledger ledger(std::make_unique<LockedFile>(path));
  ledger.entries().push_back({"17", 1000, 5, true, Orders::kUnanswered, 1234});
  synced.clear(), failing = 0;
  ledger.save();
  const std::string real = std::filesystem::canonical(path).parent_path().string();
  CHECK(synced == std::vector<std::string>{real + "/state.toml.part", real});
  ledger.save();  // nothing has changed
  CHECK(synced.size() == 2);
  CHECK_THAT(folder.read("state.toml"),
             Contains("id = \"17\"") && Contains("orders = \"unanswered\"") && Contains("since = 1234"));
  ledger.entries().clear();
  ledger.save();
  CHECK(synced.size() == 3);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a ledger that does not reach the disk is as before, and nothing is left beside it", "[drive]") {
  const ScratchFolder folder;
  const std::string path = folder / "state.toml";
  {
    Ledger ledger(std::make_unique<LockedFile>(path));
    ledger.entries().push_back({"17", 1000, 5});
    ledger.save();
    const std::string before = folder.read("state.toml");
    ledger.entries().push_back({"18", 1000, 5});
    synced.clear(), failing = 1;
    CHECK_THROWS_WITH(ledger.save(), Contains("state.toml.part: cannot be written: Input/output error"));
    CHECK(folder.read("state.toml") == before);
    CHECK_FALSE(std::filesystem::exists(path + ".part"));
    failing = 0;
    ledger.save();  // tries again
    CHECK_THAT(folder.read("state.toml"), Contains("id = \"18\""));
  }
  folder.write("state.toml.part", "half of");  // as of a drive that was killed
  const Ledger next(std::make_unique<LockedFile>(path));
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
  CHECK(next.entries().size() == 2);
}

TEST_CASE("a ledger that cannot be opened is not taken for none", "[drive]") {
  const ScratchFolder folder;
  const std::string path = folder / "state.toml";
  const auto open_it = [&] { const Ledger ledger(std::make_unique<LockedFile>(path)); };
  SECTION("no rights") {
    if (geteuid() == 0) return;  // root has all
    std::filesystem::permissions(folder.write("state.toml", "filter = \"user=ann\"\n"), std::filesystem::perms::none);
    CHECK_THROWS_WITH(open_it(), Contains("state.toml: cannot be read: Permission denied"));
  }
  SECTION("not a file") {
    std::filesystem::create_directory(path);
    CHECK_THROWS_WITH(open_it(), Contains("state.toml: cannot be read: Is a directory"));
  }
  SECTION("empty") {
    folder.write("state.toml", "");
    CHECK_THROWS_WITH(open_it(), Contains("is not a list of jobs that a drive holds"));
  }
  SECTION("too many open files") {
    folder.write("state.toml", "filter = \"user=ann\"\n");
    LockedFile file(path);
    rlimit old{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &old) == 0);
    rlimit none = old;
    none.rlim_cur = 0;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    std::string said;
    try {
      file.read();
    } catch (const InputError& e) {
      said = e.what();
    }
    setrlimit(RLIMIT_NOFILE, &old);
    CHECK_THAT(said, Contains("state.toml: cannot be read: Too many open files"));
  }
}

}  // namespace drive_ledger_test

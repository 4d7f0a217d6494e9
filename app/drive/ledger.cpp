#include "drive/ledger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "core/codec.h"
#include "core/error.h"
#include "core/file.h"
#include "core/value.h"
#include "scenario/toml.h"

namespace coslice::drive {
namespace {

/// Closes what was opened.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_to_read(const std::string& path) {
  throw InputError({path, 0, std::string("cannot be read: ") + std::strerror(errno),
                    "the file of an earlier drive, or none", "jobs may be held that it names"});
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw SimulationError(path + ": cannot be written: " + std::strerror(errno));
}

#define ENTRY(member) COSLICE_FIELD(Entry, member)

constexpr std::int64_t kLatestTime = 1LL << 40;

const std::vector<Key<Entry>>& entry_keys() {
  static const std::vector<Key<Entry>> keys = {
      {"id", codec::text<Entry>(ENTRY(id)), "As Slurm's commands take it.", true},
      {"submitted", codec::integer<Entry>(ENTRY(submitted), 0, kLatestTime), "Seconds since 1970.", true},
      {"priority", codec::integer<Entry>(ENTRY(priority), 0, UINT32_MAX), "That it had.", true},
      {"held", codec::flag<Entry>(ENTRY(held)), "By the drive.", true},
      {"orders", codec::choice<Entry>(ENTRY(orders), {"seen", "answered", "unanswered"}), "What is known of them.",
       true},
      {"since", codec::integer<Entry>(ENTRY(since), 0, kLatestTime, 0),
       "When that was first read, seconds since 1970."},
  };
  return keys;
}

constexpr const char* kLedgerHead =
    "# Jobs that `coslice drive` has in its hands. `coslice drive --recover` gives them back.\n";

}  // namespace

LockedFile::LockedFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {
  const std::string flag = "--state " + path_;
  lock_ = open((path_ + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0)
    throw InputError({flag, 0, std::string("its lock file cannot be opened: ") + std::strerror(errno),
                      "a path in a folder that exists and is writable"});
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0) {
    remove_part();
    return;
  }
  const int error = errno;
  close(lock_);
  if (error == EWOULDBLOCK)
    throw InputError({flag, 0, "belongs to another drive that runs", "a file of its own for each"});
  throw InputError(
      {flag, 0, std::string("cannot be locked: ") + std::strerror(error), "a folder in which files can be locked"});
}

LockedFile::~LockedFile() {
  close(lock_);  // the file stays: who waits to open it must not get another one
}

std::optional<std::string> LockedFile::read() {
  const Descriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0 && errno == ENOENT) return std::nullopt;
  if (file.number() < 0) fail_to_read(path_);
  std::string text;
  char block[4096];
  for (;;) {
    const ssize_t n = ::read(file.number(), block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to_read(path_);
    if (n == 0) return text;
    text.append(block, static_cast<std::size_t>(n));
  }
}

void LockedFile::replace(const std::string& text) {
  try {
    OutputFile file(part_);
    file.write(text);
    file.sync();
    file.close();
    if (std::rename(part_.c_str(), path_.c_str()) != 0) fail_to_write(path_);
  } catch (const InputError& e) {
    throw SimulationError(e.what());
  } catch (...) {
    remove_part();
    throw;
  }
  sync_folder();
}

void LockedFile::remove() {
  if (unlink(path_.c_str()) != 0 && errno != ENOENT)
    throw SimulationError(path_ + ": cannot be removed: " + std::strerror(errno));
  sync_folder();
}

void LockedFile::sync_folder() const {
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const Descriptor file(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.number() < 0) fail_to_write(path_);
  sync_to_disk(file.number(), path_);
}

void LockedFile::remove_part() const { unlink(part_.c_str()); }

Ledger::Ledger(std::unique_ptr<LedgerFile> file) : file_(std::move(file)) {
  if (file_ == nullptr) return;
  if (const std::optional<std::string> text = file_->read()) load(written_ = *text);
}

void Ledger::load(const std::string& text) {
  const auto source = std::make_shared<const Source>(Source{file_->name(), ""});
  const Value tree = parse_toml(text, source);
  const Value* filter = tree.find("filter");
  const Value* jobs = tree.find("jobs");
  if (filter == nullptr || filter->text() == nullptr || jobs == nullptr || jobs->list() == nullptr)
    fail_at({source, 0}, "is not a list of jobs that a drive holds", "a file that `coslice drive` has written");
  filter_ = *filter->text();
  for (const Value& v : *jobs->list()) {
    Entry e;
    read_record(entry_keys(), e, v, "jobs");
    entries_.push_back(std::move(e));
  }
}

bool Ledger::is_at(std::size_t place, const std::string& id, std::int64_t submitted) const {
  return place < entries_.size() && entries_[place].id == id && entries_[place].submitted == submitted;
}

/// Entries come, go and move; where one is no longer where it was, all places are noted anew.
Entry* Ledger::find(const std::string& id, std::int64_t submitted) {
  if (const auto known = places_.find(id); known != places_.end() && is_at(known->second, id, submitted))
    return &entries_[known->second];
  std::size_t i = 0;
  while (i != entries_.size() && !is_at(i, id, submitted)) ++i;
  if (i == entries_.size()) return nullptr;
  places_.clear();
  for (std::size_t at = 0; at != entries_.size(); ++at) places_.emplace(entries_[at].id, at);
  return &entries_[i];
}

std::string Ledger::text() const {
  if (entries_.empty()) return "";
  std::string out = kLedgerHead + fmt::format("filter = {}\n", toml_text(Value(filter_)));
  for (const Entry& e : entries_) {
    out += "\n[[jobs]]\n";
    const Value table = write_record(entry_keys(), e);
    for (const Member& m : *table.members()) out += fmt::format("{} = {}\n", m.key, toml_text(m.value));
  }
  return out;
}

void Ledger::save() {
  std::string now = text();
  if (file_ == nullptr || now == written_) return;
  written_ = "?";  // until it is known what the file has
  if (now.empty()) file_->remove();
  else file_->replace(now);
  written_ = std::move(now);
}

}  // namespace coslice::drive

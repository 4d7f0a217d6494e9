#include "drive/ledger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "core/codec.h"
#include "core/error.h"
#include "core/output_file.h"
#include "core/value_text.h"
#include "scenario/toml.h"

namespace coslice::drive {
namespace {

#define ENTRY(member) COSLICE_FIELD(Entry, member)

const std::vector<Key<Entry>>& entry_keys() {
  static const std::vector<Key<Entry>> keys = {
      {"id", codec::text<Entry>(ENTRY(id)), "As Slurm's commands take it.", true},
      {"submitted", codec::integer<Entry>(ENTRY(submitted), 0, 1LL << 40), "Seconds since 1970.", true},
      {"priority", codec::integer<Entry>(ENTRY(priority), 0, UINT32_MAX), "That it had.", true},
      {"released", codec::flag<Entry>(ENTRY(released)), "The policy started it.", true},
  };
  return keys;
}

constexpr const char* kLedgerHead =
    "# Jobs that `coslice drive` has in its hands. `coslice drive --recover` gives them back.\n";

}  // namespace

Ledger::Ledger(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  lock();
  std::ifstream file(path_);
  if (!file) return;
  std::ostringstream text;
  text << file.rdbuf();
  load(text.str());
}

Ledger::~Ledger() {
  if (lock_ >= 0) close(lock_);  // the file stays: who waits to open it must not get another one
}

void Ledger::lock() {
  const std::string name = path_ + ".lock";
  lock_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) throw InputError({"--state " + path_, 0, "cannot be written", "a file in a folder that is there", "", ""});
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  close(lock_);
  lock_ = -1;
  throw InputError({"--state " + path_, 0, "belongs to another drive that runs", "a file of its own for each", "", ""});
}

void Ledger::load(const std::string& text) {
  const auto source = std::make_shared<const Source>(Source{path_, ""});
  const Value tree = parse_toml(text, source);
  const Value* filter = tree.find("filter");
  const Value* jobs = tree.find("jobs");
  if (filter == nullptr || filter->text() == nullptr || jobs == nullptr || jobs->list() == nullptr)
    fail_at({source, 0}, "is no list of jobs that a drive holds", "a file that `coslice drive` has written");
  filter_ = *filter->text();
  for (const Value& v : *jobs->list()) {
    Entry e;
    read_record(entry_keys(), e, v, "jobs");
    entries_.push_back(std::move(e));
  }
}

Entry* Ledger::find(const std::string& id, std::int64_t submitted) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.id == id && e.submitted == submitted; });
  return found == entries_.end() ? nullptr : &*found;
}

void Ledger::save() const {
  if (path_.empty()) return;
  if (entries_.empty()) {
    unlink(path_.c_str());
    return;
  }
  std::string text = kLedgerHead + fmt::format("filter = {}\n", toml_text(Value(filter_)));
  for (const Entry& e : entries_) {
    text += "\n[[jobs]]\n";
    const Value table = write_record(entry_keys(), e);
    for (const Member& m : *table.members()) text += fmt::format("{} = {}\n", m.key, toml_text(m.value));
  }
  const std::string part = path_ + ".part";
  OutputFile file(part);
  file.write(text);
  file.close();
  std::error_code failed;
  std::filesystem::rename(part, path_, failed);
  if (failed) throw SimulationError(fmt::format("{}: cannot be written: {}", path_, failed.message()));
}

}  // namespace coslice::drive

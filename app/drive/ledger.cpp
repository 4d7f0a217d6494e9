#include "drive/ledger.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/codec.h"
#include "core/error.h"
#include "core/value.h"
#include "scenario/toml.h"

namespace coslice::drive {
namespace {

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

Entry* Ledger::find(const std::string& id, std::int64_t submitted) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.id == id && e.submitted == submitted; });
  return found == entries_.end() ? nullptr : &*found;
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

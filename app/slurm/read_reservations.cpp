// What scontrol prints of reservations, taken apart.
#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "formats/slurm_fields.h"
#include "slurm/reservations.h"
#include "slurm/values.h"

namespace coslice::slurm {
namespace {

bool says_nothing(const std::string& value) {
  return value.empty() || value == "(null)" || value == "n/a" || value == "N/A" || value == "None";
}

/// The fields of a line. What has no '=' goes on with the value before it: comments have blanks.
void append_fields(const PlainLine& line, SiteReservation& record) {
  for (std::size_t at = line.text.find_first_not_of(" \t\r"); at < line.text.size();) {
    const std::size_t end = std::min(line.text.find_first_of(" \t\r", at), line.text.size());
    const std::string word = line.text.substr(at, end - at);
    at = line.text.find_first_not_of(" \t\r", end);
    const std::size_t equals = word.find('=');
    if (equals != word.npos) record.fields.push_back({word.substr(0, equals), word.substr(equals + 1), line.place});
    else if (!record.fields.empty()) record.fields.back().value += " " + word;
  }
}

std::optional<std::int64_t> instant_in(const SiteReservation& r, std::string_view key) {
  const Setting* s = r.find(key);
  if (s == nullptr) return {};
  if (const auto time = iso_seconds(s->value)) return *time;
  fail_at(s->place, fmt::format("{}={} is not a time", s->key, printable(shortened(s->value, 40))),
          "a time like 2026-03-01T08:30:00");
}

/// When it begins, and for how long: of end and duration one is enough.
void set_times(SiteReservation& r) {
  const auto start = instant_in(r, "StartTime"), end = instant_in(r, "EndTime");
  if (!start)
    fail_at(r.place, fmt::format("the reservation '{}' has no StartTime", printable(r.name)), "StartTime=TIME");
  r.start = *start;
  if (const Setting* s = r.find("Duration"); s != nullptr && !end) {
    const auto span = slurm_duration(s->value);
    if (!span)
      fail_at(s->place, fmt::format("Duration={} is not a time", printable(shortened(s->value, 40))),
              "a time like 1-02:00:00");
    r.length = *span / 1'000'000'000;
  } else if (end) {
    r.length = *end - r.start;
  } else {
    fail_at(r.place, fmt::format("the reservation '{}' does not say when it ends", printable(r.name)),
            "EndTime=TIME or Duration=TIME");
  }
  if (r.length <= 0)
    fail_at(r.place, fmt::format("the reservation '{}' ends before it begins", printable(r.name)),
            "EndTime after StartTime");
}

void finish(SiteReservation& r) {
  std::erase_if(r.fields, [](const Setting& s) { return says_nothing(s.value); });
  if (r.name.empty()) fail_at(r.place, "the reservation has an empty name", "ReservationName=NAME");
  if (const Setting* s = r.find("Flags")) r.flags = list_items(s->value);
  set_times(r);
}

}  // namespace

const Setting* SiteReservation::find(std::string_view key) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Setting& s) { return same_word(s.key, key); });
  return found == fields.end() ? nullptr : &*found;
}

bool SiteReservation::has_flag(std::string_view flag) const {
  return std::any_of(flags.begin(), flags.end(),
                     [&](const std::string& f) { return same_word(f.substr(0, f.find_first_of("=:")), flag); });
}

std::vector<SiteReservation> read_reservations(const std::string& path) {
  std::vector<SiteReservation> all;
  const std::vector<PlainLine> lines = plain_lines(path);
  for (const PlainLine& line : lines) {
    SiteReservation here;
    append_fields(line, here);
    if (!here.fields.empty() && same_word(here.fields.front().key, "ReservationName")) {
      here.name = here.fields.front().value;
      here.place = line.place;
      all.push_back(std::move(here));
    } else if (!all.empty()) {
      append_fields(line, all.back());
    } else if (line.text.find("No reservations") == std::string::npos) {
      fail_at(line.place, fmt::format("'{}' is not a reservation", printable(shortened(line.text, 40))),
              "ReservationName=... as `scontrol show reservation` prints it");
    }
  }
  for (SiteReservation& r : all) finish(r);
  for (auto r = all.begin(); r != all.end(); ++r)
    if (std::any_of(all.begin(), r, [&](const SiteReservation& other) { return other.name == r->name; }))
      fail_at(r->place, fmt::format("the reservation '{}' appears twice", printable(r->name)), "each name once");
  return all;
}

}  // namespace coslice::slurm

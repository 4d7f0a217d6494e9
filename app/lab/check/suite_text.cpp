#include "lab/check/suite_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/value.h"

namespace coslice::check {

namespace {

constexpr std::size_t kColumns = 120;

/// In which order a reader expects what stands in one table; what is not named comes behind it, by name.
const char* const kOrder[] = {"machine", "engine",   "slowdown", "outages", "reservations", "power", "processes",
                              "seed",    "workload", "name",     "submit",  "nodes",        "count", "processors",
                              "cores",   "runtime",  "limit",    "from",    "length",       "idle",  "boot"};

std::vector<const Member*> in_order(const Value& table) {
  const auto place = [](const Member* m) { return std::find(std::begin(kOrder), std::end(kOrder), m->key); };
  std::vector<const Member*> members;
  for (const Member& m : *table.members()) members.push_back(&m);
  std::stable_sort(members.begin(), members.end(),
                   [&](const Member* a, const Member* b) { return place(a) < place(b); });
  return members;
}

/// The value on one line.
std::string text_of(const Value& v) {
  if (v.real() != nullptr) return fmt::format("{}", *v.real());
  if (!v.is_list() && !v.is_table()) return toml_text(v);
  std::string out;
  const auto add = [&](const std::string& item) { out += (out.empty() ? "" : ", ") + item; };
  if (const Value::List* list = v.list())
    for (const Value& item : *list) add(text_of(item));
  else
    for (const Member* m : in_order(v)) add(m->key + " = " + text_of(m->value));
  return out.empty() ? "{}" : "{ " + out + " }";
}

/// `key` is "" or ends in " = ".
std::string lines_of(const std::string& key, const Value& v, const std::string& indent) {
  const std::string line = indent + key + text_of(v) + ",\n";
  const bool tables = v.is_list() && !v.list()->empty() && v.list()->front().is_table();
  if ((line.size() <= kColumns && !tables) || (!v.is_list() && !v.is_table())) return line;
  std::string out = indent + key + "{\n";
  if (v.is_list())
    for (const Value& item : *v.list()) out += lines_of("", item, indent + "  ");
  else
    for (const Member* m : in_order(v)) out += lines_of(m->key + " = ", m->value, indent + "  ");
  return out + indent + "},\n";
}

std::string job_line(const Value& job) {
  std::string out;
  for (const Member* m : in_order(job))
    out += fmt::format("{}{}={}", out.empty() ? "job{" : ", ", m->key, text_of(m->value));
  return out + "},";
}

}  // namespace

std::string lua_of(const Value& tree, const std::string& indent) {
  std::string out, jobs;
  for (const Member* m : in_order(tree)) {
    Value shown = m->value;
    if (m->key == "workload") {
      if (const Value* list = shown.find("jobs"); list != nullptr && list->is_list()) {
        for (const Value& job : *list->list()) jobs += indent + "  " + job_line(job) + "\n";
        shown.erase("jobs");
      }
      if (shown.members()->empty()) continue;
    }
    out += lines_of(m->key + " = ", shown, indent);
  }
  return out + indent + "jobs = {\n" + jobs + indent + "},\n";
}

}  // namespace coslice::check

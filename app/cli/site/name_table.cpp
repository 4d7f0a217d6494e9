#include "cli/site/name_table.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "formats/trace_file.h"
#include "jobs/attributes.h"
#include "report/files/output.h"
#include "scenario/csv_columns.h"

namespace coslice::cli {
namespace {

const char* const kNamesHead = "kind,number,name,jobs";

/// The attributes whose numbers stand for names, and the jobs themselves.
const std::vector<std::string>& name_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> all;
    for (const Attribute& a : kAttributes)
      if (!a.word.empty()) all.emplace_back(a.name);
    all.emplace_back("job");
    return all;
  }();
  return kinds;
}

std::int64_t number_in(const std::string& path, int line, const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number >= 0) return number;
  throw InputError({path, line, fmt::format("the number is '{}'", text), "a whole number"});
}

}  // namespace

std::string site_names_csv(const RecordedWorkload& recorded) {
  std::string out = std::string(kNamesHead) + "\n";
  for (const auto& n : recorded.names) out += fmt::format("{},{},{},{}\n", n.kind, n.number, csv_field(n.name), n.jobs);
  for (std::size_t i = 0; i < recorded.site_ids.size(); ++i)
    out += fmt::format("job,{},{},1\n", recorded.workload.jobs[i].id, csv_field(recorded.site_id(i)));
  return out;
}

void read_site_names(const std::string& path, RecordedWorkload& recorded) {
  const std::string text = read_packed(path);
  const CsvColumns csv(text);
  const auto kind = csv.column("kind"), number = csv.column("number"), name = csv.column("name");
  if (!kind || !number || !name)
    throw InputError({path, 1, "this is not a list of names", fmt::format("the columns {}", kNamesHead),
                      "`coslice convert jobs.sacct --names who.csv -o site.swf` writes one"});
  std::unordered_map<std::int64_t, std::string> ids;
  int line = 1;
  csv.each_row([&](const std::vector<std::string>& row) {
    ++line;
    const auto field = [&](std::size_t c) { return c < row.size() ? row[c] : std::string(); };
    const std::string what = field(*kind);
    const std::vector<std::string>& kinds = name_kinds();
    if (std::find(kinds.begin(), kinds.end(), what) == kinds.end())
      throw InputError({path, line, fmt::format("there is no kind '{}'", what),
                        fmt::format("one of {}", fmt::join(kinds, ", ")), did_you_mean(what, kinds)});
    const std::int64_t n = number_in(path, line, field(*number));
    if (what == "job") ids[n] = field(*name);
    else
      recorded.names.push_back(
          {what, static_cast<std::int32_t>(std::min<std::int64_t>(n, INT32_MAX)), field(*name), 0});
  });
  if (ids.empty()) return;
  recorded.site_ids.clear();
  for (const Job& job : recorded.workload.jobs) {
    const auto found = ids.find(job.id);
    recorded.site_ids.push_back(found == ids.end() ? std::string() : found->second);
  }
}

}  // namespace coslice::cli

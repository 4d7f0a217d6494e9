#include "cli/jobs/trace_flags.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "core/error.h"
#include "core/text.h"
#include "formats/slurm_fields.h"
#include "report/markup.h"
#include "scenario/key_tables.h"
#include "scenario/load.h"
#include "scenario/toml.h"

namespace coslice::cli {
namespace {

constexpr const char* kFlag = "--missing-limit";

/// "3d", "90min", "86400"; or as Slurm writes it, "1-00:00:00".
Value time_of(const std::string& text) {
  const auto slurm = slurm_duration(text);
  return Value(to_seconds(slurm ? Duration{*slurm} : span_of(kFlag, text)));
}

std::optional<double> multiple_of(const std::string& text) {
  if (text.size() < 2 || text.back() != 'x') return {};
  return parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
}

/// The number of the partition that the site calls so.
std::string number_of(const std::string& name, const RecordedWorkload& recorded) {
  std::vector<std::string> names;
  for (const RecordedWorkload::Name& n : recorded.names) {
    if (n.kind != "partition") continue;
    if (n.name == name) return std::to_string(n.number);
    names.push_back(n.name);
  }
  const bool digits = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  if (digits && names.empty()) return name;
  throw InputError({kFlag, 0, fmt::format("there is no partition '{}'", name),
                    names.empty() ? "the number of a partition" : "a partition of the dump, or others",
                    did_you_mean(name, names)});
}

Value partitions_of(const std::string& text, const RecordedWorkload& recorded) {
  Value partitions = Value::table();
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw InputError({kFlag, 0, fmt::format("'{}' is not PARTITION=TIME", part), "e.g. gpu=1d,others=3d"});
    const std::string name = part.substr(0, equals);
    partitions.set(name == "others" ? name : number_of(name, recorded), time_of(part.substr(equals + 1)));
  }
  Value table = Value::table();
  table.set("partitions", std::move(partitions));
  return table;
}

}  // namespace

void set_missing_limit(Value& tree, const std::string& text, const RecordedWorkload& recorded) {
  Value rule;
  if (text == "run-time") {
    rule = Value(text);
  } else if (text.find('=') != std::string::npos) {
    rule = partitions_of(text, recorded);
  } else if (const auto factor = multiple_of(text)) {
    rule = Value::table();
    rule.set("factor", *factor);
  } else {
    rule = time_of(text);
  }
  apply_override(tree, "workload.missing_limit=" + toml_text(rule), std::string(kFlag) + " " + text);
}

Option skip_bad_flag(bool& value) {
  return flag("--skip-bad", value, "Leaves out lines of the trace that cannot be read, and says how many.");
}

void set_skip_bad(Value& tree, bool given) {
  if (!given) return;
  if (find_path(tree, "workload.trace") == nullptr)
    throw InputError({"--skip-bad", 0, "the scenario has no trace of which lines could be left out", "workload.trace"});
  set_value(tree, "workload.skip_bad", Value(true), "--skip-bad");
}

void report_skipped(const SkippedLines& skipped) {
  if (skipped.count == 0) return;
  report_warning(fmt::format("{} skipped:", counted(skipped.count, "bad line")));
  for (const std::string& complaint : skipped.first) report_note("  " + complaint);
  const std::int64_t more = skipped.count - std::ssize(skipped.first);
  if (more > 0) report_note(fmt::format("  and {} more", grouped(more)));
}

}  // namespace coslice::cli

#include "cli/frame/references.h"

#include <fmt/format.h>

#include "jobs/attributes.h"

namespace coslice::cli {
namespace {

/// Where a class stands: what it has, and how it says that something is not known.
enum class Of { kPolicy, kWhole, kLog, kSaid };

bool is_in(const Attribute& a, Of of) { return a.has(of == Of::kPolicy ? Attribute::kPolicy : Attribute::kSaid); }

bool may_be_absent(const Attribute& a, Of of) {
  if (of == Of::kSaid) return !a.has(Attribute::kRequired);
  const bool always = a.kind == Attribute::Kind::kCount || a.kind == Attribute::Kind::kInstant || a.name == "id" ||
                      a.has(Attribute::kRequired);
  return of == Of::kLog && !always;
}

std::string remark(const Attribute& a, Of of) {
  if (of == Of::kSaid) return a.absent.empty() ? "" : fmt::format("; default: {}", a.absent);
  const bool unknown = (a.low < 0 && a.name != "id") || (a.kind == Attribute::Kind::kSeconds && a.low == 0);
  if (of == Of::kLog || (!unknown && !a.is_text())) return "";
  return a.is_text() ? "; \"\" if unknown" : "; -1 if unknown";
}

std::string field(const Attribute& a, Of of) {
  const bool writes = of == Of::kSaid || of == Of::kLog;
  const bool memory = a.kind == Attribute::Kind::kKilobytes;
  const std::string unit = memory && writes     ? " (KB, or a text such as \"4 GB\")"
                           : unit_of(a).empty() ? ""
                                                : fmt::format(" ({})", unit_of(a));
  return fmt::format("---@field {}{} {}{} {}{}{}.\n", a.name, may_be_absent(a, of) ? "?" : "", script_type(a),
                     memory && writes ? "|string" : "", a.doc, unit, remark(a, of));
}

std::string definition(const char* doc, const char* name, Of of) {
  std::string out = fmt::format("\n---{}\n---@class coslice.{}\n", doc, name);
  for (const Attribute& a : kAttributes)
    if (is_in(a, of)) out += field(a, of);
  return out;
}

}  // namespace

std::string job_definitions() {
  return "---@meta\n-- What traces, scenarios and scripts say of jobs. Generated from the table of attributes in the "
         "engine by ./dev docs.\n" +
         definition("What policies know of a job from its trace.", "KnownAttributes", Of::kPolicy) +
         definition("A job with all that its trace says, also what no scheduler knows: as scripts see it that describe "
                    "machines and programs. Reading another field is an error.",
                    "WholeJob", Of::kWhole) +
         definition("A job of a log, as `job` of a job script sees it and gives it back. What the log does not say is "
                    "nil; also `limit`.",
                    "LoggedJob", Of::kLog) +
         definition("What a job that is written down may say.", "SaidAttributes", Of::kSaid);
}

}  // namespace coslice::cli

#include "cli/jobs/report_skipped.h"

#include <fmt/format.h>

#include "cli/frame/console.h"
#include "report/markup.h"

namespace coslice::cli {

void report_skipped(const SkippedLines& skipped) {
  if (skipped.count == 0) return;
  report_warning(fmt::format("{} skipped:", counted(skipped.count, "bad line")));
  for (const std::string& complaint : skipped.first) report_note("  " + complaint);
  const std::int64_t more = skipped.count - static_cast<std::int64_t>(skipped.first.size());
  if (more > 0) report_note(fmt::format("  and {} more", grouped(more)));
}

}  // namespace coslice::cli

#include "cli/frame/output_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/frame/console.h"
#include "core/error.h"
#include "report/charts/chart_svg.h"

namespace coslice::cli {

void require_absent(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return;
  throw InputError({path, 0, "already exists", "", "choose another name, or take the file away first"});
}

void require_page_name(const std::string& flag, const std::string& path) {
  if (std::filesystem::path(path).extension() == ".html") return;
  throw InputError({flag, 0, fmt::format("'{}' does not end in .html", path), "the name of a page",
                    fmt::format("try '{}.html'", path)});
}

void write_chart(const std::string& path, const Chart& chart) {
  write_new_file(path, [&](const std::string& temporary) {
    OutputFile file(temporary);
    write_chart_svg(chart, {}, sink_into(file));
    file.close();
  });
  report_note(fmt::format("wrote {}", path));
}

}  // namespace coslice::cli

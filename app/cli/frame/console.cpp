#include "cli/frame/console.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <CLI/Version.hpp>
#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "report/tables/terminal.h"
#include "scenario/build_info.h"
#include "scenario/versions_of_lua.h"

namespace coslice::cli {
namespace {

void write_line(std::string line) {
  std::fflush(stdout);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void report(std::string_view label, Tone tone, std::string_view message) {
  const std::string head = paint("coslice:", Tone::kBold, wants_colour(stderr));
  const std::string kind = paint(label, tone, wants_colour(stderr));
  write_line(fmt::format("{} {} {}", head, kind, printable(message)));
}

}  // namespace

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void finish_output() {
  errno = 0;
  const bool failed = std::ferror(stdout) != 0;
  if ((std::fflush(stdout) != 0 || failed) && errno != EPIPE) {
    throw SimulationError(fmt::format("standard output: cannot be written: {}", std::strerror(errno ? errno : EIO)));
  }
}

void report_error(std::string_view message) { report("error:", Tone::kBad, message); }
void report_warning(std::string_view message) { report("warning:", Tone::kWarning, message); }

void report_note(std::string_view message) { write_line(printable(message)); }

std::size_t text_width(std::FILE* stream) {
  return static_cast<std::size_t>(std::clamp(terminal_width(stream), 40, 100));
}

std::string rendered(const Table& table) {
  const bool fits = table.width() <= static_cast<std::size_t>(terminal_width(stdout));
  return table.render(fits ? TableStyle::kBox : TableStyle::kPlain, wants_colour(stdout));
}

std::string version_text() {
  std::string out = fmt::format("coslice {} ({})\n", program_version(), build_description());
  for (const Component& c : components())
    out += fmt::format("{:<14} {}\n", c.name, c.name == "Lua" ? lua_description() : c.version);
  return out + fmt::format("{:<14} {}\n", "CLI11", CLI11_VERSION);
}

}  // namespace coslice::cli

#include "report/tables/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "core/time.h"
#include "report/markup.h"

namespace coslice {
namespace {

struct CodeRange {
  char32_t first, last;
};

// The blocks that matter in names of people, files and policies; not all of Unicode's tables.
constexpr CodeRange kZeroWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
                                    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF},
                                    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
constexpr CodeRange kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},  {0x3400, 0x4DBF},
                               {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
                               {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F},
                               {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t n>
bool in_any(char32_t c, const CodeRange (&ranges)[n]) {
  return std::any_of(ranges, ranges + n, [c](CodeRange r) { return c >= r.first && c <= r.last; });
}

std::size_t width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (in_any(c, kZeroWidth)) return 0;
  return in_any(c, kWide) ? 2 : 1;
}

/// Bytes that the character beginning with `lead` should have; 1 for what cannot begin one.
std::size_t length_by_lead(unsigned char lead) {
  if (lead >= 0xF0 && lead < 0xF8) return 4;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xC0 && lead < 0xE0 ? 2 : 1;
}

/// Takes one character off the front of s.
char32_t take_character(std::string_view& s) {
  const auto lead = static_cast<unsigned char>(s[0]);
  const std::size_t length = length_by_lead(lead);
  char32_t c = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const bool follows = i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0u) == 0x80u;
    if (!follows) {
      s.remove_prefix(1);
      return '?';
    }
    c = (c << 6) | (static_cast<unsigned char>(s[i]) & 0x3Fu);
  }
  s.remove_prefix(length);
  return c;
}

constexpr const char* kEscapes[] = {"",         "\x1b[1m",  "\x1b[2m", "\x1b[32m",
                                    "\x1b[31m", "\x1b[33m", "\x1b[36m"};  // by Tone

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

std::size_t missing(std::string_view text, std::size_t width) {
  const std::size_t has = display_width(text);
  return has < width ? width - has : 0;
}

constexpr double kDelay = 1.0, kInterval = 0.1, kLineInterval = 10.0;  // s

double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string bar_of(double share, std::size_t columns) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(columns));
  return repeated("█", full) + repeated("░", columns - full);
}

double share_of(std::int64_t done, std::int64_t total) {
  return total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 0;
}

/// Whole seconds: tenths would flicker.
std::string time_left(double share, double elapsed, const char* before) {
  if (share <= 0) return "";
  const double s = std::min(elapsed * (1 - share) / share + 0.5, kMaxSeconds);
  return before + human_duration(whole_seconds(static_cast<std::int64_t>(s))) + " left";
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

int terminal_width(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int width = columns != nullptr ? std::atoi(columns) : 0;
  return width > 0 ? width : 80;
}

bool wants_colour(std::FILE* stream) {
  if (is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE")) return std::string_view(std::getenv("CLICOLOR_FORCE")) != "0";
  const char* term = std::getenv("TERM");
  return is_terminal(stream) && (term == nullptr || std::string_view(term) != "dumb");
}

std::string paint(std::string_view text, Tone tone, bool colour) {
  if (!colour || tone == Tone::kPlain) return std::string(text);
  return kEscapes[static_cast<std::size_t>(tone)] + std::string(text) + "\x1b[0m";
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  while (!utf8.empty()) width += width_of(take_character(utf8));
  return width;
}

std::string pad_right(std::string_view utf8, std::size_t width) {
  return std::string(utf8) + std::string(missing(utf8, width), ' ');
}

std::string pad_left(std::string_view utf8, std::size_t width) {
  return std::string(missing(utf8, width), ' ') + std::string(utf8);
}

std::string pad_both(std::string_view utf8, std::size_t width) {
  const std::size_t space = missing(utf8, width);
  return std::string(space / 2, ' ') + std::string(utf8) + std::string(space - space / 2, ' ');
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  const auto break_line = [&] {
    out += '\n';
    column = 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n') {
      break_line();
      ++i;
      if (i < text.size() && text[i] != '\n') out.append(column = indent, ' ');
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", i), text.size());
    const std::string_view word = text.substr(i, end - i);
    if (column > indent && column + 1 + display_width(word) > width) {
      break_line();
      out.append(column = indent, ' ');
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += display_width(word);
    i = end < text.size() && text[end] == ' ' ? end + 1 : end;
  }
  return out;
}

std::string repeated(std::string_view piece, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += piece;
  return out;
}

ProgressOptions progress_on_stderr() {
  ProgressOptions o;
  const char* const wish = std::getenv("COSLICE_PROGRESS");
  o.enabled = wish == nullptr || std::string_view(wish) != "off";
  o.lines = !is_terminal(stderr);
  o.sink = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  o.clock = host_seconds;
  o.width = terminal_width(stderr);
  o.colour = wants_colour(stderr);
  return o;
}

Progress::Progress(std::string label, std::string unit, ProgressOptions options)
    : label_(std::move(label)), unit_(std::move(unit)), options_(std::move(options)) {
  if (options_.enabled) start_ = last_ = options_.clock();
}

Progress::~Progress() {
  try {
    clear();
  } catch (...) {  // a bar that cannot be taken away is no reason to end the program
  }
}

void Progress::update(std::int64_t done, std::int64_t total) { update(done, total, share_of(done, total)); }

void Progress::update(std::int64_t done, std::int64_t total, double share) {
  if (!options_.enabled) return;
  const double now = options_.clock();
  if (options_.lines ? now - last_ < kLineInterval : now - start_ < kDelay || now - last_ < kInterval) return;
  last_ = now;
  if (options_.lines) return options_.sink(plain_line(done, total, share, now - start_));
  const std::string text = bar_line(done, total, share, now - start_);
  const std::size_t width = display_width(text);
  if (width + 1 > static_cast<std::size_t>(std::max(options_.width, 0))) return;
  const std::string wipe(drawn_ > width ? drawn_ - width : 0, ' ');
  options_.sink("\r" + paint(text, Tone::kAccent, options_.colour) + wipe);
  drawn_ = std::max(width, drawn_);
}

void Progress::clear() {
  if (drawn_ == 0) return;
  options_.sink("\r" + std::string(drawn_, ' ') + "\r");
  drawn_ = 0;
}

std::string Progress::plain_line(std::int64_t done, std::int64_t total, double share, double elapsed) const {
  return label_ + ": " + std::to_string(static_cast<int>(share * 100)) + " %, " + grouped(done) + " of " +
         grouped(total) + " " + unit_ + time_left(share, elapsed, ", ") + "\n";
}

std::string Progress::bar_line(std::int64_t done, std::int64_t total, double share, double elapsed) const {
  const std::string counts = pad_left(std::to_string(static_cast<int>(share * 100)), 4) + " %  " + grouped(done) +
                             " / " + grouped(total) + " " + unit_ + time_left(share, elapsed, "  ");
  const std::size_t used = display_width(label_) + display_width(counts) + 3;
  const auto width = static_cast<std::size_t>(std::max(options_.width, 0));
  const std::size_t columns = width > used ? std::min<std::size_t>(width - used, 40) : 0;
  return label_ + " " + bar_of(share, columns) + counts;
}

}  // namespace coslice

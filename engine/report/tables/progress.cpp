#include "report/tables/progress.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "core/time.h"
#include "report/number.h"
#include "report/tables/terminal.h"

namespace coslice {
namespace {

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

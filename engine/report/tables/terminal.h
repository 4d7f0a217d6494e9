// What the terminal can do, texts that fit it, and the progress of work that takes long. No escape code is made unless
// colour is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "output/output.h"

namespace coslice {

/// How a piece of text stands out.
enum class Tone { kPlain, kBold, kDim, kGood, kBad, kWarning, kAccent };

/// Returns whether the stream is a terminal.
bool is_terminal(std::FILE* stream);
/// Returns the columns of the terminal, else of $COLUMNS, else 80.
int terminal_width(std::FILE* stream);
/// Returns whether to colour: on a terminal that is not "dumb", unless $NO_COLOR is set to something (no-color.org);
/// $CLICOLOR_FORCE set to anything but 0 asks for it elsewhere too.
bool wants_colour(std::FILE* stream);

/// Returns the text in that tone, or as it is without colour.
std::string paint(std::string_view text, Tone tone, bool colour);

/// Returns the columns that UTF-8 text takes on a terminal: combining marks none, East Asian wide characters and emoji
/// two. Bytes that are not UTF-8 take one each.
std::size_t display_width(std::string_view utf8);
/// Returns the text padded with spaces to `width` columns; as it is if longer.
std::string pad_right(std::string_view utf8, std::size_t width);
std::string pad_left(std::string_view utf8, std::size_t width);
/// Returns the text padded on both sides, one more on the right.
std::string pad_both(std::string_view utf8, std::size_t width);
/// Returns the text broken into lines of at most `width` columns, each after the first with `indent` spaces in front.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);
/// Returns `piece` n times.
std::string repeated(std::string_view piece, std::size_t n);

/// How progress is shown.
struct ProgressOptions {
  bool enabled = false;           ///< off: nothing is ever written
  Sink sink;                      ///< where the bar is drawn
  std::function<double()> clock;  ///< seconds, from any start
  int width = 80;                 ///< columns of the terminal
  bool colour = false;
  bool lines = false;  ///< a line every ten seconds instead of the bar: there is no terminal
};

/// Returns the options for progress on stderr: the bar if that is a terminal, else lines. COSLICE_PROGRESS=off in the
/// environment turns it off.
ProgressOptions progress_on_stderr();

/// Progress of work that takes long: a bar at a terminal, a line now and then in a file or a pipe. Nothing in a result
/// depends on it, and it is the one place of the engine that reads the host's clock.
class Progress {
 public:
  /// Begins a bar. `label` stands before it, `unit` after the counts ("jobs").
  Progress(std::string label, std::string unit, ProgressOptions options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears the bar.
  ~Progress();
  /// Draws if a second has passed since the start and a tenth since the last drawing; a line if ten seconds have passed
  /// since the start or the last line. Cheap, but it reads the clock: call it every thousand events or so.
  void update(std::int64_t done, std::int64_t total);
  /// Shows `done` of `total`, where the part of the work that is done is `share` (0 to 1) instead of done / total.
  void update(std::int64_t done, std::int64_t total, double share);
  /// Clears the bar, so that other text can be written; a later update draws it again.
  void clear();

 private:
  std::string bar_line(std::int64_t done, std::int64_t total, double share, double elapsed) const;
  std::string plain_line(std::int64_t done, std::int64_t total, double share, double elapsed) const;

  std::string label_, unit_;
  ProgressOptions options_;
  double start_ = 0, last_ = 0;
  std::size_t drawn_ = 0;  ///< columns of what stands there now
};

}  // namespace coslice

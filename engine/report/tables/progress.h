// Progress of work that takes long: a bar at a terminal, a line now and then in a file or a pipe. Nothing in a result
// depends on it, and it is the one place of the engine that reads the host's clock.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "report/files/output.h"

namespace coslice {

struct ProgressOptions {
  bool enabled = false;           ///< off: nothing is ever written
  Sink sink;                      ///< where the bar is drawn
  std::function<double()> clock;  ///< seconds, from any start
  int width = 80;                 ///< columns of the terminal
  bool colour = false;
  bool lines = false;  ///< a line every ten seconds instead of the bar: there is no terminal
};

/// On stderr: the bar if that is a terminal, else lines. COSLICE_PROGRESS=off in the environment turns it off.
ProgressOptions progress_on_stderr();

class Progress {
 public:
  /// `label` stands before the bar, `unit` after the counts ("jobs").
  Progress(std::string label, std::string unit, ProgressOptions options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Takes the bar away.
  ~Progress();
  /// Draws if a second has passed since the start and a tenth since the last drawing; a line if ten seconds have passed
  /// since the start or the last line. Cheap, but it reads the clock: call it every thousand events or so.
  void update(std::int64_t done, std::int64_t total);
  /// The same where what is done is not the part `done / total` of the work, but `share` (0 to 1).
  void update(std::int64_t done, std::int64_t total, double share);
  /// Takes the bar away, so that other text can be written; a later update draws it again.
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

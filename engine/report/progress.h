// A progress bar for work that takes over a second. It is for a person at a terminal; nothing in a result depends on
// it, and it is the one place of the engine that reads the host's clock.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "report/output.h"

namespace coslice {

struct ProgressOptions {
  bool enabled = false;           ///< off: nothing is ever written
  Sink sink;                      ///< where the bar is drawn
  std::function<double()> clock;  ///< seconds, from any start
  int width = 80;                 ///< columns of the terminal
  bool colour = false;
};

/// The bar on stderr; enabled only if that is a terminal.
ProgressOptions progress_on_stderr();

class Progress {
 public:
  /// `label` stands before the bar, `unit` after the counts ("jobs").
  Progress(std::string label, std::string unit, ProgressOptions options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Takes the bar away.
  ~Progress();
  /// Draws if a second has passed since the start and a tenth since the last drawing. Cheap, but it reads the clock:
  /// call it every thousand events or so.
  void update(std::int64_t done, std::int64_t total);
  /// Takes the bar away, so that other text can be written; a later update draws it again.
  void clear();

 private:
  std::string line(std::int64_t done, std::int64_t total, double elapsed) const;

  std::string label_, unit_;
  ProgressOptions options_;
  double start_ = 0, last_ = 0;
  std::size_t drawn_ = 0;  ///< columns of what stands there now
};

}  // namespace coslice

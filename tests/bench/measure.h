// Whole programs measured from outside, beside a calibration loop: figures of different machines compare as ratios.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace coslice::bench {

/// What a program used up.
struct Usage {
  double cpu = 0;   ///< user and system time, s
  double peak = 0;  ///< largest resident memory, bytes
};

/// Runs a program on one processor and waits for it; what it prints is thrown away.
/// Throws std::runtime_error with its command line if it does not end with status 0.
Usage run_program(const std::vector<std::string>& command);

/// CPU seconds of the calibration loop: 24 million turns of an iterator in plain Lua, which take as long as
/// `python3 -c "sum(i*i for i in range(10**7))"` takes. Like that one it is an interpreter's work, done by a library
/// that this project does not compile.
double calibrate();

/// The calibration loop on the machine for which targets are written, s.
inline constexpr double kReferenceCalibration = 0.4;

/// A program's figures over some runs, a calibration before each.
struct Figures {
  double cpu = 0;                                                     ///< median, s
  double ratio = 0;                                                   ///< median of CPU time over calibration loop
  double peak = 0;                                                    ///< median, bytes
  double reference() const { return ratio * kReferenceCalibration; }  ///< CPU s on the reference machine
};

/// Measures each command `runs` times after a run that does not count, in turns: first command, second, ..., first.
/// `before` is called before each run, outside of what is measured.
std::vector<Figures> measure(const std::vector<std::vector<std::string>>& commands, int runs,
                             const std::function<void()>& before);

/// The middle value; of an even number the mean of the two.
double median(std::vector<double> values);

}  // namespace coslice::bench

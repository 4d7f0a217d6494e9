// What processors do over time, drawn: coslice gantt --processors.
#pragma once

#include <optional>
#include <string>

#include "core/time.h"
#include "scenario/scenario.h"

namespace coslice::cli {

struct ProcessorDrawing {
  std::string out;  ///< path of the .svg
  std::optional<std::string> title;
  std::optional<Time> from, to;  ///< absent: of the whole run
};

/// Simulates the scenario's first policy event by event and writes the drawing; says on standard error what it wrote.
/// Throws InputError if the policy does not coschedule processes, or the window is empty.
void draw_processors(Scenario scenario, const ProcessorDrawing& drawing);

}  // namespace coslice::cli

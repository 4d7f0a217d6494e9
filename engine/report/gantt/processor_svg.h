// A drawing of what processors do over time: computing, polling, blocked, switching.
#pragma once

#include <string>

#include "observers/pictures.h"
#include "observers/result.h"
#include "report/files/output.h"

namespace coslice {

struct ProcessorSvgOptions {
  std::string title;
  std::int32_t per_node = 1;  ///< processors of a node: a line divides nodes
};

/// The columns that a picture should have for this drawing.
inline constexpr std::int32_t kProcessorSvgColumns = 1768;

/// REQUIRES: the result has `processes`.
void write_processor_svg(const ProcessorPicture& picture, const RunResult& result, const ProcessorSvgOptions& options,
                         const Sink& sink);

}  // namespace coslice

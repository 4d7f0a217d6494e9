// Which format a trace has, by its first bytes, and its jobs whatever the format.
#pragma once

#include <string>
#include <string_view>

#include "workload/recorded.h"

namespace coslice {

enum class TraceFormat {
  kSwf,
  kSacct,  ///< what sacct --parsable2 prints
  kBatsim,
  kPhilly,
  kHelios,
  kElastisim,
};

/// The format that a text begins like; SWF where nothing tells.
TraceFormat trace_format(std::string_view head);
/// The same of a file, plain or gzip. Throws InputError if it cannot be read.
TraceFormat trace_format_of(const std::string& path);

/// The jobs of a trace in that format; `file` is its name in messages. Sizes of a dump of sacct are processors. Rules
/// and errors are those of the format's reader.
RecordedWorkload parse_trace(std::string text, const std::string& file, TraceFormat format);

}  // namespace coslice

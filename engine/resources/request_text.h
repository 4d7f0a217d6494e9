// A request in words, for people.
#pragma once

#include <string>

#include "resources/layout.h"
#include "resources/request.h"

namespace coslice {

/// "2 nodes with 4 cores, 2 GPUs and 10,240 MiB on each, of partition gpu".
std::string request_text(const Request& request, const MachineLayout& layout);

}  // namespace coslice

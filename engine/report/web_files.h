// The sources of pages, report/web/, built into the library.
#pragma once

#include <string_view>
#include <vector>

#include "core/embedded_file.h"

namespace coslice {

/// All of them, sorted by name: "web/gantt/page.html".
const std::vector<EmbeddedFile>& web_files();

/// The text of the one of that name. Precondition: it is there.
std::string_view web_file(std::string_view name);

}  // namespace coslice

// Pages put together from their sources in report/web/.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "report/files/output.h"
#include "report/markup.h"
#include "report/web_files.h"

namespace coslice {

/// What a content security policy names a page's own style and script by.
struct PageHashes {
  std::string style, script;
};

/// JSON inside a script element: no "</script>" and no "<!--" can stand in it.
std::string in_script(std::string_view json);
/// Writes a page with each {{name}} replaced. REQUIRES: `texts` has all names.
void fill_page(std::string_view page, const std::map<std::string_view, std::string>& texts, const Sink& sink);

}  // namespace coslice

// Text inside HTML and SVG, and pages put together from their sources, report/web/, which are built into the library.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "report/files/output.h"

namespace coslice {

/// The text in HTML, also in an attribute.
std::string in_html(std::string_view text);
/// The text in an SVG drawing, on one line: control characters are shown, not written.
std::string in_svg(std::string_view text);

/// Returns the sources of pages, report/web/, sorted by name: "web/gantt/page.html".
const std::vector<EmbeddedFile>& web_files();

/// Returns the text of the source of a page of that name. Precondition: it is there.
std::string_view web_file(std::string_view name);

/// What a content security policy names a page's own style and script by.
struct PageHashes {
  std::string style, script;
};

/// JSON inside a script element: no "</script>" and no "<!--" can stand in it.
std::string in_script(std::string_view json);
/// Writes a page with each {{name}} replaced. REQUIRES: `texts` has all names.
void fill_page(std::string_view page, const std::map<std::string_view, std::string>& texts, const Sink& sink);

}  // namespace coslice

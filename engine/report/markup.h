// Numbers and texts for people (files have exact ones), also inside HTML and SVG; and the sources of pages,
// report/web/, which are built into the library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "output/output.h"

namespace coslice {

/// Returns the number with a comma between groups of three digits: "1,234,567".
std::string grouped(std::int64_t n);
/// Returns the number with its noun, in the plural unless it is 1: "1 job", "1,234 jobs".
std::string counted(std::int64_t n, const std::string& thing);
/// Returns the number with that many decimals: "12,345.7". Halves are rounded as fmt does, to even.
std::string grouped(double x, int decimals);
/// Returns the number with about three digits: "0.05", "1.23", "12.3", then whole and grouped: "123", "12,346". "0" for
/// zero. What is not quite 0 or 1 has as many digits as it takes to show that: "0.0004", "1.002".
std::string readable(double x);
/// Returns what the last digit of readable(x) counts: 1 for "12,346", 0.01 for "1.23".
double readable_step(double x);
/// Returns a ratio with that many decimals, or as many as it takes, up to 9, so that it does not read 0 or 1 where it
/// is neither: "0.9996" for three.
std::string ratio(double x, int decimals);
/// Returns a share of one as "84.7 %", with more decimals where it would read 0 or 100 % and is neither: "99.97 %".
std::string percent(double share);

/// Returns the text escaped for HTML, also for attribute values.
std::string in_html(std::string_view text);
/// Returns the text escaped for SVG, on one line; control characters are replaced by visible escapes.
std::string in_svg(std::string_view text);

/// Returns the sources of pages, report/web/, sorted by name: "web/gantt/page.html".
const std::vector<EmbeddedFile>& web_files();

/// Returns the text of the page source `name`. Precondition: web_files() has it.
std::string_view web_file(std::string_view name);

/// Hashes by which a content security policy allows the style and the script of a page.
struct PageHashes {
  std::string style, script;
};

/// Returns the JSON escaped for a script element: it has neither "</script>" nor "<!--".
std::string in_script(std::string_view json);
/// Writes a page with each {{name}} replaced. Precondition: `texts` has all names.
void fill_page(std::string_view page, const std::map<std::string_view, std::string>& texts, const Sink& sink);

}  // namespace coslice

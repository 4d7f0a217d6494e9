// Text inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace coslice {

/// The text in HTML, also in an attribute.
std::string in_html(std::string_view text);
/// The text in an SVG drawing, on one line: control characters are shown, not written.
std::string in_svg(std::string_view text);

}  // namespace coslice

#include "report/markup.h"

#include "core/printable.h"

namespace coslice {

std::string in_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::string in_svg(std::string_view text) { return in_html(printable(text)); }

}  // namespace coslice

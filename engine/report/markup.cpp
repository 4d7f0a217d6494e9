#include "report/markup.h"

#include "core/text.h"
#include <stdexcept>

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

std::string_view web_file(std::string_view name) {
  for (const EmbeddedFile& file : web_files())
    if (file.name == name) return file.text;
  throw std::logic_error("not built in: " + std::string(name));
}

std::string in_script(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

void fill_page(std::string_view page, const std::map<std::string_view, std::string>& texts, const Sink& sink) {
  for (std::size_t at; (at = page.find("{{")) != std::string_view::npos;) {
    sink(page.substr(0, at));
    const std::size_t end = page.find("}}", at);
    sink(texts.at(page.substr(at + 2, end - at - 2)));
    page.remove_prefix(end + 2);
  }
  sink(page);
}

}  // namespace coslice

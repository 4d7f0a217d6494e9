#include "report/svg.h"

#include <fmt/format.h>

#include "report/markup.h"

namespace coslice {
namespace {

std::string attributes_of(std::string_view look) {
  return look.find('=') == look.npos ? fmt::format("class=\"{}\"", look) : std::string(look);
}

}  // namespace

std::string colour_class(std::size_t n) { return fmt::format("c{}", n % std::size(kJobColours)); }

std::string colour_rules(std::string_view property, bool dark, std::string_view selector) {
  std::string out;
  for (std::size_t i = 0; i < std::size(kJobColours); ++i)
    out += fmt::format("{}{}.c{} {{ {}: {} }}", i == 0 ? "" : " ", selector, i, property, kJobColours[i][dark ? 1 : 0]);
  return out;
}

void SvgWriter::begin(double width, double height, std::string_view title, std::string_view attributes) {
  add(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
                  "height=\"{1:.0f}\" role=\"img\"{2}>\n<title>{3}</title>\n",
                  width, height, attributes, in_svg(title)));
}

void SvgWriter::style(std::string_view rules) { add(fmt::format("<style>{}</style>\n", rules)); }

void SvgWriter::rect(double left, double top, double width, double height, std::string_view look) {
  add(fmt::format("<rect x=\"{0:.{4}f}\" y=\"{1:.{4}f}\" width=\"{2:.{4}f}\" height=\"{3:.{4}f}\" {5}/>\n", left, top,
                  width, height, decimals_, attributes_of(look)));
}

void SvgWriter::text(double x, double base, std::string_view look, std::string_view words) {
  add(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, base, attributes_of(look), in_svg(words)));
}

void SvgWriter::upright(double x, double middle, std::string_view look, std::string_view words) {
  add(fmt::format("<text transform=\"translate({} {:.1f}) rotate(-90)\" {}>{}</text>\n", x, middle, attributes_of(look),
                  in_svg(words)));
}

void SvgWriter::path(std::string_view d, std::string_view look) {
  add(fmt::format("<path d=\"{}\" {}/>\n", d, attributes_of(look)));
}

void SvgWriter::paths(const std::map<std::string, std::string>& by_class) {
  for (const auto& [name, d] : by_class) add(fmt::format("<path class=\"{}\" d=\"{}\"/>\n", name, d));
}

void SvgWriter::titled(std::string_view title) { add(fmt::format("<g><title>{}</title>\n", in_svg(title))); }

}  // namespace coslice

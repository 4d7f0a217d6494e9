// Drawings as SVG, element by element, and the colours of jobs in them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "output/output.h"

namespace coslice {

/// The width of a drawing of a machine over time, and what is left free beside its plot, for the names of rows.
inline constexpr double kSheetWidth = 960, kSheetLeft = 60, kSheetRight = 16;
inline constexpr double kSheetPlot = kSheetWidth - kSheetLeft - kSheetRight;
/// The width of a digit in such a drawing, about.
inline constexpr double kSheetDigit = 6.6;

/// The colours of jobs and classes, under a light and under a dark theme: as in report/web/gantt/colours.js.
inline constexpr const char* kJobColours[][2] = {{"#eda93a", "#f0bb5e"}, {"#4a97cf", "#58b0e6"}, {"#38479e", "#7a83dc"},
                                                 {"#2f9e85", "#3fb79b"}, {"#b0578d", "#d383b5"}, {"#8a6d3b", "#bfa06a"},
                                                 {"#c8553d", "#e8836b"}};

/// Returns the class that has the n-th colour, or that of n less a multiple of how many there are.
std::string colour_class(std::size_t n);
/// Returns the rules of a style sheet for these classes: ".c0 { fill: #eda93a } .c1 ...".
std::string colour_rules(std::string_view property, bool dark, std::string_view selector = "");
/// Rules of a style sheet for the texts of a drawing and its title.
inline constexpr const char* kTextRules = R"(
text { font: 12px system-ui, "Segoe UI", "Liberation Sans", Helvetica, Arial, sans-serif; fill: #5d6675 }
.title { font-weight: 600; font-size: 15px; fill: #1f2430 })";

/// Writes the elements of a drawing. The `look` of one is a class of the style sheet, or attributes as they stand in
/// it: "grid", `fill="#fff"`. Texts are escaped.
class SvgWriter {
 public:
  /// Coordinates of rectangles have so many decimals.
  explicit SvgWriter(BlockWriter& out, int decimals = 2) : out_(&out), decimals_(decimals) {}

  /// Begins a drawing, with attributes of its own.
  void begin(double width, double height, std::string_view title, std::string_view attributes = "");
  void style(std::string_view rules);
  void rect(double left, double top, double width, double height, std::string_view look);
  void text(double x, double base, std::string_view look, std::string_view words);
  /// A text from below to above, with its middle there.
  void upright(double x, double middle, std::string_view look, std::string_view words);
  void path(std::string_view d, std::string_view look);
  /// Paths by their classes: all of one look in one element, which takes a quarter of the bytes of one each.
  void paths(const std::map<std::string, std::string>& by_class);
  /// Begins what has one title under the pointer; add("</g>\n") ends it.
  void titled(std::string_view title);
  /// Adds markup as it is.
  void add(std::string_view markup) { out_->add(markup); }

 private:
  BlockWriter* out_;
  int decimals_;
};

}  // namespace coslice

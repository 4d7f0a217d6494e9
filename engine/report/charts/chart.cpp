#include "report/charts/chart.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coslice {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) {
  if (!std::isfinite(x)) return nullptr;
  if (x == std::round(x) && std::abs(x) < 1e15) return static_cast<std::int64_t>(x);
  return std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr);
}

constexpr const char* kUnitNames[] = {"number", "share", "time"};                 // by ChartUnit
constexpr const char* kLookNames[] = {"line", "steps", "area", "bars", "marks"};  // by ChartLook

Json of(const ChartAxis& a) {
  Json out = {{"label", a.label}, {"unit", kUnitNames[static_cast<std::size_t>(a.unit)]}};
  if (a.log) out["log"] = true;
  if (!a.names.empty()) out["names"] = a.names;
  if (!a.ticks.empty()) out["ticks"] = a.ticks;
  if (a.low) out["low"] = number(*a.low);
  if (a.high) out["high"] = number(*a.high);
  return out;
}

Json column(const ChartSeries& s, double ChartPoint::*field) {
  Json out = Json::array();
  for (const ChartPoint& p : s.points) out.push_back(number(p.*field));
  return out;
}

Json of(const ChartSeries& s) {
  Json out = {{"name", s.name}, {"look", kLookNames[static_cast<std::size_t>(s.look)]}};
  if (s.colour >= 0) out["colour"] = s.colour;
  if (s.faint) out["faint"] = true;
  out["x"] = column(s, &ChartPoint::x);
  out["y"] = column(s, &ChartPoint::y);
  for (const ChartPoint& p : s.points) {
    if (std::isnan(p.low)) continue;
    out["low"] = column(s, &ChartPoint::low);
    out["high"] = column(s, &ChartPoint::high);
    break;
  }
  return out;
}

}  // namespace

std::string charts_json(const std::vector<Chart>& charts) {
  Json out = Json::array();
  for (const Chart& c : charts) {
    Json series = Json::array();
    for (const ChartSeries& s : c.series) series.push_back(of(s));
    out.push_back(
        {{"name", c.name}, {"title", c.title}, {"note", c.note}, {"x", of(c.x)}, {"y", of(c.y)}, {"series", series}});
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace coslice

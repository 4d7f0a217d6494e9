#include "report/gantt_html.h"

#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "report/packing.h"
#include "report/web_files.h"

namespace coslice {
namespace {

using Json = nlohmann::ordered_json;

/// The page's scripts in the order in which they need one another.
constexpr const char* kScripts[] = {"model",      "units", "colours", "raster", "rectangles",
                                    "decoration", "queue", "details", "input",  "page"};

std::string script_text() {
  std::string out = "\"use strict\";\n";
  for (const char* name : kScripts) out += web_file("web/gantt/" + std::string(name) + ".js");
  return out;
}

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

/// JSON inside a script element: no "</script>" and no "<!--" can stand in it.
std::string in_script(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

std::string about(const GanttChart& chart, const GanttColumns& columns) {
  const auto ticks = [&](Duration d) { return d.count() / columns.tick; };
  Json out;
  out["title"] = gantt_title(chart);
  out["workload"] = chart.result->workload->name;
  out["policy"] = chart.options.policy;
  out["nodes"] = chart.result->machine.nodes;
  out["classes"] = chart.classes;
  out["sliced"] = !chart.slices.empty();
  out["tick"] = static_cast<double>(columns.tick) / 1e9;
  out["from"] = ticks(chart.from.time_since_epoch());
  out["to"] = ticks(chart.to.time_since_epoch());
  out["bound"] = to_seconds(chart.metrics->bound);
  out["columns"] = Json::parse(columns.directory);
  return in_script(out);
}

/// Writes the page with each {{name}} replaced.
void fill(std::string_view page, const std::map<std::string_view, std::string>& texts, const Sink& sink) {
  for (std::size_t at; (at = page.find("{{")) != std::string_view::npos;) {
    sink(page.substr(0, at));
    const std::size_t end = page.find("}}", at);
    sink(texts.at(page.substr(at + 2, end - at - 2)));
    page.remove_prefix(end + 2);
  }
  sink(page);
}

}  // namespace

std::string_view web_file(std::string_view name) {
  for (const EmbeddedFile& file : web_files())
    if (file.name == name) return file.text;
  throw std::logic_error("not built in: " + std::string(name));
}

void write_gantt_html(const GanttChart& chart, const Sink& sink) {
  const GanttColumns columns = gantt_columns(chart);
  const std::string style(web_file("web/gantt/page.css"));
  const std::string script = script_text();
  fill(web_file("web/gantt/page.html"),
       {{"style-hash", csp_hash(style)},
        {"script-hash", csp_hash(script)},
        {"title", in_html(gantt_title(chart))},
        {"program", in_html(chart.options.program)},
        {"style", style},
        {"about", about(chart, columns)},
        {"data", base64(gzip(columns.bytes))},
        {"script", script}},
       sink);
}

}  // namespace coslice

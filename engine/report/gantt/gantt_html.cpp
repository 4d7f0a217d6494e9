#include "report/gantt/gantt_html.h"

#include <nlohmann/json.hpp>

#include "report/gantt/packing.h"
#include "workload/trace_clock.h"

namespace coslice {
namespace {

using Json = nlohmann::ordered_json;

/// The page's scripts in the order in which they need one another.
constexpr const char* kScripts[] = {"model",      "units", "dates",   "colours", "raster", "rectangles",
                                    "decoration", "queue", "details", "input",   "page"};

std::string script_text() {
  std::string out = "\"use strict\";\n";
  for (const char* name : kScripts) out += web_file("web/gantt/" + std::string(name) + ".js");
  return out;
}

/// Kinds of nodes with the names of their nodes, where these are not the kind's name and a number.
Json kinds_in(const MachineLayout& layout) {
  constexpr std::int32_t kMostNames = 20'000;
  Json kinds = Json::array();
  for (const NodeKind& kind : layout.kinds) {
    Json one = {{"name", kind.name}, {"first", kind.first}, {"count", kind.count}};
    if (kind.gpus > 0) one["gpus"] = kind.gpus;
    if (!kind.names.empty() && layout.node_count() <= kMostNames) one["names"] = kind.names;
    kinds.push_back(std::move(one));
  }
  return kinds;
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
  if (const auto clock = trace_clock(chart.result->workload->header)) out["clock"] = clock->unix_at_0 + clock->offset;
  if (chart.result->power) out["powered"] = true;
  out["bound"] = to_seconds(chart.metrics->bound);
  if (names_kinds(chart.result->machine)) {
    const MachineLayout& layout = *chart.result->machine.layout;
    out["kinds"] = kinds_in(layout);
    Json partitions = Json::array();
    for (const Partition& p : layout.partitions) partitions.push_back(p.name);
    out["partitions"] = partitions;
  }
  out["columns"] = Json::parse(columns.directory);
  return in_script(out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

PageHashes gantt_hashes() { return {csp_hash(web_file("web/gantt/page.css")), csp_hash(script_text())}; }

void write_gantt_html(const GanttChart& chart, const Sink& sink) {
  const GanttColumns columns = gantt_columns(chart);
  const std::string style(web_file("web/gantt/page.css"));
  const std::string script = script_text();
  fill_page(web_file("web/gantt/page.html"),
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

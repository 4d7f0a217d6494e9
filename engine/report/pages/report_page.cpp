#include "report/pages/report_page.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "output/output.h"
#include "report/gantt/gantt_drawing.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

namespace coslice {
namespace {

std::string report_script() {
  std::string out = "\"use strict\";\n" + std::string(web_file("web/gantt/units.js"));
  for (const char* name : {"scale", "drawing", "chart", "campaign", "page"})
    out += web_file("web/report/" + std::string(name) + ".js");
  return out;
}

/// The parts of the page one after the other, and the links to them.
class ReportBody {
 public:
  explicit ReportBody(const ReportPage& page) : page_(page) {
    warnings();
    tiles();
    campaign();
    charts();
    for (const ReportTable& t : page.tables) table(t);
    gantts();
    sources();
  }

  std::string html() const { return html_; }
  std::string links() const { return links_; }

 private:
  void part(const std::string& id, const std::string& title) {
    if (!page_.wide) links_ += "<a href=\"#" + id + "\">" + in_html(title) + "</a>";
    html_ += "<h2 id=\"" + id + "\">" + in_html(title) + "</h2>\n";
  }

  void warnings() {
    for (const std::string& w : page_.warnings) html_ += "<p class=\"warning\" role=\"note\">" + in_html(w) + "</p>\n";
  }

  void tiles() {
    if (page_.tiles.empty()) return;
    html_ += "<ul class=\"tiles\">";
    for (const ReportTile& t : page_.tiles)
      html_ += std::string("<li><b") + size_of(t.value) + ">" + in_html(t.value) + "</b> <span>" + in_html(t.label) +
               "</span></li>";
    html_ += "</ul>\n";
  }

  /// A number is not broken: where it is long, it is smaller.
  static const char* size_of(const std::string& value) {
    const std::size_t letters = display_width(value);
    return letters > 14 ? " class=\"longer\"" : letters > 10 ? " class=\"long\"" : "";
  }

  void campaign() {
    if (page_.campaign.empty()) return;
    part("results", "Results");
    html_ += "<div class=\"choices\" id=\"campaign-choices\"></div>\n<div id=\"campaign-chart\"></div>\n"
             "<div class=\"scroll\" tabindex=\"0\"><table id=\"campaign-table\"></table></div>\n";
  }

  void charts() {
    if (page_.charts.empty()) return;
    part("charts", "Charts");
    html_ += "<div class=\"charts\" id=\"charts-box\"></div>\n";
  }

  void table(const ReportTable& t) {
    part("table-" + std::to_string(++tables_), t.title);
    html_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n";
    table_head(t);
    html_ += "<tbody>\n";
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const bool group = r > 0 && t.texts == 2 && t.columns.size() > 2 && t.rows[r][0] != t.rows[r - 1][0];
      html_ += group ? "<tr class=\"group\">" : "<tr>";
      for (std::size_t c = 0; c < t.rows[r].size(); ++c) cell(t.rows[r][c], c<t.texts, t.best.count({r, c})> 0);
      html_ += "</tr>\n";
    }
    html_ += "</tbody></table></div>\n";
    if (!t.note.empty()) html_ += "<p class=\"note\">" + in_html(t.note) + "</p>\n";
  }

  void table_head(const ReportTable& t) {
    if (std::ranges::all_of(t.columns, [](const std::string& c) { return c.empty(); })) return;
    html_ += "<thead><tr>";
    for (std::size_t c = 0; c < t.columns.size(); ++c)
      html_ +=
          (c < t.texts ? "<th class=\"text\" scope=\"col\">" : "<th scope=\"col\">") + in_html(t.columns[c]) + "</th>";
    html_ += "</tr></thead>\n";
  }

  void cell(const std::string& text, bool words, bool best) {
    html_ += !words ? "<td>" : text.size() > 40 ? "<td class=\"text long\">" : "<td class=\"text\">";
    html_ += (best ? "<strong>" + in_html(text) + "</strong>" : in_html(text)) + "</td>";
  }

  void gantts() {
    const bool any =
        std::ranges::any_of(page_.gantts, [](const ReportGantt& g) { return !g.page.empty() || !g.missing.empty(); });
    if (!any) return;
    part("nodes", "Nodes over time");
    for (std::size_t i = 0; i < page_.gantts.size(); ++i) gantt(page_.gantts[i], i);
    html_ += "<p class=\"note screen\">A click into the picture lets the wheel zoom; ? lists its keys.";
    if (page_.gantts.size() > 1) html_ += " All of them show the same time and hold on to the same job.";
    html_ += "</p>\n";
  }

  void gantt(const ReportGantt& g, std::size_t i) {
    html_ += "<figure class=\"gantt\">";
    if (!g.name.empty()) html_ += "<figcaption><h3>" + in_html(g.name) + "</h3></figcaption>";
    if (g.page.empty()) html_ += "<p class=\"note\">" + in_html(g.missing) + "</p>";
    else {
      const std::string what = "Which job had which node when" + (g.name.empty() ? "" : ", " + in_html(g.name));
      html_ += "<iframe class=\"gantt-frame\" data-from=\"gantt-data-" + std::to_string(i) + "\" title=\"" + what +
               "\"></iframe>";
      if (!g.drawing.empty())
        html_ +=
            "<img class=\"paper\" alt=\"" + what + "\" src=\"data:image/svg+xml;base64," + base64(g.drawing) + "\">";
    }
    html_ += "</figure>\n";
  }

  void sources() {
    if (page_.sources.empty()) return;
    part("sources", "Made from");
    for (const ReportSource& s : page_.sources)
      html_ += "<details><summary>" + in_html(s.name) + "</summary><pre tabindex=\"0\">" + in_html(s.text) +
               "</pre></details>\n";
  }

  const ReportPage& page_;
  std::string html_, links_;
  int tables_ = 0;
};

/// The frames' pages as JSON texts.
std::string framed(const std::vector<ReportGantt>& gantts) {
  std::string out;
  for (std::size_t i = 0; i < gantts.size(); ++i) {
    if (gantts[i].page.empty()) continue;
    const auto json = nlohmann::json(gantts[i].page).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out += "<script type=\"text/plain\" id=\"gantt-data-" + std::to_string(i) + "\">" + in_script(json) + "</script>\n";
  }
  return out;
}

}  // namespace

void write_report_page(const ReportPage& page, const Sink& sink) {
  const std::string style(web_file("web/report/page.css")), script = report_script();
  std::string styles = csp_hash(style), scripts = csp_hash(script);
  if (std::ranges::any_of(page.gantts, [](const ReportGantt& g) {
        return !g.page.empty();
      })) {  // a frame is bound by the policy of the page around it as well
    const PageHashes frame = gantt_hashes();
    styles += " " + frame.style;
    scripts += " " + frame.script;
  }
  const ReportBody body(page);
  fill_page(web_file("web/report/page.html"),
            {{"style-hashes", styles},
             {"script-hashes", scripts},
             {"title", in_html(page.title)},
             {"lead", in_html(page.lead)},
             {"links", body.links()},
             {"style", style},
             {"body", body.html()},
             {"foot", in_html(page.foot)},
             {"charts", in_script(charts_json(page.charts))},
             {"campaign", in_script(page.campaign)},
             {"class", page.wide ? "wide" : ""},
             {"gantts", framed(page.gantts)},
             {"script", script}},
            sink);
}

}  // namespace coslice

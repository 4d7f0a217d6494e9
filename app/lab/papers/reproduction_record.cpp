#include "lab/papers/reproduction_record.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace coslice {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kFormat = "coslice papers 1";

double rounded(double x, int digits) { return std::stod(fmt::format("{:.{}g}", x, digits)); }

OrderedJson number_or_null(const std::optional<double>& x, bool computed) {
  if (!x || !std::isfinite(*x)) return nullptr;
  return computed ? rounded(*x, 6) : *x;
}

OrderedJson json_of(const Row& r) {
  OrderedJson out = {{"quantity", r.quantity},
                     {"unit", r.unit},
                     {"published", number_or_null(r.published, false)},
                     {"obtained", number_or_null(r.obtained, true)},
                     {"low", number_or_null(r.interval ? std::optional(r.interval->low) : std::nullopt, true)},
                     {"high", number_or_null(r.interval ? std::optional(r.interval->high) : std::nullopt, true)},
                     {"seeds", r.seeds},
                     {"verdict", verdict_name(r.verdict)}};
  if (r.agrees) out["agrees"] = *r.agrees;
  if (r.basis != Basis::kFree) out["basis"] = basis_name(r.basis);
  if (r.band) out["band"] = {number_or_null(r.band->low, false), number_or_null(r.band->high, false)};
  if (!r.note.empty()) out["note"] = r.note;
  if (!r.evidence.empty()) out["evidence"] = r.evidence;
  if (!r.place) return out;
  const ChartPlace& p = *r.place;
  out["chart"] = {{"title", p.chart}, {"axis", p.axis}, {"at", p.at}, {"series", p.series}};
  if (p.x) out["chart"]["x"] = *p.x;
  return out;
}

std::string json_line(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// The object on one line, with a list of texts as its last member, an element a line.
std::string with_list(const OrderedJson& object, const char* name, const std::vector<std::string>& elements) {
  std::string out = json_line(object);
  out.back() = ',';
  out += fmt::format("\"{}\":[", name);
  for (std::size_t i = 0; i < elements.size(); ++i) out += (i > 0 ? ",\n" : "\n") + elements[i];
  return out + "]}";
}

std::string text_of(const ExperimentRecord& e) {
  std::vector<std::string> rows;
  for (const Row& r : e.rows) rows.push_back(json_line(json_of(r)));
  return with_list({{"label", e.result.label},
                    {"title", e.result.title},
                    {"command", e.command},
                    {"reduced", e.result.reduced},
                    {"seeds", e.result.seeds},
                    {"full_seeds", e.result.full_seeds},
                    {"runs", e.result.runs},
                    {"cpu_seconds", rounded(e.result.cpu_seconds, 2)}},
                   "rows", rows);
}

std::string text_of(const PaperRecord& p) {
  std::vector<std::string> experiments;
  for (const ExperimentRecord& e : p.experiments) experiments.push_back(text_of(e));
  return with_list({{"paper", p.paper},
                    {"title", p.title},
                    {"command", p.command},
                    {"full_command", p.full_command},
                    {"runs", p.runs},
                    {"cpu_seconds", rounded(p.cpu_seconds, 2)}},
                   "experiments", experiments);
}

std::optional<double> number_in(const OrderedJson& at) {
  return at.is_null() ? std::nullopt : std::optional(at.get<double>());
}

/// What no run would have written.
struct ChangedByHand {
  std::string what;
};

[[noreturn]] void fail_at_row(const Row& r, const std::string& problem) {
  throw ChangedByHand{fmt::format("{}, {}, {}: {}", r.paper, r.experiment, r.quantity, problem)};
}

Verdict verdict_of(const std::string& name, const Row& r) {
  for (const Verdict v : {Verdict::kMet, Verdict::kMissed, Verdict::kRefuted, Verdict::kIndicative, Verdict::kSkipped,
                          Verdict::kUnpublished})
    if (name == verdict_name(v)) return v;
  fail_at_row(r, "there is no verdict '" + name + "'");
}

Basis basis_of(const std::string& name, const Row& r) {
  for (const Basis b : {Basis::kFitted, Basis::kGiven, Basis::kFree})
    if (name == basis_name(b)) return b;
  fail_at_row(r, "there is no basis '" + name + "'");
}

/// The band, wider (`sign` 1) or narrower (-1) by what rounding to six digits may move a figure.
Band about(const Band& band, int sign) {
  const auto by = [&](double end) { return sign * (1e-5 * std::abs(end) + 1e-12); };
  Band wider = band;
  if (band.low) wider.low = *band.low - by(*band.low);
  if (band.high) wider.high = *band.high + by(*band.high);
  return wider;
}

/// A verdict that was changed by hand, or a figure under it, should not get onto a page.
void check_verdict(const Row& r) {
  if (r.agrees && r.published && r.interval) {
    const Band interval{r.interval->low, r.interval->high};
    if (about(interval, *r.agrees ? 1 : -1).holds(*r.published) != *r.agrees)
      fail_at_row(r, fmt::format("'agrees' is {}, which is not what the interval says", *r.agrees));
  }
  const bool met = r.verdict == Verdict::kMet;
  if (!met && r.verdict != Verdict::kMissed && r.verdict != Verdict::kRefuted) return;
  if ((!r.band && !r.published) || !r.obtained) fail_at_row(r, "has a verdict, but no band, no number or no figure");
  if (r.is_number()) {  // figures of a record are rounded: at the edge of the rule either will do
    const bool could = is_reproduced(*r.published, *r.obtained * (1 + 1e-5), r.interval) ||
                       is_reproduced(*r.published, *r.obtained * (1 - 1e-5), r.interval) ||
                       is_reproduced(*r.published, *r.obtained, r.interval);
    if (met && !could) fail_at_row(r, fmt::format("is called met, which is not what the rule says of {}", *r.obtained));
    if (!met && is_reproduced(*r.published, *r.obtained, r.interval))
      fail_at_row(
          r, fmt::format("is called {}, which is not what the rule says of {}", verdict_name(r.verdict), *r.obtained));
    return;
  }
  if (about(*r.band, met ? 1 : -1).holds(*r.obtained) != met)
    fail_at_row(
        r, fmt::format("is called {}, which is not what the band says of {}", verdict_name(r.verdict), *r.obtained));
}

Row row_of(const OrderedJson& json, const std::string& paper, const std::string& experiment) {
  Row r;
  r.paper = paper;
  r.experiment = experiment;
  r.quantity = json.at("quantity");
  r.unit = json.at("unit");
  r.published = number_in(json.at("published"));
  r.obtained = number_in(json.at("obtained"));
  if (!json.at("low").is_null()) r.interval = Interval{json.at("low"), json.at("high")};
  r.seeds = json.at("seeds");
  r.verdict = verdict_of(json.at("verdict"), r);
  if (json.contains("agrees")) r.agrees = json["agrees"].get<bool>();
  r.basis = basis_of(json.value("basis", ""), r);
  if (json.contains("band")) r.band = Band{number_in(json["band"].at(0)), number_in(json["band"].at(1))};
  r.note = json.value("note", "");
  r.evidence = json.value("evidence", "");
  check_verdict(r);
  if (!json.contains("chart")) return r;
  const OrderedJson& at = json["chart"];
  r.place = ChartPlace{at.at("title"), at.at("axis"), at.at("at"), std::nullopt, at.at("series")};
  if (at.contains("x")) r.place->x = at["x"].get<double>();
  return r;
}

ExperimentRecord experiment_of(const OrderedJson& json, const std::string& paper) {
  ExperimentRecord e;
  e.command = json.at("command");
  e.result = {json.at("label"),      json.at("title"), json.at("reduced"),    json.at("seeds"),
              json.at("full_seeds"), json.at("runs"),  json.at("cpu_seconds")};
  for (const OrderedJson& row : json.at("rows")) e.rows.push_back(row_of(row, paper, e.result.label));
  return e;
}

PaperRecord paper_of(const OrderedJson& json) {
  PaperRecord p;
  p.paper = json.at("paper");
  p.title = json.at("title");
  p.command = json.at("command");
  p.full_command = json.at("full_command");
  p.runs = json.at("runs");
  p.cpu_seconds = json.at("cpu_seconds");
  for (const OrderedJson& e : json.at("experiments")) p.experiments.push_back(experiment_of(e, p.paper));
  return p;
}

}  // namespace

std::string record_json(const std::vector<PaperRecord>& papers) {
  std::vector<std::string> parts;
  for (const PaperRecord& p : papers) parts.push_back(text_of(p));
  return with_list({{"format", kFormat}}, "papers", parts) + "\n";
}

std::vector<PaperRecord> record_from_json(const std::string& text, const std::string& name) {
  const std::string expected = "what `coslice reproduce --write` puts beside its page";
  try {
    const OrderedJson json = OrderedJson::parse(text);
    if (json.at("format") != kFormat)
      throw InputError({name, 0, "is of the format '" + json.at("format").get<std::string>() + "'", kFormat});
    std::vector<PaperRecord> papers;
    for (const OrderedJson& p : json.at("papers")) papers.push_back(paper_of(p));
    return papers;
  } catch (const ChangedByHand& e) {
    throw InputError({name, 0, e.what, "what runs wrote there: a record is not to be edited"});
  } catch (const nlohmann::json::exception& e) {
    throw InputError({name, 0, fmt::format("is not a record of papers: {}", e.what()), expected});
  }
}

}  // namespace coslice

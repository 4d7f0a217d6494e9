#include "lab/papers/reproduction_record.h"

#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/record_json.h"

namespace coslice {
namespace {

const RecordFormat kPapersFormat{"coslice papers 1", "a record of papers",
                                 "what `coslice reproduce --write` puts beside its page"};

constexpr std::int64_t kMostRunsOnRecord = 1'000'000'000'000;
constexpr int kDigits = 6, kSecondsDigits = 2;  // of numbers that were computed, of seconds

/// One end of the 95 % interval; both are there, or none.
Codec<Row> end_of_interval(double Interval::*end) {
  return codec::nullable(Codec<Row>{"a number",
                                    [=](Row& r, const Value& v, const std::string& p) {
                                      Interval& interval = r.interval ? *r.interval : r.interval.emplace();
                                      interval.*end = codec::read_real(v, p, "a number", {-1.7e308, 1.7e308});
                                    },
                                    [=](const Row& r) -> std::optional<Value> {
                                      if (!r.interval || !std::isfinite((*r.interval).*end)) return std::nullopt;
                                      return Value(codec::with_digits((*r.interval).*end, kDigits));
                                    }});
}

/// [low, high], with null for an open end.
Codec<Row> band_of_row() {
  const std::string words = "[low, high]";
  const auto end = [](const std::optional<double>& x) { return x ? Value(*x) : Value(); };
  const auto read_end = [](const Value& v, const std::string& p) {
    return v.is_nil() ? std::nullopt : std::optional(codec::read_real(v, p, "a number", {-1.7e308, 1.7e308}));
  };
  return {words,
          [=](Row& r, const Value& v, const std::string& p) {
            if (!v.list() || v.list()->size() != 2) codec::wrong(v, p, words);
            r.band = Band{read_end((*v.list())[0], p + "[1]"), read_end((*v.list())[1], p + "[2]")};
          },
          codec::writer<Row>(COSLICE_FIELD(Row, band), [=](const Band& b) {
            return Value::List{end(b.low), end(b.high)};
          })};
}

template <class E>
std::vector<std::string> names_of(std::initializer_list<E> all, const char* (*name)(E)) {
  std::vector<std::string> names;
  for (const E e : all) names.emplace_back(name(e));  // in the order of the enumeration, as codec::choice wants them
  return names;
}

#define FIELD(member) COSLICE_FIELD(ChartPlace, member)
std::vector<Key<ChartPlace>> chart_keys() {
  using S = ChartPlace;
  using codec::any_text;
  return {{"title", any_text<S>(FIELD(chart)), "", true}, {"axis", any_text<S>(FIELD(axis)), "", true},
          {"at", any_text<S>(FIELD(at)), "", true},       {"series", any_text<S>(FIELD(series)), "", true},
          {"drawn", codec::flag<S>(FIELD(drawn)), ""},    {"x", codec::number<S>(FIELD(x)), ""}};
}
#undef FIELD

#define FIELD(member) COSLICE_FIELD(Row, member)
std::vector<Key<Row>> row_keys() {
  using S = Row;
  using codec::nullable, codec::number, codec::any_text;
  const auto verdicts = names_of({Verdict::kMet, Verdict::kMissed, Verdict::kRefuted, Verdict::kIndicative,
                                  Verdict::kSkipped, Verdict::kUnpublished},
                                 verdict_name);
  const auto bases = names_of({Basis::kFree, Basis::kFitted, Basis::kGiven}, basis_name);
  return {{"quantity", any_text<S>(FIELD(quantity)), "", true},
          {"unit", any_text<S>(FIELD(unit)), "", true},
          {"published", nullable(number<S>(FIELD(published))), "", true},
          {"obtained", nullable(number<S>(FIELD(obtained), kDigits)), "", true},
          {"low", end_of_interval(&Interval::low), "", true},
          {"high", end_of_interval(&Interval::high), "", true},
          {"seeds", codec::integer<S>(FIELD(seeds), 0, INT32_MAX), "", true},
          {"verdict", codec::choice<S>(FIELD(verdict), verdicts), "", true},
          {"agrees", codec::flag<S>(FIELD(agrees)), ""},
          {"basis",
           codec::where<S>([](const Row& r) { return r.basis != Basis::kFree; }, codec::choice<S>(FIELD(basis), bases)),
           ""},
          {"band", band_of_row(), ""},
          {"note", codec::text<S>(FIELD(note)), ""},
          {"evidence", codec::text<S>(FIELD(evidence)), ""},
          {"chart", codec::table_of<S>(FIELD(place), chart_keys()), ""}};
}
#undef FIELD

#define FIELD(member) COSLICE_FIELD(ExperimentRecord, member)
std::vector<Key<ExperimentRecord>> experiment_keys() {
  using S = ExperimentRecord;
  using codec::any_text, codec::integer;
  return {{"label", any_text<S>(FIELD(result.label)), "", true},
          {"title", any_text<S>(FIELD(result.title)), "", true},
          {"command", any_text<S>(FIELD(command)), "", true},
          {"reduced", any_text<S>(FIELD(result.reduced)), "", true},
          {"seeds", integer<S>(FIELD(result.seeds), 0, INT32_MAX), "", true},
          {"full_seeds", integer<S>(FIELD(result.full_seeds), 0, INT32_MAX), "", true},
          {"runs", integer<S>(FIELD(result.runs), 0, kMostRunsOnRecord), "", true},
          {"cpu_seconds", codec::number<S>(FIELD(result.cpu_seconds), kSecondsDigits), "", true},
          {"rows", codec::records<S>(FIELD(rows), row_keys()), "", true}};
}
#undef FIELD

#define FIELD(member) COSLICE_FIELD(PaperRecord, member)
std::vector<Key<PaperRecord>> paper_keys() {
  using S = PaperRecord;
  using codec::any_text;
  return {{"paper", any_text<S>(FIELD(paper)), "", true},
          {"title", any_text<S>(FIELD(title)), "", true},
          {"command", any_text<S>(FIELD(command)), "", true},
          {"full_command", any_text<S>(FIELD(full_command)), "", true},
          {"runs", codec::integer<S>(FIELD(runs), 0, kMostRunsOnRecord), "", true},
          {"cpu_seconds", codec::number<S>(FIELD(cpu_seconds), kSecondsDigits), "", true},
          {"experiments", codec::records<S>(FIELD(experiments), experiment_keys()), "", true}};
}
#undef FIELD

/// All that a file holds.
struct Papers {
  std::vector<PaperRecord> papers;
};

const std::vector<Key<Papers>>& file_keys() {
  static const std::vector<Key<Papers>> keys = {
      {"papers", codec::records<Papers>(COSLICE_FIELD(Papers, papers), paper_keys()), "", true}};
  return keys;
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
void check_verdict(const Row& r, const std::string& file) {
  const auto fail = [&](const std::string& problem) {
    throw InputError({file, 0, fmt::format("{}, {}, {}: {}", r.paper, r.experiment, r.quantity, problem),
                      "what runs wrote there: a record is not to be edited"});
  };
  if (r.agrees && r.published && r.interval) {
    const Band interval{r.interval->low, r.interval->high};
    if (about(interval, *r.agrees ? 1 : -1).holds(*r.published) != *r.agrees)
      fail(fmt::format("'agrees' is {}, which is not what the interval says", *r.agrees));
  }
  const bool met = r.verdict == Verdict::kMet;
  if (!met && r.verdict != Verdict::kMissed && r.verdict != Verdict::kRefuted) return;
  if ((!r.band && !r.published) || !r.obtained) fail("has a verdict, but no band, no number or no figure");
  if (r.is_number()) {  // figures of a record are rounded: at the edge of the rule either will do
    const bool could = is_reproduced(*r.published, *r.obtained * (1 + 1e-5), r.interval) ||
                       is_reproduced(*r.published, *r.obtained * (1 - 1e-5), r.interval) ||
                       is_reproduced(*r.published, *r.obtained, r.interval);
    if (met && !could) fail(fmt::format("is called met, which is not what the rule says of {}", *r.obtained));
    if (!met && is_reproduced(*r.published, *r.obtained, r.interval))
      fail(fmt::format("is called {}, which is not what the rule says of {}", verdict_name(r.verdict), *r.obtained));
    return;
  }
  if (about(*r.band, met ? 1 : -1).holds(*r.obtained) != met)
    fail(fmt::format("is called {}, which is not what the band says of {}", verdict_name(r.verdict), *r.obtained));
}

}  // namespace

std::string record_of_papers(const std::vector<PaperRecord>& papers) {
  return record_json(kPapersFormat, write_record(file_keys(), Papers{papers}));
}

std::vector<PaperRecord> papers_of_record(const std::string& text, const std::string& name) {
  std::vector<PaperRecord> papers = record_from_json(kPapersFormat, file_keys(), text, name).papers;
  for (PaperRecord& p : papers)
    for (ExperimentRecord& e : p.experiments)
      for (Row& r : e.rows) {
        r.paper = p.paper;
        r.experiment = e.result.label;
        check_verdict(r, name);
      }
  return papers;
}

}  // namespace coslice

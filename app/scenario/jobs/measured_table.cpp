#include "scenario/jobs/measured_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace coslice {
namespace {

#define MEASURED(member) COSLICE_FIELD(MeasuredSpec, member)

Codec<MeasuredSpec> where_codec() {
  const std::string words = "a table of columns and the texts or whole numbers that they have";
  return {words,
          [=](MeasuredSpec& s, const Value& v, const std::string& path) {
            if (!v.is_table()) codec::wrong(v, path, words);
            for (const Member& m : *v.members()) {
              if (m.value.integer() != nullptr) s.columns.where[m.key] = std::to_string(*m.value.integer());
              else s.columns.where[m.key] = codec::read_text(m.value, path + "." + m.key, words);
            }
          },
          {}};
}

const std::vector<Key<MeasuredSpec>>& measured_keys() {
  using T = MeasuredSpec;
  static const std::vector<Key<T>> keys = {
      {"pairs", codec::path<T>(MEASURED(pairs)), "", true},
      {"single", codec::path<T>(MEASURED(single)), ""},
      {"configuration", codec::texts<T>(MEASURED(columns.configuration)), ""},
      {"speed", codec::text<T>(MEASURED(columns.speed)), ""},
      {"gpu", codec::text<T>(MEASURED(columns.gpu)), ""},
      {"single_configuration", codec::texts<T>(MEASURED(columns.single)), ""},
      {"where", where_codec(), ""},
      {"rate", codec::text<T>(MEASURED(columns.rate)), ""},
      {"rates_only_alone", codec::flag<T>(MEASURED(columns.rates_only_alone)), ""},
      {"reference", codec::text<T>(MEASURED(reference)), ""},
  };
  return keys;
}

double factor(double speed) { return 1 / std::max(speed, PairEstimate::kLeast); }

/// How much longer a job runs on that kind of GPU than on the reference.
double factor_alone(const GpuMeasurements& gpu, const GpuMeasurements* reference, std::uint32_t configuration) {
  if (reference == nullptr || configuration >= gpu.rates.size()) return 1;
  const double there = reference->rates[configuration], here = gpu.rates[configuration];
  return there > 0 ? factor(here / there) : 1;
}

const GpuMeasurements* reference_of(const MeasuredPairs& measured, const MeasuredSpec& spec) {
  if (spec.reference.empty()) return nullptr;
  std::vector<std::string> names;
  for (const GpuMeasurements& g : measured.gpus()) {
    if (g.gpu == spec.reference) return &g;
    names.push_back(g.gpu);
  }
  fail_at(spec.place, fmt::format("no GPU of kind '{}' was measured", spec.reference), codec::choice_words(names),
          did_you_mean(spec.reference, names));
}

}  // namespace

MeasuredSpec read_measured_spec(const Value& v, const std::string& path) {
  MeasuredSpec spec;
  spec.place = v.place;
  read_record(measured_keys(), spec, v, path);
  const auto needs_single = [&](const char* key, bool said) {
    if (said && spec.single.empty())
      fail_at(v.place, fmt::format("{}.{} is about single configurations, and there is no file of them", path, key),
              path + ".single");
  };
  needs_single("single_configuration", !spec.columns.single.empty());
  needs_single("where", !spec.columns.where.empty());
  needs_single("rate", !spec.columns.rate.empty());
  if (spec.columns.rate.empty() && (!spec.reference.empty() || spec.columns.rates_only_alone))
    fail_at(v.place,
            fmt::format("{} says {} and no column of rates", path,
                        spec.reference.empty() ? "rates_only_alone" : "a reference"),
            path + ".rate");
  if (!spec.columns.single.empty() && !spec.columns.configuration.empty() &&
      spec.columns.single.size() != spec.columns.configuration.size())
    fail_at(v.place,
            fmt::format("{}.single_configuration has {} columns and configuration {}", path, spec.columns.single.size(),
                        spec.columns.configuration.size()),
            "as many");
  return spec;
}

MeasuredFactors measured_factors(const MeasuredPairs& measured, const MeasuredSpec& spec,
                                 const std::vector<std::string>& classes, const SaidBeside& said) {
  const GpuMeasurements* const reference = reference_of(measured, spec);
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : classes) numbers.push_back(measured.number(name));
  numbers.push_back(static_cast<std::uint32_t>(measured.configurations().size()));
  const std::size_t n = numbers.size();
  MeasuredFactors out;
  for (const GpuMeasurements& g : measured.gpus()) {
    if (g.pairs.empty())
      throw InputError({spec.pairs, 0, fmt::format("has no pair on GPUs of kind '{}'", g.gpu),
                        "pairs on each kind of GPU of the single configurations"});
    const PairEstimate estimate(g.pairs, g.profiles);
    const KnownPairs known(g.pairs);
    MeasuredSlowdowns::Gpu truth, guess;
    for (std::size_t a = 0; a != n; ++a) {
      truth.alone.push_back(factor_alone(g, reference, numbers[a]));
      for (std::size_t b = 0; b != n; ++b) {
        const std::optional<double> fixed = said(a, b);
        guess.beside.push_back(fixed ? *fixed : factor(estimate.speed(numbers[a], numbers[b])));
        const auto pair = fixed ? std::nullopt : known.find(numbers[a], numbers[b]);
        truth.beside.push_back(pair ? factor(pair->speed_a) : guess.beside.back());
        if (a == b) {
          guess.second.push_back(guess.beside.back());
          truth.second.push_back(pair ? factor(pair->speed_b) : truth.beside.back());
        }
      }
    }
    guess.alone = truth.alone;
    out.gpus.push_back(g.gpu);
    out.truth.push_back(std::move(truth));
    out.estimate.push_back(std::move(guess));
  }
  return out;
}

std::vector<std::size_t> measured_kinds(const std::vector<std::string>& measured, const std::vector<std::string>& types,
                                        const std::string& file) {
  std::vector<std::size_t> kinds;
  for (const std::string& type : types) {
    const auto same = [&](const std::string& name) { return lower_case(name) == lower_case(type); };
    const auto at = std::find_if(measured.begin(), measured.end(), same);
    if (at == measured.end() && measured.size() > 1)
      throw InputError({file, 0,
                        fmt::format("the machine has GPUs of type '{}', and on these nothing was measured", type),
                        codec::choice_words(measured), did_you_mean(type, measured)});
    kinds.push_back(at == measured.end() ? 0 : static_cast<std::size_t>(at - measured.begin()));
  }
  return kinds;
}

}  // namespace coslice

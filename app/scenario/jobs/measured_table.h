// The part of a file of slowdowns that names measurements of pairs: docs/formats.md says what stands in it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/codec.h"
#include "formats/measured_pairs.h"
#include "jobs/slowdown.h"

namespace coslice {

/// [measured].
struct MeasuredSpec {
  std::string pairs, single;  ///< paths of CSV files; single "": there is none
  PairColumns columns;
  std::string reference;  ///< kind of GPU on which run times are those of jobs alone; "": of that on which they run
  Place place{};
};

/// Reads a scenario's table [measured]. Throws InputError.
MeasuredSpec read_measured_spec(const Value& v, const std::string& path);

/// How much slower jobs run beside one another, for each kind of GPU: by what was measured and, where that is nothing,
/// by the estimate; and by the estimate alone.
struct MeasuredFactors {
  std::vector<std::string> gpus;  ///< their names; one "" where there is only one
  std::vector<MeasuredSlowdowns::Gpu> truth, estimate;
};

/// A slowdown that is said for a class beside another one, instead of what was measured; by their numbers.
using SaidBeside = std::function<std::optional<double>(std::size_t of, std::size_t beside)>;

/// Returns the measured factors for classes of these names, and for a last one that is no configuration. Throws
/// InputError.
MeasuredFactors measured_factors(const MeasuredPairs& measured, const MeasuredSpec& spec,
                                 const std::vector<std::string>& classes, const SaidBeside& said);

/// Returns which of the measured kinds each type of GPU of a machine is; by the names, upper and lower case being the
/// same. Throws InputError for one that was not measured, where several were; `file` is the file of slowdowns.
std::vector<std::size_t> measured_kinds(const std::vector<std::string>& measured, const std::vector<std::string>& types,
                                        const std::string& file);

}  // namespace coslice

// What of the runs of several variants can be compared.
#pragma once

#include <map>

#include "lab/compare/compare.h"

namespace coslice {

/// Leaves the runs that all variants have, and fills `made`, `conditions`, `refused` and what is to be said of it.
void keep_common_runs(VariantComparison& comparison);

/// Leaves one of several seeds that give the same runs of all variants, because nothing is drawn, with a note.
void drop_repeated_seeds(VariantComparison& comparison);

/// Returns for each seed of the variants the smallest one with which all of them gave the same runs: these are one.
std::map<std::int64_t, std::int64_t> alike_seeds(const std::vector<const Variant*>& variants);

/// Returns the seeds of its runs.
std::set<std::int64_t> seeds_of(const Variant& variant);

/// Whether the nodes of the runs differ in what they are or how many there are.
bool on_other_machines(const Variant& a, const Variant& b);

/// Returns a sentence on seeds that give the same runs as others.
std::string repeated_text(std::size_t seeds, std::size_t repeated, Unit unit);

/// How many runs failed, of which variants, and what becomes of the others: the first that is to be said; "" if none.
std::string failures_text(const std::vector<MadeRuns>& made);
std::string failures_text(const std::vector<VariantComparison>& comparisons);

}  // namespace coslice

// Arrays: many jobs that are alike, of which a limited number may be started at the same time.
//
// A job says its array in one of two ways (the attribute `array`): "1-10%3", in Slurm's notation (sbatch --array), is an
// array that is still to be made into jobs; "1234_7%3" is its element 7 of the array 1234.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "workload/workload.h"

namespace coslice {

/// An element of an array.
struct ArrayElement {
  std::int64_t array = -1;
  std::int64_t index = -1;
  std::int64_t limit = 0;  ///< so many of the array may wait or run at the same time; 0: any number
};

/// The indices of "1-10%3" or "0,3,8-20:4", in growing order. Throws InputError without a place for a text that is none.
std::vector<std::int64_t> array_indices(const std::string& text);

/// What the job is of an array; nothing if it is no element. Throws InputError without a place if its text is none.
std::optional<ArrayElement> array_element(const Job& job);
/// How many jobs the job stands for: 1 unless its array is still to be made. Throws as array_element.
std::int64_t array_size(const Job& job);

/// Puts the elements of each array in the place of the job that says it. The first one keeps its number, which is the
/// array's; the others get numbers above all there are. Throws InputError for a text that is none, and if there would be
/// more than ten million jobs.
void expand_arrays(Workload& workload);

}  // namespace coslice

// Arrays of which only some elements may run at the same time. Slurm's backfill scheduler plans the others, too; a
// trace says of each element only that it waits for one of them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "formats/sacct.h"

namespace coslice::slurm {

class ArraySurvey {
 public:
  /// Takes the bytes of a dump of sacct, in any blocks.
  void take(std::string_view block);
  /// Returns the number of elements of each array that has a limit, by the number of the array.
  std::map<std::int64_t, std::int64_t> limited() const;

 private:
  void take_line(std::string_view line);

  std::string rest_;      ///< the beginning of a line
  char delimiter_ = 0;    ///< 0: the header is still to come
  std::size_t id_ = 0;    ///< column JobID
  std::size_t line_ = 0;  ///< column SubmitLine; as `id_` where there is none
  SacctArrayLimits limits_;
  std::map<std::int64_t, std::set<std::int64_t>> elements_;  ///< by array
};

}  // namespace coslice::slurm

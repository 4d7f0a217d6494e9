// Generic resources in the notation of Slurm: "gpu:tesla:2(S:0-1),nic:1".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace coslice::slurm {

struct Gres {
  std::string name, type;  ///< type "": none said
  std::int64_t count = 1;
};

/// The resources of such a list. Throws InputError at `place` for a count that is none.
std::vector<Gres> read_gres(std::string_view text, const Place& place);

}  // namespace coslice::slurm

// Lists of resources in the notation of Slurm: trackable and generic ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"
#include "slurm/conf_lines.h"

namespace coslice::slurm {

/// Returns the names of generic resources that a site has: gpu and what GresTypes says, "" or "gpu,mps".
std::vector<std::string> gres_names(const std::string& gres_types);

/// Checks a list such as "cpu=100,mem=2G,gres/gpu:a100=4". Throws InputError with file and line: a name that no TRES
/// has, with the one that was probably meant, or an amount that is not a number. Names may be in any case; `gres` are
/// those of generic resources.
void check_tres_list(const Setting& setting, const std::vector<std::string>& gres);

// Generic resources in the notation of Slurm: "gpu:tesla:2(S:0-1),nic:1".

struct Gres {
  std::string name, type;  ///< type "": none said
  std::int64_t count = 1;
};

/// Returns a count such as 4 or 900G; nothing for any other text.
std::optional<std::int64_t> read_gres_count(std::string_view text);
/// The resources of such a list; "(null)" has none. Throws InputError at `place` for a count that is none.
std::vector<Gres> read_gres(std::string_view text, const Place& place);

}  // namespace coslice::slurm

// What values the settings of slurm.conf take: numbers as Slurm reads them, and words for yes and no.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "slurm/conf_lines.h"

namespace coslice::slurm {

/// The largest numbers of 16 and of 32 bits.
inline constexpr std::int64_t kMostShort = 0xFFFF, kMostLong = 0xFFFF'FFFF;
/// The most memory of a node, or of a job's CPU, that is read, MiB.
inline constexpr std::int64_t kMostMemory = 1'000'000'000;

/// Returns a number of slurm.conf from 0 to `most`: decimal, hexadecimal behind 0x, octal behind 0; where it has more
/// than 16 bits, also with K behind it (times 1024). INFINITE and UNLIMITED are `most`. Nothing for any other text.
std::optional<std::int64_t> conf_number(std::string_view text, std::int64_t most);
/// The same of a setting. Throws InputError with file and line for any other text.
std::int64_t number_of(const Setting& setting, std::int64_t most);
/// Returns whether the value is a setting's word for no limit: INFINITE or UNLIMITED.
bool is_unlimited(std::string_view value);

/// Throws InputError with file and line for words of a PreemptMode that exclude one another.
void check_preempt_mode(const Setting& setting);
/// Returns the words with SUSPEND in the place of ON, which means the same.
std::string preempt_modes(const std::string& value);
/// Throws InputError with file and line where Slurm does not start with the setting, because its value is no number, or
/// none of the words for yes and no. Of keys that are not known any value passes.
void check_type(const Setting& setting);

}  // namespace coslice::slurm

// Numbers as people read them. Files have exact numbers; these are for tables.
#pragma once

#include <cstdint>
#include <string>

namespace coslice {

/// "1,234,567".
std::string grouped(std::int64_t n);
/// "1 job", "1,234 jobs".
std::string counted(std::int64_t n, const std::string& thing);
/// With that many decimals: "12,345.7". Halves are rounded as fmt does, to even.
std::string grouped(double x, int decimals);
/// About three digits: "0.05", "1.23", "12.3", then whole and grouped: "123", "12,346". "0" for zero.
std::string readable(double x);
/// A share of one as "84.7 %".
std::string percent(double share);

}  // namespace coslice

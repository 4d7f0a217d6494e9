// Arithmetic that stands in files of others as text: "iterations * base / num_nodes^0.8".
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace coslice {

/// The value of an expression of numbers, names, + - * / ^ and parentheses; ^ binds most and to the right. The same
/// bits on every machine. Throws InputError without a place: what is no such expression, a name that has no value.
double arithmetic_value(std::string_view text, const std::map<std::string, double>& names);

}  // namespace coslice

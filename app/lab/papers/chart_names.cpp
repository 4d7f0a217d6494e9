#include "lab/papers/chart_names.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace coslice {

std::string file_name_of(const std::string& title) {
  std::string out;
  for (const char ch : title) {
    const bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '.';
    if (plain) out += ch;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  return out;
}

std::vector<std::string> distinct_names(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& own : names) {
    std::string name = own;
    for (int n = 2; std::find(out.begin(), out.end(), name) != out.end(); ++n) name = fmt::format("{}-{}", own, n);
    out.push_back(std::move(name));
  }
  return out;
}

bool names_policies(const std::string& axis) { return axis == "policy" || axis == "policy.name"; }

std::string axis_place(const std::string& axis, const std::string& value) {
  return axis + " " + (names_policies(axis) ? std::filesystem::path(value).stem().string() : value);
}

}  // namespace coslice

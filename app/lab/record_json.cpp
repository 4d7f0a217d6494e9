#include "lab/record_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/summary_json.h"

namespace coslice {
namespace {

std::string quoted(const std::string& key) { return json_from_value(Value(key)); }

/// As json_from_value(), but each table of a list on a line of its own.
std::string json_in_lines(const Value& v) {
  std::string out;
  const auto item = [&](const char* before, const std::string& text) {
    out += (out.empty() ? "" : ",") + (before + text);
  };
  if (const Value::Table* members = v.members()) {
    for (const Member& m : *members) item("", quoted(m.key) + ":" + json_in_lines(m.value));
    return "{" + out + "}";
  }
  const Value::List* list = v.list();
  if (list == nullptr || !std::ranges::all_of(*list, &Value::is_table)) return json_from_value(v);
  for (const Value& element : *list) item("\n", json_in_lines(element));
  return "[" + out + (list->empty() ? "]" : "\n]");
}

/// The line on which what is no JSON stops being one.
int line_of_fault(std::string_view text) {
  try {
    [[maybe_unused]] const nlohmann::json right = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    const std::string_view before = text.substr(0, std::max<std::size_t>(e.byte, 1) - 1);
    return static_cast<int>(std::ranges::count(before, '\n')) + 1;
  }
  return 0;
}

/// The kind of a format, without its version: "coslice papers ".
std::string_view kind_of(std::string_view format) { return format.substr(0, format.rfind(' ') + 1); }

void check_format(const RecordFormat& format, const Value& v, const std::string& file) {
  const Value* mark = v.find("format");
  if (mark == nullptr || mark->text() == nullptr)
    throw InputError(
        {file, 0, fmt::format("is not {}: it names no format", format.what), format.expected, format.suggestion});
  const std::string& found = *mark->text();
  if (found == format.name) return;
  const std::string problem = fmt::format("is of the format '{}'", found);
  if (kind_of(found) != kind_of(format.name)) throw InputError({file, 0, problem, format.expected});
  throw InputError(
      {file, 0, problem, fmt::format("'{}', which this version of coslice writes", format.name), format.suggestion});
}

}  // namespace

std::string record_json(const RecordFormat& format, Value table) {
  table.set("format", Value(format.name));
  return json_in_lines(table) + "\n";
}

Value table_from_json(const RecordFormat& format, std::string_view text, const std::string& file) {
  Value table;
  try {
    table = value_from_json(text);
  } catch (const InputError&) {
    throw InputError({file, line_of_fault(text), "is not JSON, or is cut off", format.expected, format.suggestion});
  }
  check_format(format, table, file);
  table.erase("format");
  return table;
}

void fail_in_file(const RecordFormat& format, const InputError& error, const std::string& file) {
  const Diagnostic& d = error.diagnostic();
  throw InputError({file, 0, fmt::format("is not {}: {}", format.what, d.problem),
                    d.expected.empty() ? format.expected : d.expected,
                    d.suggestion.empty() ? format.suggestion : d.suggestion});
}

double codec::with_digits(double x, int digits) { return std::stod(fmt::format("{:.{}g}", x, digits)); }

}  // namespace coslice

#include "lab/json_value.h"

#include <nlohmann/json.hpp>

namespace coslice {
namespace {

using Json = nlohmann::json;

Value value_of(const Json& j) {
  if (j.is_object()) {
    Value table = Value::table();
    for (const auto& [key, member] : j.items()) table.set(key, value_of(member));
    return table;
  }
  if (j.is_array()) {
    Value::List list;
    for (const Json& item : j) list.push_back(value_of(item));
    return Value(std::move(list));
  }
  if (j.is_boolean()) return Value(j.get<bool>());
  if (j.is_number_integer()) return Value(j.get<std::int64_t>());
  if (j.is_number()) return Value(j.get<double>());
  if (j.is_string()) return Value(j.get<std::string>());
  return Value();
}

Json json_of(const Value& v) {
  if (v.flag()) return *v.flag();
  if (v.integer()) return *v.integer();
  if (v.real()) return *v.real();
  if (v.text()) return *v.text();
  if (const auto* list = v.list()) {
    Json out = Json::array();
    for (const Value& item : *list) out.push_back(json_of(item));
    return out;
  }
  if (const auto* members = v.members()) {
    Json out = Json::object();
    for (const Member& m : *members) out[m.key] = json_of(m.value);
    return out;
  }
  return nullptr;
}

}  // namespace

Value value_from_json(std::string_view text) {
  const Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded()) throw InputError({"", 0, "this is no JSON: " + std::string(text.substr(0, 60)), "", "", ""});
  return value_of(j);
}

std::string json_from_value(const Value& v) { return json_of(v).dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace coslice

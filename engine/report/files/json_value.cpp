#include "report/files/json_value.h"

#include <nlohmann/json.hpp>

namespace coslice {
namespace {

Value value_of_json(const nlohmann::json& j) {
  if (j.is_object()) {
    Value table = Value::table();
    for (const auto& [key, member] : j.items()) table.set(key, value_of_json(member));
    return table;
  }
  if (j.is_array()) {
    Value::List list;
    for (const nlohmann::json& item : j) list.push_back(value_of_json(item));
    return Value(std::move(list));
  }
  if (j.is_boolean()) return Value(j.get<bool>());
  if (j.is_number_unsigned() && j.get<std::uint64_t>() > INT64_MAX) return Value(j.get<double>());
  if (j.is_number_integer()) return Value(j.get<std::int64_t>());
  if (j.is_number()) return Value(j.get<double>());
  if (j.is_string()) return Value(j.get<std::string>());
  return Value();
}

const Value* member_at(const Value& v, const std::vector<std::string>& path) {
  const Value* here = &v;
  for (const std::string& key : path) {
    if (here != nullptr) here = here->find(key);
  }
  return here;
}

}  // namespace

Value value_from_json(std::string_view text) {
  const nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
  if (j.is_discarded()) throw InputError({"", 0, "this is not JSON: " + std::string(text.substr(0, 60)), "", "", ""});
  return value_of_json(j);
}

template <class Json>
Json json_of_value(const Value& v) {
  if (v.flag()) return *v.flag();
  if (v.integer()) return *v.integer();
  if (v.real()) return *v.real();
  if (v.text()) return *v.text();
  if (const auto* list = v.list()) {
    Json out = Json::array();
    for (const Value& item : *list) out.push_back(json_of_value<Json>(item));
    return out;
  }
  if (const auto* members = v.members()) {
    Json out = Json::object();
    for (const Member& m : *members) out[m.key] = json_of_value<Json>(m.value);
    return out;
  }
  return nullptr;
}
template nlohmann::json json_of_value(const Value& v);
template nlohmann::ordered_json json_of_value(const Value& v);

std::string json_from_value(const Value& v) {
  return json_of_value<nlohmann::json>(v).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<double> number_at(const Value& v, const std::vector<std::string>& path) {
  const Value* found = member_at(v, path);
  if (found == nullptr) return {};
  if (const auto* i = found->integer()) return static_cast<double>(*i);
  if (const double* d = found->real()) return *d;
  return {};
}

std::string text_at(const Value& v, const std::vector<std::string>& path) {
  const Value* found = member_at(v, path);
  return found != nullptr && found->text() != nullptr ? *found->text() : "";
}

}  // namespace coslice

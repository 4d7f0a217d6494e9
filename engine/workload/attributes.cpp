#include "workload/attributes.h"

namespace coslice {

const std::string& Attribute::text(const Job& job) const {
  static const std::string none;
  return job.extras->texts.empty() ? none : job.extras->texts[static_cast<std::size_t>(this - kAttributes.data())];
}

std::string_view script_type(const Attribute& a) {
  if (a.is_text()) return "string";
  return a.is_time() || a.kind == Attribute::Kind::kKilobytes ? "number" : "integer";
}

std::string_view unit_of(const Attribute& a) {
  if (a.kind == Attribute::Kind::kKilobytes) return "KB";
  return a.is_time() ? "s" : "";
}

}  // namespace coslice

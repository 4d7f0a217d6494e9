#include "scenario/script_rows.h"

#include <algorithm>

#include "core/codec.h"

namespace coslice {
namespace {

/// Calls f(the path's value, the path) for each parameter of a script that is such a table. Others are left to the
/// script.
template <class S, class F>
void each_rows(S& scenario, F&& f) {
  for (auto* params : {&scenario.workload.params, &scenario.workload.job_params, &scenario.processes.params,
                       &scenario.slowdown.params, &scenario.outages.params}) {
    if (params->members() == nullptr) continue;
    for (auto& m : *params->members()) {
      if (!m.value.is_table() || m.value.members()->size() != 1) continue;
      auto* const csv = m.value.find("csv");
      auto* const file = csv != nullptr ? csv : m.value.find("json");
      if (file == nullptr || file->text() == nullptr) continue;
      f(*file, codec::read_path(*file, m.key + (csv != nullptr ? ".csv" : ".json"),
                                csv != nullptr ? "the path of a CSV file" : "the path of a JSON file"));
    }
  }
}

}  // namespace

std::vector<std::string> script_row_files(const Scenario& scenario) {
  std::vector<std::string> files;
  each_rows(scenario, [&](const Value&, const std::string& path) {
    if (std::ranges::find(files, path) == files.end()) files.push_back(path);
  });
  return files;
}

void move_script_rows(Scenario& scenario, const std::function<std::string(const std::string& path)>& moved) {
  each_rows(scenario, [&](Value& value, const std::string& path) { value = Value(moved(path)); });
}

}  // namespace coslice

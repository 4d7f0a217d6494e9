#include "report/tables/load_text.h"

#include <fmt/format.h>

#include "machine/layout.h"
#include "report/markup.h"

namespace coslice {

std::string offered_text(const std::vector<OfferedLoad>& loads, const MachineSpec& machine, std::int32_t per_node) {
  const OfferedLoad& scarcest = loads.front();
  if (!(scarcest.load > 0)) return "";
  std::string text = fmt::format("{:.3f} offered", scarcest.load);
  if (!names_kinds(machine)) {
    const auto cores = machine.cores_per_node();
    if (cores <= 1) return text;
    text += fmt::format(", of {} cores", grouped(machine.total_cores()));
    if (per_node <= 0 || per_node >= cores) return text;
    return text + fmt::format("; {:.3f} of {} nodes with {} on each", scarcest.load * cores / per_node,
                              grouped(machine.nodes),
                              per_node == 1 ? "a process" : fmt::format("{} processes", per_node));
  }
  text += ", of " + scarcest.resource;
  std::string others;
  for (std::size_t i = 1; i < loads.size(); ++i)
    others += fmt::format("{}{} {:.3f}", others.empty() ? "" : ", ", loads[i].resource, loads[i].load);
  return others.empty() ? text : text + " (" + others + ")";
}

std::string fell_behind_text(const RunResult& result, double trim) {
  const Steadiness steady = steadiness(result, trim);
  if (!steady.saturated) return "";
  return fmt::format("the machine fell behind by {} of its time: the queue grew from the beginning to the end. Waits "
                     "and slowdowns say "
                     "how long the run was, not how good the policy is",
                     percent(steady.growth));
}

}  // namespace coslice

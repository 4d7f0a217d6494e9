#include "resources/request_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "resources/feature_expression.h"

namespace coslice {

namespace {

/// "4 GPUs", "half": thousandths as a number of things.
std::string amount(std::int64_t thousandths, const char* one, const char* many) {
  if (thousandths == 1000) return fmt::format("1 {}", one);
  if (thousandths % 1000 == 0) return fmt::format("{} {}", thousandths / 1000, many);
  return fmt::format("{} {}", static_cast<double>(thousandths) / 1000, many);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

}  // namespace

std::string request_text(const Request& r, const MachineLayout& layout) {
  std::vector<std::string> each;
  if (r.cores > 0) each.push_back(amount(r.cores, "core", "cores"));
  if (r.gpus > 0 && r.gpu_share < kWholeGpu) {
    const double share = static_cast<double>(r.gpu_share) / kWholeGpu;
    each.push_back(r.gpus == 1 ? fmt::format("{} of a GPU", share) : fmt::format("{} of each of {} GPUs", share, r.gpus));
  } else if (r.gpus > 0) {
    each.push_back(amount(std::int64_t{r.gpus} * 1000, "GPU", "GPUs"));
  }
  if (r.memory_mib > 0) each.push_back(fmt::format("{} MiB", r.memory_mib));
  std::string out = r.nodes == 1 ? "1 node" : fmt::format("{} nodes", r.nodes);
  if (r.exclusive) out += r.nodes == 1 ? " for itself" : " for themselves";
  if (!each.empty()) out += fmt::format(" with {}{}", listed(each), r.nodes == 1 ? "" : " on each");
  if (!r.features.empty()) out += fmt::format(" and {}", features_text(r.features, layout.features));
  std::vector<std::string> partitions;
  for (const std::int32_t p : r.partitions) partitions.push_back(layout.partitions[static_cast<std::size_t>(p)].name);
  if (!partitions.empty()) out += fmt::format(", of partition {}", fmt::join(partitions, " or "));
  for (const LicenceUse& use : r.licences) {
    out += fmt::format(", {} licence{} {}", use.count, use.count == 1 ? "" : "s",
                       layout.licences[static_cast<std::size_t>(use.licence)].name);
  }
  return out;
}

}  // namespace coslice

#include "report/explain/lack_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/explain/story_words.h"
#include "report/number.h"
#include "resources/eligibility.h"

namespace coslice {
namespace {

std::string amount_text(const WaitPhase& p, const StoryContext& c, const Request& r) {
  const MachineLayout& layout = *c.result->machine.layout;
  const std::int64_t nodes = r.nodes;
  const std::string kind =
      p.lack_of < 0 ? "" : fmt::format(" of kind {}", layout.kinds[static_cast<std::size_t>(p.lack_of)].name);
  const std::string where =
      nodes == 1 ? " on a node" + kind : fmt::format(" on each of {}{}", words::nodes(nodes), kind);
  switch (p.lack) {
    case Lack::kLicence: {
      const std::string& name = layout.licences[static_cast<std::size_t>(p.lack_of)].name;
      for (const LicenceUse& use : r.licences)
        if (use.licence == p.lack_of) return fmt::format("{} {}", counted(use.count, "licence"), name);
      return name;
    }
    case Lack::kGpus:
      if (r.gpu_share < kWholeGpu) {
        const std::string of = r.gpus == 1 ? "a GPU" : fmt::format("each of {} GPUs", r.gpus);
        return fmt::format("{:g} of {}{}", static_cast<double>(r.gpu_share) / kWholeGpu, of, where);
      }
      return counted(std::int64_t{r.gpus}, "GPU") + where;
    case Lack::kMemory: return fmt::format("{} MiB{}", grouped(r.memory_mib), where);
    case Lack::kCores: {
      const double cores = static_cast<double>(r.cores) / kWholeCore;
      return fmt::format("{:g} core{}{}", cores, cores == 1 ? "" : "s", where);
    }
    default: return (nodes == 1 ? "a node" : words::nodes(nodes)) + kind + " without other jobs";
  }
}

}  // namespace

std::string lack_text(const WaitPhase& p, const StoryContext& c) {
  const Job& job = c.result->workload->jobs[c.job];
  const Request request =
      job.request == kNoRequest ? whole_nodes(p.needed, 0) : c.result->workload->requests[job.request];
  std::string text = fmt::format("needed {}: waited for {}", c.asks, amount_text(p, c, request));
  for (std::size_t i = 0; i != std::min(p.holders.size(), p.holder_ends.size()); ++i)
    text += fmt::format("{}{}{} until {}", i == 0 ? "; " : ", ", words::job(*c.result, p.holders[i]),
                        i == 0 ? " held it" : "", words::instant(c.clock, p.holder_ends[i]));
  if (p.holder_count > p.holders.size() && !p.holders.empty())
    text += fmt::format(", and {} more", grouped(static_cast<std::int64_t>(p.holder_count - p.holders.size())));
  return text;
}

}  // namespace coslice

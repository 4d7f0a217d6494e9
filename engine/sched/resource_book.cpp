#include "sched/resource_book.h"

#include "sched/shared_node_book.h"
#include "sched/whole_node_book.h"

namespace coslice {

std::unique_ptr<ResourceBook> make_resource_book(const JobDemands& demands, Placement* placement, Time start) {
  if (demands.whole_nodes() && placement == nullptr) return std::make_unique<WholeNodeBook>(demands, start);
  return std::make_unique<SharedNodeBook>(demands, placement, start);
}

}  // namespace coslice

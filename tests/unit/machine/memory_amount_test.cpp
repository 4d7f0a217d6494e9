// Memory between files and requests: one way to round.
#include "machine/memory_amount.h"

#include "catch.h"

namespace memory_amount_test {

using namespace coslice;

TEST_CASE("what a job asks for on a node is rounded up once", "[machine]") {
  CHECK(mib_on_each_node(0, 3) == 0);
  CHECK(mib_on_each_node(3 * 1024, 3) == 1);
  CHECK(mib_on_each_node(3 * 1024 + 1, 3) == 2);
  CHECK(mib_on_each_node(1, 1000) == 1);
  CHECK(mib_of_processes(1000, 11) == 11);  // 10.74: not eleven times 1
  CHECK(mib_of_processes(1, 1024) == 1);
  CHECK(mib_on_other_nodes(5, 3, 2) == 8);
  CHECK(mib_on_other_nodes(5, 3, 3) == 5);
}

TEST_CASE("what a node has is rounded down", "[machine]") {
  CHECK(mib_of_node(1023) == 0);
  CHECK(mib_of_node(2047) == 1);
}

TEST_CASE("MiB on a node become KB of a process and the same MiB again", "[machine]") {
  for (const std::int64_t mib : {1, 2, 3, 1000, 16'384, 1'000'003})
    for (const std::int64_t processes : {1, 2, 3, 7, 63, 128, 1000, 1024}) {
      const std::int64_t each = kb_of_each_process(mib * kKbOfMib, processes);
      INFO(mib << " MiB, " << processes << " processes");
      CHECK(each * processes <= mib * kKbOfMib);
      CHECK(mib_of_processes(each, processes) == mib);
    }
  CHECK(kb_of_each_process(0, 4) == 0);
  CHECK(kb_of_each_process(1, 4) == 1);  // something is never nothing
}

}  // namespace memory_amount_test

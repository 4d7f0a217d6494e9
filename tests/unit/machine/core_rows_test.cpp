// Which cores jobs of a partition may have where others have some of them.
#include "catch.h"

#include "machine/core_rows.h"
#include "machine/layout.h"
#include "machine/node_room.h"

namespace core_rows_test {

using namespace coslice;

namespace {

Request in_rows(CoreShare cores) {
  Request r;
  r.cores = cores * kWholeCore;
  r.rows = 3;
  r.row_of = 0;
  r.many_rows = r.numbered = true;
  return r;
}

/// A job of the partition with cores from 0 on.
void take(NodeRoom& room, std::int32_t row, std::int32_t cores) {
  NodePart part;
  part.row = row;
  for (std::int32_t core = 0; core != cores; ++core) part.held.insert(core);
  change_room(room, in_rows(cores), part, 1);
}

}  // namespace

TEST_CASE("a job without cores hides no others' cores", "[kinds]") {
  NodeKind kind;
  kind.count = 1;
  kind.cores = 4;
  NodeRoom room = empty_room(kind);
  for (std::int32_t row = 0; row != 3; ++row) take(room, row, 3);
  for (const bool beside : {false, true}) {
    if (beside) take(room, 0, 0);
    CHECK(fits(in_rows(1), room));
    CHECK(!fits(in_rows(2), room));  // each row has one core left
  }
}

}  // namespace core_rows_test

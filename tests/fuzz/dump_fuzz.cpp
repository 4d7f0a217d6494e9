// Whatever people write into free texts of a dump of sacct: its jobs come back with all that the reader takes, ids,
// times, sizes, states, names, accounts, partitions, reservations, constraints, nodes, how a command spreads tasks; or
// the dump is refused, or says that a text may be another one. Of the copy that an import makes come the same.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/error.h"
#include "formats/sacct.h"
#include "sacct_dumps.h"

using namespace coslice;

namespace {

void require_equal(const coslice_test::WrittenDump& dump, const RecordedWorkload& r) {
  auto compared = coslice_test::Compared::kAll;
  for (const TraceNote& n : r.workload.notes)
    if (n.reason.find("which may be another one") != std::string::npos)
      compared = coslice_test::Compared::kFixed;  // it says so of its texts
  const std::string wrong = coslice_test::difference(dump, r, compared);
  if (wrong.empty()) return;
  std::fprintf(stderr, "broken: %s\n%s\n", wrong.c_str(), dump.text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::size_t at = 0;
  const auto draw = [&](std::size_t n) { return at == size ? std::size_t{0} : std::size_t{data[at++]} % n; };
  coslice_test::DumpWriter writer(draw);
  const coslice_test::WrittenDump dump = writer.write(1 + draw(6));
  try {
    require_equal(dump, parse_sacct(dump.text, "fuzz", SlurmSize::kCpus));
    std::string copy;
    SacctSurveyor surveyor("fuzz", nullptr, [&](std::string_view part) { copy += part; });
    surveyor.take(dump.text);
    surveyor.finish();
    require_equal(dump, parse_sacct(copy, "copy", SlurmSize::kCpus));
  } catch (const InputError&) {}
  return 0;
}

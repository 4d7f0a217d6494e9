// Whatever bytes are called a trace (of any format that is read): either an InputError, or a workload that
// holds what it says and survives being described, transformed, written and read again.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/error.h"
#include "formats/swf.h"
#include "formats/trace_format.h"
#include "formats/trace_requests.h"
#include "jobs/transform.h"
#include "jobs/workload_description.h"

using namespace coslice;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

void check_promises(const Workload& w) {
  std::int64_t dropped = 0;
  for (const auto& note : w.notes) dropped += note.dropped ? note.count : 0;
  require(dropped + static_cast<std::int64_t>(w.jobs.size()) == w.records, "each record is kept or accounted for");
  for (std::size_t i = 0; i < w.jobs.size(); ++i) {
    const Job& j = w.jobs[i];
    require(j.size >= 1 && j.runtime >= Duration{1} && j.limit >= Duration{1}, "sizes and times are above 0");
    require(j.submit >= Time{} && j.submit <= at_seconds(kMaxSubmitSeconds), "submit times are in range");
    require(i == 0 || w.jobs[i - 1].submit <= j.submit, "jobs are sorted");
  }
}

JobExtras said(const Job& job) { return job.extras != nullptr ? *job.extras : JobExtras{}; }

void check_round_trip(const Workload& w) {
  std::string text;
  for (const Job& job : w.jobs) append_swf_record(text, job);
  if (text.empty()) return;
  const Workload back = parse_swf(text, "again");
  require(back.jobs.size() == w.jobs.size(), "as many jobs come back");
  for (std::size_t i = 0; i < w.jobs.size(); ++i) {
    const Job &a = w.jobs[i], &b = back.jobs[i];
    require(a.id == b.id && a.submit == b.submit && a.runtime == b.runtime && a.limit == b.limit && a.size == b.size &&
                a.user == b.user && said(a).preceding == said(b).preceding && said(a).think_time == said(b).think_time,
            "a job comes back as it was");
  }
}

Workload parse(std::string_view text) {
  const TraceFormat format = trace_format(text);
  if (format == TraceFormat::kSwf) return parse_swf(text, "fuzz", {kMachineFromHeader});
  RecordedWorkload read = parse_trace(std::string(text), "fuzz", format);
  resolve_recorded_requests(read.requests, read.workload, MachineSpec{}, {});  // as a run on equal nodes does
  return std::move(read.workload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    Workload w = parse({reinterpret_cast<const char*>(data), size});
    check_promises(w);
    check_round_trip(w);
    describe(w, machine_of(w).nodes);
    TransformOptions o;
    o.load_factor = 1.3;
    o.size_factor = 0.7;
    o.time_factor = 0.9;
    o.time_added = whole_seconds(2);
    o.estimates = Estimates::kModel;
    transform(w, o);
    for (const Job& j : w.jobs) require(j.limit >= j.runtime && j.size >= 1, "estimates cover run times");
  } catch (const InputError&) {}
  return 0;
}

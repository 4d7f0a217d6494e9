#include "report/files/timeline_csv.h"

#include "report/files/csv_text.h"

namespace coslice {

void write_timeline_csv(const RunResult& result, const Sink& sink) {
  BlockWriter out(sink);
  out.text() += "time,queue_length,used_nodes,used_cores";
  out.text() += result.outages ? ",available_nodes\n" : "\n";
  for (std::size_t i = 0; i != result.timeline.size(); ++i) {
    const TimelinePoint& p = result.timeline[i];
    append_seconds(out.text(), p.time.time_since_epoch());
    append_next_integer(out.text(), p.queue);
    append_next_integer(out.text(), p.used_nodes);
    append_next_integer(out.text(), p.used_cores);
    if (result.outages) append_next_integer(out.text(), result.machine.nodes - result.extras_at(i).down_nodes);
    out.text() += '\n';
    out.row_done();
  }
  out.flush();
}

}  // namespace coslice

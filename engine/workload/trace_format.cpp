#include "workload/trace_format.h"

#include "workload/batsim.h"
#include "workload/byte_order_mark.h"
#include "workload/elastisim.h"
#include "workload/helios.h"
#include "workload/packed_file.h"
#include "workload/philly.h"
#include "workload/sacct.h"
#include "workload/swf.h"

namespace coslice {
namespace {

/// In JSON; a table of TOML begins with "[" as well.
bool is_list_of_objects(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos || text[first] != '[') return false;
  const std::size_t next = text.find_first_not_of(kBlanks, first + 1);
  return next != text.npos && (text[next] == '{' || text[next] == ']');
}

}  // namespace

TraceFormat trace_format(std::string_view text) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = without_byte_order_mark(text.substr(0, kHead));
  if (is_list_of_objects(head)) return TraceFormat::kPhilly;
  if (looks_like_batsim(head))
    return head.find("\"submit_time\"") == head.npos ? TraceFormat::kBatsim : TraceFormat::kElastisim;
  const std::string_view line = head.substr(0, head.find('\n'));
  if (looks_like_helios(line)) return TraceFormat::kHelios;
  return looks_like_sacct(head) ? TraceFormat::kSacct : TraceFormat::kSwf;
}

TraceFormat trace_format_of(const std::string& path) { return trace_format(packed_head(path)); }

RecordedWorkload parse_trace(std::string text, const std::string& file, TraceFormat format) {
  switch (format) {
    case TraceFormat::kSacct: return parse_sacct(text, file, SlurmSize::kCpus);
    case TraceFormat::kPhilly: return parse_philly(text, file);
    case TraceFormat::kHelios: return parse_helios(std::move(text), file);
    case TraceFormat::kElastisim: return parse_elastisim(text, file);
    case TraceFormat::kBatsim:
    case TraceFormat::kSwf: break;
  }
  RecordedWorkload recorded;
  recorded.workload = format == TraceFormat::kSwf ? parse_swf(text, file) : parse_batsim(text, file);
  return recorded;
}

}  // namespace coslice

// summary.json: the figures of a run for machines, and what is needed to make the same run again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"
#include "metrics/summary.h"
#include "observe/result.h"

namespace coslice {

// Trees of plain data as JSON and back.

/// Returns the JSON text as a tree; null is nil. Throws InputError if it is no JSON.
Value value_from_json(std::string_view text);

/// Returns the tree as a value of the JSON library, for both of its types: nlohmann::json, and ordered_json, in which
/// members keep their order.
template <class Json>
Json json_of_value(const Value& v);

/// Returns the tree as JSON on one line, members in the order of their keys.
std::string json_from_value(const Value& v);

/// Returns the number that stands at the end of a path of keys: {"all", "wait", "mean"}. A flag does not count as a
/// number.
std::optional<double> number_at(const Value& v, const std::vector<std::string>& path);
/// Returns the text there, or "".
std::string text_at(const Value& v, const std::vector<std::string>& path);

/// A file that the run was made from.
struct RunInput {
  std::string name;    ///< a path, relative to the run folder where there is one, or a label like "policy:easy"
  std::string sha256;  ///< 64 hex digits
};

/// What a run was made from. Everything here is written as it is given.
struct RunInfo {
  std::string program_version;
  std::string scenario;  ///< its name; "" for a bare trace
  std::string policy, policy_version;
  Value policy_params = Value::table();  ///< with defaults filled in
  Value engine = Value::table();         ///< settings of the engine
  PolicyNotes notes;                     ///< what the policy noted down
  std::uint64_t seed = 0;
  std::vector<RunInput> inputs;
  /// What may differ from machine to machine and from run to run: compiler, libraries, time used.
  Value environment = Value::table();
};

/// Returns the document, indented, with a line end. Batsim's keys come first (nb_jobs, makespan, mean_waiting_time,
/// ...; its slowdown is response time over execution time, unbounded), then ours; all that depends on the host is in
/// `environment`. The same run gives the same bytes elsewhere.
std::string summary_json(const RunResult& result, const Summary& summary, const MetricsOptions& options,
                         const RunInfo& info);

/// Returns the summary without `environment`, on one line without an end.
std::string summary_line(const RunResult& result, const Summary& summary, const MetricsOptions& options,
                         const RunInfo& info);

/// Returns what summary_line writes, as a tree.
Value summary_value(const RunResult& result, const Summary& summary, const MetricsOptions& options,
                    const RunInfo& info);

/// Returns whether the text is a document of summary_json, by its member "coslice".
bool is_summary_json(const std::string& text);

}  // namespace coslice

// classes.csv: how a coscheduling policy classified each process over time.
#pragma once

#include "observers/result.h"
#include "report/files/output.h"

namespace coslice {

/// Rows of time (s), job_id, rank, class, in order of time: each process's first class at its job's start, then each
/// change. Only the header for a run that did not coschedule processes.
void write_classes_csv(const RunResult& result, const Sink& sink);

}  // namespace coslice

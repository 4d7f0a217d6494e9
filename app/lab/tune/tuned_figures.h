// The figures that goals and guards name: of all jobs, of classes, of users, groups, queues and partitions.
#pragma once

#include <string>
#include <vector>

#include "lab/compare/compared_figures.h"

namespace coslice {

/// Returns the figures of that name. One of its parts may be a class ("wait.large.p95"); or the second one says a kind
/// of groups of jobs, "user", "group", "queue" or "partition", and the third a group's name: "wait.partition.gpu.p95".
/// Without that it is the figure of each of them that the run has jobs of. A group that is named need not be in this
/// run. Throws InputError for a name that no run has, and for a kind of groups that the run does not have.
std::vector<Figure> tuned_figures(const std::string& name, const RunRecord& run);

/// Returns the one figure of a goal: that of all jobs, where there is one for each class. Throws InputError.
Figure goal_figure(const std::string& name, const RunRecord& run);

}  // namespace coslice

// What `coslice drive --choose` says of its choices.
#pragma once

#include <string>

#include "core/value.h"
#include "drive/policy_chooser.h"

namespace coslice::cli {

/// Returns what was decided: "stay with easy", "change to easy_sjbf".
std::string choice_words(const drive::QueueChoice& choice);
/// Returns why, on one line: the figure of each policy, the differences with their intervals, how far was looked.
std::string choice_reason(const drive::QueueChoice& choice, const drive::QueueFigure& figure);
/// Returns the same for programs.
Value choice_value(const drive::QueueChoice& choice, const drive::QueueFigure& figure);

}  // namespace coslice::cli

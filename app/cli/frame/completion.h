// Shell completion, from the commands' own descriptions.
#pragma once

#include <string>
#include <vector>

namespace coslice::cli {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// Returns what can stand where a completion script asks, one word a line: {"policies"}; {"keys", POLICIES}, with their
/// parameters; {"values", POLICIES, KEY}. POLICIES is a list as of --policy, "" for the default. Nothing for other
/// topics.
std::string completion_words(const std::vector<std::string>& request);

}  // namespace coslice::cli

// Shell completion, from the commands' own descriptions.
#pragma once

#include <string>

namespace coslice::cli {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// What can stand where a completion script asks: "policies", "keys"; one word a line, none for other topics.
std::string completion_words(const std::string& topic);

}  // namespace coslice::cli

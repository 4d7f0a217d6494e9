#include <string>
#include <vector>

#include "cli/frame/commands.h"

int main(int argc, char** argv) { return coslice::cli::run_program(std::vector<std::string>(argv + 1, argv + argc)); }

// Catch2 2 needs one file with its main; it takes long to compile, so nothing else is in here.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

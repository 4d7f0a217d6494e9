#!/usr/bin/env bash
# Each header compiles alone: whoever includes it needs nothing else before it.
# usage: headers.sh COMPILER OPTION...      (the options say where headers are)
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck disable=SC2016  # expanded by the inner shell
find engine lua app -name '*.h' | LC_ALL=C sort | xargs -I{} -P "$(nproc)" sh -c '
  said=$("$@" -std=c++20 -fsyntax-only -include "$0" -x c++ /dev/null 2>&1) && exit
  printf "%s does not compile alone:\n%s\n" "$0" "$(printf "%s\n" "$said" | grep -m 3 -w error)"
  exit 1' {} "$@" || exit 1
echo "headers: each compiles alone"

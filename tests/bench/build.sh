#!/usr/bin/env bash
# ./dev bench build [PRESET...]: what a build from nothing takes, without ccache, in a folder of its own (default: run and
# release, which is what `./dev run` and `./dev build` make). In seconds and in CPU seconds of all compilers. Beside them a
# calibration: one compile of a source that takes nothing from this project.
# usage: build.sh JOBS [PRESET...]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
jobs=$1
shift
[ $# -gt 0 ] || set -- run release
folder=$(mktemp -d "$root/build/from_nothing.XXXXXX")
trap 'rm -rf "$folder"' EXIT
TIMEFORMAT='%R %U %S'

measured() {  # what command...
  local what=$1 wall user system
  shift
  { time "$@" >"$folder/log" 2>&1 </dev/null; } 2>"$folder/time" || { tail -n 20 "$folder/log"; exit 1; }
  read -r wall user system <"$folder/time"
  awk -v what="$what" -v wall="$wall" -v cpu="$user $system" 'BEGIN {
    split(cpu, part, " "); printf "%-42s %8.1f %8.1f\n", what, wall, part[1] + part[2] }'
}

printf '%-42s %8s %8s\n' "from nothing, $jobs jobs" "s" "CPU s"
printf '#include <regex>\nint main(int n, char** v) { return std::regex_match(v[n - 1], std::regex("a+b")); }\n' \
  >"$folder/calibration.cpp"
measured "calibration: <regex>, c++ -O2" c++ -std=c++20 -O2 -c -o "$folder/calibration.o" "$folder/calibration.cpp"
for preset in "$@"; do
  build=$folder/$preset
  tests=ON target=all
  case $preset in
    run) tests=OFF target=coslice_run preset=checked ;;
    release) tests=OFF target=coslice ;;
  esac
  measured "$preset: cmake" cmake -S "$root" -B "$build" --preset "$preset" -DCOSLICE_CCACHE=OFF -DCOSLICE_TESTS=$tests
  measured "$preset: $target" ninja -C "$build" -j "$jobs" "$target"
  echo "its longest steps, in seconds:"
  awk 'NR > 1 { printf "%8.1f  %s\n", ($2 - $1) / 1000, $4 }' "$build/.ninja_log" | sort -rn | head -n 8
done

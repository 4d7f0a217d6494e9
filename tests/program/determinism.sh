#!/usr/bin/env bash
# The same bytes from every build, in separate processes, and with a libm without FMA.
# usage: determinism.sh FOLDER-OF-BUILDS   (release, checked, asan, debug, clang: those that are there; 77 if only one is)
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
builds=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset COSLICE_PATH

# What describes the machine and the build may differ: drops that object.
without_environment() {
  awk '
    /^ *"environment": [{]/ { match($0, /^ */); end = substr($0, 1, RLENGTH) "}"; inside = 1 }
    !inside
    inside && index($0, end) == 1 { inside = 0 }' "$1"
}

# Runs everything that is compared with one program and leaves its results in a folder.
results() {  # program folder
  local scenario name
  mkdir -p "$2"
  for scenario in "$root"/scenarios/*.toml "$root/tests/program/determinism.toml"; do
    [ -e "$scenario" ] || continue
    name=$(basename "$scenario" .toml)
    "$1" run "$scenario" --quiet --out "$2/$name" >/dev/null 2>&1
    find "$2/$name" -name summary.json | while read -r summary; do
      without_environment "$summary" >"$work/summary"
      mv "$work/summary" "$summary"
    done
  done
  "$1" generate lublin --jobs 2000 --nodes 128 --load 0.85 --seed 7 -o "$2/lublin.swf" >/dev/null 2>&1
  "$1" generate lublin --jobs 500 --nodes 64 --types --original --seed 7 -o "$2/original.swf" >/dev/null 2>&1
}

compare() {  # name
  if diff -r "$work/reference" "$work/$1" >"$work/diff"; then
    echo "$1: equal"
  else
    echo "$1: differs from the Release build"
    head -n 20 "$work/diff"
    different=yes
  fi
}

[ -x "$builds/release/coslice" ] || { echo "skipped: there is no Release build in $builds"; exit 77; }
different=no
others=0
results "$builds/release/coslice" "$work/reference"
[ -n "$(find "$work/reference" -name jobs.csv)" ] || { echo "no results to compare"; exit 1; }

results "$builds/release/coslice" "$work/again"
compare again
for tunables in glibc.cpu.hwcaps=-FMA,-AVX2_Usable,-FMA4 glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4; do
  GLIBC_TUNABLES=$tunables results "$builds/release/coslice" "$work/$tunables"
  compare "$tunables"
done
for build in checked asan debug clang; do
  [ -x "$builds/$build/coslice" ] || continue
  others=$((others + 1))
  results "$builds/$build/coslice" "$work/$build"
  compare "$build"
done

[ $different = no ] || exit 1
[ $others -gt 0 ] || { echo "skipped: no other build to compare with"; exit 77; }

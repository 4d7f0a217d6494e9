#!/usr/bin/env bash
# ./dev bench [whole|parts|machines] [OPTIONS]: the whole program beside its targets, then its parts by Google Benchmark.
# `machines [CURIE.swf.gz]` is only run where it is named: machines whose nodes differ, at their sizes.
# `build [PRESET...]` needs no build: build.sh. `doors` is doors.py, for C and Python. Options go to the one that is
# named: `whole --quick`, `parts --benchmark_filter=read`.
set -euo pipefail
build=$1
what=${2:-all}
case $what in
  all) set -- ;;
  whole | parts) shift 2 ;;
  machines) shift 2; exec "$build/coslice_resources" "$@" ;;
  *)
    echo "bench: no such part: $what; there are whole, parts, machines and build" >&2
    exit 2 ;;
esac
if [ "$what" != parts ]; then
  "$build/coslice_whole" "$build/coslice" "$build/scratch" "$@"
fi
if [ "$what" != whole ]; then
  "$build/coslice_bench" --benchmark_counters_tabular=true "$@"
fi

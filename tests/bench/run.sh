#!/usr/bin/env bash
# ./dev bench [whole|parts] [OPTIONS]: the whole program beside its targets, then its parts by Google Benchmark.
# Options go to the one that is named: `whole --quick`, `parts --benchmark_filter=read`.
set -euo pipefail
build=$1
what=${2:-all}
case $what in
  all) set -- ;;
  whole | parts) shift 2 ;;
  *)
    echo "bench: no such part: $what; there are whole and parts" >&2
    exit 2 ;;
esac
if [ "$what" != parts ]; then
  "$build/coslice_whole" "$build/coslice" "$build/scratch" "$@"
fi
if [ "$what" != whole ]; then
  "$build/coslice_bench" --benchmark_counters_tabular=true "$@"
fi

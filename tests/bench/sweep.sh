#!/usr/bin/env bash
# How well two workers of a sweep use two processors: the time of `sweep --workers 2` beside that of two processes with one
# worker each that make half of the runs side by side. 1 is as good; 0.95 is wanted. Several rounds in turn; the best of
# each counts, as others may use the machine, too.
# usage: sweep.sh PROGRAM [ROUNDS]
set -euo pipefail
program=$(realpath "$1")
rounds=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >c.toml <<'TOML'
[campaign]
seeds = 12
[scenario]
machine.nodes = 128
workload = { generator = "lublin", lublin = { jobs = 5000, load = 0.85 } }
[axes]
policy = ["easy", "conservative"]
TOML

now() { date +%s%N; }
least() { if [ -z "$1" ] || [ "$2" -lt "$1" ]; then echo "$2"; else echo "$1"; fi; }
together='' apart=''
for ((i = 0; i < rounds; ++i)); do
  rm -f ./*.sqlite
  begin=$(now)
  "$program" sweep c.toml --workers 2 -o all.sqlite >/dev/null
  together=$(least "$together" $(($(now) - begin)))
  begin=$(now)
  "$program" sweep c.toml --workers 1 --shard 1/2 -o one.sqlite >/dev/null &
  "$program" sweep c.toml --workers 1 --shard 2/2 -o two.sqlite >/dev/null
  wait
  apart=$(least "$apart" $(($(now) - begin)))
done
awk -v t="$together" -v a="$apart" 'BEGIN {
  printf "two workers %.2f s, two processes %.2f s: %.3f\n", t / 1e9, a / 1e9, a / t
}'

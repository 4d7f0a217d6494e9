#!/bin/sh
# Job by job equality of the program with the slow simulator beside this file (rules.py).
#
#   compare.sh PROGRAM [TRACE...]     default: random small traces, and real ones where they are at hand
#
# COSLICE_CASES says how many random traces, and asks for the largest real ones, too. COSLICE_SHARED names the folder of the real traces. Exit status: 0 equal, 1 not, 77 nothing could be compared.
set -eu
program=$(realpath "$1")
shift
here=$(dirname "$(realpath "$0")")
shared=${COSLICE_SHARED:-$here/../../../../shared}
command -v python3 > /dev/null || { echo "skipped: python3 is not here"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

if [ $# -eq 0 ]; then
  for seed in $(seq "${COSLICE_CASES:-16}"); do
    python3 -S "$here/random_trace.py" "$seed" > "$scratch/random$seed.swf"
    set -- "$@" "$scratch/random$seed.swf"
  done
  real="golden/syn5k traces/SDSC-SP2-1998_first5K traces/LANL-CM5-1994-4.1-cln_first155 traces/lublin_ref_typed_seed1"
  # Each day without those of tens of thousands of jobs.
  [ -z "${COSLICE_CASES-}" ] || real="$real traces/KTH-SP2-1996-2 traces/NASA-iPSC-1993-3.1-cln"
  for trace in $real; do
    if [ -e "$shared/$trace.swf.gz" ]; then set -- "$@" "$shared/$trace.swf.gz"
    else echo "skipped: $trace.swf.gz is not here"; fi
  done
fi

# "job_id,starting_time" of a jobs.csv.
starts() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } { print $at["job_id"] "," $at["starting_time"] }' "$1"
}

policies="fcfs easy conservative"
status=0
for trace in "$@"; do
  name=$(basename "$trace")
  "$program" run "$trace" --policy "$(echo "$policies" | tr ' ' ,)" --set engine.event_order=submissions-first \
    --out "$scratch/out" --quiet 2> "$scratch/messages" || { cat "$scratch/messages"; echo "$name: no run"; status=1; continue; }
  # shellcheck disable=SC2086  # a list of words
  python3 -S "$here/rules.py" "$trace" $policies > "$scratch/by_rules"
  for policy in $policies; do
    starts "$scratch/out/$policy/jobs.csv" > "$scratch/program"
    sed -n "s/^$policy,//p" "$scratch/by_rules" > "$scratch/rules"
    if cmp -s "$scratch/program" "$scratch/rules" && [ -s "$scratch/rules" ]; then
      echo "$name $policy: $(wc -l < "$scratch/rules") jobs, equal"
    else
      status=1
      echo "$name $policy: different (< the program, > the rules)"
      diff "$scratch/program" "$scratch/rules" | head -n 10
    fi
  done
done
exit $status

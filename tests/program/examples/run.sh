#!/usr/bin/env bash
# Runs every example that the help of the program shows, as the program prints them, in a folder with what they name:
# traces, policies, run folders, campaigns. All must end with status 0. The examples of one help text share a folder.
# usage: run.sh PROGRAM [COMMAND...]        (default: the program's own help and all commands)
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
built=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
examples=0
failures=0

# A copy of the program knows no source tree: `reproduce` sees the papers of the folder alone, which are small.
mkdir "$work/bin" "$work/logs"
cp "$built" "$work/bin/coslice"
# What the examples hand on to, where this machine has it not: it reads what it is given.
for tool in jq sqlite3 man; do
  command -v "$tool" >/dev/null && continue
  echo "no $tool here: its part of the examples is not run"
  printf '#!/bin/sh\nexec cat >/dev/null\n' >"$work/bin/$tool"
done
# A Slurm that accepts everything.
printf '#!/bin/sh\necho 17\n' >"$work/bin/sbatch"
# A scheduler that was written for Batsim, where Python has ZeroMQ.
no_scheduler=
if /usr/bin/python3 -c 'import zmq' 2>"$work/log"; then
  # shellcheck disable=SC2016  # the script's own argument
  printf '#!/bin/sh\nexec /usr/bin/python3 -B "%s" "$4" fcfs\n' "$root/tests/program/batsim/scheduler.py" >"$work/bin/batsched"
else
  echo "no python3-zmq here: the example with --scheduler is not run"
  no_scheduler='/ --scheduler .batsched/d'
fi
cp "$root"/tests/slurm/drive/fake/* "$work/bin"
cp -r "$root/tests/slurm/drive/example" "$work/slurm"
export FAKE_SLURM=$work/slurm
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=80
unset COSLICE_PATH

fail() { echo "$*"; failures=$((failures + 1)); }
prepared() { "$@" >"$work/log" 2>&1 || { echo "cannot prepare: $*"; cat "$work/log"; exit 1; }; }

# What all examples may name. Runs, campaigns and papers are made once and copied.
prepare_all() {
  mkdir -p scenarios/papers my tests docs ~/logs ~/.zfunc ~/.config/fish/completions
  local path
  for path in "$root"/scenarios/*; do [ "${path##*/}" = papers ] || ln -s "$path" scenarios/; done
  cp -r "$here/paper" scenarios/papers/scojo-pect
  cp -r "$here/paper" scenarios/papers/lomarc
  mkdir scenarios/papers/fcs  # a scenario takes its programs from there
  ln -s "$root/scenarios/papers/fcs/mix.lua" scenarios/papers/fcs/
  cp -r "$here/paper" my/paper
  cp "$here"/inputs/* .
  prepared coslice generate lublin --jobs 2000 --nodes 64 -o trace.swf
  gzip -k trace.swf
  prepared coslice new policy mine
  cp mine_test.lua tests/
  prepared coslice run s.toml --policy easy --out results/7
  prepared coslice convert trace.swf -o jobs.sacct
}

# The record of a site with the starts of a run, on a calendar.
dated_record() {
  TZ=UTC awk -F, -v OFS='|' '
    FNR == 1 && NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    NR == FNR { start[$at["job_id"]] = $at["starting_time"]; next }
    FNR == 1 { print $0, "Start"; next }
    { split($0, f, "|"); print $0, strftime("%Y-%m-%dT%H:%M:%S", start[f[1]] + 1) }' results/jobs.csv site/jobs.sacct |
    sed 's/1970-01-01/2026-02-12/g; s/1970-01-02/2026-02-13/g'
}

prepare_command() {
  case $1 in
    '' | new) rm -r mine.lua mine_test.lua results ;;
    compare)
      for policy in easy fcfs; do
        for seed in 1 2; do
          prepared coslice run scenarios/synthetic.toml --set workload.params.jobs=200 --policy $policy --seed $seed \
            --out runs/$policy-$seed
        done
      done
      rm -r results
      prepared coslice run scenarios/time_slices.toml --policy scojo_pect,easy,fcfs --out results
      prepared coslice sweep loads.toml -o loads.sqlite
      ;;
    gantt) prepared coslice run s.toml --policy easy,fcfs --out results/8 ;;
    report)
      prepared coslice run s.toml --policy easy,fcfs --out results/8
      prepared coslice sweep loads.toml -o loads.sqlite
      ;;
    diff)
      for policy in easy conservative; do prepared coslice run s.toml --policy $policy --out results/$policy; done
      prepared coslice run s.toml --policy fcfs --out results/1
      prepared coslice run s.toml --policy easy --out results/2
      ;;
    generate) cp workload.lua mine.lua ;;
    sweep) cp scenarios/campaigns/depth.toml . ;;
    import)
      cp scenarios/slurm/*.conf scenarios/slurm/sacctmgr.script .
      prepared coslice import slurm --conf slurm.conf --jobs scenarios/slurm/jobs.events -o made
      cp made/jobs.sacct jobs.sacct
      ;;
    estimate)
      cp scenarios/slowdowns/gpu_pairs.csv pairs.csv
      cp scenarios/slowdowns/gpu_single.csv single.csv
      cp pairs.csv ask.csv
      ;;
    forecast | tune | whatif)
      rm -r results
      prepared coslice import slurm --conf scenarios/slurm/slurm.conf --gres scenarios/slurm/gres.conf \
        --topology scenarios/slurm/topology.conf --assoc scenarios/slurm/sacctmgr.script \
        --jobs scenarios/slurm/jobs.events -o site
      prepared coslice run site/scenario.toml --out results
      dated_record >dated.sacct
      mv dated.sacct site/jobs.sacct
      ;;
    fidelity)
      rm -r results
      prepared coslice run s.toml --policy easy --out results
      cp results/schedule.swf site.swf
      cp results/jobs.csv monday.csv
      cp results/jobs.csv tuesday.csv
      prepared coslice convert site.swf -o jobs.sacct
      ;;
    merge)
      cp loads.toml depth.toml
      for part in 1 2 3 4 5 6 7 8; do prepared coslice sweep depth.toml --shard $part/8; done
      ;;
  esac
}

# The examples stand in the manual, one a line, each with a comment; a shell leaves that out. Those that draw workloads or
# futures draw a few here: thousands of them are for unit.check_test and unit.forecast_test. A drive decides once: it
# has no end.
examples_of() {  # command; "" is the program itself
  awk -v wanted="$1" '
    /^## / { command = $2 }
    /^```/ { inside = !inside && /sh$/; next }
    inside && command == wanted' "$work/manual.md" |
    sed -E -e "$no_scheduler" -e '/^coslice (check|forecast|whatif) /s/ --runs [0-9]+//' -e 's/^(coslice check [^ ]+)/\1 --runs 50/' \
      -e 's/^(coslice (forecast|whatif) [^ -][^ ]*)/\1 --runs 3/' -e '/ --instants /!s/ --calibrate/& --instants 3/' \
      -e '/ --once/!s/^coslice drive --choose /coslice drive --once --choose /'
}

run_examples() {  # command
  local folder=$work/${1:-coslice} line before=$examples
  mkdir "$folder"
  export HOME=$folder/home
  mkdir "$HOME"
  cd "$folder" || exit 1
  prepare_all
  prepare_command "$1"
  examples_of "$1" >"$folder/examples"
  while read -r line; do
    examples=$((examples + 1))
    bash -c "set -o pipefail; $line" >"$work/log" 2>&1 </dev/null || {
      fail "status $?: $line"
      sed 's/^/    /' "$work/log"
    }
  done <"$folder/examples"
  cd "$root" || exit 1
  [ "$examples" -gt "$before" ] || fail "coslice ${1:-} --help shows no example"
}

coslice manual --markdown >"$work/manual.md"
sed -n 's/^## \([a-z]*\)$/\1/p' "$work/manual.md" >"$work/commands"
if [ $# -gt 0 ]; then
  printf '%s\n' "$@" >"$work/commands"
else
  run_examples ""
fi
while read -r command; do
  run_examples "$command"
done <"$work/commands"
echo "$examples examples, $failures failures"
[ "$failures" -eq 0 ]

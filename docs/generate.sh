#!/bin/sh
# Writes the generated pages of docs/ anew. With --check it only compares, and says what is not current.
# usage: generate.sh [--check] path/to/coslice
set -eu
export LC_ALL=C
check=no
[ "${1-}" != --check ] || { check=yes; shift; }
coslice=$(realpath "$1")
cd "$(dirname "$(readlink -f "$0")")/.."
fresh=$(mktemp -d)
runs=$(mktemp -d)
trap 'rm -rf "$fresh" "$runs"' EXIT

# The definitions of figures and jobs come first: the reference page is made from them.
"$coslice" complete figure-definitions >"$fresh/figures.lua"
"$coslice" complete job-definitions >"$fresh/jobs.lua"
"$coslice" complete figure-reference >"$fresh/figures.md"
mkdir "$fresh/policy-api"
awk -v out="$fresh/policy-api" -f docs/lua_reference.awk lua/meta/library.lua lua/meta/policy.lua lua/meta/placement.lua "$fresh/jobs.lua" lua/meta/slices.lua lua/meta/groups.lua lua/meta/pairs.lua lua/meta/units.lua lua/meta/coscheduling.lua lua/meta/workload.lua lua/meta/slowdown.lua lua/meta/test.lua "$fresh/figures.lua" lua/meta/paper.lua >"$fresh/policy-api.md"
"$coslice" complete scenario-reference >"$fresh/scenarios.md"
"$coslice" complete refusals >"$fresh/refusals.md"
"$coslice" manual --markdown >"$fresh/commands.md"
"$coslice" run scenarios/backfilling.toml --quiet --out "$runs/drawn"
awk -f docs/schedules.awk "$runs/drawn/fcfs/jobs.csv" "$runs/drawn/easy/jobs.csv" >"$fresh/schedules.svg"
"$coslice" gantt scenarios/time_slices.toml -o "$fresh/slices.svg" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
"$coslice" gantt scenarios/groups.toml -o "$fresh/groups.svg" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
"$coslice" gantt scenarios/elastic_by_hand.toml -o "$fresh/elastic.svg" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
"$coslice" gantt scenarios/gpu_site_groups.toml --policy glomarc_ts --from 50h --to 54h -o "$fresh/gpu_site.svg" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
"$coslice" gantt scenarios/gpu_site_slices.toml --policy scojo_pect --from 46h --to 50h -o "$fresh/gpu_site_slices.svg" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
"$coslice" gantt scenarios/gpu_site_pairs.toml --policy lomarc --from 54h --to 60h -o "$fresh/gpu_site_pairs.svg" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
"$coslice" gantt scenarios/gpu_site_processes.toml --policy fcs --from 15m --to 35m -o "$fresh/gpu_site_processes.svg" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
"$coslice" gantt scenarios/two_applications.toml --policy fcs --processors --from 9 --to 9.35 -o "$fresh/processors.svg" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
"$coslice" report scenarios/quickstart.toml --svg "$runs/charts" 2>"$runs/said" || { cat "$runs/said"; exit 1; }
cp "$runs/charts/wait.svg" "$fresh/wait.svg"
"$coslice" import slurm --conf tests/slurm/records/depth/slurm.conf --jobs tests/slurm/records/depth/jobs.sacct -o "$runs/depth" >"$runs/said" 2>&1 || { cat "$runs/said"; exit 1; }
"$coslice" forecast "$runs/depth" --calibrate --recorded tests/slurm/records/depth/run1.csv --instants 10 --runs 20 -o "$fresh/calibration-depth.svg" >"$runs/said" 2>&1 || { cat "$runs/said"; exit 1; }

# The page of the papers is made of the results that runs wrote beside it and of the notes on them.
"$coslice" reproduce --from docs/reproduction/record.json --write "$fresh/reproduction.md" 2>"$runs/said" || { cat "$runs/said"; exit 1; }

stale=0
for old in docs/reproduction/* docs/policy-api/*; do
  [ -e "$old" ] || continue
  [ -e "$fresh/${old#docs/}" ] && continue
  echo "$old is not made any more"
  if [ $check = yes ]; then stale=1; else rm "$old"; fi
done
mkdir -p docs/policy-api
for page in "$fresh"/*.* "$fresh"/reproduction/* "$fresh"/policy-api/*; do
  name=docs/${page#"$fresh"/}
  case $page in *.lua) name=lua/meta/${page##*/} ;; esac
  cmp -s "$page" "$name" && continue
  if [ $check = yes ]; then
    echo "$name is not current; ./dev docs writes it anew:"
    diff "$name" "$page" 2>&1 | head -n 20
    stale=1
  else
    cp "$page" "$name"
    echo "wrote $name"
  fi
done
exit $stale

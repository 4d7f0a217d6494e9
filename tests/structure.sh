#!/usr/bin/env bash
# The architecture, checked: which folder may include which, how long a file may be, what no file may say.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
problems=0

complain() {
  echo "$*"
  problems=$((problems + 1))
}

# The folders in the order of their dependencies: each may include itself and what is named beside it.
allowed() {
  case $1 in
    engine/core) echo core ;;
    engine/cluster) echo core cluster ;;
    engine/resources) echo core cluster resources ;;
    engine/outages) echo core cluster outages ;;
    engine/workload) echo core cluster resources workload ;;
    engine/sched) echo core cluster resources outages workload sched ;;
    engine/sharing) echo core cluster resources outages workload sched sharing ;;
    engine/slices) echo core cluster resources outages workload sched sharing slices ;;
    engine/process) echo core cluster resources outages workload sched process ;;
    engine/observers) echo core cluster resources outages workload sched sharing slices process observers ;;
    engine/metrics) echo core cluster resources outages workload observers metrics ;;
    engine/report) echo core cluster resources outages workload slices observers metrics report ;;
    lua/host) echo core host ;;
    lua/formula) echo core workload host formula ;;
    lua/api | lua/lib) echo core cluster resources outages workload sched sharing slices process observers metrics host formula api lib ;;
    app/scenario) echo core cluster resources outages workload sched sharing slices process observers metrics report host api scenario ;;
    app/testing) echo core cluster resources outages workload observers metrics report host api scenario testing ;;
    app/lab) echo core cluster resources outages workload observers metrics report host api scenario testing lab ;;
    app/slurm) echo core cluster resources workload report slurm ;;
    app/drive) echo core cluster resources outages workload sched metrics host api scenario slurm drive ;;
    app/cli) echo core cluster resources outages workload sched slices observers metrics report host api scenario testing lab slurm drive cli ;;
    *) return 1 ;;
  esac
}

sources() { find "$@" -type f \( -name '*.cpp' -o -name '*.h' \) 2>/dev/null | LC_ALL=C sort; }

check_includes() {
  local file folder names included
  for file in $(sources engine lua app); do
    folder=$(echo "$file" | cut -d/ -f1-2)
    if ! names=$(allowed "$folder"); then
      complain "$file: the folder $folder has no place in the order of dependencies"
      continue
    fi
    while read -r included; do
      case " $names  " in
        *" ${included%%/*} "*) ;;
        *) complain "$file: includes $included, but $folder may depend on: $names" ;;
      esac
    done <<<"$(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file")"
  done
}

check_engine_knows_no_lua() {
  local hits
  hits=$(grep -nE '#include *[<"](lua|lauxlib|lualib|host/|api/|scenario/|lab/|cli/)' -r engine | grep -v '^$')
  [ -z "$hits" ] || complain "the engine includes Lua:
$hits"
}

check_lengths() {
  local file lines
  for file in $(sources engine lua app tests examples) $(find policies lua tests -name '*.lua' 2>/dev/null); do
    lines=$(wc -l <"$file")
    [ "$lines" -le 450 ] || complain "$file: $lines lines; a file is one idea under 450"
  done
}

# The project speaks of itself alone: no path of a developer's machine, no number of an issue tracker.
check_words() {
  local hits
  hits=$(grep -rnIiE '(^|[^[:alnum:]_./])/(work|home|users)/|\<issues? *#?[0-9]' \
    --exclude-dir=build --exclude-dir=.git --exclude=.git --exclude=structure.sh .)
  [ -z "$hits" ] || complain "what belongs to one machine or tracker:
$hits"
}

check_headers() {
  local file
  for file in $(sources engine lua app tests | grep '\.h$'); do
    grep -q '^#pragma once$' "$file" || complain "$file: no #pragma once"
  done
}

# What makes an editor complete inside a policy.
check_policies() {
  local file
  for file in policies/*.lua policies/*/*.lua lua/lib/templates/policy.lua; do
    grep -q '^---@type coslice.Policy$' "$file" || complain "$file: no ---@type coslice.Policy"
  done
}

check_includes
check_engine_knows_no_lua
check_policies
check_lengths
check_words
check_headers
echo "structure: $problems problems"
[ $problems -eq 0 ]

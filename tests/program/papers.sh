#!/usr/bin/env bash
# The findings of the papers in full size: their verdicts, and whether the interval of what is met holds the published
# value, are those in papers.txt.
# Not figures: a change of the engine may move a mean, but what is said of a paper must not change unnoticed.
# After a change that is meant to change them: tests/program/papers.sh PROGRAM --update
#
# Logs and data that are not part of coslice are in a folder beside the project (COSLICE_SHARED, else ../shared): `traces`, and
# gpu/sharing/gavel, cirrus and elastic, without which those papers are left out.
#
# tests/program/papers.sh --page runs nothing: the page in docs/ says the same of these experiments, but for those of which it has
# more seeds.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
golden=$here/papers.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$1" = --page ]; then
  awk 'function text(key) {
         match($0, "\"" key "\":\"[^\"]*")
         return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
       }
       /^\{"command":.*"experiments":\[$/ { split(text("command"), words, " "); paper = words[3] }
       /^\{"command":.*"rows":\[$/ { label = text("label") }
       /^\{.*"quantity":"/ {
         verdict = text("verdict")
         if (verdict == "met" && /"agrees":true/) verdict = "met, agrees"
         if (verdict == "met" && /"agrees":false/) verdict = "met, not its value"
         print paper, label, text("quantity"), verdict }' \
    "$here/../../docs/reproduction/record.json" | sort >"$work/page.txt"
  grep -v -e '^g-lomarc-ts ' -e '^gavel ' -e '^cirrus ' -e '^posner-2023 ' "$golden" | sort | comm -23 - "$work/page.txt" >"$work/lacks.txt"
  [ ! -s "$work/lacks.txt" ] || { echo "the page does not say:"; cat "$work/lacks.txt"; exit 1; }
  exit 0
fi
program=$(realpath "$1")
cd "$here/../.."
shared=${COSLICE_SHARED:-$(realpath ../shared)}
export COSLICE_TRACES=$shared/traces
gavel=$shared/gpu/sharing/gavel

verdicts() {  # paper experiment [options]
  "$program" reproduce "$1" --experiment "$2" "${@:3}" --json >"$work/rows.json"
  told "$1"
}

told() {  # paper
  awk -v paper="$1" '
    function value() { sub(/^[^:]*: "?/, ""); sub(/"?,?$/, ""); return $0 }
    /^    "experiment"/ { experiment = value() }
    /^    "quantity"/ { quantity = value() }
    /^    "verdict"/ { verdict = value() }
    /^    "agrees"/ {
      agrees = value()
      if (verdict == "met" && agrees == "true") verdict = "met, agrees"
      if (verdict == "met" && agrees == "false") verdict = "met, not its value"
      print paper, experiment, quantity, verdict
    }' "$work/rows.json"
}

{
  verdicts scojo-pect T2
  verdicts scojo-pect Ch6
  verdicts scojo-pect Ch6-flat
  for experiment in T2 Fig6 Fig7 Fig8 T5 Fig9; do verdicts lomarc $experiment; done
  for experiment in T5 Fig13 Fig14 S5.2; do verdicts g-lomarc-ts $experiment --seeds 4; done
  for experiment in T3 T4 T5 T6 T7 T8; do verdicts fcs $experiment; done
  if [ -d "$gavel" ]; then
    "$program" reproduce gavel --data "$gavel" --json >"$work/rows.json"
    told gavel
  else
    grep '^gavel ' "$golden"
  fi
  if [ -d "$shared/cirrus" ]; then
    "$program" reproduce cirrus --data "$shared/cirrus" --json >"$work/rows.json"
    told cirrus | grep -E ' (2024-01|2024Q1)(\.| |$)'  # further months may have been put there
  else
    grep '^cirrus ' "$golden"
  fi
  if [ -d "$shared/elastic" ]; then
    "$program" reproduce posner-2023 --data "$shared/elastic" --json >"$work/rows.json"
    told posner-2023 | grep -E ' (equal [a-z_.-]+|[a-z_]+ largest-error[a-z.-]*) '  # not of single runs and shares
  else
    grep '^posner-2023 ' "$golden"
  fi
} >"$work/now.txt"

if [ "${2:-}" = --update ]; then
  cp "$work/now.txt" "$golden"
else
  diff "$golden" "$work/now.txt" || { echo "verdicts differ: < as they were, > as they are"; exit 1; }
fi

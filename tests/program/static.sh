#!/usr/bin/env bash
# The program that is one file (build/shared/static/coslice), in a root in which there is nothing else: it needs no library, no
# kernel of today, at most 15 MB, and gives the same bytes as the program beside it. Ends with 77 where it has not been
# built, or where no such root can be entered.
# usage: static.sh PROGRAM
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
other=$(realpath "$1")
file=$root/build/shared/static/coslice
[ -e "$file" ] || { echo "skipped: there is no build/shared/static/coslice (./dev package)"; exit 77; }
# A user who is not root enters it where he may have a namespace of his own.
enter=(chroot)
if [ "$(id -u)" -ne 0 ]; then enter=(unshare -r chroot); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/empty"
cp "$file" "$work/empty/coslice"
"${enter[@]}" "$work/empty" /coslice --help >/dev/null 2>"$work/said" || {
  status=$?
  grep -qE 'chroot|unshare' "$work/said" || { cat "$work/said"; exit $status; }
  echo "skipped: no root can be entered here ($(head -n 1 "$work/said"))"
  exit 77
}
failed=0
fails() { echo "failed: $*"; failed=1; }
inside() { env -i "$(command -v "${enter[0]}")" "${enter[@]:1}" "$work/empty" /coslice "$@"; }

size=$(stat -c %s "$file")
[ "$size" -le 15000000 ] || fails "it has $size bytes"
if readelf -lW "$file" | grep -E 'INTERP|DYNAMIC'; then fails "it needs a loader"; fi
oldest=$(readelf -nW "$file" | sed -n 's/.*OS: Linux, ABI: \([0-9.]*\).*/\1/p')
[ "$(printf '%s\n' 3.10 "${oldest:-9}" | sort -V | head -n 1)" = "$oldest" ] || fails "it needs Linux $oldest"

inside --version >"$work/version"
grep -q '^Lua  *5\.4\.' "$work/version" || fails "it does not name its Lua"
inside manual >"$work/manual"
grep -q '^\.TH COSLICE' "$work/manual" || fails "there is no manual"
inside policies >"$work/names"
grep -q '^ *slurm ' "$work/names" || fails "it has no policies"
inside unpack --list >"$work/list"
for name in docs/tutorial.md scenarios/quickstart.toml policies/slurm.lua lua/meta/policy.lua examples/c/simulate.c; do
  grep -qxF "$name" "$work/list" || fails "it has no $name inside"
done
inside unpack /here >/dev/null
(cd "$root" && git ls-files 2>/dev/null || true) | grep -E '^(docs|examples|lua/meta|policies|scenarios)/' |
  while read -r name; do cmp "$root/$name" "$work/empty/here/$name" || exit 1; done || fails "what it writes differs"
[ -x "$work/empty/here/docs/generate.sh" ] || fails "programs are none"
if inside unpack /here 2>"$work/said"; then fails "it writes over files"; fi
grep -q 'is there already' "$work/said" || fails "it does not say what is there"

# The same bytes: a model, a log that is compressed, a policy in Lua of one's own, what a campaign keeps.
cp -r "$root/scenarios" "$root/policies" "$work"
simulate() {  # name arguments...
  local name=$1
  shift
  inside run "$@" --out "/out-$name" >/dev/null || fails "$name"
  (cd "$work" && "$other" run "${@//\/here\//}" --out "out-$name" >/dev/null) || fails "$name, beside it"
  cmp "$work/empty/out-$name/jobs.csv" "$work/out-$name/jobs.csv" || fails "$name: other jobs"
}
simulate model /here/scenarios/quickstart.toml --policy conservative
simulate log /here/scenarios/traces/campus.swf --policy easy
simulate lua /here/scenarios/quickstart.toml --policy /here/policies/examples/easy_composed.lua
cat >"$work/empty/campaign.toml" <<'END'
[campaign]
scenario = "here/scenarios/quickstart.toml"
seeds = 2
[axes]
policy = ["fcfs", "easy"]
END
inside sweep /campaign.toml -o /campaign.sqlite >"$work/said" 2>&1 || { cat "$work/said"; fails "a campaign"; }
[ $failed -eq 0 ] && echo "one file of $((size / 1000000)) MB, for Linux $oldest and later"
exit $failed

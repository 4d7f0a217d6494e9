#!/usr/bin/env bash
# The shipped scenarios: every command that one of them shows works, and every run's fingerprint is the one in
# scenarios.txt. After a change that is meant to change results: tests/program/scenarios.sh PROGRAM --update
set -euo pipefail
export LC_ALL=C  # the order of the scenarios is that of scenarios.txt
program=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
golden=$here/scenarios.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/../../scenarios" "$work"
cd "$work"
gzip -c scenarios/traces/campus.swf > my.swf.gz  # what a header calls the reader's own trace
problems=0

complain() {
  echo "$*"
  problems=$((problems + 1))
}

# Lines "scenario policy fingerprint".
fingerprints() {
  "$program" run "$1" --json | sed -n \
    -e '/^  "policy": {/{n;s/.*"name": "\(.*\)".*/\1/;h}' \
    -e "/^  \"fingerprint\"/{s/.*: \"\(.*\)\".*/\1/;H;x;s/\n/ /;s|^|$(basename "$1") |p}"
}

# What a header shows: comment lines that begin with the program's name. Comments behind two blanks are left out.
shown_commands() { sed -n 's/^#   coslice //p' "$1" | sed 's/  .*//'; }

for scenario in scenarios/*.toml; do
  shown_commands "$scenario" > commands
  grep -q "^run $scenario\$" commands || complain "$scenario does not show how to run it"
  while read -r arguments; do
    # The plain run of each scenario, which others name as well, is made once, for its fingerprint.
    if [[ $arguments == "run scenarios/"*.toml && -e ${arguments#run } ]]; then continue; fi
    # shellcheck disable=SC2086  # words are meant
    "$program" $arguments > out 2> err < /dev/null || complain "coslice $arguments: $(cat err)"
  done < commands
  fingerprints "$scenario" >> now.txt || complain "coslice run $scenario failed"
done

if [ "${2:-}" = --update ]; then
  cp now.txt "$golden"
else
  diff "$golden" now.txt || complain "fingerprints differ: < as they were, > as they are"
fi
exit $((problems > 0))

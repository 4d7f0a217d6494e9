#!/usr/bin/env bash
# The portal's script with a Slurm that is played: what it keeps, and that the last good forecast stays where something fails; then its
# crontab and units.
# usage: portal.sh PROGRAM
set -uo pipefail

here=$(cd "$(dirname "$0")/../slurm/portal" && pwd)  # the Slurm that is played
portal=$(cd "$here/../../../examples/portal" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
mkdir "$work/bin" "$work/fake" "$work/site"
cp "$(realpath "$1")" "$work/bin/coslice"
export PATH=$work/bin:$here/fake:$PATH FAKE_PORTAL=$work/fake LC_ALL=C.UTF-8 NO_COLOR=1 COSLICE_PROGRESS=off
unset COSLICE_PATH
state=$work/site/forecast.json

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
  sed 's/^/    /' "$work/said"
}

# Whether it ends with that status, and says that.
run() {  # status text
  "$portal/coslice-portal" "$work/portal.conf" >"$work/said" 2>&1
  local got=$?
  [ $got -eq "$1" ] || fail "status $got, not $1"
  grep -qF -- "$2" "$work/said" || fail "does not say: $2"
}

ask() { coslice forecast --from "$state" "$@" 2>&1; }

answers() {  # text arguments...
  local text=$1
  shift
  ask "$@" >"$work/said"
  grep -qF -- "$text" "$work/said" || fail "$*: does not say: $text"
}

unchanged() { cmp -s "$state" "$work/good.json" || fail "$1: the last good forecast has changed"; }

cat >"$work/portal.conf" <<END
FOLDER=$work/site
CONF=$here/slurm.conf
FORECAST="--runs 5 --past 0 --arrivals none"
END

test_fresh() {
  run 0 "wrote $state: 3 waiting jobs, 1 held, 2 running"
  answers 103 --job 103
  answers 104_2 --user bob
  answers "held (JobHeldUser)" --job 105
  [ -z "$(find "$work/site" -name 'new.*')" ] || fail "something is left behind: $(ls "$work/site")"
  cp "$state" "$work/good.json"
}

test_failures() {
  touch "$FAKE_PORTAL/squeue.fails"
  run 1 "squeue failed; the forecast stays as it was"
  unchanged "squeue fails"
  rm "$FAKE_PORTAL/squeue.fails"
  echo "slurm_load_jobs error: Unable to contact slurm controller" >"$FAKE_PORTAL/squeue.says"
  run 1 "no forecast could be made; it stays as it was"
  unchanged "squeue prints something else"
  rm "$FAKE_PORTAL/squeue.says"
  touch "$FAKE_PORTAL/sacct.fails"
  touch -d "2 days ago" "$work/site/twin" "$work/site/tried"
  local before
  before=$(stat -c %i "$state")
  run 0 "the twin could not be renewed"
  [ "$(stat -c %i "$state")" != "$before" ] || fail "an old twin is not used"
  rm "$FAKE_PORTAL/sacct.fails"
  run 0 "wrote $state"
  grep -q renewed "$work/said" && fail "the accounting is asked again at once"
  touch -d "2 hours ago" "$work/site/tried"
  run 0 "wrote $state"
  [ -n "$(find "$work/site/twin" -prune -mmin -5)" ] || fail "the twin is not renewed later"
}

test_nobody_waits() {
  "$here/fake/squeue" | head -1 >"$FAKE_PORTAL/empty"
  mv "$FAKE_PORTAL/empty" "$FAKE_PORTAL/squeue.says"
  run 0 "wrote $state: 0 waiting jobs"
  answers "no job waits"
  rm "$FAKE_PORTAL/squeue.says"
}

test_one_at_a_time() {
  cp "$state" "$work/good.json"
  exec 8>"$work/site/lock"
  flock 8
  run 0 "another run goes on"
  unchanged "another run goes on"
  exec 8>&-
}

test_settings() {
  "$portal/coslice-portal" "$work/none.conf" >"$work/said" 2>&1 && fail "settings that are not there"
  grep -qF "none.conf: is not there, or cannot be read" "$work/said" || fail "no word on the settings"
  # Every setting of the example is one that the script knows.
  local name
  # shellcheck disable=SC2013  # names have no blanks
  for name in $(sed -nE 's/^#([A-Z]+)=.*/\1/p' "$portal/portal.conf"); do
    grep -qw "$name" "$portal/coslice-portal" || fail "portal.conf has $name, which the script does not know"
  done
}

# Five fields, a user, and a command that is there.
test_crontab() {
  grep -vE '^(#|$|[A-Z]+=)' "$portal/crontab" >"$work/said"
  [ "$(wc -l <"$work/said")" -eq 1 ] || fail "crontab: one line is expected"
  grep -qE '^([0-9*/,-]+ ){5}coslice timeout [0-9]+ coslice-portal /' "$work/said" || fail "crontab: no line of cron"
  grep -q % "$work/said" && fail "crontab: % ends a command"
  sed -E 's/^([^ ]+ ){6}//' "$work/said" | sh -n || fail "crontab: the command is no shell"
}

test_units() {
  command -v systemd-analyze >/dev/null || { echo "no systemd-analyze here: units are not verified"; return; }
  mkdir "$work/units"
  cp "$portal"/*.timer "$work/units"
  sed "s|^ExecStart=[^ ]*|ExecStart=$portal/coslice-portal|" "$portal/coslice-portal.service" >"$work/units/coslice-portal.service"
  systemd-analyze verify --man=no "$work"/units/* >"$work/said" 2>&1 || fail "systemd-analyze verify"
  [ ! -s "$work/said" ] || fail "systemd-analyze verify complains"
  systemd-analyze calendar --iterations 1 "$(sed -n 's/^OnCalendar=//p' "$portal/coslice-portal.timer")" >"$work/said" 2>&1 ||
    fail "the timer's calendar"
}

test_shell() {
  command -v shellcheck >/dev/null || return
  shellcheck "$portal/coslice-portal" "$here"/fake/* >"$work/said" 2>&1 || fail "shellcheck"
}

export TZ=UTC  # for the fakes where a test calls them
test_fresh
test_failures
test_nobody_waits
test_one_at_a_time
test_settings
test_crontab
test_units
test_shell
echo "portal: $failures failures"
[ $failures -eq 0 ]

#!/usr/bin/env bash
# Proves the README's two commands on a bare machine: makes a minimal root with debootstrap, clones the last commit into
# it (and mounts ../shared beside it, if it is there), and runs them as they stand, as root in the plain locale; then, as
# an ordinary user with LC_ALL=C, the first and some tests, and the build of the whole program. Says what each took; the
# last line is that of ./dev test. Needs root; downloads about 300 MB, from the mirror that apt of this machine uses
# (root.sh). Exit status 77: no root can be made here.
# usage: debian.sh [bookworm|trixie|noble] [COMMAND...]   (default: the whole proof; a command runs in the clone instead)
# shellcheck disable=SC2317  # steps are called by name
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
suite=${1:-bookworm}
[ $# -eq 0 ] || shift

# shellcheck source=tests/bare/root.sh
. "$source/tests/bare/root.sh"
start=$SECONDS
make_root "$suite"
times=$(printf '%5d s  the bare %s' $((SECONDS - start)) "$suite")

# Cloned from outside: on the bare machine there is no git, and no package list yet.
home=/srv/tester
inside useradd -m -d "$home" tester
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' \
  git clone -q --no-local "$source" "$bare$home/coslice"
if [ -d "$source/../shared" ]; then
  shared=$(cd "$source/../shared" && pwd)
  mount_inside "$shared" "$home/shared"
fi

# In the clone, as root in the locale of a fresh Debian, and as the ordinary user without any.
as_root() { inside sh -c "cd $home/coslice && exec \"\$@\"" sh "$@"; }
as_user() { inside env LC_ALL=C su -s /bin/sh -c "cd $home/coslice && $1" tester; }

if [ $# -gt 0 ]; then
  as_root "$@"
  exit
fi

counts="0 passed, 1 failed"
# Runs one step, with its output, and ends where it fails; the last line is always what the last ./dev test counted.
step() {  # what command...
  local what=$1 begin=$SECONDS status=0 log=$bare/step.log said
  shift
  echo "--- $what"
  "$@" 2>&1 | tee "$log" || status=$?
  times+=$(printf '\n%5d s  %s' $((SECONDS - begin)) "$what")
  said=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1 || true)
  counts=${said:-$counts}
  [ $status -ne 0 ] || return 0
  [[ $counts != *", 0 failed" ]] || counts="0 passed, 1 failed"
  finish "failed with status $status: $what"
}
finish() {  # outcome
  printf -- '--- bare %s, %d processors: %s\n%s\n%s\n' "$suite" "$(nproc)" "$1" "$times" "$counts"
  if [[ $counts == *", 0 failed" ]]; then exit 0; else exit 1; fi
}

told_what_is_missing() {
  local output
  output=$(as_user './dev build' 2>&1) && { echo "the build should have failed"; return 1; }
  echo "$output"
  must_say "sudo apt-get install --no-install-recommends" "$output"
}
first_table() {  # command...
  local output
  output=$("$@") || return
  echo "$output"
  must_say "makespan    37 d 00:10:58 (3,197,458 s)" "$output"
}

step "an ordinary user is told what is missing" told_what_is_missing
step "./dev run scenarios/quickstart.toml" first_table as_root ./dev run scenarios/quickstart.toml
step "./dev test" as_root ./dev test
# The tree becomes the user's, with what is built in it.
inside chown -R tester "$home/coslice"
step "./dev run scenarios/quickstart.toml, as an ordinary user with LC_ALL=C" \
  first_table as_user './dev run scenarios/quickstart.toml'
# What depends on who runs it, and in which locale; the others would take as long again.
step "tests of scripts and of the program, as an ordinary user with LC_ALL=C" as_user \
  "ctest --test-dir build/checked --output-on-failure \
    -R '^(structure|dev|portal|papers.page|first_program|docs.wrong_output|docs.wrong_status|cli.run_test|lua.easy_test)\$'"
whole_program() {
  as_user './dev build' &&
    first_table as_user 'build/release/coslice run scenarios/quickstart.toml'
}
step "./dev build, as an ordinary user with LC_ALL=C, and what it built" whole_program
finish fine

#!/usr/bin/env bash
# What `./dev test --all` runs, notes and repeats, in a copy of the project without sources, where the tools that build and
# test only write down how they were called.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tree" "$work/tree/tests" "$work/tree/tests/bare" "$work/tree/tests/program"
cp "$root/dev" "$work/tree"
cd "$work/tree"
export COSLICE_SETUP=off CALLS=$work/calls LC_ALL=C
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
tool() {  # path, from standard input
  { echo '#!/usr/bin/env bash'; cat; } >"$1"
  chmod +x "$1"
}
says() { grep -qF -- "$1" "$work/said" || { fail "does not say: $1"; sed 's/^/    /' "$work/said"; }; }
dev() {  # status arguments...
  local status=0
  : >"$CALLS"
  PATH=$work/bin:$PATH ./dev test "${@:2}" >"$work/said" 2>&1 || status=$?
  [ $status -eq "$1" ] || { fail "status $status of ./dev test ${*:2}"; cat "$work/said"; }
}
called() { [ "$(wc -l <"$CALLS")" -eq "$1" ] || { fail "not $1 calls:"; cat "$CALLS"; }; }

: >CMakeLists.txt
tool "$work/bin/cmake" <<'EOF'
while [ "$1" != --preset ]; do shift; done
mkdir -p "build/$2"
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\nCOSLICE_TESTS:BOOL=ON\n' "$PWD" >"build/$2/CMakeCache.txt"
: >"build/$2/build.ninja"
EOF
tool "$work/bin/ninja" <<'EOF'
case $PWD in */"${BROKEN-}") exit 1 ;; esac
if grep -qs old headers.pch; then
  echo "fatal error: file 'errno.h' has been modified since the precompiled header 'headers.pch' was built"
  exit 1
fi
case $PWD in
  */asan)
    mkdir -p tests/fuzz
    for target in dump policy script toml trace; do
      printf '#!/bin/sh\necho "fuzz %s $*" >>"$CALLS"\n' $target >tests/fuzz/${target}_fuzz
      chmod +x tests/fuzz/${target}_fuzz
    done ;;
esac
EOF
tool "$work/bin/ctest" <<'EOF'
echo "ctest $*" >>"$CALLS"
case " $* " in
  *"${FAILS- no }"*) printf '90%% tests passed, 1 tests failed out of 10\n\nThe following tests FAILED:\n\t  7 - unit.x (Failed)\n'; exit 8 ;;
esac
echo '100% tests passed, 0 tests failed out of 10'
EOF
tool tests/bare/debian.sh <<'EOF'
echo "bare $*" >>"$CALLS"
exit "${BARE_STATUS-0}"
EOF
tool tests/program/sanitized_library.sh <<'EOF'
echo library >>"$CALLS"
EOF

# Each part is one of so many, once; what they take differs by a tenth at most from what it would be at best.
parts_in() { dev 0 --all --status --part "$1"; sed -n 's/^dev: part [^:]*: //p' "$work/said" | tr ' ' '\n'; }
parts_in 1/1 | sort >"$work/all"
for machines in 2 3 4; do
  for ((i = 1; i <= machines; i++)); do parts_in "$i/$machines" | sed "s|\$| $i|"; done | sort >"$work/each"
  cut -d' ' -f1 "$work/each" | cmp -s - "$work/all" || fail "the parts of $machines machines are not all parts"
  awk '/^test_parts\(\)/ { inside = 1; next } /^EOF/ { inside = 0 } inside { print $1, $2 }' dev >"$work/minutes"
  awk -v machines="$machines" 'NR == FNR { minutes[$1] = $2; all += $2; next } { load[$2] += minutes[$1] }
    END { for (i in load) if (load[i] > most) most = load[i]; exit most > 1.1 * all / machines }' "$work/minutes" "$work/each" ||
    fail "$machines machines have not as much to do each"
done

# The labels that the tests of `--all` have are those of parts.
# shellcheck disable=SC2013  # labels have no blanks
for label in $(sed -n 's/.*LABELS "all;\(once;\)\{0,1\}\([a-z]*\).*/\2/p' "$root/tests/CMakeLists.txt" | sort -u); do
  grep -qF -- "-L ^$label\$" dev || fail "no part of --all has the tests with the label $label"
done
! grep -E 'LABELS ("all;once"|"all"|all)[ )]' "$root/tests/CMakeLists.txt" || fail "tests of --all that are in no part"

# What passed on this tree is not run again, unless that is asked for; what failed is.
count=$(wc -l <"$work/all")
FAILS=asan dev 1 --all
called $((count + 4))  # the five targets of the fuzzer are one part
says "unit.x (Failed)"
says "; failed: sanitize"
dev 0 --all
called 1
grep -qF -- "/build/asan " "$CALLS" || fail "not asan is run again, but $(cat "$CALLS")"
dev 0 --all
called 0
! grep -E 'failed|not run' "$work/said" || fail "all have passed"
dev 0 --all --part 2/3 --again
[ "$(wc -l <"$CALLS")" -gt 1 ] || fail "--again runs nothing"

# Another tree is tested anew; a build that fails, and a machine on which a part cannot run, are said.
echo change >CMakeLists.txt
dev 0 --all --status
called 0
says "passed: none; not run: "
BROKEN=asan BARE_STATUS=77 dev 1 --all
says "cannot be built"
says "; failed: sanitize bytes fuzz; skipped here: debian_12 debian_13"
echo back >CMakeLists.txt
ends() { [ "$(tail -n 1 "$work/said")" = "$1" ] || { fail "does not end with: $1"; cat "$work/said"; }; }
FAILS=checked dev 1
ends "9 passed, 1 failed"
BROKEN=checked dev 1
ends "0 passed, 1 failed"
dev 0
called 1
ends "10 passed, 0 failed"
dev 0 --all --status
says "passed: checked; not run: sanitize"

# What was precompiled of headers that an upgrade of the system has changed is made anew; it stays where else a build fails.
echo new >build/checked/headers.pch
BROKEN=checked dev 1
[ -e build/checked/headers.pch ] || fail "a precompiled header is deleted for another reason"
echo old >build/checked/headers.pch
dev 0
says "headers of the system have changed"
[ ! -e build/checked/headers.pch ] || fail "an outdated precompiled header stays"

dev 1 --all --part 3/2
says "there is no part 3/2"
dev 1 --all --fast
says "'--fast' is none of them"

# A commit is its own name, a tree that differs from it is told from it.
if command -v git >/dev/null; then
  git init -q . && echo /build/ >.gitignore && git add . &&
    git -c user.name=test -c user.email=test@localhost commit -q -m tree
  dev 0
  dev 0 --all --status
  says "$(git rev-parse HEAD | cut -c1-12): passed: checked; not run: sanitize"
  : >new
  dev 0 --all --status
  says "$(git rev-parse HEAD | cut -c1-12)-changed-"
  says "passed: none"
fi
echo "dev: $failures failures"
[ $failures -eq 0 ]

#!/usr/bin/env bash
# Installs a build into a prefix with a blank in its path, builds examples/embed against it outside the tree, and runs
# what came out: programs, library, share folder.
# usage: run.sh BUILD-FOLDER
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/the prefix"

run() { "$@" >"$work/log" 2>&1 || { echo "failed: $*"; cat "$work/log"; exit 1; }; }
expect() {  # file text
  grep -qF -- "$2" "$1" || { echo "expected '$2' in:"; cat "$1"; exit 1; }
}

run cmake --install "$build" --prefix "$prefix"
cp -r "$root/examples/embed" "$work/embed"
cat >>"$work/embed/CMakeLists.txt" <<EOF
find_package(PkgConfig REQUIRED)
pkg_check_modules(LUA REQUIRED IMPORTED_TARGET lua5.4)
add_executable(two_luas "$root/tests/program/embed/two_luas.cpp")
target_link_libraries(two_luas PRIVATE PkgConfig::LUA coslice::lua)
target_link_options(two_luas PRIVATE -rdynamic)
EOF
run cmake -G Ninja -S "$work/embed" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix"
run cmake --build "$work/build"

# The installed program finds its share folder from anywhere.
(cd / && "$prefix/bin/coslice" policies) >"$work/policies.out"
expect "$work/policies.out" "$prefix/share/coslice"
test -s "$prefix/share/man/man1/coslice.1"
test -s "$prefix/share/bash-completion/completions/coslice"

# Editors find the definitions of that prefix, for what is installed and for a new policy.
expect "$prefix/share/coslice/.luarc.json" "\"$prefix/share/coslice/lua/meta\""
mkdir "$work/mine"
(cd "$work/mine" && run "$prefix/bin/coslice" new policy mine)
expect "$work/mine/.luarc.json" "\"$prefix/share/coslice/lua/meta\""

# What the documents link to is there, as in the source tree; the maps for contributors link to sources, too.
documents="$prefix/share/doc/coslice"
grep -oE '\]\([^):]+' "$documents"/README.md "$documents"/docs/*.md | sed -E '/:\]\(https?$/d; s/#.*//' | sort -u >"$work/links"
[ "$(wc -l <"$work/links")" -gt 50 ]
while IFS= read -r link; do
  page=${link%%:*}
  target=${link#*:](}
  [ -z "$target" ] || [ -e "$(dirname "$page")/$target" ] || { echo "$page: the link to $target is broken"; exit 1; }
done <"$work/links"

"$work/build/engine_only" >"$work/engine.out"
expect "$work/engine.out" "job 4 starts"

"$work/build/embed" >"$work/embed.out"
expect "$work/embed.out" "500 jobs on 64 nodes"
expect "$work/embed.out" "tiny   mean wait"

"$work/build/two_luas" >"$work/two.out"
expect "$work/two.out" "both work"

# Lua is inside the library and its names stay there.
if nm -g --defined-only "$work/build/embed" | grep -E ' (lua_|luaL_)' >/dev/null; then
  echo "the embedding program exports Lua's names"
  exit 1
fi

#!/bin/sh
# Joins an archive of ours and Lua's into one object and makes every name that Lua's archive defines local to it.
# usage: bundle-lua.sh LD OBJCOPY NM AR OURS.a LUA.a OUTPUT.a
set -eu
ld=$1 objcopy=$2 nm=$3 ar=$4 ours=$5 lua=$6 output=$7

mkdir -p "$(dirname "$output")"
object=${output%.a}.o
names=${output%.a}.names
# Not the weak ones: they belong to groups that the linker merges with those of other objects (the exception tables
# among them).
"$nm" -g --defined-only --format=posix "$lua" | awk '$2 ~ /^[TDBRC]$/ { print $1 }' | sort -u >"$names"
"$ld" -r -o "$object" --whole-archive "$ours" --no-whole-archive "$lua"
"$objcopy" --localize-symbols="$names" "$object"
rm -f "$output"
"$ar" rcs "$output" "$object"
rm -f "$object" "$names"

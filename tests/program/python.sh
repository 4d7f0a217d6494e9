#!/bin/sh
# Runs a test that is written in Python. usage: python.sh SCRIPT [ARGUMENT...]; ends with 77 where Python is missing.
command -v python3 >/dev/null || { echo "skipped: python3 is not here"; exit 77; }
script=$1
shift
exec python3 "$(dirname "$0")/$script" "$@"

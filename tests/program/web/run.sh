#!/bin/sh
# Runs a test in a browser. usage: run.sh TEST PROGRAM [FOLDER]; ends with 77 where Python or Chromium is missing.
command -v python3 >/dev/null || { echo "skipped: python3 is not here"; exit 77; }
test=$1
shift
exec python3 "$(dirname "$0")/${test}_test.py" "$@"

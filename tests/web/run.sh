#!/bin/sh
# Runs the tests in a browser. usage: run.sh PROGRAM; ends with 77 where Python or Chromium is missing.
command -v python3 >/dev/null || { echo "skipped: python3 is not here"; exit 77; }
exec python3 "$(dirname "$0")/gantt_test.py" "$@"

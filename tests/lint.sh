#!/usr/bin/env bash
# Checks scripts with shellcheck, Lua with luacheck, and the format of C++ with clang-format; with --format it formats.
# Exit status 77 says that nothing was found, but that a tool is missing.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
format_version=14 # others format differently
status=0
skipped=0

skip() {
  echo "lint: skipped: $*"
  skipped=1
}

has() { command -v "$1" >/dev/null || { skip "$1 is not installed"; false; }; }

cpp_files() { find engine lua app tests examples -type f \( -name '*.cpp' -o -name '*.h' \) -print0; }

formatter() {
  local name
  for name in "clang-format-$format_version" clang-format; do
    if command -v "$name" >/dev/null && "$name" --version | grep -q "version $format_version\."; then
      echo "$name"
      return
    fi
  done
}

check_scripts() {
  find cmake docs tests -type f -name '*.sh' -exec shellcheck dev .ci/run {} + || status=1
}

check_lua() { luacheck --quiet --no-color policies lua tests scenarios examples || status=1; }

check_format() {
  local found
  found=$(cpp_files | xargs -0 -n 100 -P 2 "$1" --dry-run 2>&1 | sed -n 's/:[0-9]*:[0-9]*: warning:.*//p' | sort -u)
  [ -z "$found" ] || { echo "not formatted (./dev format does it):"; echo "$found"; status=1; }
}

format=$(formatter)
if [ "${1-}" = --format ]; then
  [ -n "$format" ] || { echo "clang-format $format_version is needed; others format differently" >&2; exit 1; }
  cpp_files | xargs -0 "$format" -i
  exit
fi
if has shellcheck; then check_scripts; fi
if has luacheck; then check_lua; fi
if [ -n "$format" ]; then check_format "$format"; else skip "the format: there is no clang-format $format_version"; fi
[ $status -eq 0 ] || exit $status
echo "lint: no problems"
[ $skipped -eq 0 ] || exit 77

#!/usr/bin/env bash
# The Python package: its wheel is built around build/shared/libcoslice.so into build/wheel, unpacked, and tested there.
# Ends with 77 where the library or Python is missing.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
export COSLICE_LIBRARY=$root/build/shared/libcoslice.so
[ -e "$COSLICE_LIBRARY" ] || { echo "skipped: there is no build/shared/libcoslice.so (./dev library)"; exit 77; }

# The one that has numpy, if there is one: more is tested with it.
python=$("$root/tests/program/numpy_python.sh")
[ -n "$python" ] || { echo "skipped: python3 is not here"; exit 77; }

wheels=$root/build/wheel
rm -rf "$wheels"
mkdir -p "$wheels"
COSLICE_WHEEL=$("$python" "$root/python/backend.py" "$wheels")
"$python" -m zipfile -e "$COSLICE_WHEEL" "$wheels/unpacked"
unset COSLICE_LIBRARY
export COSLICE_WHEEL PYTHONPATH=$wheels/unpacked PYTHONDONTWRITEBYTECODE=1
cd "$root/python/tests"
"$python" -m unittest
echo "made ${COSLICE_WHEEL#"$root/"}"

#!/usr/bin/env bash
# build/asan-shared/libcoslice.so (cmake --preset asan-shared), under the address and undefined-behaviour sanitizers: the
# programs in C, and Python's tests, whose interpreter takes the sanitizers' runtime beforehand. Ends with 77 where the
# library or Python is missing.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/build/asan-shared
[ -e "$folder/libcoslice.so" ] || { echo "skipped: there is no build/asan-shared/libcoslice.so"; exit 77; }
python=$("$root/tests/program/numpy_python.sh")
[ -n "$python" ] || { echo "skipped: python3 is not here"; exit 77; }
runtime=$(clang++ -print-file-name="libclang_rt.asan-$(uname -m).so")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Some sanitizer runtimes crash at random under strong address randomization.
fixed=()
if setarch -R true 2>/dev/null; then fixed=(setarch -R); fi

export LD_LIBRARY_PATH=$folder:${runtime%/*}
in_c() {  # source arguments...
  local program
  program=$work/$(basename "$1" .c)
  [ -e "$program" ] || clang -fsanitize=address,undefined -shared-libasan -g1 -O1 -I"$root/app/door" "$1" \
    -L"$folder" -lcoslice -o "$program"
  "${fixed[@]}" "$program" "${@:2}"
}
in_c "$root/examples/c/simulate.c" | grep -qF 'little_work_first  mean wait  74.0 s, starts 0 160 110 100 100'
for policy in shortest area easy_pass sorted_pass; do
  in_c "$root/tests/program/doors/policies.c" "$root/scenarios/traces/campus.swf" 500 "$policy" "$work/jobs.csv"
done
echo "C: no finding"

# What the interpreter keeps until its end is no leak, and memory that is kept to find its late use is no growth.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0
export UBSAN_OPTIONS=print_stacktrace=1 COSLICE_LIBRARY=$folder/libcoslice.so PYTHONPATH=$root/python
export PYTHONDONTWRITEBYTECODE=1 PYTHONMALLOC=malloc
cd "$root/python/tests"
LD_PRELOAD=$runtime "${fixed[@]}" "$python" -m unittest
echo "Python: no finding"

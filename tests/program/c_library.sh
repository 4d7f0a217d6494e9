#!/usr/bin/env bash
# build/shared/libcoslice.so as others meet it: installed, with a C program that is built against it; it needs nothing but
# the C library, and shows nothing but coslice.h. Ends with 77 where it has not been built.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
library=$root/build/shared/libcoslice.so
[ -e "$library" ] || { echo "skipped: there is no build/shared/libcoslice.so (./dev library)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$root/build/shared" --prefix "$work" --component shared >/dev/null
folder=$(dirname "$(find "$work" -name libcoslice.so)")
export PKG_CONFIG_PATH=$folder/pkgconfig LD_LIBRARY_PATH=$folder
# shellcheck disable=SC2046  # words
cc -std=c11 -Wall -Wextra -Werror "$root/examples/c/simulate.c" $(pkg-config --cflags --libs coslice) -o "$work/simulate"
"$work/simulate" | tee "$work/said"
grep -qF 'little_work_first  mean wait  74.0 s, starts 0 160 110 100 100' "$work/said"

needs=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libdl|libpthread|ld-linux.*)\.so' || true)
[ -z "$needs" ] || { echo "it needs" "$needs"; exit 1; }
shows=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | grep -v '^coslice_' || true)
[ -z "$shows" ] || { echo "it shows" "$shows"; exit 1; }
missing=$(grep -o 'coslice_[a-z_]*(' "$root/app/door/coslice.h" | tr -d '(' | sort -u | while read -r name; do
  nm -D --defined-only "$library" | grep -qw "$name" || grep -q "\* .*$name()" "$root/app/door/coslice.h" || echo "$name"
done)
[ -z "$missing" ] || { echo "it has no" "$missing"; exit 1; }

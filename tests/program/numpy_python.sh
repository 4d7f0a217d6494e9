#!/bin/sh
# Prints the Python that has numpy, or any where none has; nothing where there is no Python. Packages of Debian are for
# /usr/bin/python3, which need not be the first one in PATH.
found=
for each in python3 /usr/bin/python3; do
  command -v "$each" >/dev/null || continue
  [ -n "$found" ] || found=$each
  if "$each" -c 'import numpy' 2>/dev/null; then
    found=$each
    break
  fi
done
echo "$found"

#!/usr/bin/env bash
# The Python package on a bare machine without a network and without a compiler: the wheel, and `pip install ./python` of
# the tree in which libcoslice.so is built, each in an environment of its own; then a first picture of a log in five
# lines. Needs root, debootstrap and build/shared/libcoslice.so (./dev library). Exit status 77: it cannot be done here.
# usage: python.sh [SUITE]     (default: this machine's own release)
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
library=$source/build/shared/libcoslice.so
# shellcheck source=tests/bare/root.sh
. "$source/tests/bare/root.sh"
[ -e "$library" ] || skip "there is no build/shared/libcoslice.so (./dev library)"
make_root "${1:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}"

inside apt-get -qq update >/dev/null
said=$(inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 install \
  python3-venv 2>&1) || { echo "$said"; exit 1; }
inside sh -c '! command -v cc c++ gcc g++ clang' || { echo "there is a compiler"; exit 1; }

# What a user has: the wheel, or the tree; and a log.
wheel=$(python3 "$source/python/backend.py" "$bare/root")
mount_inside "$source" /srv/coslice
cp "$source/scenarios/traces/campus.swf" "$bare/root/mine.swf"
cat >"$bare/root/first.py" <<'EOF'
import coslice as cs
result = cs.run(None, "mine.swf", policy="easy")
result.gantt().save("first.svg")
print(result)
print(result.explain(17))
EOF
offline() { inside unshare --net "$@"; }

# What comes of the program beside it, which is built here.
expected=
for from in "/root/${wheel##*/}" /srv/coslice/python; do
  rm -f "$bare/root/first.svg"
  # shellcheck disable=SC2016  # expanded inside
  offline sh -c 'rm -rf /root/env && python3 -m venv /root/env && exec /root/env/bin/pip -q install --no-index --disable-pip-version-check "$0"' "$from"
  said=$(offline sh -c 'cd /root && exec env/bin/python first.py')
  must_say "<Result policy easy" "$said"
  must_say "job 17" "$said"
  must_say "</svg>" "$(tail -c 20 "$bare/root/first.svg")"
  [ "${expected:-$said}" = "$said" ] || { echo "another result than that of the wheel"; exit 1; }
  expected=$said
  echo "$from: installed, $(offline /root/env/bin/python -c 'import sys; print("Python", sys.version.split()[0])'), drawn"
done

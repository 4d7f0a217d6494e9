#!/usr/bin/env bash
# Proves the two commands on a bare machine: makes a minimal root with debootstrap, clones the last commit into it, and
# there, as root and as an ordinary user, runs what the README says. Needs root; downloads about 300 MB, from the mirror
# that apt of this machine uses (root.sh).
# usage: debian.sh [bookworm|trixie|noble] [COMMAND...]   (default: the whole proof; a command runs in the clone instead)
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
suite=${1:-bookworm}
[ $# -eq 0 ] || shift

# shellcheck source=tests/bare/root.sh
. "$source/tests/bare/root.sh"
make_root "$suite"

as_user() { inside su -s /bin/bash -c "cd && $1" tester; }

git -C "$source" bundle create -q "$bare/root/coslice.bundle" HEAD
inside sh -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install git' \
  >/dev/null 2>&1
inside git clone -q -c advice.detachedHead=false /root/coslice.bundle /root/coslice
inside sh -c 'useradd -m tester && chmod 711 /root && chmod 644 /root/coslice.bundle'
as_user 'git clone -q -c advice.detachedHead=false /root/coslice.bundle "my coslice"'

if [ $# -gt 0 ]; then
  inside sh -c 'cd /root/coslice && exec "$@"' sh "$@"
  exit
fi

echo "--- an ordinary user is told what is missing"
output=$(as_user '"my coslice"/dev build' 2>&1) && { echo "the build should have failed"; exit 1; }
echo "$output"
must_say "sudo apt-get install --no-install-recommends" "$output"

echo "--- ./dev run scenarios/quickstart.toml"
time inside sh -c 'cd /root/coslice && ./dev run scenarios/quickstart.toml'

echo "--- .ci/run"
time inside sh -c 'cd /root/coslice && .ci/run'

echo "--- an ordinary user, in a folder with a blank in its name"
as_user 'cd "my coslice" && ./dev run scenarios/quickstart.toml' | tail -n 5
echo "bare $suite: fine"

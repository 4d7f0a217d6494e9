#!/usr/bin/env bash
# Proves the two commands on a bare machine: makes a minimal root with debootstrap, clones the last commit into it, and
# there, as root and as an ordinary user, runs what the README says. Needs root; downloads about 300 MB.
# usage: debian.sh [bookworm|trixie|noble] [COMMAND...]   (default: the whole proof; a command runs in the clone instead)
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
suite=${1:-bookworm}
[ $# -eq 0 ] || shift

skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "needs root for chroot"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"

case $suite in
  noble)
    keyring=${UBUNTU_KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
    [ -e "$keyring" ] || skip "no Ubuntu keyring; name one in UBUNTU_KEYRING"
    options=(--keyring="$keyring" "--components=main,universe")
    mirror=(http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy) ;;
  *)
    options=()
    mirror=(http://deb.debian.org/debian) ;;
esac

bare=$(mktemp -d /var/tmp/coslice-bare.XXXXXX)
trap 'rm -rf --one-file-system "$bare"' EXIT
chmod 755 "$bare"

echo "making a bare $suite in $bare"
debootstrap --variant=minbase "${options[@]}" "$suite" "$bare" "${mirror[@]}" >"$bare.log" 2>&1 || {
  tail -n 5 "$bare.log"
  rm -f "$bare.log"
  skip "debootstrap could not fetch $suite"
}
rm -f "$bare.log"

# The root gets its own /proc, in a mount namespace that ends with the command.
inside() {
  # shellcheck disable=SC2016  # expanded inside
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI=true "$@"' "$bare" "$@" </dev/null
}
as_user() { inside su -s /bin/bash -c "cd && $1" tester; }
must_say() {  # text output
  case $2 in *"$1"*) ;; *) echo "expected '$1', got:"; echo "$2"; exit 1 ;; esac
}

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

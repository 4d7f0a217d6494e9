#!/usr/bin/env bash
# Builds the Debian packages of a build folder, installs the program's one on a bare machine of this machine's own
# release, where nothing of what builds it is there, and uses it as an ordinary user would. Needs root and debootstrap.
# usage: deb.sh BUILD-FOLDER
set -euo pipefail

build=$(cd "$1" && pwd)
# shellcheck source=tests/bare/root.sh
. "$(dirname "$0")/root.sh"
command -v dpkg-shlibdeps >/dev/null || skip "dpkg-dev is not installed"
command -v file >/dev/null || skip "file is not installed"
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
make_root "$suite"

(cd "$build" && cpack -B "$bare/root/packages") >"$bare/root/cpack.log" 2>&1 || { cat "$bare/root/cpack.log"; exit 1; }
program=$(basename "$bare"/root/packages/coslice_*.deb)
depends=$(dpkg-deb -f "$bare/root/packages/$program" Depends)
must_say libfmt "$depends"
must_say libsqlite3 "$depends"
case $depends in *-dev*) echo "the program needs no headers, but asks for $depends"; exit 1 ;; esac
development=$(basename "$bare"/root/packages/libcoslice-dev_*.deb)
must_say libboost-dev "$(dpkg-deb -f "$bare/root/packages/$development" Depends)"

# apt-get brings what the package depends on, and nothing else.
installed=$(inside sh -c "apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
  -o Dpkg::Use-Pty=0 install /root/packages/$program" 2>&1) || { echo "$installed"; exit 1; }

inside useradd -m tester
as_user() { inside su -s /bin/sh -c "cd && $1" tester; }
must_say "jobs        6,000" "$(as_user 'coslice run /usr/share/coslice/scenarios/quickstart.toml')"
must_say "scojo-pect" "$(as_user 'coslice reproduce --list')"
must_say "wrote mine.lua, mine_test.lua and .luarc.json" "$(as_user 'coslice new policy mine')"
must_say '"/usr/share/coslice/lua/meta"' "$(as_user 'cat .luarc.json')"
must_say '"/usr/share/coslice/lua/meta"' "$(inside cat /usr/share/coslice/.luarc.json)"
must_say "4 passed, 0 failed" "$(as_user 'coslice test mine_test.lua')"
inside test -s /usr/share/doc/coslice/docs/tutorial.md
inside test -s /usr/share/doc/coslice/scenarios/quickstart.toml
inside test -s /usr/share/man/man1/coslice.1

inside sh -c 'DEBIAN_FRONTEND=noninteractive apt-get -qq -y purge coslice' >/dev/null 2>&1
left=$(inside sh -c 'find / -xdev -path /proc -prune -o -path /root -prune -o -name "*coslice*" -print')
[ -z "$left" ] || { echo "the package leaves behind: $left"; exit 1; }
echo "$program on a bare $suite: fine"

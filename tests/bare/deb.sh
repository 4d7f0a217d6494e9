#!/usr/bin/env bash
# Builds the Debian packages of a build folder, installs them on a bare machine of this machine's own release, where
# nothing of what builds them is there, and uses them as an ordinary user would: first the program alone, then the
# library, for a program that is built there. Needs root and debootstrap.
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

# apt-get brings what a package depends on, and nothing else.
install_there() {  # packages...
  local said
  said=$(inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 install \
    "$@" 2>&1) || { echo "$said"; exit 1; }
}
inside apt-get -qq update >/dev/null
install_there "/root/packages/$program"

home=/srv/tester
inside useradd -m -d "$home" tester
as_user() { inside su -s /bin/sh -c "cd && $1" tester; }
must_say "jobs        6,000" "$(as_user 'coslice run /usr/share/coslice/scenarios/quickstart.toml')"
must_say "scojo-pect" "$(as_user 'coslice reproduce --list')"
must_say "wrote mine.lua, mine_test.lua and .luarc.json" "$(as_user 'coslice new policy mine')"
must_say '"/usr/share/coslice/lua/meta"' "$(as_user 'cat .luarc.json')"
must_say '"/usr/share/coslice/lua/meta"' "$(inside cat /usr/share/coslice/.luarc.json)"
must_say "4 passed, 0 failed" "$(as_user 'coslice test mine_test.lua')"
inside test -s /usr/share/doc/coslice/docs/tutorial.md
inside test -s /usr/share/doc/coslice/scenarios/quickstart.toml
install_there man-db
must_say "COSLICE(1)" "$(as_user 'man coslice')"
cat >"$bare$home/completes.bash" <<'EOF'
. /usr/share/bash-completion/completions/coslice
COMP_WORDS=(coslice run --pol) COMP_CWORD=2
_coslice
echo "${COMPREPLY[@]}"
EOF
must_say "--policy" "$(as_user 'bash completes.bash')"

install_there "/root/packages/$development" g++ cmake make
must_say "500 jobs on 64 nodes" "$(as_user 'cmake -S /usr/share/doc/coslice/examples/embed -B mine >/dev/null &&
  cmake --build mine >/dev/null && mine/embed')"

inside sh -c 'DEBIAN_FRONTEND=noninteractive apt-get -qq -y purge coslice libcoslice-dev' >/dev/null 2>&1
inside rm -rf "$home/mine" "$home/completes.bash"
left=$(inside sh -c 'find / -xdev -path /proc -prune -o -path /root -prune -o -name "*coslice*" -print')
[ -z "$left" ] || { echo "the package leaves behind: $left"; exit 1; }
echo "$program on a bare $suite: fine"
